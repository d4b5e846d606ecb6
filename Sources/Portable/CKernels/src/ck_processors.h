// How many processors this process may use.
#ifndef CK_PROCESSORS_H
#define CK_PROCESSORS_H

/// From the affinity mask and the cgroup's processor quota (v1 or v2); at least 1.
int ck_processors_available(void);

#endif

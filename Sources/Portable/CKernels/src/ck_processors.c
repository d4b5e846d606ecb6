#define _GNU_SOURCE
#include "ck_processors.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 1024 };

// Reads up to two numbers of a file; "max" and -1 read as no quota. The count of numbers read.
static int read_numbers(const char *path, double out[2]) {
  FILE *file = fopen(path, "re");
  if (!file) return 0;
  char text[128];
  size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[length] = 0;
  char *p = text;
  for (int i = 0; i < 2; i++) {
    char *end;
    out[i] = strtod(p, &end);
    if (end == p) return i;
    p = end;
  }
  return 2;
}

static double smaller(double a, double b) { return a < b ? a : b; }

// The quota of one cgroup directory in processors; `none` when it sets none.
static double quota_of(const char *root, const char *group, double none) {
  char path[PATH_BYTES];
  double v[2], period[2];
  double quota = none;
  if (snprintf(path, sizeof path, "%s%s/cpu.max", root, group) < PATH_BYTES)
    if (read_numbers(path, v) == 2 && v[0] > 0 && v[1] > 0) quota = smaller(quota, v[0] / v[1]);
  if (snprintf(path, sizeof path, "%s%s/cpu.cfs_quota_us", root, group) < PATH_BYTES &&
      read_numbers(path, v) >= 1 && v[0] > 0)
    if (snprintf(path, sizeof path, "%s%s/cpu.cfs_period_us", root, group) < PATH_BYTES &&
        read_numbers(path, period) >= 1 && period[0] > 0)
      quota = smaller(quota, v[0] / period[0]);
  return quota;
}

// A quota binds from the group itself or any of its ancestors. Inside a container the path in
// /proc/self/cgroup may not be mounted; then the root is the group.
static double quota(double none) {
  static const char *const roots[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/cpu",
                                      "/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup/unified"};
  double least = none;
  FILE *file = fopen("/proc/self/cgroup", "re");
  char line[PATH_BYTES];
  while (file && fgets(line, sizeof line, file)) {
    char *group = strrchr(line, ':');
    if (!group) continue;
    group++;
    group[strcspn(group, "\n")] = 0;
    for (;;) {
      for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++)
        least = smaller(least, quota_of(roots[i], group, none));
      char *slash = strrchr(group, '/');
      if (!slash) break;
      *slash = 0;
    }
  }
  if (file) fclose(file);
  for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++)
    least = smaller(least, quota_of(roots[i], "", none));
  return least;
}

int ck_processors_available(void) {
  int count = 0;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    count = CPU_COUNT(&set);
  } else {
    count = (int)sysconf(_SC_NPROCESSORS_ONLN);
  }
  if (count < 1) count = 1;
  double allowed = quota(count);
  // Half a processor more is worth a thread; less only causes throttling.
  int rounded = (int)(allowed + 0.5);
  if (rounded < 1) rounded = 1;
  return rounded < count ? rounded : count;
}

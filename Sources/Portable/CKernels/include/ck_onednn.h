// oneDNN, loaded at run time. Everything here works, and answers false, when it is absent.
#ifndef CK_ONEDNN_H
#define CK_ONEDNN_H

#include "ck_common.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A directory to search for oneDNN (the host environment's `lib`), or the path of the library
/// itself. Has effect only before the first use; the string is copied.
void ck_onednn_set_path(const char *path);

/// Loads the library on first call. Search order: the environment variable LUCID_ONEDNN (a path,
/// or "off"), the directory of this library, the path set above, the system. Only a version 3.x
/// built for OpenMP is accepted.
bool ck_onednn_available(void);

/// "3.2.0", or NULL when absent.
const char *ck_onednn_version(void);

/// Why it is absent (a static or process-lifetime string), or NULL when it is loaded.
const char *ck_onednn_reason(void);

#ifdef __cplusplus
}
#endif
#endif

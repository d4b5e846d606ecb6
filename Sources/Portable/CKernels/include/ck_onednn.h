// oneDNN, loaded at run time. Everything here works, and answers false, when it is absent.
#ifndef CK_ONEDNN_H
#define CK_ONEDNN_H

#include "ck_common.h"
#include "ck_conv.h"

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

/// The convolution steps through oneDNN: false when it does not serve them (absent, an operand that
/// is not float32, no fast implementation), and then nothing was written. Primitives are
/// cached (least recently used out), memory comes from ck_alloc, threads from the engine's pool.
bool ck_onednn_conv2d(const ck_conv2d_params *params, void *const *slots);
bool ck_onednn_conv2d_data_gradient(
  const ck_conv2d_data_gradient_params *params, void *const *slots);
bool ck_onednn_conv2d_weights_gradient(
  const ck_conv2d_weights_gradient_params *params, void *const *slots);

/// Weights in oneDNN's own order for ck_onednn_conv2d, in the place of ck_conv2d's packed form:
/// bytes needed (0 when oneDNN does not serve this convolution), and the step that fills it.
/// The form names itself: run with a shape it does not fit, ck_onednn_conv2d reads the weights.
int64_t ck_onednn_conv2d_pack_size(const ck_conv2d_params *params);
bool ck_onednn_conv2d_pack(const ck_conv2d_params *params, void *const *slots);
/// Whether ck_onednn_conv2d_pack made this; own kernels then read the weights instead.
bool ck_onednn_conv2d_owns(const void *packed);

#ifdef __cplusplus
}
#endif
#endif

// Finds and loads oneDNN.
#define _GNU_SOURCE
#include "ck_onednn.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ck_internal.h"
#include "ck_onednn_api.h"

enum { PATH_BYTES = 4096 };

static const char *const file_names[] = {"libdnnl.so.3", "libdnnl.so"};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char host_path[PATH_BYTES];
static dnnl_api api;
static bool loaded;
static char version_text[32];
static char reason[PATH_BYTES + 128];

void ck_onednn_set_path(const char *path) {
  snprintf(host_path, sizeof host_path, "%s", path ? path : "");
}

// dlsym gives an object pointer; POSIX blesses this way of making it a function.
static bool resolve(void *library, const char *name, void *function) {
  void *symbol = dlsym(library, name);
  memcpy(function, &symbol, sizeof symbol);
  return symbol != NULL;
}

static bool resolve_all(void *library) {
#define RESOLVE(name, parameters) \
  if (!resolve(library, "dnnl_" #name, &api.name)) return false;
  DNNL_FUNCTIONS(RESOLVE)
#undef RESOLVE
  return resolve(library, "dnnl_primitive_desc_query_md", &api.primitive_desc_query_md) &&
         resolve(library, "dnnl_memory_desc_equal", &api.memory_desc_equal) &&
         resolve(library, "dnnl_memory_desc_get_size", &api.memory_desc_get_size) &&
         resolve(library, "omp_set_num_threads", &api.set_threads) &&
         resolve(library, "omp_get_max_threads", &api.get_threads);
}

// Takes `library` when it is what we were written for; closes it otherwise.
static bool accept(void *library, const char *name) {
  const dnnl_version_info *v = NULL;
  if (resolve(library, "dnnl_version", &api.version)) v = api.version();
  if (!v || v->major != 3) {
    snprintf(reason, sizeof reason, "%s is not oneDNN 3", name);
  } else if (v->cpu_runtime != DNNL_RUNTIME_OMP) {
    snprintf(reason, sizeof reason, "%s was not built for OpenMP", name);
  } else if (!resolve_all(library) || !dlsym(library, "GOMP_parallel")) {
    snprintf(reason, sizeof reason, "%s lacks a function of oneDNN 3 or of GNU OpenMP", name);
  } else if (
    api.engine_create(&api.engine, DNNL_ENGINE_CPU, 0) != 0 ||
    api.stream_create(&api.stream, api.engine, DNNL_STREAM_DEFAULT) != 0) {
    snprintf(reason, sizeof reason, "%s has no engine for this processor", name);
  } else {
    snprintf(version_text, sizeof version_text, "%d.%d.%d", v->major, v->minor, v->patch);
    reason[0] = 0;
    api.library = library;
    loaded = true;
    return true;
  }
  dlclose(library);
  return false;
}

static bool try_file(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  return library && accept(library, path);
}

// A directory to look in, or the library's own path.
static bool try_path(const char *path) {
  struct stat info;
  if (stat(path, &info) != 0) return false;
  if (!S_ISDIR(info.st_mode)) return try_file(path);
  char file[PATH_BYTES];
  for (size_t i = 0; i < sizeof file_names / sizeof file_names[0]; i++)
    if (
      snprintf(file, sizeof file, "%s/%s", path, file_names[i]) < PATH_BYTES &&
      stat(file, &info) == 0 && try_file(file))
      return true;
  return false;
}

static bool try_own_directory(void) {
  Dl_info info;
  char path[PATH_BYTES];
  if (!dladdr(&loaded, &info) || !info.dli_fname) return false;
  if (snprintf(path, sizeof path, "%s", info.dli_fname) >= PATH_BYTES) return false;
  char *slash = strrchr(path, '/');
  if (!slash) return false;
  *slash = 0;
  return try_path(path);
}

static void load(void) {
  const char *wish = getenv("LUCID_ONEDNN");
  if (wish && strcmp(wish, "off") == 0) {
    snprintf(reason, sizeof reason, "switched off by LUCID_ONEDNN");
    return;
  }
  if (wish && wish[0]) {
    // Asked for by name: another one would be a surprise.
    if (!try_path(wish) && !reason[0])
      snprintf(reason, sizeof reason, "LUCID_ONEDNN names no loadable library: %s", wish);
    return;
  }
  if (try_own_directory()) return;
  if (host_path[0] && try_path(host_path)) return;
  for (size_t i = 0; i < sizeof file_names / sizeof file_names[0]; i++)
    if (try_file(file_names[i])) return;
  if (!reason[0]) snprintf(reason, sizeof reason, "no libdnnl.so.3 was found");
}

const dnnl_api *ck_onednn_api(void) {
  (void)pthread_once(&once, load);
  return loaded ? &api : NULL;
}

// Only from the first primitive on: OpenMP's threads spin long, which our own pool need not bear for
// programs without convolutions.
static void share_threads(void) { (void)ck_threads_adopt_openmp(api.library); }

void ck_onednn_use_threads(void) {
  static pthread_once_t shared = PTHREAD_ONCE_INIT;
  (void)pthread_once(&shared, share_threads);
}

bool ck_onednn_available(void) { return ck_onednn_api() != NULL; }
const char *ck_onednn_version(void) { return ck_onednn_available() ? version_text : NULL; }
const char *ck_onednn_reason(void) { return ck_onednn_available() ? NULL : reason; }

// Everything the engine's compiler and runtime use from C.
#ifndef CKERNELS_H
#define CKERNELS_H

#include "ck_attention.h"
#include "ck_common.h"
#include "ck_conv.h"
#include "ck_copy.h"
#include "ck_gemm.h"
#include "ck_index.h"
#include "ck_map.h"
#include "ck_memory.h"
#include "ck_onednn.h"
#include "ck_pool.h"
#include "ck_random.h"
#include "ck_scan.h"
#include "ck_sort.h"
#include "ck_threads.h"

#endif

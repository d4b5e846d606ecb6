// Headers of the bodies, included before a target attribute is opened.
#ifndef CK_MAP_ISA_H
#define CK_MAP_ISA_H

#include <math.h>
#include <stdint.h>
#include <string.h>
#if defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "ck_map_internal.h"
#include "ck_target.h"
#include "ck_vmath.h"

// Every operation rounds by itself (GCC in C11 mode never contracts).
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif
// Wide vectors are passed between inlined functions only, so their ABI does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"

#endif

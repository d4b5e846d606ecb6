// Compiling one body per instruction set, without compiler flags for whole files:
//
//   CK_TARGET_AVX512_BEGIN
//   #define CK_NAME(x) x##_avx512
//   #include "body.h"
//   #undef CK_NAME
//   CK_TARGET_END
#ifndef CK_TARGET_H
#define CK_TARGET_H

#if defined(__x86_64__) || defined(__i386__)
#define CK_X86 1
#include <immintrin.h>
#if defined(__clang__)
#define CK_TARGET_AVX2_BEGIN                                                              \
  _Pragma("clang attribute push(__attribute__((target(\"avx2,fma,f16c,bmi,bmi2\"))), apply_to=function)")
#define CK_TARGET_AVX512_BEGIN                                                            \
  _Pragma("clang attribute push(__attribute__((target(\"avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2\"))), apply_to=function)")
#define CK_TARGET_END _Pragma("clang attribute pop")
#else
#define CK_TARGET_AVX2_BEGIN                                                              \
  _Pragma("GCC push_options") _Pragma("GCC target(\"avx2,fma,f16c,bmi,bmi2\")")
#define CK_TARGET_AVX512_BEGIN                                                            \
  _Pragma("GCC push_options")                                                             \
  _Pragma("GCC target(\"avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2,prefer-vector-width=512\")")
#define CK_TARGET_END _Pragma("GCC pop_options")
#endif
#endif

#endif

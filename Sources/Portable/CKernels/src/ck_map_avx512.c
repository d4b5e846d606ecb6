#include "ck_map_isa.h"

#if defined(__x86_64__)
CK_TARGET_AVX512_BEGIN
#define CK_SIMD_AVX512
#define CK_VW 16
#define CK_MAP_TABLE ck_map_table_avx512
#include "ck_map_isa_body.h"
CK_TARGET_END
#endif

#include "ck_map_isa.h"

#if defined(__x86_64__)
CK_TARGET_AVX2_BEGIN
#define CK_SIMD_AVX2
#define CK_VW 8
#define CK_MAP_TABLE ck_map_table_avx2
#include "ck_map_isa_body.h"
CK_TARGET_END
#endif

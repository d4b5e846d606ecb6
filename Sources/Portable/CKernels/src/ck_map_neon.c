#include "ck_map_isa.h"

#if defined(__aarch64__)
#define CK_SIMD_NEON
#define CK_VW 4
#define CK_MAP_TABLE ck_map_table_neon
#include "ck_map_isa_body.h"
#endif

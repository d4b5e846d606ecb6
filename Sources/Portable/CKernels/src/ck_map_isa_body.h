// Everything that exists once per instruction set. The including file defines CK_VW, CK_MAP_TABLE
// and the CK_SIMD_ macro, and opens the target attribute after the headers below.
#include "ck_vmath_simd.h"
#include "ck_vmath_body.h"
#include "ck_map_bodies.h"
#include "ck_map_chain_body.h"
#include "ck_map_reduce_body.h"
#include "ck_map_transpose_body.h"
#include "ck_map_table_body.h"

#include "ck_map_isa.h"

#define CK_VW 4
#define CK_MAP_TABLE ck_map_table_base
#include "ck_map_isa_body.h"

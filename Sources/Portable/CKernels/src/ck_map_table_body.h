// The table of this instruction set's bodies.

#define F1(f) {{f, 0, 0, 0}}
#define FIL1(n) {{f_##n, 0, 0, 0}, {i_##n, 0, 0, 0}, {l_##n, 0, 0, 0}}
#define SAME_INT(f) {{f, 0, 0, 0}, {copy_4, 0, 0, 0}, {copy_8, 0, 0, 0}}
#define IL1(n) {{0}, {i_##n, 0, 0, 0}, {l_##n, 0, 0, 0}}
#define V3(n) {n##_vv, n##_vs, n##_sv, 0}
#define FIL2(n) {V3(f_##n), V3(i_##n), V3(l_##n)}
#define IL2(n) {{0}, V3(i_##n), V3(l_##n)}
#define LONG2(n) {{f_##n##_vv, 0, 0, 0}, {i_##n##_vv, 0, 0, 0}, {l_##n##_vv, 0, 0, 0}}
#define REDUCE_ALL(kind, n) {kind##_##n##_f32, kind##_##n##_i32, kind##_##n##_i64}
#define REDUCE_NAN(kind, n) {kind##_##n##_nan_f32, kind##_##n##_i32, kind##_##n##_i64}

#define REDUCTIONS(kind)                                                                        \
  {                                                                                             \
    REDUCE_ALL(kind, sum), REDUCE_ALL(kind, product), REDUCE_ALL(kind, minimum),                \
      REDUCE_ALL(kind, maximum), REDUCE_NAN(kind, minimum), REDUCE_NAN(kind, maximum),          \
      REDUCE_ALL(kind, and), REDUCE_ALL(kind, or), REDUCE_ALL(kind, arg_minimum),               \
      REDUCE_ALL(kind, arg_maximum)                                                             \
  }

const ck_map_table CK_MAP_TABLE = {
  .op =
    {
      [CK_MAP_CAST_F32] = {{copy_4}, {i_to_f32}, {l_to_f32}},
      [CK_MAP_CAST_I32] = {{f_to_i32}, {copy_4}, {l_to_i32}},
      [CK_MAP_CAST_I64] = {{f_to_i64}, {i_to_i64}, {copy_8}},
      [CK_MAP_TO_BOOL] = FIL1(to_bool),
      [CK_MAP_BITCAST_F32] = {{0}, {copy_4}, {0}},
      [CK_MAP_BITCAST_I32] = {{copy_4}, {0}, {0}},
      [CK_MAP_SELECT] =
        {
          {f_select_vv, f_select_vs, f_select_sv, f_select_ss},
          {i_select_vv, i_select_vs, i_select_sv, i_select_ss},
          {l_select_vv, l_select_vs, l_select_sv, l_select_ss},
        },
      [CK_MAP_CLAMP] =
        {{f_clamp_vv, 0, 0, f_clamp_ss}, {i_clamp_vv, 0, 0, i_clamp_ss}, {l_clamp_vv, 0, 0, l_clamp_ss}},
      [CK_MAP_CLAMP_NAN] =
        {{f_clamp_nan_vv, 0, 0, f_clamp_nan_ss},
         {i_clamp_vv, 0, 0, i_clamp_ss},
         {l_clamp_vv, 0, 0, l_clamp_ss}},
      [CK_MAP_IDENTITY] = SAME_INT(copy_4),
      [CK_MAP_NEGATIVE] = FIL1(negative),
      [CK_MAP_ABSOLUTE] = FIL1(absolute),
      [CK_MAP_SIGN] = FIL1(sign),
      [CK_MAP_SIGNBIT] = FIL1(signbit),
      [CK_MAP_SQUARE] = FIL1(square),
      [CK_MAP_SQUARE_ROOT] = F1(f_square_root),
      [CK_MAP_RECIPROCAL_SQUARE_ROOT] = F1(f_reciprocal_square_root),
      [CK_MAP_RECIPROCAL] = FIL1(reciprocal),
      [CK_MAP_EXPONENT] = F1(f_exponent),
      [CK_MAP_EXPONENT_BASE2] = F1(f_exponent_base2),
      [CK_MAP_EXPONENT_BASE10] = F1(f_exponent_base10),
      [CK_MAP_LOGARITHM] = F1(f_logarithm),
      [CK_MAP_LOGARITHM_BASE2] = F1(f_logarithm_base2),
      [CK_MAP_LOGARITHM_BASE10] = F1(f_logarithm_base10),
      [CK_MAP_SIN] = F1(f_sin),
      [CK_MAP_COS] = F1(f_cos),
      [CK_MAP_TAN] = F1(f_tan),
      [CK_MAP_SINH] = F1(f_sinh),
      [CK_MAP_COSH] = F1(f_cosh),
      [CK_MAP_TANH] = F1(f_tanh),
      [CK_MAP_ASIN] = F1(f_asin),
      [CK_MAP_ACOS] = F1(f_acos),
      [CK_MAP_ATAN] = F1(f_atan),
      [CK_MAP_ASINH] = F1(f_asinh),
      [CK_MAP_ACOSH] = F1(f_acosh),
      [CK_MAP_ATANH] = F1(f_atanh),
      [CK_MAP_ERF] = F1(f_erf),
      [CK_MAP_CEIL] = SAME_INT(f_ceil),
      [CK_MAP_FLOOR] = SAME_INT(f_floor),
      [CK_MAP_ROUND_AWAY] = SAME_INT(f_round_away),
      [CK_MAP_RINT] = SAME_INT(f_rint),
      [CK_MAP_TRUNCATE] = SAME_INT(f_truncate),
      [CK_MAP_NOT] = FIL1(not ),
      [CK_MAP_BITWISE_NOT] = IL1(bitwise_not),
      [CK_MAP_POPULATION_COUNT] = IL1(population_count),
      [CK_MAP_IS_INFINITE] = FIL1(is_infinite),
      [CK_MAP_IS_FINITE] = FIL1(is_finite),
      [CK_MAP_IS_NAN] = FIL1(is_nan),
      [CK_MAP_RELU] = FIL1(relu),
      [CK_MAP_SIGMOID] = F1(f_sigmoid),
      [CK_MAP_ADD] = FIL2(add),
      [CK_MAP_SUBTRACT] = FIL2(subtract),
      [CK_MAP_MULTIPLY] = FIL2(multiply),
      [CK_MAP_DIVIDE] = {V3(f_divide), {i_divide_vv}, {l_divide_vv}},
      [CK_MAP_DIVIDE_NO_NAN] = {V3(f_divide_no_nan), {i_divide_vv}, {l_divide_vv}},
      [CK_MAP_MODULO] = LONG2(modulo),
      [CK_MAP_FLOOR_MODULO] = LONG2(floor_modulo),
      [CK_MAP_POWER] = LONG2(power),
      [CK_MAP_MINIMUM] = FIL2(minimum),
      [CK_MAP_MAXIMUM] = FIL2(maximum),
      [CK_MAP_MINIMUM_NAN] = {V3(f_minimum_nan), V3(i_minimum), V3(l_minimum)},
      [CK_MAP_MAXIMUM_NAN] = {V3(f_maximum_nan), V3(i_maximum), V3(l_maximum)},
      [CK_MAP_ATAN2] = F1(f_atan2_vv),
      [CK_MAP_EQUAL] = FIL2(equal),
      [CK_MAP_NOT_EQUAL] = FIL2(not_equal),
      [CK_MAP_LESS] = FIL2(less),
      [CK_MAP_LESS_EQUAL] = FIL2(less_equal),
      [CK_MAP_GREATER] = FIL2(greater),
      [CK_MAP_GREATER_EQUAL] = FIL2(greater_equal),
      [CK_MAP_AND] = FIL2(and),
      [CK_MAP_OR] = FIL2(or),
      [CK_MAP_NAND] = FIL2(nand),
      [CK_MAP_NOR] = FIL2(nor),
      [CK_MAP_XOR] = FIL2(xor),
      [CK_MAP_XNOR] = FIL2(xnor),
      [CK_MAP_BIT_AND] = IL2(bit_and),
      [CK_MAP_BIT_OR] = IL2(bit_or),
      [CK_MAP_BIT_XOR] = IL2(bit_xor),
      [CK_MAP_SHIFT_LEFT] = IL2(shift_left),
      [CK_MAP_SHIFT_RIGHT] = IL2(shift_right),
    },
  .load =
    {
      [CK_F32] = copy_4,
      [CK_F16] = load_f16,
      [CK_BF16] = load_bf16,
      [CK_I8] = load_i8,
      [CK_I16] = load_i16,
      [CK_I32] = copy_4,
      [CK_I64] = copy_8,
      [CK_U8] = load_u8,
      [CK_BOOL] = load_bool,
      [CK_U16] = load_u16,
      [CK_U32] = load_u32,
      [CK_U64] = copy_8,
    },
  .store =
    {
      [CK_F32] = copy_4,
      [CK_F16] = store_f16,
      [CK_BF16] = store_bf16,
      [CK_I8] = store_8,
      [CK_I16] = store_16,
      [CK_I32] = copy_4,
      [CK_I64] = copy_8,
      [CK_U8] = store_8,
      [CK_U16] = store_16,
      [CK_U32] = store_u32,
      [CK_U64] = copy_8,
    },
  .store_bool = {store_bool_f, store_bool_i, store_bool_l},
  .round =
    {
      [CK_F16] = round_f16,
      [CK_BF16] = round_bf16,
      [CK_I8] = round_i8,
      [CK_I16] = round_i16,
      [CK_U8] = round_u8,
      [CK_BOOL] = i_to_bool,
      [CK_U16] = round_u16,
      [CK_U32] = round_u32,
    },
  .copy = {copy_4, copy_8},
  .fill = {fill_4, fill_8},
  .across = REDUCTIONS(across),
  .lanes = REDUCTIONS(lanes),
  .once = {once_sum, 0, once_minimum, once_maximum, once_minimum_nan, once_maximum_nan},
  .once_sum_of_products = once_sum_products,
  .chain =
    {
      [CK_FIRST_ADD_VV] = CHAIN_ROW(add_vv),
      [CK_FIRST_ADD_VS] = CHAIN_ROW(add_vs),
      [CK_FIRST_SUBTRACT_VV] = CHAIN_ROW(sub_vv),
      [CK_FIRST_SUBTRACT_VS] = CHAIN_ROW(sub_vs),
      [CK_FIRST_SUBTRACT_SV] = CHAIN_ROW(sub_sv),
      [CK_FIRST_MULTIPLY_VV] = CHAIN_ROW(mul_vv),
      [CK_FIRST_MULTIPLY_VS] = CHAIN_ROW(mul_vs),
    },
  .sum_of_products = {across_sum_products, lanes_sum_products},
  .negative_absolute = f_negative_absolute,
  .transpose4 = transpose4,
};

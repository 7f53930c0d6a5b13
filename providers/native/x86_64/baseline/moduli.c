/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Baseline kernels: level 2, common/moduli.h over the assembly of the tier. Only C: no arithmetic is
 * done here.
 */
#define TIER(name) lb_native_baseline_##name
#include "providers/native/x86_64/baseline/kernels.h"

#define product lb_native_baseline_product
#define square lb_native_baseline_square
#define difference lb_native_baseline_difference
#define select lb_native_baseline_choice
#define table_select lb_native_baseline_table_entry

#define addmul_row lb_native_baseline_addmul_row
#define sum lb_native_baseline_sum
#define masked_difference lb_native_baseline_masked_difference
#include "providers/native/common/reduce.h"

#define reduce reduce_rows
#include "providers/native/common/moduli.h"

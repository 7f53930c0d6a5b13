/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The module gmp: its table, completed when it is loaded with what only the GMP at hand can tell.
 */
#include "providers/gmp/kernels.h"

#include <string.h>

static char origin[96];

static struct limbic_tier tiers[] = {
    {
        .name = "",
        .needs = "",
        .limbs = &lb_gmp_limbs,
        .moduli = &lb_gmp_moduli,
    },
};

extern struct limbic_provider LIMBIC_PROVIDER_SYMBOL(gmp);

__attribute__((visibility("default"))) struct limbic_provider LIMBIC_PROVIDER_SYMBOL(gmp) = {
    .size = sizeof(struct limbic_provider),
    .abi_major = LIMBIC_PROVIDER_ABI_MAJOR,
    .abi_minor = LIMBIC_PROVIDER_ABI_MINOR,
    .limb_bits = LIMBIC_LIMB_BITS,
    .name = "gmp",
    .version = LIMBIC_GMP_MODULE_VERSION,
    .license = "LGPL-3.0-or-later OR GPL-2.0-or-later", /* of the whole, which is GMP's */
    .origin = origin,
    .limb_slots_size = sizeof(struct limbic_limb_slots),
    .tier_size = sizeof(struct limbic_tier),
    .tier_count = 1,
    .tiers = tiers,
};

static void append(const char *text)
{
    size_t used = strlen(origin), room = sizeof origin - 1 - used, length = strlen(text);

    memcpy(origin + used, text, length < room ? length : room);
}

static void append_number(unsigned number)
{
    char digits[12] = "";
    size_t at = sizeof digits - 1;

    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number && at > 0);
    append(digits + at);
}

/* GMP's needs, whatever its version, against the room that the slots give. */
static bool fits(void)
{
    for (size_t n = 1; n <= 2 * LIMBIC_MAX_LIMBS; n++) {
        size_t mul = (size_t)mpn_sec_mul_itch(len(n), len(n));
        size_t sqr = (size_t)mpn_sec_sqr_itch(len(n));
        size_t most = mul > sqr ? mul : sqr;

        if (most > ROOM_MUL(n, n) || (n <= LIMBIC_MAX_LIMBS && most > ROOM_MONT(n)) ||
            (size_t)mpn_sec_mul_itch(len(n), 1) > ROOM_MUL(n, 1))
            return false;
    }
    return true;
}

/* mp_bits_per_limb is the width of the library that was loaded, which need not be the one of the
   header: another width is left in the table, and limbic refuses it. */
__attribute__((constructor)) static void complete(void)
{
    LIMBIC_PROVIDER_SYMBOL(gmp).limb_bits = (uint32_t)mp_bits_per_limb;
    append("GMP ");
    append(gmp_version);
    append(", limbs of ");
    append_number((unsigned)mp_bits_per_limb);
    append(" bits, inner kernel unknown");
    if (!fits())
        tiers[0].not_built = "this GMP asks for more scratch than the slots give";
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Random octets from the kernel and random naturals made of them. Keeps no state and no pool, so a
 * forked or restored process repeats nothing. Knows no algorithm that uses them.
 */
#include "core/number/random.h"

#include <errno.h>
#include <sys/random.h>

#include "base/error.h"
#include "base/wipe.h"
#include "core/number/nat.h"

#define TRIES 128

/* getrandom may return less than was asked for (above 256 octets) or be interrupted. */
static gpg_error_t from_kernel(void *buf, size_t len)
{
    unsigned char *at = buf;

    while (len > 0) {
        ssize_t got = getrandom(at, len, 0);
        if (got < 0) {
            if (errno == EINTR)
                continue;
            return lb_error(gpg_err_code_from_errno(errno), "getrandom failed");
        }
        at += got;
        len -= (size_t)got;
    }
    return 0;
}

#ifdef LIMBIC_TESTING
static lb_random_fn hook;
static void *hook_opaque;

void lb_random_hook(lb_random_fn fn, void *opaque)
{
    hook = fn;
    hook_opaque = opaque;
}

static gpg_error_t from_source(void *buf, size_t len)
{
    return hook ? hook(hook_opaque, buf, len) : from_kernel(buf, len);
}
#else
static gpg_error_t from_source(void *buf, size_t len)
{
    return from_kernel(buf, len);
}
#endif

gpg_error_t lb_random(void *buf, size_t len)
{
    gpg_error_t err = from_source(buf, len);

    if (err)
        lb_wipe(buf, len);
    return err;
}

gpg_error_t lb_random_bits(limb_t *r, size_t n, size_t bits)
{
    size_t used = LB_LIMBS_OF_BITS(bits);

    lb_nat_zero(r, n);
    gpg_error_t err = lb_random(r, used * sizeof *r);
    if (!err && bits % LIMB_BITS != 0)
        r[used - 1] &= ((limb_t)1 << (bits % LIMB_BITS)) - 1;
    return err;
}

gpg_error_t lb_random_below(limb_t *r, const limb_t *m, size_t n, size_t bits)
{
    for (int i = 0; i < TRIES; i++) {
        gpg_error_t err = lb_random_bits(r, n, bits);
        if (err)
            return err;
        if (lb_ct_declassify(lb_nat_lt(r, m, n) & ~lb_nat_is_zero(r, n)))
            return 0;
    }
    lb_wipe(r, n * sizeof *r);
    return lb_error(GPG_ERR_NOT_OPERATIONAL, "the source of randomness repeats itself");
}

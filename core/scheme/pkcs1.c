/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Encodings of PKCS#1 (RFC 8017) for signatures, and the mask that PSS and OAEP share.
 */
#include "core/scheme/pkcs1.h"

#include <string.h>

#include "base/error.h"
#include "base/wipe.h"

gpg_error_t lb_pkcs1_encode(unsigned char *em, size_t em_len, enum limbic_hash hash,
                            const unsigned char *digest, size_t digest_len)
{
    unsigned char prefix[LB_DIGESTINFO_MAX];
    size_t prefix_len = 0;

    if (hash != LIMBIC_HASH_NONE) {
        prefix_len = lb_hash_digestinfo(hash, prefix);
        if (prefix_len == 0)
            return lb_errorf(GPG_ERR_DIGEST_ALGO, "%s has no DigestInfo for PKCS#1 v1.5 padding",
                             limbic_hash_name(hash) ? limbic_hash_name(hash) : "this digest");
    }
    if (digest_len > em_len || em_len - digest_len < prefix_len + 11)
        return hash == LIMBIC_HASH_NONE
                   ? lb_errorf(GPG_ERR_TOO_SHORT,
                               "too long without a hash: at most %zu octets fit this key",
                               em_len < 11 ? 0 : em_len - 11)
                   : lb_errorf(GPG_ERR_TOO_SHORT, "the key is too short for %s",
                               limbic_hash_name(hash));

    size_t ps_len = em_len - 3 - prefix_len - digest_len;
    em[0] = 0;
    em[1] = 1;
    memset(em + 2, 0xff, ps_len);
    em[2 + ps_len] = 0;
    if (prefix_len)
        memcpy(em + 3 + ps_len, prefix, prefix_len);
    if (digest_len)
        memcpy(em + 3 + ps_len + prefix_len, digest, digest_len);
    return 0;
}

int lb_pss_max_salt(size_t em_bits, enum limbic_hash hash)
{
    size_t em_len = (em_bits + 7) / 8, hash_len = lb_hash_size(hash);

    return em_len < hash_len + 2 ? -1 : (int)(em_len - hash_len - 2);
}

static gpg_error_t xof_xor(unsigned char *db, size_t len, enum limbic_hash hash,
                           const unsigned char *seed, size_t seed_len)
{
    unsigned char mask[LB_EM_MAX];
    struct lb_piece piece = {seed, seed_len};
    gpg_error_t err = lb_hash_xof(hash, &piece, 1, mask, len);

    for (size_t i = 0; i < len && !err; i++)
        db[i] ^= mask[i];
    lb_wipe(mask, sizeof mask);
    return err;
}

gpg_error_t lb_mgf_xor(unsigned char *db, size_t len, enum limbic_hash hash,
                       const unsigned char *seed, size_t seed_len)
{
    unsigned char block[LB_HASH_MAX], counter[4];
    struct lb_piece pieces[2] = {{seed, seed_len}, {counter, sizeof counter}};
    size_t step = lb_hash_size(hash);
    gpg_error_t err = 0;

    if (lb_hash_is_xof(hash))
        return xof_xor(db, len, hash, seed, seed_len);
    for (size_t at = 0, i = 0; at < len && !err; at += step, i++) {
        counter[0] = (unsigned char)(i >> 24);
        counter[1] = (unsigned char)(i >> 16);
        counter[2] = (unsigned char)(i >> 8);
        counter[3] = (unsigned char)i;
        err = lb_hash(hash, pieces, 2, block);
        for (size_t j = 0; j < step && at + j < len && !err; j++)
            db[at + j] ^= block[j];
    }
    lb_wipe(block, sizeof block);
    return err;
}

/* H = Hash(eight zero octets || digest || salt). */
static gpg_error_t salted_hash(unsigned char *h, enum limbic_hash hash, const unsigned char *digest,
                               const unsigned char *salt, size_t salt_len)
{
    static const unsigned char zeros[8];
    struct lb_piece pieces[3] = {{zeros, 8}, {digest, lb_hash_size(hash)}, {salt, salt_len}};

    return lb_hash(hash, pieces, salt_len ? 3 : 2, h);
}

/* Mask for the top octet: the bits of em_bits that it holds, all 8 if em_bits is a
   multiple of 8. */
static unsigned char top_mask(size_t em_bits)
{
    return (unsigned char)(0xff >> (8 * ((em_bits + 7) / 8) - em_bits));
}

gpg_error_t lb_pss_encode(unsigned char *em, size_t em_bits, const struct lb_pss *pss,
                          const unsigned char *digest, const unsigned char *salt)
{
    size_t em_len = (em_bits + 7) / 8, hash_len = lb_hash_size(pss->hash);
    int max = lb_pss_max_salt(em_bits, pss->hash);
    size_t salt_len = (size_t)pss->salt_len, db_len;
    unsigned char *h;
    gpg_error_t err;

    if (pss->salt_len < 0)
        return lb_error(GPG_ERR_BUG, "salt length not resolved");
    if (pss->salt_len > max)
        return lb_error(GPG_ERR_TOO_SHORT, "the key is too short for this digest and salt");
    db_len = em_len - hash_len - 1;
    h = em + db_len;
    err = salted_hash(h, pss->hash, digest, salt, salt_len);
    if (err)
        return err;
    memset(em, 0, db_len);
    em[db_len - salt_len - 1] = 1;
    if (salt_len)
        memcpy(em + db_len - salt_len, salt, salt_len);
    err = lb_mgf_xor(em, db_len, pss->mgf_hash, h, hash_len);
    em[0] &= top_mask(em_bits);
    em[em_len - 1] = 0xbc;
    return err;
}

static gpg_error_t bad(const char *why)
{
    return lb_error(GPG_ERR_BAD_SIGNATURE, why);
}

gpg_error_t lb_pss_verify_vartime(const unsigned char *em, size_t em_bits, const struct lb_pss *pss,
                                  const unsigned char *digest)
{
    size_t em_len = (em_bits + 7) / 8, hash_len = lb_hash_size(pss->hash), db_len, at = 0, salt_len;
    unsigned char db[LB_EM_MAX], expected[LB_HASH_MAX];
    gpg_error_t err;

    if (em_len < hash_len + 2 || em_len > sizeof db ||
        pss->salt_len > lb_pss_max_salt(em_bits, pss->hash))
        return bad("the key is too short for this digest and salt");
    if (em[em_len - 1] != 0xbc)
        return bad("PSS: the trailer is not 0xbc");
    if (em[0] & ~top_mask(em_bits) & 0xff)
        return bad("PSS: a bit above the encoded message is set");

    db_len = em_len - hash_len - 1;
    memcpy(db, em, db_len);
    err = lb_mgf_xor(db, db_len, pss->mgf_hash, em + db_len, hash_len);
    if (err)
        return err;
    db[0] &= top_mask(em_bits);
    while (at < db_len && db[at] == 0)
        at++;
    if (at == db_len || db[at] != 1)
        return bad("PSS: the padding is wrong");
    salt_len = db_len - at - 1;
    if (pss->salt_len != LIMBIC_SALT_AUTO && salt_len != (size_t)pss->salt_len)
        return bad("PSS: another salt length");
    err = salted_hash(expected, pss->hash, digest, db + at + 1, salt_len);
    if (err)
        return err;
    return memcmp(expected, em + db_len, hash_len) == 0 ? 0 : bad("PSS: the digest differs");
}

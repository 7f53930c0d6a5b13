/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Encodings of PKCS#1 (RFC 8017) for encryption: EME-PKCS1-v1_5 with implicit rejection, and
 * EME-OAEP. What is decoded is secret, and above all whether it is well formed: D. Bleichenbacher
 * ("Chosen ciphertext attacks against protocols based on the RSA encryption standard PKCS #1",
 * 1998) and J. Manger ("A chosen ciphertext attack on RSA OAEP ...", 2001) decrypt with one bit of
 * it at a time. So there are masks here and no branches.
 */
#include "core/scheme/pkcs1.h"

#include <string.h>

#include "base/error.h"
#include "base/wipe.h"

static unsigned char select_octet(limb_t mask, unsigned char a, unsigned char b)
{
    return (unsigned char)lb_ct_select(mask, a, b);
}

/*
 * EME-PKCS1-v1_5: 0, 2, eight or more octets that are not zero, 0, message
 */

#define PS_MIN 8
#define OVERHEAD (PS_MIN + 3)

int lb_pkcs1_max_message(size_t em_len)
{
    return em_len < OVERHEAD ? -1 : (int)(em_len - OVERHEAD);
}

void lb_pkcs1_pad(unsigned char *em, size_t em_len, const unsigned char *message, size_t len,
                  const unsigned char *ps)
{
    size_t ps_len = em_len - len - 3;

    em[0] = 0;
    em[1] = 2;
    memcpy(em + 2, ps, ps_len);
    em[2 + ps_len] = 0;
    if (len)
        memcpy(em + 3 + ps_len, message, len);
}

/*
 * Implicit rejection as draft-irtf-cfrg-rsa-guidance has it (H. Kario, "Implementation guidance for
 * the PKCS #1 RSA cryptography specification"), and OpenSSL since 3.2: a key is derived from the
 * private key and the ciphertext, and from it a message and candidates for its length.
 */

/* out[len] from the PRF: HMAC of a counter, the label and the output's length in bits, the numbers
   of two octets. */
static gpg_error_t prf(unsigned char *out, size_t len, const char *label,
                       const unsigned char key[LB_HMAC_SIZE])
{
    unsigned char block[LB_HMAC_SIZE], counter[2];
    unsigned char bits[2] = {(unsigned char)(8 * len >> 8), (unsigned char)(8 * len)};
    struct lb_piece pieces[3] = {{counter, 2}, {label, strlen(label)}, {bits, 2}};
    gpg_error_t err = 0;

    for (size_t at = 0, i = 0; at < len && !err; at += LB_HMAC_SIZE, i++) {
        counter[0] = (unsigned char)(i >> 8);
        counter[1] = (unsigned char)i;
        err = lb_hmac_sha256(key, pieces, 3, block);
        if (!err)
            memcpy(out + at, block, len - at < LB_HMAC_SIZE ? len - at : LB_HMAC_SIZE);
    }
    lb_wipe(block, sizeof block);
    return err;
}

#define CANDIDATES 128

/* A length of at most `max`: the last of the candidates, cut to the bits of max, that is one; zero
   if none is, with a probability below 2^-128. */
static gpg_error_t synthetic_length(size_t max, const unsigned char key[LB_HMAC_SIZE],
                                    limb_t *length)
{
    unsigned char candidates[2 * CANDIDATES];
    gpg_error_t err = prf(candidates, sizeof candidates, "length", key);
    const limb_t bound = (limb_t)max + 1;
    limb_t bits = bound;

    for (unsigned shift = 1; shift < 16; shift *= 2)
        bits |= bits >> shift;
    *length = 0;
    for (size_t i = 0; i < CANDIDATES; i++) {
        limb_t candidate = ((limb_t)candidates[2 * i] << 8 | candidates[2 * i + 1]) & bits;
        *length = lb_ct_select(lb_ct_lt(candidate, bound), candidate, *length);
    }
    lb_wipe(candidates, sizeof candidates);
    return err;
}

/* ~0 if em is of the form; *length of its message then. */
static limb_t real_length(const unsigned char *em, size_t em_len, limb_t *length)
{
    limb_t good = lb_ct_is_zero(em[0]) & lb_ct_eq(em[1], 2);
    limb_t found = 0, at = 0;

    for (size_t i = 2; i < em_len; i++) {
        limb_t first = ~found & lb_ct_is_zero(em[i]);
        at = lb_ct_select(first, (limb_t)i, at);
        found |= first;
    }
    good &= found & ~lb_ct_lt(at, 2 + PS_MIN);
    *length = (limb_t)em_len - 1 - at;
    return good;
}

gpg_error_t lb_pkcs1_unpad(unsigned char *out, size_t *length, const unsigned char *em,
                           size_t em_len, const unsigned char *ciphertext,
                           const unsigned char secret[LB_HMAC_SIZE])
{
    unsigned char key[LB_HMAC_SIZE], synthetic[LB_EM_MAX];
    size_t max = (size_t)lb_pkcs1_max_message(em_len), start;
    limb_t good, real, other = 0, len;
    gpg_error_t err = lb_hmac_sha256(secret, &(struct lb_piece){ciphertext, em_len}, 1, key);

    if (!err)
        err = prf(synthetic, em_len, "message", key);
    if (!err)
        err = synthetic_length(max, key, &other);
    good = real_length(em, em_len, &real);
    len = lb_ct_select(good, real, other);
    /* The caller learns it. */
    LB_DECLASSIFY(&len, sizeof len);
    *length = err ? 0 : (size_t)len;
    /* Both messages stand at the end. */
    start = em_len - *length;
    for (size_t i = 0; i < *length; i++)
        out[i] = select_octet(good, em[start + i], synthetic[start + i]);
    lb_wipe(key, sizeof key);
    lb_wipe(synthetic, sizeof synthetic);
    return err;
}

gpg_error_t lb_raw_pad(unsigned char *em, size_t em_len, const unsigned char *message, size_t len)
{
    limb_t any = 0;

    for (size_t i = 0; i < len; i++)
        any |= message[i];
    if (!lb_ct_declassify(lb_ct_is_nonzero(any)))
        return lb_error(GPG_ERR_INV_VALUE, "RSA: the input is zero");
    memset(em, 0, em_len - len);
    memcpy(em + em_len - len, message, len);
    return 0;
}

/*
 * EME-OAEP: 0, masked seed, masked (label's hash, zeros, 1, message)
 */

int lb_oaep_max_message(size_t em_len, enum limbic_hash hash)
{
    size_t overhead = 2 * lb_hash_size(hash) + 2;

    return em_len < overhead ? -1 : (int)(em_len - overhead);
}

static gpg_error_t hash_label(const struct lb_oaep *oaep, unsigned char *out)
{
    struct lb_piece piece = {oaep->label_len ? oaep->label : "", oaep->label_len};

    return lb_hash(oaep->hash, &piece, 1, out);
}

gpg_error_t lb_oaep_encode(unsigned char *em, size_t em_len, const struct lb_oaep *oaep,
                           const unsigned char *message, size_t len, const unsigned char *seed)
{
    size_t hash_len = lb_hash_size(oaep->hash), db_len = em_len - hash_len - 1;
    unsigned char *masked_seed = em + 1, *db = em + 1 + hash_len;
    gpg_error_t err = hash_label(oaep, db);

    em[0] = 0;
    memcpy(masked_seed, seed, hash_len);
    memset(db + hash_len, 0, db_len - hash_len - len - 1);
    db[db_len - len - 1] = 1;
    if (len)
        memcpy(db + db_len - len, message, len);
    if (!err)
        err = lb_mgf_xor(db, db_len, oaep->mgf_hash, masked_seed, hash_len);
    if (!err)
        err = lb_mgf_xor(masked_seed, hash_len, oaep->mgf_hash, db, db_len);
    return err;
}

/* ~0 if the data block is right; *at is then where the message begins. */
static limb_t check_data_block(const unsigned char *db, size_t db_len, const unsigned char *hash,
                               size_t hash_len, size_t *at)
{
    limb_t differ = 0, looking = ~(limb_t)0, bad = 0, separator = 0;

    for (size_t i = 0; i < hash_len; i++)
        differ |= (limb_t)(db[i] ^ hash[i]);
    for (size_t i = hash_len; i < db_len; i++) {
        limb_t zero = lb_ct_is_zero(db[i]), one = lb_ct_eq(db[i], 1);
        bad |= looking & ~zero & ~one;
        separator = lb_ct_select(looking & one, (limb_t)i, separator);
        looking &= zero;
    }
    *at = (size_t)separator + 1;
    return lb_ct_is_zero(differ) & ~bad & ~looking;
}

gpg_error_t lb_oaep_decode(unsigned char *out, size_t *length, unsigned char *em, size_t em_len,
                           const struct lb_oaep *oaep)
{
    size_t hash_len = lb_hash_size(oaep->hash), db_len = em_len - hash_len - 1, at;
    unsigned char *seed = em + 1, *db = em + 1 + hash_len, hash[LB_HASH_MAX];
    gpg_error_t err = hash_label(oaep, hash);
    limb_t good;

    if (!err)
        err = lb_mgf_xor(seed, hash_len, oaep->mgf_hash, db, db_len);
    if (!err)
        err = lb_mgf_xor(db, db_len, oaep->mgf_hash, seed, hash_len);
    if (err)
        return err;
    good = lb_ct_is_zero(em[0]) & check_data_block(db, db_len, hash, hash_len, &at);
    if (!lb_ct_declassify(good))
        return lb_error(GPG_ERR_DECRYPT_FAILED, LB_DECRYPT_FAILED);
    LB_DECLASSIFY(&at, sizeof at);
    *length = db_len - at;
    memcpy(out, db + at, *length);
    return 0;
}

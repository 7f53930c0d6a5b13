/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Digests, by libgcrypt.
 */
#include "core/scheme/hash.h"

#include <gcrypt.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/locks.h"
#include "base/wipe.h"

struct hash {
    const char *name;
    int gcrypt;
    unsigned char size;
    unsigned char xof;
    /* DigestInfo ::= SEQUENCE { SEQUENCE { OID, NULL }, OCTET STRING }: the OID's contents. All
       other octets follow from lengths. */
    unsigned char oid_len;
    unsigned char oid[9]; /* LB_DIGESTINFO_MAX is 10 more */
};

/* OIDs: RFC 8017 appendix B.1 (MD5, SHA-1, SHA-2); NIST CSOR, 2.16.840.1.101.3.4.2.n (SHA-3); SM3:
   GM/T 0006, 1.2.156.10197.1.401. Streebog and GOST R 34.11-94 have no use with RSA, and SHAKE none
   with PKCS#1 v1.5 (RFC 8702, section 3.2.1 is about PSS only). */
static const struct hash hashes[] = {
    [LIMBIC_HASH_NONE] = {"none", 0, 0, 0, 0, {0}},
    [LIMBIC_HASH_SHA1] = {"sha1", GCRY_MD_SHA1, 20, 0, 5, {0x2b, 0x0e, 0x03, 0x02, 0x1a}},
#define NIST(n) \
    9, \
    { \
        0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, n \
    }
    [LIMBIC_HASH_SHA224] = {"sha224", GCRY_MD_SHA224, 28, 0, NIST(4)},
    [LIMBIC_HASH_SHA256] = {"sha256", GCRY_MD_SHA256, 32, 0, NIST(1)},
    [LIMBIC_HASH_SHA384] = {"sha384", GCRY_MD_SHA384, 48, 0, NIST(2)},
    [LIMBIC_HASH_SHA512] = {"sha512", GCRY_MD_SHA512, 64, 0, NIST(3)},
    [LIMBIC_HASH_SHA512_224] = {"sha512-224", GCRY_MD_SHA512_224, 28, 0, NIST(5)},
    [LIMBIC_HASH_SHA512_256] = {"sha512-256", GCRY_MD_SHA512_256, 32, 0, NIST(6)},
    [LIMBIC_HASH_SHA3_224] = {"sha3-224", GCRY_MD_SHA3_224, 28, 0, NIST(7)},
    [LIMBIC_HASH_SHA3_256] = {"sha3-256", GCRY_MD_SHA3_256, 32, 0, NIST(8)},
    [LIMBIC_HASH_SHA3_384] = {"sha3-384", GCRY_MD_SHA3_384, 48, 0, NIST(9)},
    [LIMBIC_HASH_SHA3_512] = {"sha3-512", GCRY_MD_SHA3_512, 64, 0, NIST(10)},
#undef NIST
    [LIMBIC_HASH_SHAKE128] = {"shake128", GCRY_MD_SHAKE128, 32, 1, 0, {0}},
    [LIMBIC_HASH_SHAKE256] = {"shake256", GCRY_MD_SHAKE256, 64, 1, 0, {0}},
    [LIMBIC_HASH_SM3] =
        {"sm3", GCRY_MD_SM3, 32, 0, 8, {0x2a, 0x81, 0x1c, 0xcf, 0x55, 0x01, 0x83, 0x11}},
    [LIMBIC_HASH_STREEBOG256] = {"streebog256", GCRY_MD_STRIBOG256, 32, 0, 0, {0}},
    [LIMBIC_HASH_STREEBOG512] = {"streebog512", GCRY_MD_STRIBOG512, 64, 0, 0, {0}},
    [LIMBIC_HASH_GOSTR94] = {"gostr94", GCRY_MD_GOSTR3411_CP, 32, 0, 0, {0}},
    [LIMBIC_HASH_MD5] =
        {"md5", GCRY_MD_MD5, 16, 0, 8, {0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x02, 0x05}},
};

#define HASHES (sizeof hashes / sizeof hashes[0])

static const struct hash *find(enum limbic_hash hash)
{
    return (unsigned)hash < HASHES && hashes[hash].name ? &hashes[hash] : NULL;
}

size_t lb_hash_size(enum limbic_hash hash)
{
    const struct hash *h = find(hash);
    return h ? h->size : 0;
}

int lb_hash_gcrypt(enum limbic_hash hash)
{
    const struct hash *h = find(hash);
    return h ? h->gcrypt : 0;
}

int lb_hash_is_xof(enum limbic_hash hash)
{
    const struct hash *h = find(hash);
    return h && h->xof;
}

int limbic_hash_by_name(const char *name)
{
    if (name)
        for (unsigned i = 0; i < HASHES; i++)
            if (hashes[i].name && strcasecmp(hashes[i].name, name) == 0)
                return (int)i;
    return -1;
}

const char *limbic_hash_name(enum limbic_hash hash)
{
    const struct hash *h = find(hash);
    return h ? h->name : NULL;
}

size_t limbic_hash_size(enum limbic_hash hash)
{
    return lb_hash_size(hash);
}

static int gcrypt_is_recent;

static void init_gcrypt(void)
{
    gcrypt_is_recent = gcry_check_version("1.10.0") != NULL; /* as configure asks for */
}

/* Once: libgcrypt's own initialisation aborts the process now and then if two threads enter it at
   the same time. And no fork in the middle of it, since the child would have half of it. */
gpg_error_t lb_hash_init(void)
{
    static atomic_bool done;

    lb_once(&done, LB_LOCK_DIGESTS, init_gcrypt);
    if (!gcrypt_is_recent)
        return lb_error(GPG_ERR_SYSTEM_BUG, "libgcrypt is older than 1.10.0");
    return 0;
}

gpg_error_t lb_hash_refused(gpg_error_t err, const char *name)
{
    if (gpg_err_code(err) == GPG_ERR_ENOMEM)
        return lb_error(GPG_ERR_ENOMEM, "no memory for a digest");
    return lb_errorf(GPG_ERR_DIGEST_ALGO, "libgcrypt refuses the digest %s", name);
}

/* libgcrypt's way without a context: no allocation for SHA-1, SHA-2, SHA-3 and SM3. */
static gpg_error_t hash_buffers(const struct hash *h, const struct lb_piece *pieces, unsigned count,
                                unsigned char *out)
{
    gcry_buffer_t buffers[8];
    gcry_error_t err;

    if (count > sizeof buffers / sizeof buffers[0])
        return lb_error(GPG_ERR_BUG, "too many pieces to hash");
    memset(buffers, 0, sizeof buffers);
    for (unsigned i = 0; i < count; i++) {
        /* libgcrypt does not write to what it hashes. */
        buffers[i].data = (void *)(uintptr_t)pieces[i].data;
        buffers[i].len = pieces[i].len;
    }
    err = gcry_md_hash_buffers(h->gcrypt, 0, out, buffers, (int)count);
    if (err)
        return lb_hash_refused(err, h->name);
    return 0;
}

static gpg_error_t hash_xof(const struct hash *h, const struct lb_piece *pieces, unsigned count,
                            unsigned char *out, size_t len)
{
    gcry_md_hd_t context;
    gcry_error_t err = gcry_md_open(&context, h->gcrypt, 0);

    if (!err) {
        for (unsigned i = 0; i < count; i++)
            gcry_md_write(context, pieces[i].data, pieces[i].len);
        err = gcry_md_extract(context, h->gcrypt, out, len);
        gcry_md_close(context);
    }
    if (err)
        return lb_hash_refused(err, h->name);
    return 0;
}

gpg_error_t lb_hash_xof(enum limbic_hash hash, const struct lb_piece *pieces, unsigned count,
                        unsigned char *out, size_t len)
{
    const struct hash *h = find(hash);

    if (!h || !h->xof)
        return lb_error(GPG_ERR_DIGEST_ALGO, "not an extendable-output function");
    return hash_xof(h, pieces, count, out, len);
}

gpg_error_t lb_hash(enum limbic_hash hash, const struct lb_piece *pieces, unsigned count,
                    unsigned char *out)
{
    const struct hash *h = find(hash);

    if (!h || !h->gcrypt)
        return lb_error(GPG_ERR_DIGEST_ALGO, "unknown digest");
    return h->xof ? hash_xof(h, pieces, count, out, h->size) : hash_buffers(h, pieces, count, out);
}

/* Octets that SHA-256 takes at a time. */
#define HMAC_BLOCK 64
#define HMAC_PIECES 8

/* out = SHA-256((key, padded with zeros, xor `pad` each) || pieces). */
static gpg_error_t hmac_pass(const unsigned char key[LB_HMAC_SIZE], unsigned char pad,
                             const struct lb_piece *pieces, unsigned count,
                             unsigned char out[LB_HMAC_SIZE])
{
    unsigned char block[HMAC_BLOCK];
    struct lb_piece all[HMAC_PIECES] = {{block, sizeof block}};
    gpg_error_t err;

    if (count >= HMAC_PIECES)
        return lb_error(GPG_ERR_BUG, "too many pieces for HMAC");
    for (size_t i = 0; i < sizeof block; i++)
        block[i] = (i < LB_HMAC_SIZE ? key[i] : 0) ^ pad;
    for (unsigned i = 0; i < count; i++)
        all[1 + i] = pieces[i];
    err = lb_hash(LIMBIC_HASH_SHA256, all, 1 + count, out);
    lb_wipe(block, sizeof block);
    return err;
}

gpg_error_t lb_hmac_sha256(const unsigned char key[LB_HMAC_SIZE], const struct lb_piece *pieces,
                           unsigned count, unsigned char out[LB_HMAC_SIZE])
{
    unsigned char inner[LB_HMAC_SIZE];
    gpg_error_t err = hmac_pass(key, 0x36, pieces, count, inner);

    if (!err)
        err = hmac_pass(key, 0x5c, &(struct lb_piece){inner, sizeof inner}, 1, out);
    lb_wipe(inner, sizeof inner);
    return err;
}

size_t lb_hash_digestinfo(enum limbic_hash hash, unsigned char prefix[LB_DIGESTINFO_MAX])
{
    const struct hash *h = find(hash);
    unsigned char *p = prefix;

    if (!h || !h->oid_len)
        return 0;
    *p++ = 0x30; /* DigestInfo */
    *p++ = (unsigned char)(h->oid_len + h->size + 8);
    *p++ = 0x30; /* AlgorithmIdentifier */
    *p++ = (unsigned char)(h->oid_len + 4);
    *p++ = 0x06;
    *p++ = h->oid_len;
    memcpy(p, h->oid, h->oid_len);
    p += h->oid_len;
    *p++ = 0x05; /* NULL */
    *p++ = 0x00;
    *p++ = 0x04; /* the digest */
    *p++ = h->size;
    return (size_t)(p - prefix);
}

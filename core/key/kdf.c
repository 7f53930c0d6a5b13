/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kdf.c - from a passphrase to a key: see kdf.h. Digests are libgcrypt's.
 */
#include "core/key/kdf.h"

#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "base/wipe.h"
#include "core/arena.h"
#include "core/scheme/hash.h"

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static gpg_error_t no_memory(void)
{
    return lb_error(GPG_ERR_ENOMEM, "no memory to derive a key from the passphrase");
}

/*
 * HMAC (RFC 2104), of two hashes over pieces: libgcrypt's own allocates for each value, and ends the
 * process when it cannot.
 */

#define BLOCK_MAX 128

struct hmac {
    enum limbic_hash hash;
    size_t size, block;                               /* octets of a digest, of a block */
    unsigned char inner[BLOCK_MAX], outer[BLOCK_MAX]; /* the key, xor ipad and opad */
};

/* FIPS 180-4, figure 1: SHA-1, SHA-224 and SHA-256 have blocks of 512 bits, the others of 1024. */
static size_t block_of(enum limbic_hash hash)
{
    return hash == LIMBIC_HASH_SHA1 || hash == LIMBIC_HASH_SHA224 || hash == LIMBIC_HASH_SHA256
               ? 64
               : BLOCK_MAX;
}

static gpg_error_t hmac_init(struct hmac *h, enum limbic_hash hash, struct lb_phrase key)
{
    const struct lb_piece piece = {key.data, key.len};
    gpg_error_t err = 0;

    h->hash = hash;
    h->size = lb_hash_size(hash);
    h->block = block_of(hash);
    memset(h->inner, 0, sizeof h->inner);
    if (key.len > h->block)
        err = lb_hash(hash, &piece, 1, h->inner);
    else
        memcpy(h->inner, key.data, key.len);
    for (size_t i = 0; i < h->block; i++) {
        h->outer[i] = h->inner[i] ^ 0x5c;
        h->inner[i] ^= 0x36;
    }
    return err;
}

/* mac[size] = HMAC of a || b. mac may be one of them. */
static gpg_error_t hmac(const struct hmac *h, struct lb_piece a, struct lb_piece b,
                        unsigned char *mac)
{
    const struct lb_piece inner[3] = {{h->inner, h->block}, a, b};
    const struct lb_piece outer[2] = {{h->outer, h->block}, {mac, h->size}};
    gpg_error_t err = lb_hash(h->hash, inner, b.len ? 3 : 2, mac);

    return err ? err : lb_hash(h->hash, outer, 2, mac);
}

/*
 * PBKDF2
 */

/* T and U of RFC 8018, section 5.2: the sum of the iterations and the last of them. */
struct pbkdf2 {
    struct hmac hmac;
    unsigned char t[LB_HASH_MAX], u[LB_HASH_MAX];
};

/* t = T_i, the i-th block of output. */
static gpg_error_t pbkdf2_block(struct pbkdf2 *s, struct lb_phrase salt, uint64_t iterations,
                                uint32_t i)
{
    const struct lb_piece none = {NULL, 0}, u = {s->u, s->hmac.size};
    const unsigned char number[4] = {(unsigned char)(i >> 24), (unsigned char)(i >> 16),
                                     (unsigned char)(i >> 8), (unsigned char)i};
    gpg_error_t err = hmac(&s->hmac, (struct lb_piece){salt.data, salt.len},
                           (struct lb_piece){number, sizeof number}, s->u);

    memcpy(s->t, s->u, s->hmac.size);
    for (; iterations > 1 && !err; iterations--) {
        err = hmac(&s->hmac, u, none, s->u);
        for (size_t j = 0; j < s->hmac.size; j++)
            s->t[j] ^= s->u[j];
    }
    return err;
}

gpg_error_t lb_kdf_pbkdf2(enum limbic_hash hash, struct lb_phrase passphrase, struct lb_phrase salt,
                          uint64_t iterations, unsigned char *out, size_t len)
{
    struct pbkdf2 *s;
    gpg_error_t err = lb_hash_init();

    if (err)
        return err;
    s = lb_arena_alloc(LB_ARENA_KEYS, sizeof *s);
    err = s ? hmac_init(&s->hmac, hash, passphrase) : no_memory();
    for (uint32_t i = 1; len && !err; i++) {
        size_t n = least(len, s->hmac.size);

        err = pbkdf2_block(s, salt, iterations, i);
        memcpy(out, s->t, n);
        out += n;
        len -= n;
    }
    lb_arena_free(s);
    return err;
}

/*
 * scrypt: the words of RFC 7914 are octets in little-endian order; in memory they are kept as
 * numbers.
 */

#define SALSA_WORDS 16

static uint32_t rotate(uint32_t x, unsigned by)
{
    return x << by | x >> (32 - by);
}

static void quarter(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d)
{
    *b ^= rotate(*a + *d, 7);
    *c ^= rotate(*b + *a, 9);
    *d ^= rotate(*c + *b, 13);
    *a ^= rotate(*d + *c, 18);
}

/* Section 3: x = Salsa20/8 of x, four double rounds over the columns and the rows. */
static void salsa20_8(uint32_t x[SALSA_WORDS])
{
    uint32_t y[SALSA_WORDS];

    memcpy(y, x, sizeof y);
    for (int i = 0; i < 4; i++) {
        quarter(&y[0], &y[4], &y[8], &y[12]);
        quarter(&y[5], &y[9], &y[13], &y[1]);
        quarter(&y[10], &y[14], &y[2], &y[6]);
        quarter(&y[15], &y[3], &y[7], &y[11]);
        quarter(&y[0], &y[1], &y[2], &y[3]);
        quarter(&y[5], &y[6], &y[7], &y[4]);
        quarter(&y[10], &y[11], &y[8], &y[9]);
        quarter(&y[15], &y[12], &y[13], &y[14]);
    }
    for (int i = 0; i < SALSA_WORDS; i++)
        x[i] += y[i];
    lb_wipe(y, sizeof y);
}

/* Section 4: out = scryptBlockMix(in), of 2r blocks; even ones come first. */
static void block_mix(uint32_t *restrict out, const uint32_t *restrict in, size_t r)
{
    uint32_t x[SALSA_WORDS];

    memcpy(x, in + (2 * r - 1) * SALSA_WORDS, sizeof x);
    for (size_t i = 0; i < 2 * r; i++) {
        for (size_t j = 0; j < SALSA_WORDS; j++)
            x[j] ^= in[i * SALSA_WORDS + j];
        salsa20_8(x);
        memcpy(out + (i / 2 + i % 2 * r) * SALSA_WORDS, x, sizeof x);
    }
    lb_wipe(x, sizeof x);
}

/* Section 5: b = scryptROMix(b), of `words` words. v has n times as many, and t once. */
static void ro_mix(uint32_t *b, uint64_t n, size_t r, uint32_t *v, uint32_t *t)
{
    const size_t words = 2 * r * SALSA_WORDS;

    for (size_t i = 0; i < n; i++) {
        memcpy(v + i * words, b, words * sizeof *b);
        block_mix(t, b, r);
        memcpy(b, t, words * sizeof *b);
    }
    for (size_t i = 0; i < n; i++) {
        /* Integerify: the last block as a number, modulo n, which has at most 2^64. The index
           depends on the passphrase: that is scrypt's construction. */
        const uint32_t *last = b + words - SALSA_WORDS;
        size_t j = (size_t)((last[0] | (uint64_t)last[1] << 32) & (n - 1));

        for (size_t k = 0; k < words; k++)
            b[k] ^= v[j * words + k];
        block_mix(t, b, r);
        memcpy(b, t, words * sizeof *b);
    }
}

static uint32_t load32(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void store32(unsigned char *p, uint32_t x)
{
    for (int i = 0; i < 4; i++)
        p[i] = (unsigned char)(x >> 8 * i);
}

/* Memory for scrypt, zero: too much of it for the arena, which is to be locked. */
static void *map(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED)
        return NULL;
    (void)madvise(p, size, MADV_DONTDUMP);
    return p;
}

static void unmap(void *p, size_t size)
{
    if (!p)
        return;
    lb_wipe(p, size);
    munmap(p, size);
}

/* One of the p blocks of octets through ROMix; x has two blocks of words, v has n. */
static void mix_octets(unsigned char *octets, uint64_t n, size_t r, uint32_t *v, uint32_t *x)
{
    const size_t words = 2 * r * SALSA_WORDS;

    for (size_t i = 0; i < words; i++)
        x[i] = load32(octets + 4 * i);
    ro_mix(x, n, r, v, x + words);
    for (size_t i = 0; i < words; i++)
        store32(octets + 4 * i, x[i]);
}

gpg_error_t lb_kdf_scrypt(struct lb_phrase passphrase, struct lb_phrase salt, uint64_t n,
                          uint64_t r, uint64_t p, unsigned char *out, size_t len)
{
    const size_t block = 128 * (size_t)r, b_size = block * (size_t)p, v_size = block * (size_t)n;
    unsigned char *b = map(b_size);
    uint32_t *v = map(v_size), *x = map(2 * block);
    gpg_error_t err = b && v && x ? 0 : no_memory();

    if (!err)
        err = lb_kdf_pbkdf2(LIMBIC_HASH_SHA256, passphrase, salt, 1, b, b_size);
    if (!err) {
        for (uint64_t i = 0; i < p; i++)
            mix_octets(b + i * block, n, (size_t)r, v, x);
        err = lb_kdf_pbkdf2(LIMBIC_HASH_SHA256, passphrase, (struct lb_phrase){b, b_size}, 1, out,
                            len);
    }
    unmap(x, 2 * block);
    unmap(v, v_size);
    unmap(b, b_size);
    return err;
}

/*
 * The traditional way
 */

gpg_error_t lb_kdf_md5(struct lb_phrase passphrase, struct lb_phrase salt, unsigned char *out,
                       size_t len)
{
    enum { SIZE = 16 };
    unsigned char digest[SIZE];
    struct lb_piece pieces[3] = {
        {digest, 0}, {passphrase.data, passphrase.len}, {salt.data, salt.len}};
    gpg_error_t err = lb_hash_init();

    while (len && !err) {
        size_t n = least(len, SIZE);

        err = lb_hash(LIMBIC_HASH_MD5, pieces, 3, digest);
        if (err)
            break;
        memcpy(out, digest, n);
        out += n;
        len -= n;
        pieces[0].len = SIZE;
    }
    lb_wipe(digest, sizeof digest);
    return err;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kdf.c - from a passphrase to a key: see kdf.h. HMAC and digests are libgcrypt's.
 */
#include "core/key/kdf.h"

#include <gcrypt.h>
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
 * PBKDF2
 */

/* T and U of RFC 8018, section 5.2: the sum of the iterations and the last of them. */
struct pbkdf2 {
    unsigned char t[LB_HASH_MAX], u[LB_HASH_MAX];
};

/* Ends the HMAC that is being computed: u = its value. */
static void take_mac(gcry_md_hd_t mac, struct pbkdf2 *state, size_t size)
{
    memcpy(state->u, gcry_md_read(mac, 0), size);
    gcry_md_reset(mac); /* to the state behind the HMAC key */
}

/* t = T_i, the i-th block of output. */
static void pbkdf2_block(gcry_md_hd_t mac, struct lb_phrase salt, uint64_t iterations, uint32_t i,
                         struct pbkdf2 *state, size_t size)
{
    const unsigned char number[4] = {(unsigned char)(i >> 24), (unsigned char)(i >> 16),
                                     (unsigned char)(i >> 8), (unsigned char)i};

    gcry_md_write(mac, salt.data, salt.len);
    gcry_md_write(mac, number, sizeof number);
    take_mac(mac, state, size);
    memcpy(state->t, state->u, size);
    for (; iterations > 1; iterations--) {
        gcry_md_write(mac, state->u, size);
        take_mac(mac, state, size);
        for (size_t j = 0; j < size; j++)
            state->t[j] ^= state->u[j];
    }
}

static gpg_error_t open_mac(gcry_md_hd_t *mac, enum limbic_hash hash, struct lb_phrase key)
{
    gcry_error_t err = gcry_md_open(mac, lb_hash_gcrypt(hash), GCRY_MD_FLAG_HMAC);

    if (err)
        return lb_hash_refused(err, limbic_hash_name(hash));
    err = gcry_md_setkey(*mac, key.data, key.len);
    if (err) {
        gcry_md_close(*mac);
        return lb_hash_refused(err, limbic_hash_name(hash));
    }
    return 0;
}

gpg_error_t lb_kdf_pbkdf2(enum limbic_hash hash, struct lb_phrase passphrase, struct lb_phrase salt,
                          uint64_t iterations, unsigned char *out, size_t len)
{
    size_t size = lb_hash_size(hash);
    struct pbkdf2 *state;
    gcry_md_hd_t mac;
    gpg_error_t err = lb_hash_init();

    if (!err)
        err = open_mac(&mac, hash, passphrase);
    if (err)
        return err;
    state = lb_arena_alloc(LB_ARENA_KEYS, sizeof *state);
    for (uint32_t i = 1; state && len; i++) {
        size_t n = least(len, size);

        pbkdf2_block(mac, salt, iterations, i, state, size);
        memcpy(out, state->t, n);
        out += n;
        len -= n;
    }
    gcry_md_close(mac);
    err = state ? 0 : no_memory();
    lb_arena_free(state);
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

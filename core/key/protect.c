/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * protect.c - the encryption of a private key under a passphrase: see protect.h. The ciphers are
 * libgcrypt's, in mode CBC.
 */
#include "core/key/protect.h"

#include <gcrypt.h>
#include <string.h>

#include "base/error.h"
#include "base/wipe.h"
#include "core/arena.h"
#include "core/number/limb.h"
#include "core/scheme/hash.h"

static const struct cipher {
    const char *dek_name; /* in the header DEK-Info, as OpenSSL writes it */
    int gcrypt;
    unsigned char key, block; /* octets */
} ciphers[] = {
    [LIMBIC_CIPHER_AES128] = {"AES-128-CBC", GCRY_CIPHER_AES128, 16, 16},
    [LIMBIC_CIPHER_AES192] = {"AES-192-CBC", GCRY_CIPHER_AES192, 24, 16},
    [LIMBIC_CIPHER_AES256] = {"AES-256-CBC", GCRY_CIPHER_AES256, 32, 16},
    [LIMBIC_CIPHER_DES_EDE3] = {"DES-EDE3-CBC", GCRY_CIPHER_3DES, 24, 8},
};

#define CIPHERS (sizeof ciphers / sizeof ciphers[0])

static const struct cipher *find(enum limbic_cipher cipher)
{
    return (unsigned)cipher < CIPHERS && ciphers[cipher].key ? &ciphers[cipher] : NULL;
}

size_t lb_cipher_key_size(enum limbic_cipher cipher)
{
    const struct cipher *c = find(cipher);
    return c ? c->key : 0;
}

size_t lb_cipher_block_size(enum limbic_cipher cipher)
{
    const struct cipher *c = find(cipher);
    return c ? c->block : 0;
}

/*
 * Limits
 */

/* Each piece of the key, as long as the hash, takes all iterations. (What is no hash is refused by
   whoever asks for one.) */
static gpg_error_t check_pbkdf2(const struct limbic_protection *how)
{
    size_t hash = lb_hash_size(how->hash), key = lb_cipher_key_size(how->cipher);
    size_t pieces = hash && key ? (key + hash - 1) / hash : 1;

    if (how->iterations == 0)
        return lb_error(GPG_ERR_INV_VALUE, "PBKDF2: no iterations");
    if (how->iterations > LIMBIC_PBKDF2_MOST_ITERATIONS / pieces)
        return lb_errorf(GPG_ERR_TOO_LARGE, "PBKDF2: more than %u iterations",
                         (unsigned)(LIMBIC_PBKDF2_MOST_ITERATIONS / pieces));
    return 0;
}

/* Each factor first, then products of at most 2^60: n, r and p are below 2^32. RFC 7914, section 2:
   n is a power of two, above 1 and below 2^(128 r / 8), and r p is below 2^30; the last two follow
   from our bounds but for r = 1. Two blocks more than n + p are for work. PBKDF2 makes 4 r p pieces,
   and hashes the salt for each. */
static gpg_error_t check_scrypt(uint64_t n, uint64_t r, uint64_t p)
{
    const uint64_t most = UINT32_MAX;

    if (n < 2 || (n & (n - 1)) != 0 || r == 0 || p == 0)
        return lb_error(GPG_ERR_INV_VALUE,
                        "scrypt: N is no power of two above 1, or r or p is zero");
    if (r == 1 && n >= UINT64_C(1) << 16)
        return lb_error(GPG_ERR_INV_VALUE, "scrypt: N is 2^16 or more, though r is 1");
    if (n > most || r > most || p > most || n + p + 2 > LIMBIC_SCRYPT_MOST_MEMORY / 128 / r)
        return lb_errorf(GPG_ERR_TOO_LARGE, "scrypt: needs more than %u MiB of memory",
                         (unsigned)(LIMBIC_SCRYPT_MOST_MEMORY >> 20));
    if (n * r > LIMBIC_SCRYPT_MOST_WORK / p)
        return lb_error(GPG_ERR_TOO_LARGE, "scrypt: N r p is above 2^24: would take too long");
    if (r > LIMBIC_SCRYPT_MOST_BLOCKS / p)
        return lb_error(GPG_ERR_TOO_LARGE, "scrypt: r p is above 2^16: would take too long");
    return 0;
}

gpg_error_t lb_protection_check(const struct limbic_protection *how)
{
    switch (how->kdf) {
    case LIMBIC_KDF_PBKDF2:
        return check_pbkdf2(how);
    case LIMBIC_KDF_SCRYPT:
        return check_scrypt(how->scrypt_n, how->scrypt_r, how->scrypt_p);
    default:
        return 0; /* once over MD5 */
    }
}

/*
 * DEK-Info
 */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return -1;
}

/* Exactly 2n hexadecimal digits. */
static bool read_hex(unsigned char *out, size_t n, const char *digits, size_t count)
{
    if (count != 2 * n)
        return false;
    for (size_t i = 0; i < n; i++) {
        int high = hex_digit(digits[2 * i]), low = hex_digit(digits[2 * i + 1]);

        if (high < 0 || low < 0)
            return false;
        out[i] = (unsigned char)(high << 4 | low);
    }
    return true;
}

/* The salt is the first 8 octets of the initialisation vector. */
#define DEK_SALT 8

gpg_error_t lb_protection_from_dek(struct lb_protection *protection, const char *dek, size_t size)
{
    const char *comma = memchr(dek, ',', size);
    size_t name = comma ? (size_t)(comma - dek) : size;

    *protection = (struct lb_protection){.how = LIMBIC_PROTECTION_INIT};
    for (unsigned i = 0; i < CIPHERS; i++) {
        const struct cipher *c = &ciphers[i];

        if (!c->key || strlen(c->dek_name) != name || memcmp(c->dek_name, dek, name) != 0)
            continue;
        if (!comma || !read_hex(protection->iv, c->block, comma + 1, size - name - 1))
            return lb_errorf(GPG_ERR_INV_ARMOR, "PEM: DEK-Info needs %u hexadecimal digits",
                             2u * c->block);
        protection->how.kdf = LIMBIC_KDF_PEM_MD5;
        protection->how.cipher = (enum limbic_cipher)i;
        protection->salt = (struct lb_phrase){protection->iv, DEK_SALT};
        return 0;
    }
    return lb_error(GPG_ERR_UNSUPPORTED_PROTECTION,
                    "PEM: DEK-Info names a cipher other than AES and DES-EDE3 in mode CBC");
}

/*
 * Doing it
 */

static gpg_error_t derive(const struct lb_protection *p, struct lb_phrase passphrase,
                          unsigned char *key, size_t len)
{
    const struct limbic_protection *how = &p->how;

    switch (how->kdf) {
    case LIMBIC_KDF_PBKDF2:
        return lb_kdf_pbkdf2(how->hash, passphrase, p->salt, how->iterations, key, len);
    case LIMBIC_KDF_SCRYPT:
        return lb_kdf_scrypt(passphrase, p->salt, how->scrypt_n, how->scrypt_r, how->scrypt_p, key,
                             len);
    default:
        return lb_kdf_md5(passphrase, p->salt, key, len);
    }
}

static gpg_error_t cipher_refused(const struct cipher *c, gcry_error_t err)
{
    if (gpg_err_code(err) == GPG_ERR_ENOMEM)
        return lb_error(GPG_ERR_ENOMEM, "no memory for a cipher");
    return lb_errorf(GPG_ERR_UNSUPPORTED_PROTECTION, "libgcrypt refuses the cipher %s: %s",
                     c->dek_name, gpg_strerror(err));
}

/* A cipher with the key that the passphrase gives. */
static gpg_error_t open_cipher(gcry_cipher_hd_t *handle, const struct lb_protection *p,
                               struct lb_phrase passphrase)
{
    const struct cipher *c = find(p->how.cipher);
    unsigned char *key = lb_arena_alloc(LB_ARENA_KEYS, LB_CIPHER_KEY_MAX);
    gcry_error_t err;
    gpg_error_t ours =
        key ? derive(p, passphrase, key, c->key) : lb_error(GPG_ERR_ENOMEM, "no memory for a key");

    *handle = NULL;
    if (!ours) {
        err = gcry_cipher_open(handle, c->gcrypt, GCRY_CIPHER_MODE_CBC, 0);
        if (!err)
            err = gcry_cipher_setkey(*handle, key, c->key);
        if (!err)
            err = gcry_cipher_setiv(*handle, p->iv, c->block);
        if (err)
            ours = cipher_refused(c, err);
    }
    lb_arena_free(key);
    if (ours)
        gcry_cipher_close(*handle);
    return ours;
}

/* ~0 if the last octet says how many octets at the end have its value, 1 to block of them
   (RFC 8018, section 6.1.1, step 4). *len is lowered by that number, or by 0. No branch on octets. */
static limb_t unpad(const unsigned char *plain, size_t *len, size_t block)
{
    const limb_t count = plain[*len - 1];
    limb_t good = lb_ct_is_nonzero(count) & ~lb_ct_lt((limb_t)block, count);

    for (size_t i = 0; i < block; i++)
        good &= ~lb_ct_lt((limb_t)i, count) | lb_ct_eq(plain[*len - 1 - i], count);
    *len -= (size_t)(good & count);
    return good;
}

/* Whether these octets are a SEQUENCE that begins with an INTEGER. Says nothing else. The header of the
   one, five octets at most for less than 2^24, and the tag and length of the other are no secret: they
   are alike in all keys of a size. */
static bool looks_like_key(const unsigned char *plain, size_t len)
{
    enum { HEADERS = 7 };
    lb_der_reader inner;
    bool yes;

    LB_DECLASSIFY(plain, len < HEADERS ? len : HEADERS);
    yes = !lb_der_whole(plain, len, LB_DER_SEQUENCE, &inner) &&
          lb_der_next_is(&inner, LB_DER_INTEGER);

    (void)lb_error(GPG_ERR_NO_ERROR, NULL);
    return yes;
}

static gpg_error_t check_plain(const unsigned char *plain, size_t *len, size_t block)
{
    limb_t good = unpad(plain, len, block);

    LB_DECLASSIFY(len, sizeof *len);
    if (lb_ct_declassify(good) && looks_like_key(plain, *len))
        return 0;
    return lb_error(GPG_ERR_BAD_PASSPHRASE, "wrong passphrase, or the encrypted key is damaged");
}

gpg_error_t lb_protection_decrypt(const struct lb_protection *p, lb_der_view ciphertext,
                                  const struct lb_phrase *passphrase, unsigned char **plain,
                                  size_t *plain_len)
{
    const struct cipher *c = find(p->how.cipher);
    gcry_cipher_hd_t handle;
    gpg_error_t err = lb_protection_check(&p->how);

    *plain = NULL;
    *plain_len = 0;
    if (err)
        return err;
    if (ciphertext.size == 0 || ciphertext.size % c->block != 0)
        return lb_error(GPG_ERR_INV_LENGTH, "the encrypted key is not whole blocks of its cipher");
    if (!passphrase)
        return lb_error(GPG_ERR_NO_PASSPHRASE, "the key is encrypted: its passphrase is needed");
    err = open_cipher(&handle, p, *passphrase);
    if (err)
        return err;
    *plain = lb_arena_alloc(LB_ARENA_KEYS, ciphertext.size);
    *plain_len = ciphertext.size;
    if (!*plain)
        err = lb_error(GPG_ERR_ENOMEM, "no memory to decrypt a key");
    else if (gcry_cipher_decrypt(handle, *plain, *plain_len, ciphertext.data, ciphertext.size))
        err = lb_error(GPG_ERR_UNSUPPORTED_PROTECTION, "libgcrypt does not decrypt the key");
    else
        err = check_plain(*plain, plain_len, c->block);
    gcry_cipher_close(handle);
    if (err) {
        lb_arena_free(*plain);
        *plain = NULL;
        *plain_len = 0;
    }
    return err;
}

size_t lb_protection_padded(const struct lb_protection *p, size_t len)
{
    size_t block = lb_cipher_block_size(p->how.cipher);

    return (len / block + 1) * block;
}

gpg_error_t lb_protection_encrypt(const struct lb_protection *p, struct lb_phrase passphrase,
                                  unsigned char *buffer, size_t len)
{
    const size_t padded = lb_protection_padded(p, len);
    gcry_cipher_hd_t handle;
    gpg_error_t err = open_cipher(&handle, p, passphrase);

    if (err)
        return err;
    memset(buffer + len, (int)(padded - len), padded - len);
    if (gcry_cipher_encrypt(handle, buffer, padded, NULL, 0))
        err = lb_error(GPG_ERR_UNSUPPORTED_PROTECTION, "libgcrypt does not encrypt the key");
    gcry_cipher_close(handle);
    return err;
}

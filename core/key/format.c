/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Key formats: which one a text or DER is, and writing each. Octets of private keys pass through
 * locked memory only.
 */
#include "core/key/key.h"

#include <string.h>

#include "base/error.h"
#include "core/arena.h"
#include "core/key/pbes2.h"
#include "core/key/pem.h"
#include "core/key/rsa-der.h"

typedef gpg_error_t (*read_fn)(struct lb_rsa_numbers *, const unsigned char *, size_t);

struct format {
    const char *label;
    bool is_private;
    read_fn read;
    void (*put)(lb_der_writer *, const struct lb_rsa_numbers *);
};

static const struct format formats[] = {
    [LIMBIC_FORMAT_PKCS8] = {"PRIVATE KEY", true, lb_rsa_read_pkcs8, lb_rsa_put_pkcs8},
    [LIMBIC_FORMAT_PKCS1] = {"RSA PRIVATE KEY", true, lb_rsa_read_pkcs1, lb_rsa_put_pkcs1},
    [LIMBIC_FORMAT_SPKI] = {"PUBLIC KEY", false, lb_rsa_read_spki, lb_rsa_put_spki},
    [LIMBIC_FORMAT_PKCS1_PUBLIC] = {"RSA PUBLIC KEY", false, lb_rsa_read_pkcs1_public,
                                    lb_rsa_put_pkcs1_public},
};

#define FORMATS (sizeof formats / sizeof formats[0])

static const struct format *find(enum limbic_format format)
{
    return (unsigned)format < FORMATS && formats[format].label ? &formats[format] : NULL;
}

const char *lb_key_label(enum limbic_format format)
{
    const struct format *f = find(format);
    return f ? f->label : NULL;
}

/*
 * Reading
 */

/* What all of reading needs to know. */
struct reading {
    const struct lb_phrase *passphrase; /* NULL when there is none */
    bool lenient;
};

static gpg_error_t read_der(struct lb_rsa **rsa, read_fn read, const unsigned char *der, size_t len,
                            const struct reading *with)
{
    struct lb_rsa_numbers numbers;
    gpg_error_t err = read(&numbers, der, len);

    return err ? err : lb_rsa_new(rsa, numbers.part, numbers.count, with->lenient);
}

static gpg_error_t read_ciphertext(struct lb_rsa **rsa, read_fn read,
                                   const struct lb_protection *protection, lb_der_view ciphertext,
                                   const struct reading *with)
{
    unsigned char *plain;
    size_t len;
    gpg_error_t err = lb_protection_decrypt(protection, ciphertext, with->passphrase, &plain, &len);

    if (!err)
        err = read_der(rsa, read, plain, len, with);
    lb_arena_free(plain);
    return err;
}

static gpg_error_t read_encrypted_pkcs8(struct lb_rsa **rsa, const unsigned char *der, size_t len,
                                        const struct reading *with)
{
    struct lb_protection protection;
    lb_der_view ciphertext;
    gpg_error_t err = lb_pbes2_read(&protection, &ciphertext, der, len);

    return err ? err : read_ciphertext(rsa, lb_rsa_read_pkcs8, &protection, ciphertext, with);
}

/* The traditional encryption is PEM's: the header says how, and the body is the ciphertext. */
static gpg_error_t read_traditional(struct lb_rsa **rsa, const lb_pem_block *block, read_fn read,
                                    const unsigned char *body, size_t len,
                                    const struct reading *with)
{
    struct lb_protection protection;
    gpg_error_t err = lb_protection_from_dek(&protection, block->dek, block->dek_size);

    return err ? err : read_ciphertext(rsa, read, &protection, (lb_der_view){body, len}, with);
}

/* What other programs write, and how a key of this library comes of it. */
static const struct {
    const char *label;
    gpg_err_code_t code;
    const char *detail;
} foreign[] = {
    {"OPENSSH PRIVATE KEY", GPG_ERR_UNSUPPORTED_ALGORITHM,
     "PEM: in OpenSSH's own form; \"ssh-keygen -p -m pkcs8 -f COPY\" converts a copy of it"},
    {"CERTIFICATE", GPG_ERR_UNSUPPORTED_ALGORITHM,
     "PEM: a certificate; \"openssl x509 -pubkey -noout -in FILE\" prints its public key"},
    {"EC PRIVATE KEY", GPG_ERR_UNSUPPORTED_ALGORITHM, "PEM: an EC key; this version has RSA"},
    {"EC PARAMETERS", GPG_ERR_UNSUPPORTED_ALGORITHM,
     "PEM: parameters of an EC key; this version has RSA"},
    {"DSA PRIVATE KEY", GPG_ERR_UNSUPPORTED_ALGORITHM, "PEM: a DSA key; this version has RSA"},
};

#define FOREIGN (sizeof foreign / sizeof foreign[0])

/* The reader for a PEM label: the label promises a format, and no other is accepted under it. NULL
   for encrypted PKCS#8. The traditional encryption belongs to private keys in their own form. */
static gpg_error_t reader_of(const lb_pem_block *block, read_fn *read)
{
    bool encrypted = lb_pem_label_is(block, LB_KEY_LABEL_ENCRYPTED);

    *read = NULL;
    for (unsigned i = 0; i < FORMATS; i++)
        if (formats[i].label && lb_pem_label_is(block, formats[i].label))
            *read = formats[i].read;
    if (block->dek && (encrypted || (*read && *read != lb_rsa_read_pkcs1)))
        return lb_error(GPG_ERR_INV_ARMOR,
                        "PEM: header lines of encryption do not belong to this label");
    if (*read || encrypted)
        return 0;
    for (unsigned i = 0; i < FOREIGN; i++)
        if (lb_pem_label_is(block, foreign[i].label))
            return lb_error(foreign[i].code, foreign[i].detail);
    return lb_errorf(GPG_ERR_UNSUPPORTED_ALGORITHM, "PEM: no RSA key under the label \"%.*s\"",
                     block->label_size < 60 ? (int)block->label_size : 60, block->label);
}

/* EC keys may come with their parameters in a block before them. Looks no further than the first
   BEGIN line, so at nothing secret. */
static bool begins_with_ec_parameters(const char *text, size_t len)
{
    static const char mark[] = "-----BEGIN ", whole[] = "-----BEGIN EC PARAMETERS-----";

    for (; len >= sizeof whole - 1; text++, len--)
        if (memcmp(text, mark, sizeof mark - 1) == 0)
            return memcmp(text, whole, sizeof whole - 1) == 0;
    return false;
}

static gpg_error_t parse_pem(const void *data, size_t len, lb_pem_block *block, read_fn *read)
{
    gpg_error_t err = lb_pem_parse(data, len, block);

    if (gpg_err_code(err) == GPG_ERR_TOO_MANY && begins_with_ec_parameters(data, len))
        return lb_error(GPG_ERR_UNSUPPORTED_ALGORITHM, "PEM: an EC key; this version has RSA");
    return err ? err : reader_of(block, read);
}

/* The octets of a block, in the arena; NULL on error. */
static gpg_error_t decode_pem(const lb_pem_block *block, unsigned char **der, size_t *len)
{
    gpg_error_t err;

    *len = 0;
    *der = lb_arena_alloc(LB_ARENA_KEYS, block->size);
    if (!*der)
        return lb_error(GPG_ERR_ENOMEM, "no memory to decode a key");
    err = lb_pem_decode(block, *der, block->size, len);
    if (err) {
        lb_arena_free(*der);
        *der = NULL;
    }
    return err;
}

static gpg_error_t read_pem(struct lb_rsa **rsa, const void *data, size_t len,
                            const struct reading *with)
{
    lb_pem_block block;
    read_fn read;
    unsigned char *der = NULL;
    size_t der_len;
    gpg_error_t err = parse_pem(data, len, &block, &read);

    if (!err)
        err = decode_pem(&block, &der, &der_len);
    if (err)
        return err;
    if (block.dek)
        err = read_traditional(rsa, &block, read, der, der_len, with);
    else if (read)
        err = read_der(rsa, read, der, der_len, with);
    else
        err = read_encrypted_pkcs8(rsa, der, der_len, with);
    lb_arena_free(der);
    return err;
}

/* One SEQUENCE of exactly this length, which no PEM text of a key is. Asked first: the search for a
   line of PEM looks at every octet, and those of DER may be secret. */
static bool is_der(const void *data, size_t len)
{
    lb_der_reader inner;

    if (!lb_der_whole(data, len, LB_DER_SEQUENCE, &inner))
        return true;
    (void)lb_error(GPG_ERR_NO_ERROR, NULL);
    return false;
}

static gpg_error_t read_bare(struct lb_rsa **rsa, const void *data, size_t len,
                             const struct reading *with)
{
    return lb_pbes2_detect(data, len) ? read_encrypted_pkcs8(rsa, data, len, with)
                                      : read_der(rsa, lb_rsa_read_any, data, len, with);
}

/* What a file is, by its outside. */
enum container { BARE, PEM };

static gpg_error_t find_container(const void *data, size_t len, enum container *container)
{
    *container = BARE;
    if (len == 0)
        return lb_error(GPG_ERR_NO_DATA, "empty: no key here");
    if (len > LB_PEM_MAX)
        return lb_error(GPG_ERR_TOO_LARGE, "longer than 1 MiB: no key is");
    if (is_der(data, len))
        return 0;
    if (lb_pem_detect(data, len))
        *container = PEM;
    else if (*(const unsigned char *)data != LB_DER_SEQUENCE)
        return lb_error(GPG_ERR_BAD_DATA, "neither PEM nor DER");
    return 0;
}

gpg_error_t lb_key_decode(struct lb_rsa **rsa, const void *data, size_t len,
                          const struct lb_phrase *passphrase, bool lenient)
{
    const struct reading with = {passphrase, lenient};
    enum container container;
    gpg_error_t err = find_container(data, len, &container);

    *rsa = NULL;
    if (err)
        return err;
    return container == PEM ? read_pem(rsa, data, len, &with) : read_bare(rsa, data, len, &with);
}

/*
 * What a file says of its encryption
 */

static gpg_error_t pbes2_protection(struct limbic_protection *found, const void *der, size_t len)
{
    struct lb_protection protection;
    lb_der_view ciphertext;
    gpg_error_t err = lb_pbes2_read(&protection, &ciphertext, der, len);

    if (!err)
        *found = protection.how;
    return err;
}

static gpg_error_t pem_protection(struct limbic_protection *found, const void *data, size_t len)
{
    struct lb_protection protection;
    lb_pem_block block;
    read_fn read;
    unsigned char *der;
    size_t der_len;
    gpg_error_t err = parse_pem(data, len, &block, &read);

    if (!err && block.dek) {
        err = lb_protection_from_dek(&protection, block.dek, block.dek_size);
        if (!err)
            *found = protection.how;
    } else if (!err && !read) {
        err = decode_pem(&block, &der, &der_len);
        if (!err)
            err = pbes2_protection(found, der, der_len);
        lb_arena_free(der);
    }
    return err;
}

gpg_error_t lb_key_protection(struct limbic_protection *found, const void *data, size_t len)
{
    enum container container;
    gpg_error_t err = find_container(data, len, &container);

    *found = (struct limbic_protection)LIMBIC_PROTECTION_INIT;
    if (err)
        return err;
    if (container == PEM)
        return pem_protection(found, data, len);
    return lb_pbes2_detect(data, len) ? pbes2_protection(found, data, len) : 0;
}

/*
 * Writing
 */

/* The key's numbers as octets: in one piece of locked memory, which the caller frees. */
static unsigned char *collect(struct lb_rsa_numbers *numbers, const struct lb_rsa *rsa,
                              unsigned count)
{
    size_t total = 1;
    unsigned char *memory, *next;

    for (unsigned i = 0; i < count; i++)
        total += lb_rsa_part(rsa, i, NULL);
    memory = next = lb_arena_alloc(LB_ARENA_KEYS, total);
    if (!memory)
        return NULL;
    numbers->count = count;
    for (unsigned i = 0; i < count; i++) {
        numbers->part[i] = (struct lb_octets){next, lb_rsa_part(rsa, i, next)};
        next += numbers->part[i].len;
    }
    return memory;
}

gpg_error_t lb_key_encode(const struct lb_rsa *rsa, enum limbic_format format, void *out,
                          size_t size, size_t *length)
{
    const struct format *f = find(format);
    struct lb_rsa_numbers numbers;
    lb_der_writer w;
    unsigned char *memory;
    gpg_error_t err;

    if (!f)
        return lb_error(GPG_ERR_INV_ARG, "unknown key format");
    if (f->is_private && !lb_rsa_is_private(rsa))
        return lb_error(GPG_ERR_NO_SECKEY, "this format needs a private key");
    memory = collect(&numbers, rsa, f->is_private ? lb_rsa_parts(rsa) : LB_RSA_PUBLIC_PARTS);
    if (!memory)
        return lb_error(GPG_ERR_ENOMEM, "no memory to encode a key");
    lb_der_put_init(&w, out, size);
    f->put(&w, &numbers);
    err = lb_der_put_finish(&w, length);
    lb_arena_free(memory);
    return err;
}

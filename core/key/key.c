/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The key calls of limbic.h.
 */
#include "core/key/key.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "core/arena.h"
#include "core/growing.h"
#include "core/key/pem.h"
#include "core/output.h"

gpg_error_t lb_key_new_rsa(limbic_key_t *result, struct lb_rsa *rsa)
{
    struct limbic_key *key;
    gpg_error_t err = lb_hash_init();

    *result = NULL;
    if (!err && !lb_rsa_is_flawed(rsa)) /* one that is, is there to be looked at */
        err = lb_rsa_ready(rsa);
    key = err ? NULL : calloc(1, sizeof *key);
    if (!err && !key)
        err = lb_error(GPG_ERR_ENOMEM, "no memory for a key");
    if (err) {
        lb_rsa_free(rsa);
        return err;
    }
    key->references = 1;
    key->type = LIMBIC_KEY_RSA;
    key->rsa = rsa;
    *result = key;
    return 0;
}

limbic_key_t limbic_key_ref(limbic_key_t key)
{
    if (key)
        __atomic_add_fetch(&key->references, 1, __ATOMIC_RELAXED);
    return key;
}

void limbic_key_free(limbic_key_t key)
{
    if (!key || __atomic_sub_fetch(&key->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    lb_rsa_free(key->rsa);
    free(key);
}

/*
 * Making keys
 */

/* Whether the first `length` octets of a specification are "rsa", if with a slip: nearer to that than to
   the other kinds of keys that there are in the field. */
static bool means_rsa(const char *spec, size_t length)
{
    static const char *const kinds[] = {"rsa", "dsa", "elgamal", "ec", "ecdsa", "gost", "sm"};
    char word[8];
    struct lb_nearest nearest = {.word = word};

    if (length >= sizeof word)
        return false;
    memcpy(word, spec, length);
    word[length] = '\0';
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        lb_nearest_offer(&nearest, kinds[i]);
    return lb_nearest_name(&nearest) == kinds[0];
}

/* Of another kind; "rsa2048", "RSA-2048", "ras:2048", "2048" and "rsa" are spelt wrongly. */
static gpg_error_t unknown_kind(const char *spec)
{
    size_t kind = strcspn(spec, ":-_ =/0123456789");
    const char *size = spec;

    if (means_rsa(spec, kind)) {
        size += kind;
        size += *size && strchr(":-_ =/", *size);
        if (!*size)
            size = "2048";
    }
    if (*size && strlen(size) <= 5 && strspn(size, "0123456789") == strlen(size))
        return lb_errorf(GPG_ERR_UNSUPPORTED_ALGORITHM,
                         "key kind \"%.40s\": did you mean \"rsa:%s\"?", spec, size);
    return lb_errorf(GPG_ERR_UNSUPPORTED_ALGORITHM, "key kind \"%.40s\": this version has rsa:BITS",
                     spec);
}

/* "rsa:BITS": decimal digits, no sign, no leading zero. */
static gpg_error_t parse_spec(const char *spec, size_t *bits)
{
    static const char prefix[] = "rsa:";
    const char *digit;

    *bits = 0;
    if (strncmp(spec, prefix, sizeof prefix - 1) != 0)
        return unknown_kind(spec);
    digit = spec + sizeof prefix - 1;
    if (*digit < '1' || *digit > '9')
        return lb_error(GPG_ERR_INV_VALUE, "rsa:BITS: the size is not a number");
    for (; *digit >= '0' && *digit <= '9' && *bits <= LB_RSA_MAX_BITS; digit++)
        *bits = *bits * 10 + (size_t)(*digit - '0');
    if (*bits > LB_RSA_MAX_BITS)
        return lb_error(GPG_ERR_TOO_LARGE, "rsa:BITS: more than 16384 bits");
    if (*digit)
        return lb_error(GPG_ERR_INV_VALUE, "rsa:BITS: the size is not a number");
    return 0;
}

static gpg_error_t check_size(size_t bits, int allow_weak)
{
    if (bits >= 2048)
        return 0;
    if (bits < 1024)
        return lb_error(GPG_ERR_TOO_SHORT, "rsa:BITS: fewer than 1024 bits");
    return allow_weak ? 0
                      : lb_error(GPG_ERR_TOO_SHORT,
                                 "rsa:BITS: fewer than 2048 bits are weak and must be allowed "
                                 "explicitly");
}

static gpg_error_t check_primes(size_t bits, unsigned primes)
{
    if (primes < 2)
        return lb_error(GPG_ERR_INV_VALUE, "an RSA key has two primes at least");
    if (primes > lb_rsa_primes_allowed(bits))
        return lb_errorf(GPG_ERR_TOO_LARGE, "a key of %zu bits has at most %u primes", bits,
                         lb_rsa_primes_allowed(bits));
    return 0;
}

#define FIRST_GENERATE (offsetof(struct limbic_generate, opaque) + sizeof(void *))

gpg_error_t limbic_key_generate(limbic_key_t *key, const char *spec,
                                const struct limbic_generate *given)
{
    struct limbic_generate options = LIMBIC_GENERATE_INIT;
    struct lb_rsa *rsa;
    unsigned primes;
    size_t bits;
    uint64_t e;
    gpg_error_t err = 0;

    if (!key)
        return lb_error(GPG_ERR_INV_ARG, "NULL argument");
    *key = NULL;
    if (!spec)
        return lb_error(GPG_ERR_INV_ARG, "NULL argument");
    if (given)
        err = lb_growing_take(&options, sizeof options, given, FIRST_GENERATE);
    if (err)
        return err;
    e = options.e ? options.e : 65537;
    primes = options.primes ? options.primes : 2;
    if (e < 3 || e % 2 == 0)
        return lb_error(GPG_ERR_INV_VALUE, "the public exponent must be odd and at least 3");
    err = parse_spec(spec, &bits);
    if (!err)
        err = check_size(bits, options.allow_weak);
    if (!err)
        err = check_primes(bits, primes);
    if (!err)
        err = lb_rsa_generate(&rsa, bits, primes, e, options.progress, options.opaque);
    return err ? err : lb_key_new_rsa(key, rsa);
}

gpg_error_t lb_key_import(limbic_key_t *key, const void *data, size_t len,
                          const struct lb_phrase *passphrase, unsigned flags)
{
    struct lb_rsa *rsa;
    gpg_error_t err;

    if (!key)
        return lb_error(GPG_ERR_INV_ARG, "NULL argument");
    *key = NULL;
    if (!data && len)
        return lb_error(GPG_ERR_INV_ARG, "NULL argument");
    if (flags & ~LIMBIC_IMPORT_LENIENT)
        return lb_error(GPG_ERR_INV_ARG, "unknown flag");
    err = lb_key_decode(&rsa, data, len, passphrase, flags & LIMBIC_IMPORT_LENIENT);
    return err ? err : lb_key_new_rsa(key, rsa);
}

gpg_error_t limbic_key_import(limbic_key_t *key, const void *data, size_t len, unsigned flags)
{
    return lb_key_import(key, data, len, NULL, flags);
}

/* Index of a component's name, or -1. */
static int part_by_name(const char *name)
{
    for (int i = 0; name && i < LB_RSA_PARTS_MAX; i++)
        if (strcmp(name, lb_rsa_part_names[i]) == 0)
            return i;
    return -1;
}

/* Parts of the key that has these: secret ones come with those of two primes, and the numbers of a
   further prime with those of the primes before it. */
static unsigned count_parts(const bool there[LB_RSA_PARTS_MAX])
{
    unsigned last = 0;

    for (unsigned i = 0; i < LB_RSA_PARTS_MAX; i++)
        if (there[i])
            last = i;
    if (last < LB_RSA_PUBLIC_PARTS)
        return LB_RSA_PUBLIC_PARTS;
    return last < LB_RSA_PARTS ? LB_RSA_PARTS : LB_RSA_PARTS_OF(LB_RSA_PRIMES_OF(last) + 1);
}

/* Sorts components into the order of parts; those that are not there are empty. *count as
   lb_rsa_new has it. */
static gpg_error_t sort_components(struct lb_octets parts[LB_RSA_PARTS_MAX], unsigned *count,
                                   const struct limbic_component *components, size_t given)
{
    bool there[LB_RSA_PARTS_MAX] = {false};

    for (size_t i = 0; i < given; i++) {
        int part = part_by_name(components[i].name);
        if (part < 0)
            return lb_error(GPG_ERR_UNKNOWN_NAME, "a component of an unknown name");
        if (there[part])
            return lb_errorf(GPG_ERR_DUP_VALUE, "the component %s twice", components[i].name);
        if (!components[i].value && components[i].length)
            return lb_error(GPG_ERR_INV_ARG, "NULL argument");
        /* Before any octet is read, and so that counts of bits below cannot overflow. */
        if (components[i].length > LB_PEM_MAX)
            return lb_errorf(GPG_ERR_TOO_LARGE, "the component %s is longer than 1 MiB",
                             components[i].name);
        there[part] = true;
        parts[part] = (struct lb_octets){components[i].value, components[i].length};
    }
    for (unsigned i = 0; i < LB_RSA_PUBLIC_PARTS; i++)
        if (!there[i])
            return lb_errorf(GPG_ERR_MISSING_VALUE, "the component %s is missing",
                             lb_rsa_part_names[i]);
    *count = count_parts(there);
    return 0;
}

gpg_error_t limbic_key_from_components(limbic_key_t *key, enum limbic_key_type type,
                                       const struct limbic_component *components, size_t count,
                                       unsigned flags)
{
    struct lb_octets parts[LB_RSA_PARTS_MAX] = {{NULL, 0}};
    unsigned part_count = 0;
    struct lb_rsa *rsa;
    gpg_error_t err;

    if (!key)
        return lb_error(GPG_ERR_INV_ARG, "NULL argument");
    *key = NULL;
    if (!components && count)
        return lb_error(GPG_ERR_INV_ARG, "NULL argument");
    if (type != LIMBIC_KEY_RSA)
        return lb_error(GPG_ERR_UNSUPPORTED_ALGORITHM, "unknown key type");
    if (flags & ~LIMBIC_IMPORT_LENIENT)
        return lb_error(GPG_ERR_INV_ARG, "unknown flag");
    err = sort_components(parts, &part_count, components, count);
    if (!err)
        err = lb_rsa_new(&rsa, parts, part_count, flags & LIMBIC_IMPORT_LENIENT);
    return err ? err : lb_key_new_rsa(key, rsa);
}

gpg_error_t limbic_key_public(limbic_key_t key, limbic_key_t *public_key)
{
    unsigned char n[LB_RSA_MAX_BYTES], e[LB_RSA_MAX_BYTES];
    struct lb_octets parts[LB_RSA_PUBLIC_PARTS] = {{n, 0}, {e, 0}};
    struct lb_rsa *rsa;
    gpg_error_t err;

    if (!public_key)
        return lb_error(GPG_ERR_INV_ARG, "NULL argument");
    *public_key = NULL;
    if (!key)
        return lb_error(GPG_ERR_INV_ARG, "NULL argument");
    parts[0].len = lb_rsa_part(key->rsa, LB_RSA_N, n);
    parts[1].len = lb_rsa_part(key->rsa, LB_RSA_E, e);
    err = lb_rsa_new(&rsa, parts, LB_RSA_PUBLIC_PARTS, false);
    return err ? err : lb_key_new_rsa(public_key, rsa);
}

/*
 * What is in a key
 */

gpg_error_t limbic_key_get_component(limbic_key_t key, const char *name, void *buffer, size_t size,
                                     size_t *length)
{
    int part;
    gpg_error_t err;

    if (!key || !name || !length)
        return lb_error(GPG_ERR_INV_ARG, "NULL argument");
    part = part_by_name(name);
    if (part < 0)
        return lb_error(GPG_ERR_UNKNOWN_NAME, "an RSA key has no component of this name");
    if (part >= LB_RSA_PUBLIC_PARTS && !lb_rsa_is_private(key->rsa))
        return lb_error(GPG_ERR_NO_SECKEY, "a public key has no secret components");
    if ((unsigned)part >= lb_rsa_parts(key->rsa))
        return lb_error(GPG_ERR_UNKNOWN_NAME, "the key does not have so many primes");
    err = lb_output_fits(buffer, size, lb_rsa_part(key->rsa, (enum lb_rsa_part)part, NULL), length);
    if (!err && buffer)
        lb_rsa_part(key->rsa, (enum lb_rsa_part)part, buffer);
    return err;
}

/* The length first: the encoder wipes a buffer that turns out too short, which here stays
   as it is. */
static gpg_error_t export_der(limbic_key_t key, enum limbic_format format, void *buffer,
                              size_t size, size_t *length)
{
    size_t needed;
    gpg_error_t err = lb_key_encode(key->rsa, format, NULL, 0, &needed);

    if (!err)
        err = lb_output_fits(buffer, size, needed, length);
    return err || !buffer ? err : lb_key_encode(key->rsa, format, buffer, size, length);
}

/* DER to locked memory, then to text. */
static gpg_error_t export_pem(limbic_key_t key, enum limbic_format format, void *buffer,
                              size_t size, size_t *length)
{
    size_t der_len = 0;
    unsigned char *der;
    gpg_error_t err = lb_key_encode(key->rsa, format, NULL, 0, &der_len);

    if (err)
        return err;
    der = lb_arena_alloc(LB_ARENA_KEYS, der_len);
    if (!der)
        return lb_error(GPG_ERR_ENOMEM, "no memory to encode a key");
    err = lb_key_encode(key->rsa, format, der, der_len, &der_len);
    if (!err)
        err = lb_pem_write(lb_key_label(format), der, der_len, buffer, size, length);
    lb_arena_free(der);
    return err;
}

gpg_error_t limbic_key_export(limbic_key_t key, enum limbic_format format, unsigned flags,
                              void *buffer, size_t size, size_t *length)
{
    if (!key || !length)
        return lb_error(GPG_ERR_INV_ARG, "NULL argument");
    *length = 0;
    if (flags & ~LIMBIC_EXPORT_PEM)
        return lb_error(GPG_ERR_INV_ARG, "unknown flag");
    return flags & LIMBIC_EXPORT_PEM ? export_pem(key, format, buffer, size, length)
                                     : export_der(key, format, buffer, size, length);
}

#define FIRST_INFO (offsetof(struct limbic_key_facts, max_signature) + sizeof(size_t))

gpg_error_t limbic_key_info(limbic_key_t key, struct limbic_key_facts *info)
{
    struct limbic_key_facts all = LIMBIC_KEY_FACTS_INIT;

    if (!key || !info || info->size < FIRST_INFO)
        return lb_error(GPG_ERR_INV_ARG, "NULL argument, or info->size not set");
    all.size = info->size;
    all.type = key->type;
    all.is_private = lb_rsa_is_private(key->rsa);
    all.bits = (unsigned)lb_rsa_bits(key->rsa);
    all.type_name = "RSA";
    all.max_signature = lb_rsa_bytes(key->rsa);
    /* As much as the caller has room for; what a later version has beyond stays as it was. */
    memcpy(info, &all, info->size < sizeof all ? info->size : sizeof all);
    return 0;
}

gpg_error_t limbic_key_check(limbic_key_t key)
{
    if (!key)
        return lb_error(GPG_ERR_INV_ARG, "NULL argument");
    return lb_rsa_check(key->rsa);
}

gpg_error_t limbic_key_ready(limbic_key_t key)
{
    if (!key)
        return lb_error(GPG_ERR_INV_ARG, "NULL argument");
    return lb_rsa_ready(key->rsa);
}

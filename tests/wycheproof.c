/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * wycheproof - runs files of Wycheproof's test vectors (C2SP, version 1 schemas and older ones)
 * through the library:
 *
 *     wycheproof FILE...
 *     wycheproof WORDS... -- FILE...
 *
 * in the latter form once for each of WORDS, which are in the form of LIMBIC. For each file it prints how many vectors it ran, passed, failed and skipped, and why. A vector marked
 * valid must be accepted, one marked invalid refused; what is marked acceptable passes either way,
 * and the library's choice is printed. Refused means, where PKCS#1 v1.5 rejects implicitly, that the
 * output is not the vector's message. The last line counts all. Exits 1 when a vector failed, 2 for
 * a file that cannot be read or words that cannot be used.
 */
#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limbic.h"

#define SIZE(a) (sizeof(a) / sizeof(a)[0])
#define MOST_OUTPUT 2048

struct counts {
    unsigned ran, passed, failed, skipped;
};

/* What a group has for all its vectors. */
struct group {
    const char *type;
    limbic_key_t key;
    gpg_error_t key_error;
    struct limbic_params params;
    const char *skip; /* why it cannot be run, or NULL */
};

/* ---- Values of a file ---------------------------------------------------------------------- */

static void give_up(const char *what, const char *why)
{
    fprintf(stderr, "wycheproof: %s: %s\n", what, why);
    exit(2);
}

static const char *text_of(json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "";
}

struct octets {
    unsigned char *data;
    size_t len;
};

static int digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, tolower((unsigned char)c)) : NULL;

    return at ? (int)(at - digits) : -1;
}

/* To be freed. */
static struct octets octets_of(json_t *object, const char *name)
{
    const char *text = text_of(object, name);
    struct octets o = {malloc(strlen(text) / 2 + 1), strlen(text) / 2};

    if (!o.data)
        give_up(name, "out of memory");
    for (size_t i = 0; i < o.len; i++) {
        int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
        if (high < 0 || low < 0)
            give_up(name, "not hexadecimal");
        o.data[i] = (unsigned char)(high << 4 | low);
    }
    return o;
}

/* ---- Groups -------------------------------------------------------------------------------- */

/* "SHA-256", "SHA-512/224", "SHA3-256", "SHAKE128" to the library's names; -1: not known. */
static int hash_of(json_t *group, const char *name)
{
    const char *text = text_of(group, name);
    char lower[32];
    size_t n = 0;

    for (; *text && n < sizeof lower - 1; text++)
        if (!(*text == '-' && n == 3)) /* SHA-256, not SHA3-256 */
            lower[n++] = (char)(*text == '/' ? '-' : tolower((unsigned char)*text));
    lower[n] = 0;
    return limbic_hash_by_name(lower);
}

/* The key, in the first of these forms that the group has. */
static void import_key(json_t *json, struct group *group, const char *const *names)
{
    for (; *names; names++) {
        const char *text = text_of(json, *names);
        size_t suffix = strlen(*names) - 3;
        if (!*text)
            continue;
        if (strcmp(*names + suffix, "Pem") == 0) {
            group->key_error = limbic_key_import(&group->key, text, strlen(text), 0);
        } else {
            struct octets der = octets_of(json, *names);
            group->key_error = limbic_key_import(&group->key, der.data, der.len, 0);
            free(der.data);
        }
        return;
    }
    group->skip = "the group has no key in a form that is known";
}

static const char *const public_forms[] = {
    "publicKeyAsn", "keyAsn", "publicKeyDer", "keyDer", "publicKeyPem", "keyPem", NULL};
static const char *const private_forms[] = {"privateKeyPkcs8", "privateKeyPem", NULL};

static void take_hashes(json_t *json, struct group *group)
{
    int hash = hash_of(json, "sha"), mgf = LIMBIC_HASH_DEFAULT;
    const char *mask = text_of(json, "mgf");

    if (*mask && strcmp(mask, "MGF1") == 0)
        mgf = hash_of(json, "mgfSha");
    else if (*mask)
        mgf = hash_of(json, "mgf"); /* SHAKE is the mask function itself */
    if (hash < 0 || mgf < 0) {
        group->skip = "a hash or mask function that the library does not have";
        return;
    }
    group->params.hash = (enum limbic_hash)hash;
    group->params.mgf_hash = (enum limbic_hash)mgf;
}

/* ---- Vectors ------------------------------------------------------------------------------- */

/* Each tells whether the vector is accepted. */
typedef int (*vector_fn)(const struct group *group, json_t *test);

static int verify(const struct group *group, json_t *test)
{
    struct octets msg = octets_of(test, "msg"), sig = octets_of(test, "sig");
    gpg_error_t err =
        limbic_verify(group->key, &group->params, msg.data, msg.len, sig.data, sig.len);

    free(msg.data);
    free(sig.data);
    return !err;
}

/* PKCS#1 v1.5 is deterministic: the signature is the vector's, and verifies. */
static int sign(const struct group *group, json_t *test)
{
    struct octets msg = octets_of(test, "msg"), sig = octets_of(test, "sig");
    unsigned char made[MOST_OUTPUT];
    size_t len;
    gpg_error_t err =
        limbic_sign(group->key, &group->params, msg.data, msg.len, made, sizeof made, &len);
    int same = !err && len == sig.len && memcmp(made, sig.data, len) == 0;

    free(msg.data);
    free(sig.data);
    return same && verify(group, test);
}

static int decrypt(const struct group *group, json_t *test)
{
    struct limbic_params params = group->params;
    struct octets ct = octets_of(test, "ct"), msg = octets_of(test, "msg");
    struct octets label = octets_of(test, "label");
    unsigned char made[MOST_OUTPUT];
    size_t len;
    gpg_error_t err;

    params.label = label.data;
    params.label_len = label.len;
    err = limbic_decrypt(group->key, &params, ct.data, ct.len, made, sizeof made, &len);
    int same = !err && len == msg.len && memcmp(made, msg.data, len) == 0;
    free(ct.data);
    free(msg.data);
    free(label.data);
    return same;
}

static const struct kind {
    const char *type;
    enum limbic_padding padding;
    const char *const *key_forms;
    vector_fn run;
} kinds[] = {
    {"RsassaPkcs1Verify", LIMBIC_PADDING_PKCS1, public_forms, verify},
    {"RsassaPkcs1Generate", LIMBIC_PADDING_PKCS1, private_forms, sign},
    {"RsassaPssVerify", LIMBIC_PADDING_PSS, public_forms, verify},
    {"RsassaPssWithParametersVerify", LIMBIC_PADDING_PSS, public_forms, verify},
    {"RsaesOaepDecrypt", LIMBIC_PADDING_OAEP, private_forms, decrypt},
    {"RsaesPkcs1Decrypt", LIMBIC_PADDING_PKCS1, private_forms, decrypt},
};

static const struct kind *kind_of(const char *type)
{
    for (size_t i = 0; i < SIZE(kinds); i++)
        if (strcmp(kinds[i].type, type) == 0)
            return &kinds[i];
    return NULL;
}

static struct group open_group(json_t *json, const struct kind *kind)
{
    struct group group = {text_of(json, "type"), NULL, 0, LIMBIC_PARAMS_INIT, NULL};

    group.params.padding = kind->padding;
    if (*text_of(json, "sha"))
        take_hashes(json, &group);
    if (json_object_get(json, "sLen"))
        group.params.salt_len = (int)json_integer_value(json_object_get(json, "sLen"));
    import_key(json, &group, kind->key_forms);
    return group;
}

/* ---- Verdicts ------------------------------------------------------------------------------ */

/* The choices that the library makes where either would do. */
static const struct {
    const char *flag, *reason;
} choices[] = {
    {"MissingNull", "only the encoding of RFC 8017, 9.2, is accepted, which has the NULL"},
    {"WeakHash", "what hash to trust is the caller's choice"},
    {"SmallPublicKey", "e may be any odd number from 3 to 2^64 - 1"},
    {"SmallModulus", "a modulus may have 512 bits and more"},
};

#define MOST_FLAGS 32

/* How often vectors of a flag were accepted and refused, in one file. */
struct tally {
    const char *flag[MOST_FLAGS];
    unsigned accepted[MOST_FLAGS], refused[MOST_FLAGS];
    size_t count;
};

static void note_choice(struct tally *tally, json_t *test, int accepted)
{
    const char *flag = json_string_value(json_array_get(json_object_get(test, "flags"), 0));
    size_t i = 0;

    flag = flag ? flag : "(no flag)";
    while (i < tally->count && strcmp(tally->flag[i], flag) != 0)
        i++;
    if (i == MOST_FLAGS)
        return;
    if (i == tally->count) {
        tally->flag[i] = flag;
        tally->accepted[i] = tally->refused[i] = 0;
        tally->count++;
    }
    tally->accepted[i] += accepted != 0;
    tally->refused[i] += accepted == 0;
}

static void print_choices(const struct tally *tally)
{
    for (size_t i = 0; i < tally->count; i++) {
        const char *reason = "see limbic.h";
        for (size_t j = 0; j < SIZE(choices); j++)
            if (strcmp(choices[j].flag, tally->flag[i]) == 0)
                reason = choices[j].reason;
        printf("    acceptable, %s: %u accepted, %u refused: %s\n", tally->flag[i],
               tally->accepted[i], tally->refused[i], reason);
    }
}

static void run_vector(const struct group *group, const struct kind *kind, json_t *test,
                       struct counts *counts, struct tally *tally)
{
    const char *result = text_of(test, "result");
    int accepted = group->key && kind->run(group, test);
    int right = strcmp(result, "acceptable") == 0 || accepted == (strcmp(result, "valid") == 0);

    counts->ran++;
    counts->passed += right != 0;
    counts->failed += right == 0;
    if (strcmp(result, "acceptable") == 0)
        note_choice(tally, test, accepted);
    if (!right)
        printf("    tcId %d failed: %s, but %s: %s%s%s\n",
               (int)json_integer_value(json_object_get(test, "tcId")), result,
               accepted ? "accepted" : "refused", text_of(test, "comment"),
               group->key ? "" : "; the key: ", group->key ? "" : gpg_strerror(group->key_error));
}

struct skips {
    const char *why;
    char text[128];
};

static void run_group(json_t *json, struct counts *counts, struct tally *tally, struct skips *skips)
{
    const struct kind *kind = kind_of(text_of(json, "type"));
    json_t *tests = json_object_get(json, "tests"), *test;
    struct group group = {NULL, NULL, 0, LIMBIC_PARAMS_INIT, NULL};
    size_t i;

    if (kind) {
        group = open_group(json, kind);
    } else {
        snprintf(skips->text, sizeof skips->text, "vectors of the kind %s are not in this version",
                 text_of(json, "type"));
        group.skip = skips->text;
    }
    if (group.skip) {
        counts->skipped += (unsigned)json_array_size(tests);
        skips->why = group.skip;
    }
    json_array_foreach(tests, i, test)
    {
        if (!group.skip)
            run_vector(&group, kind, test, counts, tally);
    }
    limbic_key_free(group.key);
}

static void add(struct counts *sum, const struct counts *counts)
{
    sum->ran += counts->ran;
    sum->passed += counts->passed;
    sum->failed += counts->failed;
    sum->skipped += counts->skipped;
}

static void run_file(const char *path, const char *words, struct counts *sum)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    struct counts counts = {0, 0, 0, 0};
    struct tally tally = {.count = 0};
    struct skips skips = {NULL, ""};
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error), *groups, *group;
    size_t i;

    if (!root)
        give_up(path, error.text);
    groups = json_object_get(root, "testGroups");
    if (!json_is_array(groups))
        give_up(path, "no file of test vectors");
    json_array_foreach(groups, i, group)
    {
        run_group(group, &counts, &tally, &skips);
    }
    printf("%s%s%s: %u ran, %u passed, %u failed, %u skipped%s%s\n", words, *words ? ": " : "",
           name, counts.ran, counts.passed, counts.failed, counts.skipped, skips.why ? ": " : "",
           skips.why ? skips.why : "");
    print_choices(&tally);
    add(sum, &counts);
    json_decref(root);
}

static void run_files(char **paths, const char *words, struct counts *sum)
{
    gpg_error_t err = *words ? limbic_reconfigure(words) : limbic_init(0);

    if (err)
        give_up(words, limbic_error_detail());
    for (; *paths; paths++)
        run_file(*paths, words, sum);
}

int main(int argc, char **argv)
{
    struct counts sum = {0, 0, 0, 0};
    int mark = 1;

    while (mark < argc && strcmp(argv[mark], "--") != 0)
        mark++;
    if (argc < 2 || mark + 1 == argc) {
        fprintf(stderr, "usage: wycheproof [WORDS... --] FILE...\n");
        return 2;
    }
    if (mark == argc)
        run_files(argv + 1, "", &sum);
    for (int i = 1; i < mark && mark < argc; i++)
        run_files(argv + mark + 1, argv[i], &sum);
    printf("%u passed, %u failed, %u skipped\n", sum.passed, sum.failed, sum.skipped);
    return sum.failed ? 1 : 0;
}

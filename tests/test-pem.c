/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tests of core/key/pem.h: known answers, every rule of what is accepted and what is refused, and
 * that damaged text is refused without reading or writing out of bounds. base64 is compared with
 * a plain table here, since the code under test has none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/error.h"
#include "core/key/der.h"
#include "core/key/pem.h"
#include "tests/octets.h"

#define SIZE(a) (sizeof(a) / sizeof(a)[0])

#define assert_code(err, code) assert_int_equal(gpg_err_code(err), code)

#define BEGIN "-----BEGIN X-----\n"
#define END "-----END X-----\n"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Parse a text that ends at a guard; on error the block must be zero. */
static gpg_error_t parse(guarded g, const void *text, size_t n, lb_pem_block *block)
{
    gpg_error_t err;

    memset(block, 0xee, sizeof *block);
    err = lb_pem_parse(guarded_copy(g, text, n), n, block);
    if (err) {
        assert_null(block->label);
        assert_null(block->body);
        assert_int_equal(block->label_size + block->body_size + block->size, 0);
    } else {
        assert_true(lb_pem_detect(guarded_copy(g, text, n), n));
    }
    return err;
}

/* Decode into a buffer of exactly the right size at a guard. */
static uint8_t *decode(guarded out, const lb_pem_block *block)
{
    uint8_t *p = guarded_room(out, block->size);
    size_t written;

    assert_code(lb_pem_decode(block, p, block->size, &written), 0);
    assert_int_equal(written, block->size);
    return p;
}

/*
 * What is accepted
 */

/* Texts that all stand for "foobar" under the label X. */
static const char *const spellings[] = {
    BEGIN "Zm9vYmFy\n" END,
    "-----BEGIN X-----\r\nZm9vYmFy\r\n-----END X-----\r\n",
    "-----BEGIN X-----\rZm9vYmFy\r-----END X-----\r",
    "-----BEGIN X-----\nZm9vYmFy\r\n-----END X-----\r",
    BEGIN "Zm9vYmFy\n-----END X-----",
    "\xef\xbb\xbf" BEGIN "Zm9vYmFy\n" END,
    "some text\n\n" BEGIN "Zm9vYmFy\n" END,
    "\xef\xbb\xbfKey: \xc3\xa9\r\n \r\n" BEGIN "Zm9vYmFy\n" END,
    "  -----BEGIN not at the line's start\n" BEGIN "Zm9vYmFy\n" END,
    "-----BEGIN-----\n" BEGIN "Zm9vYmFy\n" END,
    BEGIN "Zm9\nvYmF\ny\n" END,
    BEGIN "Z\nm\n9\nv\nY\nm\nF\ny\n" END,
    BEGIN "\n \t\r\n\nZm9vYmFy\n" END,
    "-----BEGIN X----- \t\nZm9v\t\nYmFy \n-----END X-----  \n\n \t\r\r\n",
};

static void accepted_spellings(void **state)
{
    guarded in = guarded_new(4096), out = guarded_new(4096);
    lb_pem_block block;

    (void)state;
    for (size_t i = 0; i < SIZE(spellings); i++) {
        assert_code(parse(in, spellings[i], strlen(spellings[i]), &block), 0);
        assert_true(lb_pem_label_is(&block, "X"));
        assert_false(lb_pem_label_is(&block, "XY"));
        assert_false(lb_pem_label_is(&block, ""));
        assert_int_equal(block.size, 6);
        assert_memory_equal(decode(out, &block), "foobar", 6);
    }
    guarded_free(in);
    guarded_free(out);
}

static void padding(void **state)
{
    /* RFC 4648, section 10, but for the empty string; also padding on its own line. */
    static const struct {
        const char *body, *octets;
    } table[] = {{"Zg==", "f"},        {"Zm8=", "fo"},        {"Zm9v", "foo"},
                 {"Zm9vYg==", "foob"}, {"Zm9vYmE=", "fooba"}, {"Zm9vYmFy", "foobar"},
                 {"Zg\n==", "f"},      {"Zg=\n=", "f"}};
    guarded in = guarded_new(4096), out = guarded_new(4096);
    lb_pem_block block;

    (void)state;
    for (size_t i = 0; i < SIZE(table); i++) {
        char text[256];
        int n = snprintf(text, sizeof text, BEGIN "%s\n" END, table[i].body);
        assert_code(parse(in, text, (size_t)n, &block), 0);
        assert_int_equal(block.size, strlen(table[i].octets));
        assert_memory_equal(decode(out, &block), table[i].octets, block.size);
    }
    guarded_free(in);
    guarded_free(out);
}

static void labels(void **state)
{
    static const char *const good[] = {
        "RSA PRIVATE KEY", "A", "A-B", "A B-C", "a:b", "!", "~", "[+]"};
    static const char *const bad[] = {"",
                                      " A",
                                      "A ",
                                      "A  B",
                                      "A--B",
                                      "-A",
                                      "A- B",
                                      "A\tB",
                                      "A\x7f"
                                      "B",
                                      "A\xc3\xa9"
                                      "B",
                                      "A-",
                                      "A\x1f"
                                      "B"};
    guarded in = guarded_new(4096);
    lb_pem_block block;
    char text[256];
    size_t needed;
    int n;

    (void)state;
    for (size_t i = 0; i < SIZE(good); i++) {
        n = snprintf(text, sizeof text, "-----BEGIN %s-----\nAAAA\n-----END %s-----\n", good[i],
                     good[i]);
        assert_code(parse(in, text, (size_t)n, &block), 0);
        assert_true(lb_pem_label_is(&block, good[i]));
        assert_code(lb_pem_write(good[i], (const uint8_t *)"", 1, NULL, 0, &needed), 0);
    }
    for (size_t i = 0; i < SIZE(bad); i++) {
        n = snprintf(text, sizeof text, "-----BEGIN %s-----\nAAAA\n-----END %s-----\n", bad[i],
                     bad[i]);
        assert_code(parse(in, text, (size_t)n, &block), GPG_ERR_INV_ARMOR);
        assert_code(lb_pem_write(bad[i], (const uint8_t *)"", 1, NULL, 0, &needed),
                    GPG_ERR_INV_ARG);
        assert_int_equal(needed, 0);
    }
    guarded_free(in);
}

/*
 * What is refused
 */

typedef struct {
    const char *text;
    gpg_err_code_t code;
    const char *detail; /* a part of the detail text */
} refusal;

static void refused_texts(void **state)
{
    static const refusal table[] = {
        {"", GPG_ERR_NO_DATA, "no BEGIN line"},
        {"hello\n", GPG_ERR_NO_DATA, "no BEGIN line"},
        {" " BEGIN "AAAA\n" END, GPG_ERR_INV_ARMOR, "END line without"},
        {END BEGIN "AAAA\n" END, GPG_ERR_INV_ARMOR, "END line without"},
        {"-----BEGIN X----\nAAAA\n" END, GPG_ERR_INV_ARMOR, "malformed BEGIN"},
        {"-----BEGIN X-----y\nAAAA\n" END, GPG_ERR_INV_ARMOR, "malformed BEGIN"},
        {"-----BEGIN X------\nAAAA\n" END, GPG_ERR_INV_ARMOR, "malformed BEGIN"},
        {"-----BEGIN ", GPG_ERR_INV_ARMOR, "malformed BEGIN"},
        {"-----BEGIN -----", GPG_ERR_INV_ARMOR, "malformed BEGIN"},
        {"-----BEGIN X-----", GPG_ERR_INV_ARMOR, "no END line"},
        {BEGIN, GPG_ERR_INV_ARMOR, "no END line"},
        {BEGIN "AAAA\n", GPG_ERR_INV_ARMOR, "no END line"},
        {BEGIN "AAAA-----END X-----\n", GPG_ERR_INV_ARMOR, "no END line"},
        {BEGIN "AAAA\n-", GPG_ERR_INV_ARMOR, "malformed END"},
        {BEGIN "AAAA\n-----END X----", GPG_ERR_INV_ARMOR, "malformed END"},
        {BEGIN "AAAA\n-----END X----\n-", GPG_ERR_INV_ARMOR, "malformed END"},
        {BEGIN "AAAA\n-----END  X-----\n", GPG_ERR_INV_ARMOR, "malformed END"},
        {BEGIN "AAAA\n-----END -----\n", GPG_ERR_INV_ARMOR, "malformed END"},
        {BEGIN "AAAA\n-----END X -----\n", GPG_ERR_INV_ARMOR, "malformed END"},
        {BEGIN "AAAA\n-----END Y-----\n", GPG_ERR_INV_ARMOR, "labels"},
        {BEGIN "AAAA\n-----END XX-----\n", GPG_ERR_INV_ARMOR, "labels"},
        {BEGIN "AAAA\n-----END x-----\n", GPG_ERR_INV_ARMOR, "labels"},
        {BEGIN "AAAA\n" BEGIN "AAAA\n" END, GPG_ERR_INV_ARMOR, "BEGIN line inside"},
        /* After the END line. */
        {BEGIN "AAAA\n-----END X-----x\n", GPG_ERR_BAD_DATA, "text after"},
        {BEGIN "AAAA\n-----END X------\n", GPG_ERR_BAD_DATA, "text after"},
        {BEGIN "AAAA\n" END "x", GPG_ERR_BAD_DATA, "text after"},
        {BEGIN "AAAA\n" END "\n\n  x", GPG_ERR_BAD_DATA, "text after"},
        {BEGIN "AAAA\n" END "\v", GPG_ERR_BAD_DATA, "text after"},
        {BEGIN "AAAA\n" END END, GPG_ERR_BAD_DATA, "text after"},
        {BEGIN "AAAA\n" END BEGIN "AAAA\n" END, GPG_ERR_TOO_MANY, "second block"},
        {BEGIN "AAAA\n" END "text\n" BEGIN, GPG_ERR_TOO_MANY, "second block"},
        {BEGIN "AAAA\n-----END X-----" BEGIN, GPG_ERR_BAD_DATA, "text after"},
        /* base64. */
        {BEGIN END, GPG_ERR_NO_DATA, "nothing between"},
        {BEGIN "\n\n" END, GPG_ERR_NO_DATA, "nothing between"},
        {BEGIN "A\n" END, GPG_ERR_INV_ARMOR, "cut off"},
        {BEGIN "AA\n" END, GPG_ERR_INV_ARMOR, "cut off"},
        {BEGIN "AAA\n" END, GPG_ERR_INV_ARMOR, "cut off"},
        {BEGIN "AAAAA\n" END, GPG_ERR_INV_ARMOR, "cut off"},
        {BEGIN "AA=\n" END, GPG_ERR_INV_ARMOR, "cut off"},
        {BEGIN "A===\n" END, GPG_ERR_INV_ARMOR, "cut off"},
        {BEGIN "====\n" END, GPG_ERR_INV_ARMOR, "cut off"},
        {BEGIN "=\n" END, GPG_ERR_INV_ARMOR, "cut off"},
        {BEGIN "AAAA=\n" END, GPG_ERR_INV_ARMOR, "cut off"},
        {BEGIN "AAAA==\n" END, GPG_ERR_INV_ARMOR, "cut off"},
        {BEGIN "AAAA====\n" END, GPG_ERR_INV_ARMOR, "cut off"},
        {BEGIN "AA======\n" END, GPG_ERR_INV_ARMOR, "cut off"},
        {BEGIN "AAA==\n" END, GPG_ERR_INV_ARMOR, "cut off"},
        {BEGIN "AA==AAAA\n" END, GPG_ERR_INV_ARMOR, "after its padding"},
        {BEGIN "AA=A\n" END, GPG_ERR_INV_ARMOR, "after its padding"},
        {BEGIN "AA==\nAAAA\n" END, GPG_ERR_INV_ARMOR, "after its padding"},
        {BEGIN "Zh==\n" END, GPG_ERR_INV_ARMOR, "bits set"},
        {BEGIN "Zn==\n" END, GPG_ERR_INV_ARMOR, "bits set"},
        {BEGIN "Zo==\n" END, GPG_ERR_INV_ARMOR, "bits set"},
        {BEGIN "Zm9=\n" END, GPG_ERR_INV_ARMOR, "bits set"},
        {BEGIN "Zm+=\n" END, GPG_ERR_INV_ARMOR, "bits set"},
        {BEGIN "AA AA\n" END, GPG_ERR_INV_ARMOR, "not base64"},
        {BEGIN " AAAA\n" END, GPG_ERR_INV_ARMOR, "not base64"},
        {BEGIN "AAA-\n" END, GPG_ERR_INV_ARMOR, "not base64"},
        {BEGIN "AAA_\n" END, GPG_ERR_INV_ARMOR, "not base64"},
        {BEGIN "A\vAA\n" END, GPG_ERR_INV_ARMOR, "not base64"},
        {BEGIN "AAAA\n\nAAAA\n" END, GPG_ERR_INV_ARMOR, "blank line"},
        {BEGIN "AAAA\r\r\n" END, GPG_ERR_INV_ARMOR, "blank line"},
        {BEGIN "AAAA\n\n" END, GPG_ERR_INV_ARMOR, "blank line"},
        {BEGIN "AAAA\n\xef\xbb\xbf\n" END, GPG_ERR_INV_ARMOR, "not base64"},
        {"\xef\xbb\xbf\xef\xbb\xbf" BEGIN "AAAA\n" END, GPG_ERR_INV_ARMOR, "END line without"},
        /* Headers. */
        {BEGIN "Proc-Type: 4,ENCRYPTED\r\n\r\nAAAA\r\n" END, GPG_ERR_INV_ARMOR,
         "no header DEK-Info"},
        {BEGIN "Proc-Type: 4,ENCRYPTED", GPG_ERR_INV_ARMOR, "no header DEK-Info"},
        {BEGIN "Proc-Type: 4,ENCRYPTED\nDEK-Info:\n\nAAAA\n" END, GPG_ERR_INV_ARMOR,
         "no header DEK-Info"},
        {BEGIN "Proc-Type: 4,ENCRYPTED\nDEK-Info: \t\n\nAAAA\n" END, GPG_ERR_INV_ARMOR,
         "no header DEK-Info"},
        {BEGIN "Proc-Type: 4,ENCRYPTED\n\nDEK-Info: X\n\nAAAA\n" END, GPG_ERR_INV_ARMOR,
         "no header DEK-Info"},
        {BEGIN "\nProc-Type: 4,ENCRYPTED\nDEK-Info: X\n\nAAAA\n" END, GPG_ERR_INV_ARMOR,
         "wrong place"},
        {BEGIN "DEK-Info: X\nProc-Type: 4,ENCRYPTED\n\nAAAA\n" END, GPG_ERR_INV_ARMOR,
         "without Proc-Type"},
        {BEGIN "Proc-Type: 4,ENCRYPTED\nDEK-Info: X\nAAAA\n" END, GPG_ERR_INV_ARMOR,
         "no blank line"},
        {BEGIN "Proc-Type: 4,ENCRYPTED\nDEK-Info: X\nY: Z\n\nAAAA\n" END, GPG_ERR_INV_ARMOR,
         "no blank line"},
        {BEGIN "Proc-Type: 4,ENCRYPTED\nDEK-Info: X\n\nY: Z\nAAAA\n" END, GPG_ERR_INV_ARMOR,
         "wrong place"},
        {BEGIN "Proc-Type: 4,ENCRYPTED\nDEK-Info: X\n\n" END, GPG_ERR_NO_DATA, "nothing between"},
        {BEGIN "Proc-Type: 4,ENCRYPTED\nDEK-Info: X", GPG_ERR_INV_ARMOR, "no blank line"},
        {BEGIN "Proc-Type: 4,ENCRYPTED\nDEK-Info: X\n\nAAAA\n", GPG_ERR_INV_ARMOR, "no END line"},
        {BEGIN "Proc-Type: 5,ENCRYPTED\nDEK-Info: X\n\nAAAA\n" END, GPG_ERR_INV_ARMOR,
         "not Proc-Type"},
        {BEGIN "Proc-Type: 4, ENCRYPTED\nDEK-Info: X\n\nAAAA\n" END, GPG_ERR_INV_ARMOR,
         "not Proc-Type"},
        {BEGIN "proc-type: 4,ENCRYPTED\nDEK-Info: X\n\nAAAA\n" END, GPG_ERR_INV_ARMOR,
         "not Proc-Type"},
        {BEGIN "Proc-Type: 4,MIC-CLEAR\n\nAAAA\n" END, GPG_ERR_INV_ARMOR, "header"},
        {BEGIN "Proc-Type:\n\nAAAA\n" END, GPG_ERR_INV_ARMOR, "header"},
        {BEGIN "Comment: x\n\nAAAA\n" END, GPG_ERR_INV_ARMOR, "header"},
        {BEGIN "Proc-Type 4,ENCRYPTED\n\nAAAA\n" END, GPG_ERR_INV_ARMOR, "blank line"},
        {BEGIN "AAAA\nProc-Type: 4,ENCRYPTED\n" END, GPG_ERR_INV_ARMOR, "not base64"},
    };
    guarded g = guarded_new(4096);
    lb_pem_block block;

    (void)state;
    for (size_t i = 0; i < SIZE(table); i++) {
        gpg_error_t err = parse(g, table[i].text, strlen(table[i].text), &block);
        if (gpg_err_code(err) != table[i].code || !strstr(lb_error_detail(), table[i].detail))
            print_message("# text %s: %s\n", table[i].text, lb_error_detail());
        assert_code(err, table[i].code);
        assert_non_null(strstr(lb_error_detail(), table[i].detail));
    }
    guarded_free(g);
}

/* A NUL octet at any place, also before BEGIN and after END, and text of 16-bit characters. */
static void nul_octets(void **state)
{
    static const char whole[] = "text\n" BEGIN "Zm9vYmFy\n" END "\n";
    const size_t n = sizeof whole - 1;
    guarded g = guarded_new(4096);
    lb_pem_block block;
    char text[2 * sizeof whole];

    (void)state;
    for (size_t i = 0; i < n; i++) {
        memcpy(text, whole, n);
        text[i] = 0;
        assert_code(parse(g, text, n, &block), GPG_ERR_INV_ARMOR);
        assert_non_null(strstr(lb_error_detail(), "NUL"));
    }
    assert_code(parse(g, whole, sizeof whole, &block), GPG_ERR_INV_ARMOR);
    for (size_t i = 0; i < n; i++) {
        text[2 * i] = whole[i];
        text[2 * i + 1] = 0;
    }
    assert_code(parse(g, text, 2 * n, &block), GPG_ERR_INV_ARMOR);
    assert_code(lb_pem_parse(NULL, 0, &block), GPG_ERR_NO_DATA);
    guarded_free(g);
}

/* Every octet in place of a base64 character, against the table; also as the last before a pad. */
static void all_characters(void **state)
{
    guarded in = guarded_new(4096), out = guarded_new(4096);
    lb_pem_block block;

    (void)state;
    for (unsigned c = 1; c < 256; c++) {
        const char *found = strchr(alphabet, (int)c);
        for (size_t at = 0; at < 4; at++) {
            char text[] = BEGIN "AAAAAAAA\n" END;
            size_t place = strlen(BEGIN) + at;
            gpg_error_t err;
            text[place] = (char)c;
            err = parse(in, text, strlen(text), &block);
            if (found) {
                uint32_t group = (uint32_t)(found - alphabet) << (6 * (3 - at));
                uint8_t expected[6] = {(uint8_t)(group >> 16), (uint8_t)(group >> 8),
                                       (uint8_t)group};
                assert_code(err, 0);
                assert_memory_equal(decode(out, &block), expected, 6);
            } else {
                assert_true(err != 0);
            }
        }
        char two[] = BEGIN "AA==\n" END, three[] = BEGIN "AAA=\n" END;
        two[strlen(BEGIN) + 1] = (char)c;
        assert_int_equal(parse(in, two, strlen(two), &block) == 0,
                         found && (found - alphabet) % 16 == 0);
        three[strlen(BEGIN) + 2] = (char)c;
        assert_int_equal(parse(in, three, strlen(three), &block) == 0,
                         c == '=' || (found && (found - alphabet) % 4 == 0));
    }
    guarded_free(in);
    guarded_free(out);
}

/*
 * Files
 */

static const struct {
    const char *name;
    const char *label;
    gpg_err_code_t code;
    size_t size;
} files[] = {
    {"crlf.pem", "PRIVATE KEY", 0, 48},
    {"no-final-newline.pem", "PRIVATE KEY", 0, 48},
    {"text-before.pem", "PRIVATE KEY", 0, 48},
    {"ok-2048.pem", "RSA PRIVATE KEY", 0, 1192},
    {"expl-same.pem", "PRIVATE KEY", 0, 357},
    {"enc-pbes2.pem", "ENCRYPTED PRIVATE KEY", 0, 158},
    /* Well-formed texts, whose contents or label others must refuse. */
    {"wrong-label-ec.pem", "EC PRIVATE KEY", 0, 48},
    {"trailing-in-der.pem", "PRIVATE KEY", 0, 51},
    {"enc-iter-2e31.pem", "ENCRYPTED PRIVATE KEY", 0, 160},
    {"garbage-after.pem", NULL, GPG_ERR_BAD_DATA, 0},
    {"second-key-after.pem", NULL, GPG_ERR_TOO_MANY, 0},
    {"enc-no-dek.pem", NULL, GPG_ERR_INV_ARMOR, 0},
    {"len-7fffffff.der", NULL, GPG_ERR_INV_ARMOR, 0},
};

/* The header of the traditional encryption: its value, blanks around it, lines of any end. */
static void dek_info(void **state)
{
    static const struct {
        const char *text, *dek;
    } texts[] = {
        {BEGIN "Proc-Type: 4,ENCRYPTED\nDEK-Info: X\n\nAAAA\n" END, "X"},
        {BEGIN "Proc-Type:4,ENCRYPTED  \r\nDEK-Info:  AES-128-CBC,00FF\t\r\n\r\nAAAA\r\n" END,
         "AES-128-CBC,00FF"},
        {BEGIN "Proc-Type: 4,ENCRYPTED\rDEK-Info: a b\r \t\r\rAAAA\r" END, "a b"},
    };
    guarded in = guarded_new(4096);
    lb_pem_block block;

    (void)state;
    for (size_t i = 0; i < SIZE(texts); i++) {
        assert_code(parse(in, (const uint8_t *)texts[i].text, strlen(texts[i].text), &block), 0);
        assert_int_equal(block.size, 3);
        assert_int_equal(block.dek_size, strlen(texts[i].dek));
        assert_memory_equal(block.dek, texts[i].dek, block.dek_size);
    }
    assert_code(
        parse(in, (const uint8_t *)(BEGIN "AAAA\n" END), strlen(BEGIN "AAAA\n" END), &block), 0);
    assert_null(block.dek);
    guarded_free(in);
}

static void known_files(void **state)
{
    guarded in = guarded_new(4096), out = guarded_new(4096);
    lb_pem_block block;

    (void)state;
    for (size_t i = 0; i < SIZE(files); i++) {
        size_t n;
        uint8_t *text = load_file(files[i].name, &n);
        assert_code(parse(in, text, n, &block), files[i].code);
        assert_int_equal(block.size, files[i].size);
        if (files[i].label) {
            lb_der_reader r;
            uint8_t *der = decode(out, &block);
            assert_true(lb_pem_label_is(&block, files[i].label));
            assert_int_equal(lb_der_whole(der, block.size, LB_DER_SEQUENCE, &r) == 0,
                             strcmp(files[i].name, "trailing-in-der.pem") != 0);
        }
        free(text);
    }
    guarded_free(in);
    guarded_free(out);
}

/* The same key from all of its spellings, and from one long line with a byte-order mark. */
static void one_long_line(void **state)
{
    guarded in = guarded_new(4096), out = guarded_new(4096);
    char text[4096];
    size_t n, at = 0;
    uint8_t *file = load_file("ok-2048.pem", &n), *der = malloc(1192);
    lb_pem_block block;

    (void)state;
    assert_non_null(der);
    assert_code(parse(in, file, n, &block), 0);
    memcpy(der, decode(out, &block), 1192);
    at += (size_t)snprintf(text, sizeof text, "\xef\xbb\xbf-----BEGIN RSA PRIVATE KEY-----\r\n");
    for (size_t i = 0; i < block.body_size; i++)
        if (block.body[i] != '\n')
            text[at++] = block.body[i];
    at += (size_t)snprintf(text + at, sizeof text - at, "\r\n-----END RSA PRIVATE KEY-----");
    assert_code(parse(in, text, at, &block), 0);
    assert_int_equal(block.size, 1192);
    assert_memory_equal(decode(out, &block), der, 1192);
    free(file);
    free(der);
    guarded_free(in);
    guarded_free(out);
}

/* A prefix is accepted only when it goes to the dashes of the END line. */
static void files_truncated(void **state)
{
    guarded in = guarded_new(4096);
    lb_pem_block block;

    (void)state;
    for (size_t i = 0; i < SIZE(files); i++) {
        size_t n, whole;
        uint8_t *text = load_file(files[i].name, &n);
        for (whole = n; whole && text[whole - 1] != '-'; whole--)
            ;
        for (size_t k = 0; k < n; k++) {
            gpg_error_t err = parse(in, text, k, &block);
            if (files[i].code == 0)
                assert_int_equal(err == 0, k >= whole);
        }
        free(text);
    }
    guarded_free(in);
}

/* What is accepted, written and read again gives the same octets. */
static void check_accepted(const lb_pem_block *block, guarded in, guarded out)
{
    char label[256];
    uint8_t octets[4096];
    lb_pem_block again;
    size_t needed, size = block->size;
    char *text;

    assert_true(size <= sizeof octets && block->label_size < sizeof label);
    memcpy(label, block->label, block->label_size);
    label[block->label_size] = 0;
    memcpy(octets, decode(out, block), size);
    assert_code(lb_pem_write(label, octets, size, NULL, 0, &needed), 0);
    text = (char *)guarded_room(in, needed);
    assert_code(lb_pem_write(label, octets, size, text, needed, &needed), 0);
    assert_code(lb_pem_parse(text, needed, &again), 0);
    assert_int_equal(again.size, size);
    assert_memory_equal(decode(out, &again), octets, size);
}

/* Every octet takes every other value (of the long file, only some). Accepted is what has another
 * layout or other octets, never the same octets by another base64 text. */
static void files_corrupted(void **state)
{
    guarded in = guarded_new(4096), out = guarded_new(4096);
    uint8_t octets[2048];
    lb_pem_block block;

    (void)state;
    for (size_t i = 0; i < SIZE(files); i++) {
        size_t n, size = 0;
        uint8_t *text = load_file(files[i].name, &n);
        if (files[i].code == 0) {
            assert_code(parse(in, text, n, &block), 0);
            size = block.size;
            memcpy(octets, decode(out, &block), size);
        }
        for (size_t k = 0; k < n; k++) {
            const uint8_t was = text[k];
            for (unsigned flip = 1; flip < 256; flip = n < 400 ? flip + 1 : flip * 2) {
                text[k] = (uint8_t)(was ^ flip);
                if (parse(in, text, n, &block) != 0)
                    continue;
                if (size && strchr(alphabet, was) && strchr(alphabet, text[k]) &&
                    k >= (size_t)(block.body - (const char *)guarded_room(in, n)) &&
                    block.size == size)
                    assert_memory_not_equal(decode(out, &block), octets, size);
                check_accepted(&block, in, out);
            }
            text[k] = was;
        }
        free(text);
    }
    guarded_free(in);
    guarded_free(out);
}

/*
 * Sizes
 */

/* The bound is on the text; it comes before the text is looked at. */
static void size_limit(void **state)
{
    static const char tail[] = "\n" BEGIN "Zm9vYmFy\n" END;
    guarded g = guarded_new(LB_PEM_MAX + 1);
    char *text = (char *)guarded_room(g, LB_PEM_MAX);
    lb_pem_block block;

    (void)state;
    memset(text, 'x', LB_PEM_MAX);
    memcpy(text + LB_PEM_MAX - strlen(tail), tail, strlen(tail));
    assert_code(lb_pem_parse(text, LB_PEM_MAX, &block), 0);
    assert_int_equal(block.size, 6);
    text[-1] = 0;
    assert_code(lb_pem_parse(text - 1, LB_PEM_MAX + 1, &block), GPG_ERR_TOO_LARGE);
    assert_code(lb_pem_parse(text, SIZE_MAX, &block), GPG_ERR_TOO_LARGE);
    assert_true(lb_pem_detect(text, SIZE_MAX));
    guarded_free(g);
}

static void decode_room(void **state)
{
    static const char text[] = BEGIN "Zm9vYmFy\n" END;
    uint8_t out[8];
    char changed[sizeof text];
    lb_pem_block block;
    size_t written = 1;

    (void)state;
    assert_code(lb_pem_parse(text, strlen(text), &block), 0);
    for (size_t room = 0; room < 6; room++) {
        assert_code(lb_pem_decode(&block, out, room, &written), GPG_ERR_BUFFER_TOO_SHORT);
        assert_int_equal(written, 0);
    }
    memset(out, 0xee, sizeof out);
    assert_code(lb_pem_decode(&block, out, sizeof out, &written), 0);
    assert_int_equal(written, 6);
    assert_memory_equal(out, "foobar\xee\xee", 8);

    /* A text that changes between the two calls does no harm. */
    memcpy(changed, text, sizeof text);
    assert_code(lb_pem_parse(changed, strlen(changed), &block), 0);
    block.size -= 3;
    memset(out, 0xee, sizeof out);
    assert_code(lb_pem_decode(&block, out, 3, &written), GPG_ERR_INV_ARMOR);
    assert_memory_equal(out, "\0\0\0\xee\xee\xee\xee\xee", 8);
    block.size += 3;
    changed[strlen(BEGIN) + 2] = '*';
    assert_code(lb_pem_decode(&block, out, sizeof out, &written), GPG_ERR_INV_ARMOR);
    assert_int_equal(written, 0);
    assert_memory_equal(out, "\0\0\0\0\0\0\0\0", 8);
}

static void detection(void **state)
{
    static const struct {
        const char *text;
        bool pem;
    } table[] = {{"", false},
                 {"-----BEGIN", false},
                 {"-----BEGIN ", true},
                 {"\xef\xbb\xbf-----BEGIN ", true},
                 {"x\n-----BEGIN X", true},
                 {"x\r-----BEGIN X", true},
                 {"x-----BEGIN X", false},
                 {" -----BEGIN X", false},
                 {"-----END X-----", false},
                 {"\x30\x82\x01\x02", false}};
    guarded g = guarded_new(4096);
    size_t n;
    uint8_t *der = load_file("indefinite.der", &n);

    (void)state;
    for (size_t i = 0; i < SIZE(table); i++) {
        size_t size = strlen(table[i].text);
        assert_int_equal(lb_pem_detect(guarded_copy(g, table[i].text, size), size), table[i].pem);
    }
    assert_false(lb_pem_detect(NULL, 0));
    assert_false(lb_pem_detect(guarded_copy(g, der, n), n));
    free(der);
    guarded_free(g);
}

/*
 * Writing
 */

/* The same text by a table and one character at a time. */
static size_t reference_write(const char *label, const uint8_t *data, size_t n, char *out)
{
    char *p = out;
    size_t column = 0;

    p += sprintf(p, "-----BEGIN %s-----\n", label);
    for (size_t bit = 0; bit < 8 * n || column % 4 != 0; bit += 6) {
        if (bit < 8 * n) {
            unsigned two = (unsigned)data[bit / 8] << 8 | (bit / 8 + 1 < n ? data[bit / 8 + 1] : 0);
            *p++ = alphabet[two >> (10 - bit % 8) & 63];
        } else {
            *p++ = '=';
        }
        if (++column == 64 && bit + 6 < 8 * n) {
            *p++ = '\n';
            column = 0;
        }
    }
    p += sprintf(p, "\n-----END %s-----\n", label);
    return (size_t)(p - out);
}

static void check_write(const char *label, const uint8_t *data, size_t n, guarded g, guarded out,
                        char *work)
{
    size_t expected = reference_write(label, data, n, work);
    size_t needed = 1;
    char *p;
    lb_pem_block block;

    assert_code(lb_pem_write(label, data, n, NULL, 99, &needed), 0);
    assert_int_equal(needed, expected);
    p = (char *)guarded_room(g, needed - 1);
    memset(p, 0xee, needed - 1);
    assert_code(lb_pem_write(label, data, n, p, needed - 1, &needed), GPG_ERR_BUFFER_TOO_SHORT);
    assert_int_equal(needed, expected);
    assert_int_equal((uint8_t)p[0], 0xee);
    p = (char *)guarded_room(g, needed);
    assert_code(lb_pem_write(label, data, n, p, needed, &needed), 0);
    assert_int_equal(needed, expected);
    assert_memory_equal(p, work, needed);
    assert_code(lb_pem_parse(p, needed, &block), 0);
    assert_int_equal(block.size, n);
    assert_true(lb_pem_label_is(&block, label));
    assert_memory_equal(decode(out, &block), data, n);
}

static void write_sizes(void **state)
{
    static const size_t large[] = {1023, 1024, 65535, 65536, 65537, 100000};
    /* 64 columns a line, LF and the two boundary lines leave room for this much. */
    const size_t most = 774000;
    guarded g = guarded_new(LB_PEM_MAX), out = guarded_new(LB_PEM_MAX);
    uint8_t *data = malloc(LB_PEM_MAX + 1);
    char *work = malloc(2 * LB_PEM_MAX);
    rng r = rng_start();
    size_t needed, n = most;

    (void)state;
    assert_non_null(data);
    assert_non_null(work);
    rng_fill(&r, data, LB_PEM_MAX + 1);
    for (size_t i = 1; i < 300; i++)
        check_write("PRIVATE KEY", data + i, i, g, out, work);
    for (size_t i = 0; i < SIZE(large); i++)
        check_write("X", data, large[i], g, out, work);
    /* The largest text that is written is one that is read. */
    while (lb_pem_write("X", data, n, NULL, 0, &needed) == 0)
        n++;
    assert_code(lb_pem_write("X", data, n, NULL, 0, &needed), GPG_ERR_TOO_LARGE);
    assert_int_equal(needed, 0);
    assert_code(lb_pem_write("X", data, n - 1, NULL, 0, &needed), 0);
    assert_in_range(needed, LB_PEM_MAX - 8, LB_PEM_MAX);
    check_write("X", data, n - 1, g, out, work);
    assert_code(lb_pem_write("X", data, SIZE_MAX, NULL, 0, &needed), GPG_ERR_TOO_LARGE);
    assert_code(lb_pem_write("X", data, 0, NULL, 0, &needed), GPG_ERR_INV_ARG);
    free(data);
    free(work);
    guarded_free(g);
    guarded_free(out);
}

/* All groups of six bits in all places. */
static void write_all_values(void **state)
{
    guarded g = guarded_new(4096), out = guarded_new(4096);
    char work[512];

    (void)state;
    for (unsigned value = 0; value < 64; value++) {
        for (unsigned place = 0; place < 4; place++) {
            uint32_t group = value << (18 - 6 * place);
            uint8_t data[3] = {(uint8_t)(group >> 16), (uint8_t)(group >> 8), (uint8_t)group};
            check_write("X", data, 3, g, out, work);
            check_write("X", data, 2, g, out, work);
            check_write("X", data, 1, g, out, work);
        }
    }
    guarded_free(out);
    guarded_free(g);
}

static void write_file(void **state)
{
    guarded g = guarded_new(4096);
    size_t n, needed;
    uint8_t *text = load_file("ok-2048.pem", &n), der[1192];
    lb_pem_block block;
    char *p = (char *)guarded_room(g, n);

    (void)state;
    assert_code(lb_pem_parse(text, n, &block), 0);
    assert_code(lb_pem_decode(&block, der, sizeof der, &needed), 0);
    assert_code(lb_pem_write("RSA PRIVATE KEY", der, sizeof der, p, n, &needed), 0);
    assert_int_equal(needed, n);
    assert_memory_equal(p, text, n);
    free(text);
    guarded_free(g);
}

/*
 * Random input
 */

/* Insert a piece of the grammar at a random place. */
static void splice(rng *r, uint8_t *p, size_t *n, size_t room)
{
    static const char *const pieces[] = {
        "-----BEGIN ", "-----END ",    "-----", BEGIN,
        END,           "\r\n",         "\n\n",  "Proc-Type: 4,ENCRYPTED\n",
        "DEK-Info: ",  "\xef\xbb\xbf", "==",    "=",
        "AAAA",        ": ",           "X",     " \t"};
    const char *piece = pieces[rng_below(r, SIZE(pieces))];
    size_t at = rng_below(r, *n + 1), size = strlen(piece);

    if (*n + size > room)
        return;
    memmove(p + at + size, p + at, *n - at);
    memcpy(p + at, piece, size);
    *n += size;
}

static void random_input(void **state)
{
    enum { ROOM = 2048 };
    guarded in = guarded_new(4096), out = guarded_new(4096);
    uint8_t *sample[SIZE(files)], work[ROOM];
    size_t size[SIZE(files)];
    unsigned accepted = 0;
    rng r = rng_start();

    (void)state;
    for (size_t i = 0; i < SIZE(files); i++)
        sample[i] = load_file(files[i].name, &size[i]);
    for (unsigned i = 0; i < 100000; i++) {
        size_t which = rng_below(&r, SIZE(files) + SIZE(spellings) + 4);
        size_t n = 0;
        lb_pem_block block;
        if (which < SIZE(files)) {
            n = size[which];
            memcpy(work, sample[which], n);
        } else if (which < SIZE(files) + SIZE(spellings)) {
            n = strlen(spellings[which - SIZE(files)]);
            memcpy(work, spellings[which - SIZE(files)], n);
        }
        for (size_t k = n ? rng_below(&r, 4) : 12; k > 0; k--) {
            if (n == 0 || rng_below(&r, 3) == 0)
                splice(&r, work, &n, ROOM);
            else
                mutate(&r, work, &n, ROOM);
        }
        if (parse(in, work, n, &block) == 0) {
            accepted++;
            check_accepted(&block, in, out);
        }
    }
    assert_true(accepted > 1000 && accepted < 90000);
    for (size_t i = 0; i < SIZE(files); i++)
        free(sample[i]);
    guarded_free(in);
    guarded_free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepted_spellings),
        cmocka_unit_test(padding),
        cmocka_unit_test(labels),
        cmocka_unit_test(refused_texts),
        cmocka_unit_test(nul_octets),
        cmocka_unit_test(all_characters),
        cmocka_unit_test(dek_info),
        cmocka_unit_test(known_files),
        cmocka_unit_test(one_long_line),
        cmocka_unit_test(files_truncated),
        cmocka_unit_test(files_corrupted),
        cmocka_unit_test(size_limit),
        cmocka_unit_test(decode_room),
        cmocka_unit_test(detection),
        cmocka_unit_test(write_sizes),
        cmocka_unit_test(write_all_values),
        cmocka_unit_test(write_file),
        cmocka_unit_test(random_input),
    };

    return cmocka_run_group_tests_name("pem", tests, NULL, NULL);
}

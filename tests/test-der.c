/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tests of core/key/der.h: known answers, every rule of strictness, and that damaged input is
 * refused without reading or writing out of bounds. The main oracle: what the reader accepts, the
 * writer reproduces octet for octet, since DER has one encoding for one value.
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

/* Octets of a hexadecimal string; spaces are allowed. */
static size_t unhex(const char *hex, uint8_t *out, size_t room)
{
    size_t n = 0;
    unsigned octet;
    int used;

    while (sscanf(hex, " %2x%n", &octet, &used) == 1) {
        assert_true(n < room);
        out[n++] = (uint8_t)octet;
        hex += used;
    }
    return n;
}

static void assert_view(lb_der_view v, const char *hex)
{
    uint8_t octets[256];
    size_t n = unhex(hex, octets, sizeof octets);

    assert_int_equal(v.size, n);
    if (n)
        assert_memory_equal(v.data, octets, n);
}

/* All reading functions on one element, with the same signature: the value comes as a view. */
typedef gpg_error_t read_function(lb_der_reader *r, lb_der_view *v);

static gpg_error_t read_small(lb_der_reader *r, lb_der_view *v)
{
    static uint8_t octets[8];
    uint64_t value;
    gpg_error_t err = lb_der_integer_small(r, UINT64_MAX, &value);

    for (unsigned i = 0; i < 8; i++)
        octets[i] = (uint8_t)(value >> (56 - 8 * i));
    *v = err ? (lb_der_view){NULL, 0} : (lb_der_view){octets, 8};
    return err;
}

static gpg_error_t read_boolean(lb_der_reader *r, lb_der_view *v)
{
    static const uint8_t octet[2] = {0, 1};
    bool value = true;
    gpg_error_t err = lb_der_boolean(r, &value);

    *v = err && !value ? (lb_der_view){NULL, 0} : (lb_der_view){octet + value, 1};
    return err;
}

static gpg_error_t read_null(lb_der_reader *r, lb_der_view *v)
{
    *v = (lb_der_view){NULL, 0};
    return lb_der_null(r);
}

static gpg_error_t read_bits_1(lb_der_reader *r, lb_der_view *v)
{
    return lb_der_bits_as(r, LB_DER_CONTEXT_PRIMITIVE(1), v);
}

static gpg_error_t read_any(lb_der_reader *r, lb_der_view *v)
{
    return lb_der_any(r, NULL, v, NULL);
}

static gpg_error_t read_entered(lb_der_reader *r, lb_der_view *v)
{
    lb_der_reader inner = {(const uint8_t *)"", 1};
    gpg_error_t err = lb_der_enter(r, LB_DER_SEQUENCE, &inner);

    *v = (lb_der_view){inner.at, inner.left};
    return err;
}

static gpg_error_t read_context(lb_der_reader *r, lb_der_view *v)
{
    lb_der_reader inner = {(const uint8_t *)"", 1};
    bool present;
    gpg_error_t err = lb_der_context(r, 0, &inner, &present);

    assert_int_equal(present, inner.at != NULL);
    *v = (lb_der_view){inner.at, inner.left};
    return err;
}

static read_function *const all_readers[] = {
    lb_der_integer, read_small, lb_der_octets, lb_der_bits,  read_bits_1, lb_der_oid,
    read_boolean,   read_null,  read_any,      read_entered, read_context};

/* One function on one input: value is what it must give, NULL where it must fail with code. The
 * octets that `rest` counts must be left. */
typedef struct {
    read_function *read;
    const char *input;
    gpg_err_code_t code;
    const char *value;
    size_t rest;
} reading;

static void check_reading(guarded g, const reading *t)
{
    uint8_t octets[512];
    size_t n = unhex(t->input, octets, sizeof octets);
    const uint8_t *at = guarded_copy(g, octets, n);
    lb_der_view v = {octets, 1};
    lb_der_reader r;
    gpg_error_t err;

    lb_der_init(&r, at, n);
    err = t->read(&r, &v);
    if (gpg_err_code(err) != t->code)
        print_message("# input %s: %s\n", t->input, lb_error_detail());
    assert_code(err, t->code);
    if (t->value) {
        assert_view(v, t->value);
        assert_int_equal(r.left, t->rest);
        assert_ptr_equal(r.at, at + n - t->rest);
    } else {
        assert_null(v.data);
        assert_int_equal(v.size, 0);
        assert_int_equal(r.left, n);
        assert_ptr_equal(r.at, at);
    }
}

static void check_readings(const reading *table, size_t n)
{
    guarded g = guarded_new(4096);

    for (size_t i = 0; i < n; i++)
        check_reading(g, &table[i]);
    guarded_free(g);
}

static void lengths(void **state)
{
    static const reading table[] = {
        {read_any, "0400", 0, "", 0},
        {read_any, "0401aa", 0, "aa", 0},
        {read_any, "0401aabb", 0, "aa", 1},
        {read_any, "", GPG_ERR_TOO_SHORT, NULL, 0},
        {read_any, "04", GPG_ERR_TOO_SHORT, NULL, 0},
        {read_any, "0401", GPG_ERR_INV_LENGTH, NULL, 0},
        {read_any, "047f00", GPG_ERR_INV_LENGTH, NULL, 0},
        /* Cut off inside the length. */
        {read_any, "0481", GPG_ERR_TOO_SHORT, NULL, 0},
        {read_any, "048201", GPG_ERR_TOO_SHORT, NULL, 0},
        {read_any, "0484010000", GPG_ERR_TOO_SHORT, NULL, 0},
        /* Indefinite, long form for short lengths, leading zero octets. */
        {read_any, "30800000", GPG_ERR_NOT_DER_ENCODED, NULL, 0},
        {read_any, "24800000", GPG_ERR_NOT_DER_ENCODED, NULL, 0},
        {read_any, "048100", GPG_ERR_NOT_DER_ENCODED, NULL, 0},
        {read_any, "048101aa", GPG_ERR_NOT_DER_ENCODED, NULL, 0},
        {read_any, "04817f", GPG_ERR_NOT_DER_ENCODED, NULL, 0},
        {read_any, "04820001aa", GPG_ERR_NOT_DER_ENCODED, NULL, 0},
        {read_any, "04820080", GPG_ERR_NOT_DER_ENCODED, NULL, 0},
        {read_any, "048400000001aa", GPG_ERR_NOT_DER_ENCODED, NULL, 0},
        {read_any, "0485000000000100", GPG_ERR_NOT_DER_ENCODED, NULL, 0},
        /* Beyond the data; also those that would wrap with 32 or 64 bits, and the reserved FF. */
        {read_any, "048180", GPG_ERR_INV_LENGTH, NULL, 0},
        {read_any, "0482010000", GPG_ERR_INV_LENGTH, NULL, 0},
        {read_any, "0484ffffffff", GPG_ERR_INV_LENGTH, NULL, 0},
        {read_any, "0484fffffffaaa", GPG_ERR_INV_LENGTH, NULL, 0},
        {read_any, "04847fffffff", GPG_ERR_INV_LENGTH, NULL, 0},
        {read_any, "048480000000", GPG_ERR_INV_LENGTH, NULL, 0},
        {read_any, "04850100000001aa", GPG_ERR_INV_LENGTH, NULL, 0},
        {read_any, "0488ffffffffffffffff", GPG_ERR_INV_LENGTH, NULL, 0},
        {read_any, "0488fffffffffffffff6aa", GPG_ERR_INV_LENGTH, NULL, 0},
        {read_any, "0489010000000000000001aa", GPG_ERR_INV_LENGTH, NULL, 0},
        {read_any, "04ffaa", GPG_ERR_TOO_SHORT, NULL, 0},
        {read_any, "04feaa", GPG_ERR_TOO_SHORT, NULL, 0},
    };

    (void)state;
    check_readings(table, SIZE(table));
}

static void tags(void **state)
{
    static const reading table[] = {
        /* High-tag-number form in all classes, the end-of-contents mark. */
        {read_any, "1f0100", GPG_ERR_INV_TAG, NULL, 0},
        {read_any, "3f8101 00", GPG_ERR_INV_TAG, NULL, 0},
        {read_any, "5f0100", GPG_ERR_INV_TAG, NULL, 0},
        {read_any, "9f0100", GPG_ERR_INV_TAG, NULL, 0},
        {read_any, "bf1f00", GPG_ERR_INV_TAG, NULL, 0},
        {read_any, "ff", GPG_ERR_INV_TAG, NULL, 0},
        {read_any, "0000", GPG_ERR_NOT_DER_ENCODED, NULL, 0},
        /* Constructed strings are BER, primitive sequences nothing at all. */
        {read_any, "2400", GPG_ERR_NOT_DER_ENCODED, NULL, 0},
        {read_any, "2300", GPG_ERR_NOT_DER_ENCODED, NULL, 0},
        {read_any, "2c00", GPG_ERR_NOT_DER_ENCODED, NULL, 0},
        {read_any, "2200", GPG_ERR_NOT_DER_ENCODED, NULL, 0},
        {read_any, "1000", GPG_ERR_NOT_DER_ENCODED, NULL, 0},
        {read_any, "1100", GPG_ERR_NOT_DER_ENCODED, NULL, 0},
        {lb_der_octets, "240404020102", GPG_ERR_NOT_DER_ENCODED, NULL, 0},
        {read_entered, "1000", GPG_ERR_NOT_DER_ENCODED, NULL, 0},
        {read_any, "0800", GPG_ERR_NOT_DER_ENCODED, NULL, 0},
        {read_any, "1d00", GPG_ERR_NOT_DER_ENCODED, NULL, 0},
        {read_any, "3c00", GPG_ERR_NOT_DER_ENCODED, NULL, 0},
        {read_any, "2800", 0, "", 0},
        {read_any, "2b00", 0, "", 0},
        {read_any, "3d00", 0, "", 0},
        {read_any, "0c0141", 0, "41", 0},
        {read_any, "3100", 0, "", 0},
        {read_any, "8001aa", 0, "aa", 0},
        {read_any, "be00", 0, "", 0},
        {read_any, "4001aa", 0, "aa", 0},
        /* Another type than the one asked for, its length being good or bad. */
        {lb_der_integer, "0401aa", GPG_ERR_INV_TAG, NULL, 0},
        {lb_der_octets, "0201aa", GPG_ERR_INV_TAG, NULL, 0},
        {lb_der_bits, "040100", GPG_ERR_INV_TAG, NULL, 0},
        {lb_der_bits, "810100", GPG_ERR_INV_TAG, NULL, 0},
        {read_bits_1, "030100", GPG_ERR_INV_TAG, NULL, 0},
        {lb_der_oid, "0500", GPG_ERR_INV_TAG, NULL, 0},
        {read_null, "0600", GPG_ERR_INV_TAG, NULL, 0},
        {read_boolean, "0a01ff", GPG_ERR_INV_TAG, NULL, 0},
        {read_entered, "3100", GPG_ERR_INV_TAG, NULL, 0},
        {read_entered, "0484ffffffff", GPG_ERR_INV_TAG, NULL, 0},
    };

    (void)state;
    check_readings(table, SIZE(table));
}

static void integers(void **state)
{
    static const reading table[] = {
        {lb_der_integer, "020100", 0, "", 0},
        {lb_der_integer, "020101", 0, "01", 0},
        {lb_der_integer, "02017f", 0, "7f", 0},
        {lb_der_integer, "02020080", 0, "80", 0},
        {lb_der_integer, "020200ff 05", 0, "ff", 1},
        {lb_der_integer, "02020100", 0, "0100", 0},
        {lb_der_integer, "0203010001", 0, "010001", 0},
        {lb_der_integer, "02030080 00", 0, "8000", 0},
        {lb_der_integer, "0200", GPG_ERR_INV_LENGTH, NULL, 0},
        {lb_der_integer, "0201", GPG_ERR_INV_LENGTH, NULL, 0},
        {lb_der_integer, "020180", GPG_ERR_INV_VALUE, NULL, 0},
        {lb_der_integer, "0201ff", GPG_ERR_INV_VALUE, NULL, 0},
        {lb_der_integer, "0202ff7f", GPG_ERR_INV_VALUE, NULL, 0},
        {lb_der_integer, "02020000", GPG_ERR_NOT_DER_ENCODED, NULL, 0},
        {lb_der_integer, "02020001", GPG_ERR_NOT_DER_ENCODED, NULL, 0},
        {lb_der_integer, "0202007f", GPG_ERR_NOT_DER_ENCODED, NULL, 0},
        {lb_der_integer, "0203000080", GPG_ERR_NOT_DER_ENCODED, NULL, 0},
        {read_small, "020100", 0, "0000000000000000", 0},
        {read_small, "02020800", 0, "0000000000000800", 0},
        {read_small, "02087fffffffffffffff", 0, "7fffffffffffffff", 0},
        {read_small, "020900ffffffffffffffff", 0, "ffffffffffffffff", 0},
        {read_small, "0209010000000000000000", GPG_ERR_TOO_LARGE, NULL, 0},
        {read_small, "020201ff", 0, "00000000000001ff", 0},
        {read_small, "020181", GPG_ERR_INV_VALUE, NULL, 0},
        {read_small, "02020001", GPG_ERR_NOT_DER_ENCODED, NULL, 0},
    };
    static const uint8_t five[] = {2, 1, 5};
    lb_der_reader r;
    uint64_t value;

    (void)state;
    check_readings(table, SIZE(table));
    lb_der_init(&r, five, sizeof five);
    assert_code(lb_der_integer_small(&r, 4, &value), GPG_ERR_TOO_LARGE);
    assert_int_equal(value, 0);
    assert_int_equal(r.left, 3);
    assert_code(lb_der_integer_small(&r, 5, &value), 0);
    assert_int_equal(value, 5);
    assert_code(lb_der_end(&r), 0);
}

static void strings(void **state)
{
    static const reading table[] = {
        {lb_der_octets, "0400", 0, "", 0},
        {lb_der_octets, "0403 000102 ff", 0, "000102", 1},
        {lb_der_bits, "030100", 0, "", 0},
        {lb_der_bits, "03020080", 0, "80", 0},
        {read_bits_1, "810300aabb", 0, "aabb", 0},
        {lb_der_bits, "0300", GPG_ERR_INV_LENGTH, NULL, 0},
        {lb_der_bits, "03020780", GPG_ERR_INV_VALUE, NULL, 0},
        {lb_der_bits, "03020100", GPG_ERR_INV_VALUE, NULL, 0},
        {lb_der_bits, "030108", GPG_ERR_INV_VALUE, NULL, 0},
        {lb_der_bits, "0302ff00", GPG_ERR_INV_VALUE, NULL, 0},
        {read_null, "0500", 0, "", 0},
        {read_null, "0500ff", 0, "", 1},
        {read_null, "050100", GPG_ERR_INV_LENGTH, NULL, 0},
        {read_boolean, "0101ff", 0, "01", 0},
        {read_boolean, "010100", 0, "00", 0},
        {read_boolean, "010101", GPG_ERR_NOT_DER_ENCODED, NULL, 0},
        {read_boolean, "0101fe", GPG_ERR_NOT_DER_ENCODED, NULL, 0},
        {read_boolean, "0100", GPG_ERR_INV_LENGTH, NULL, 0},
        {read_boolean, "0102ffff", GPG_ERR_INV_LENGTH, NULL, 0},
    };

    (void)state;
    check_readings(table, SIZE(table));
}

static void object_identifiers(void **state)
{
    static const reading table[] = {
        /* 1.2.840.113549.1.1.1 (rsaEncryption), 1.3.101.112 (Ed25519), 2.999. */
        {lb_der_oid, "06092a864886f70d010101", 0, "2a864886f70d010101", 0},
        {lb_der_oid, "06032b6570", 0, "2b6570", 0},
        {lb_der_oid, "06028837", 0, "8837", 0},
        {lb_der_oid, "060100", 0, "00", 0},
        {lb_der_oid, "06032a8100", 0, "2a8100", 0},
        {lb_der_oid, "06042a818000", 0, "2a818000", 0},
        {lb_der_oid, "0600", GPG_ERR_INV_OID_STRING, NULL, 0},
        {lb_der_oid, "06032a8001", GPG_ERR_INV_OID_STRING, NULL, 0},
        {lb_der_oid, "06028001", GPG_ERR_INV_OID_STRING, NULL, 0},
        {lb_der_oid, "06022a86", GPG_ERR_INV_OID_STRING, NULL, 0},
        {lb_der_oid, "06022a80", GPG_ERR_INV_OID_STRING, NULL, 0},
        {lb_der_oid, "0601ff", GPG_ERR_INV_OID_STRING, NULL, 0},
    };
    static const uint8_t a[] = {0x2b, 0x65, 0x70}, b[] = {0x2b, 0x65, 0x71};

    (void)state;
    check_readings(table, SIZE(table));
    assert_true(lb_der_view_equal(LB_DER_VIEW(a), LB_DER_VIEW(a)));
    assert_false(lb_der_view_equal(LB_DER_VIEW(a), LB_DER_VIEW(b)));
    assert_false(lb_der_view_equal(LB_DER_VIEW(a), (lb_der_view){a, 2}));
    assert_true(lb_der_view_equal((lb_der_view){NULL, 0}, (lb_der_view){a, 0}));
}

static void containers(void **state)
{
    static const reading table[] = {
        {read_entered, "3000", 0, "", 0},
        {read_entered, "3003020101 00", 0, "020101", 1},
        {read_entered, "3004020101", GPG_ERR_INV_LENGTH, NULL, 0},
        {read_context, "a003020101", 0, "020101", 0},
        {read_context, "a004020101", GPG_ERR_INV_LENGTH, NULL, 0},
        {read_context, "a0800000", GPG_ERR_NOT_DER_ENCODED, NULL, 0},
    };
    /* SEQUENCE { [1] { INTEGER 5 }, NULL } and one octet too many. */
    static const uint8_t d[] = {0x30, 7, 0xa1, 3, 2, 1, 5, 5, 0, 0};
    lb_der_reader r, inner;
    lb_der_view contents, whole;
    uint64_t value;
    uint8_t tag;
    bool present = true;

    (void)state;
    check_readings(table, SIZE(table));

    assert_code(lb_der_whole(d, sizeof d, LB_DER_SEQUENCE, &r), GPG_ERR_BAD_DATA);
    assert_null(r.at);
    assert_code(lb_der_whole(d, sizeof d - 2, LB_DER_SEQUENCE, &r), GPG_ERR_INV_LENGTH);
    assert_code(lb_der_whole(d, 0, LB_DER_SEQUENCE, &r), GPG_ERR_TOO_SHORT);
    assert_code(lb_der_whole(NULL, 0, LB_DER_SEQUENCE, &r), GPG_ERR_TOO_SHORT);
    assert_code(lb_der_whole(d, sizeof d - 1, LB_DER_SET, &r), GPG_ERR_INV_TAG);
    assert_code(lb_der_whole(d, sizeof d - 1, LB_DER_SEQUENCE, &r), 0);

    assert_code(lb_der_context(&r, 0, &inner, &present), 0);
    assert_false(present);
    assert_int_equal(lb_der_peek(&r), 0xa1);
    assert_code(lb_der_context(&r, 1, &inner, &present), 0);
    assert_true(present);
    assert_code(lb_der_integer_small(&inner, 5, &value), 0);
    assert_code(lb_der_end(&inner), 0);
    assert_code(lb_der_end(&r), GPG_ERR_BAD_DATA);
    assert_true(lb_der_next_is(&r, LB_DER_NULL));
    assert_false(lb_der_next_is(&r, LB_DER_OID));
    assert_code(lb_der_skip(&r), 0);
    assert_int_equal(lb_der_peek(&r), -1);
    assert_false(lb_der_next_is(&r, LB_DER_NULL));
    assert_false(lb_der_next_is(&r, 0xff));
    assert_code(lb_der_end(&r), 0);
    assert_code(lb_der_skip(&r), GPG_ERR_TOO_SHORT);
    assert_code(lb_der_context(&r, 1, &inner, &present), 0);
    assert_false(present);

    lb_der_init(&r, d, sizeof d);
    assert_code(lb_der_any(&r, &tag, &contents, &whole), 0);
    assert_int_equal(tag, LB_DER_SEQUENCE);
    assert_ptr_equal(contents.data, d + 2);
    assert_int_equal(contents.size, 7);
    assert_ptr_equal(whole.data, d);
    assert_int_equal(whole.size, 9);
    assert_code(lb_der_any(&r, &tag, &contents, &whole), GPG_ERR_NOT_DER_ENCODED);
    assert_int_equal(tag, 0);
    assert_null(contents.data);
    assert_null(whole.data);
}

/* Sequences within sequences, 100,000 deep: one call per level, and no memory. */
static void deep_nesting(void **state)
{
    enum { LEVELS = 100000 };
    uint8_t *d = malloc(6 * LEVELS);
    lb_der_reader r;
    size_t levels, start = 6 * LEVELS;

    (void)state;
    assert_non_null(d);
    /* Written from the inside. */
    for (levels = 0; levels < LEVELS; levels++) {
        size_t n = 6 * LEVELS - start;
        unsigned more = n < 0x80 ? 0 : n < 0x100 ? 1 : n < 0x10000 ? 2 : 3;
        if (start < more + 2u)
            break;
        for (unsigned j = 0; j < more; j++)
            d[--start] = (uint8_t)(n >> (8 * j));
        d[--start] = more ? (uint8_t)(0x80 | more) : (uint8_t)n;
        d[--start] = 0x30;
    }
    lb_der_init(&r, d + start, 6 * LEVELS - start);
    for (size_t i = 0; i < levels; i++) {
        lb_der_reader inner;
        assert_code(lb_der_enter(&r, LB_DER_SEQUENCE, &inner), 0);
        r = inner;
    }
    assert_int_equal(r.left, 0);
    free(d);
}

/*
 * Samples: real keys. Each is read and written again.
 */

/* Read all elements and write them. Below depth 9 constructed ones are copied. */
static gpg_error_t rewrite(lb_der_reader *r, lb_der_writer *w, unsigned depth);

static gpg_error_t rewrite_primitive(lb_der_reader *r, lb_der_writer *w)
{
    lb_der_view v;
    uint8_t tag;
    bool value;
    gpg_error_t err;

    switch (lb_der_peek(r)) {
    case LB_DER_INTEGER:
        err = lb_der_integer(r, &v);
        lb_der_put_integer(w, v.data, v.size);
        return err;
    case LB_DER_BIT_STRING:
        err = lb_der_bits(r, &v);
        lb_der_put_bits(w, v.data, v.size);
        return err;
    case LB_DER_OCTET_STRING:
        err = lb_der_octets(r, &v);
        lb_der_put_octets(w, v.data, v.size);
        return err;
    case LB_DER_OID:
        err = lb_der_oid(r, &v);
        lb_der_put_oid(w, v);
        return err;
    case LB_DER_BOOLEAN:
        err = lb_der_boolean(r, &value);
        lb_der_put_boolean(w, value);
        return err;
    case LB_DER_NULL:
        err = lb_der_null(r);
        lb_der_put_null(w);
        return err;
    default:
        err = lb_der_any(r, &tag, &v, NULL);
        lb_der_put_primitive(w, tag, v.data, v.size);
        return err;
    }
}

static gpg_error_t rewrite_one(lb_der_reader *r, lb_der_writer *w, unsigned depth)
{
    int tag = lb_der_peek(r);
    lb_der_reader inner;
    lb_der_view whole;
    gpg_error_t err;

    if (!(tag & 0x20))
        return rewrite_primitive(r, w);
    if (depth >= 9) {
        err = lb_der_any(r, NULL, NULL, &whole);
        lb_der_put_raw(w, whole.data, whole.size);
        return err;
    }
    err = lb_der_enter(r, (uint8_t)tag, &inner);
    if (err)
        return err;
    lb_der_put_open(w, (uint8_t)tag);
    err = rewrite(&inner, w, depth + 1);
    lb_der_put_close(w);
    return err;
}

static gpg_error_t rewrite(lb_der_reader *r, lb_der_writer *w, unsigned depth)
{
    while (lb_der_peek(r) >= 0) {
        gpg_error_t err = rewrite_one(r, w, depth);
        if (err)
            return err;
    }
    return lb_der_end(r);
}

/* If data is read without an error, writing gives the same octets, in a buffer that is just large
 * enough and ends at a guard. Returns whether it was read. */
static bool check_rewrite(const uint8_t *data, size_t n, guarded out)
{
    uint8_t *buffer = guarded_room(out, n);
    lb_der_reader r;
    lb_der_writer w;
    size_t needed;

    lb_der_init(&r, data, n);
    lb_der_put_init(&w, buffer, n);
    if (rewrite(&r, &w, 0))
        return false;
    assert_code(lb_der_put_finish(&w, &needed), 0);
    assert_int_equal(needed, n);
    if (n)
        assert_memory_equal(buffer, data, n);
    return true;
}

/* RSAPrivateKey of RFC 8017, appendix A.1.2, read and written by its definition. */
static gpg_error_t read_rsa(const uint8_t *data, size_t n, lb_der_view value[8])
{
    lb_der_reader seq;
    uint64_t version;
    gpg_error_t err = lb_der_whole(data, n, LB_DER_SEQUENCE, &seq);

    if (!err)
        err = lb_der_integer_small(&seq, 0, &version);
    for (unsigned i = 0; i < 8 && !err; i++)
        err = lb_der_integer(&seq, &value[i]);
    return err ? err : lb_der_end(&seq);
}

static gpg_error_t write_rsa(const lb_der_view value[8], uint8_t *out, size_t room, size_t *needed)
{
    lb_der_writer w;

    lb_der_put_init(&w, out, room);
    lb_der_put_open(&w, LB_DER_SEQUENCE);
    lb_der_put_integer_small(&w, 0);
    for (unsigned i = 0; i < 8; i++)
        lb_der_put_integer(&w, value[i].data, value[i].size);
    lb_der_put_close(&w);
    return lb_der_put_finish(&w, needed);
}

static bool check_rsa(const uint8_t *data, size_t n, guarded out)
{
    uint8_t *buffer = guarded_room(out, n);
    lb_der_view value[8];
    size_t needed = 0;

    if (read_rsa(data, n, value))
        return false;
    assert_code(write_rsa(value, NULL, 0, &needed), 0);
    assert_int_equal(needed, n);
    assert_code(write_rsa(value, buffer, n, &needed), 0);
    assert_memory_equal(buffer, data, n);
    return true;
}

/* The DER in a PEM file of tests/data/files, to be freed. */
static uint8_t *load_der(const char *name, size_t *size)
{
    size_t n;
    uint8_t *text = load_file(name, &n);
    uint8_t *der;
    lb_pem_block block;

    assert_code(lb_pem_parse(text, n, &block), 0);
    der = malloc(block.size);
    assert_non_null(der);
    assert_code(lb_pem_decode(&block, der, block.size, size), 0);
    free(text);
    return der;
}

static const char *const samples[] = {"ok-2048.pem",      "crlf.pem",      "enc-pbes2.pem",
                                      "ok-p8.pem",        "p8-v2-pub.pem", "expl-same.pem",
                                      "enc-iter-2e31.pem"};

static void samples_rewrite(void **state)
{
    guarded in = guarded_new(4096), out = guarded_new(4096);

    (void)state;
    for (size_t i = 0; i < SIZE(samples); i++) {
        size_t n;
        uint8_t *der = load_der(samples[i], &n);
        assert_true(check_rewrite(guarded_copy(in, der, n), n, out));
        assert_true(check_rewrite(guarded_copy_at_start(in, der, n), n, out));
        assert_int_equal(check_rsa(guarded_copy(in, der, n), n, out), i == 0);
        free(der);
    }
    guarded_free(in);
    guarded_free(out);
}

/* Every prefix is refused, and so is every sample with an octet after it. */
static void samples_truncated(void **state)
{
    guarded in = guarded_new(4096), out = guarded_new(4096);

    (void)state;
    for (size_t i = 0; i < SIZE(samples); i++) {
        size_t n;
        uint8_t *der = load_der(samples[i], &n);
        uint8_t *longer = guarded_room(in, n + 1);
        lb_der_reader r;
        for (size_t k = 0; k < n; k++) {
            const uint8_t *p = guarded_copy(in, der, k);
            assert_true(lb_der_whole(p, k, LB_DER_SEQUENCE, &r) != 0);
            assert_int_equal(check_rewrite(p, k, out), k == 0);
            assert_false(check_rsa(p, k, out));
        }
        memcpy(longer, der, n);
        for (unsigned extra = 0; extra < 256; extra++) {
            longer[n] = (uint8_t)extra;
            assert_code(lb_der_whole(longer, n + 1, LB_DER_SEQUENCE, &r), GPG_ERR_BAD_DATA);
            assert_false(check_rsa(longer, n + 1, out));
        }
        free(der);
    }
    guarded_free(in);
    guarded_free(out);
}

/* Every octet takes every other value: refused, or another value with its own encoding. */
static void samples_corrupted(void **state)
{
    guarded in = guarded_new(4096), out = guarded_new(4096);

    (void)state;
    for (size_t i = 0; i < SIZE(samples); i++) {
        size_t n;
        uint8_t *der = load_der(samples[i], &n);
        uint8_t *p = guarded_copy(in, der, n);
        for (size_t k = 0; k < n; k++) {
            for (unsigned flip = 1; flip < 256; flip++) {
                p[k] = (uint8_t)(der[k] ^ flip);
                (void)check_rewrite(p, n, out);
                if (i == 0)
                    (void)check_rsa(p, n, out);
            }
            p[k] = der[k];
        }
        free(der);
    }
    guarded_free(in);
    guarded_free(out);
}

static void hostile_files(void **state)
{
    static const struct {
        const char *name;
        gpg_err_code_t code;
    } table[] = {{"len-7fffffff.der", GPG_ERR_INV_LENGTH},
                 {"indefinite.der", GPG_ERR_NOT_DER_ENCODED},
                 {"int-huge-len.der", GPG_ERR_INV_LENGTH},
                 {"trailing-in-der.pem", GPG_ERR_BAD_DATA}};
    guarded in = guarded_new(4096);

    (void)state;
    for (size_t i = 0; i < SIZE(table); i++) {
        bool pem = strstr(table[i].name, ".pem") != NULL;
        size_t n;
        uint8_t *der = pem ? load_der(table[i].name, &n) : load_file(table[i].name, &n);
        lb_der_view value[8];
        gpg_error_t err = read_rsa(guarded_copy(in, der, n), n, value);
        assert_code(err, table[i].code);
        free(der);
    }
    guarded_free(in);
}

/* PBES2 parameters (RFC 8018, appendix A), read by their definition: the iteration count of a
 * hostile file is a bounded number like any other. */
static gpg_error_t read_iterations(const uint8_t *data, size_t n, uint64_t max, uint64_t *count)
{
    lb_der_reader key, algorithm, pbes2, kdf, pbkdf2;
    lb_der_view oid, salt, encrypted;
    gpg_error_t err = lb_der_whole(data, n, LB_DER_SEQUENCE, &key);

    (void)((err) || (err = lb_der_enter(&key, LB_DER_SEQUENCE, &algorithm)) ||
           (err = lb_der_octets(&key, &encrypted)) || (err = lb_der_end(&key)) ||
           (err = lb_der_oid(&algorithm, &oid)) ||
           (err = lb_der_enter(&algorithm, LB_DER_SEQUENCE, &pbes2)) ||
           (err = lb_der_end(&algorithm)) || (err = lb_der_enter(&pbes2, LB_DER_SEQUENCE, &kdf)) ||
           (err = lb_der_skip(&pbes2)) || (err = lb_der_end(&pbes2)) ||
           (err = lb_der_oid(&kdf, &oid)) || (err = lb_der_enter(&kdf, LB_DER_SEQUENCE, &pbkdf2)) ||
           (err = lb_der_end(&kdf)) || (err = lb_der_octets(&pbkdf2, &salt)) ||
           (err = lb_der_integer_small(&pbkdf2, max, count)));
    return err;
}

static void iteration_counts(void **state)
{
    size_t n;
    uint64_t count;
    uint8_t *der = load_der("enc-pbes2.pem", &n);

    (void)state;
    assert_code(read_iterations(der, n, 10000000, &count), 0);
    assert_int_equal(count, 2048);
    free(der);
    der = load_der("enc-iter-2e31.pem", &n);
    assert_code(read_iterations(der, n, 10000000, &count), GPG_ERR_TOO_LARGE);
    assert_code(read_iterations(der, n, 0x7fffffff, &count), 0);
    assert_int_equal(count, 0x7fffffff);
    free(der);
}

/*
 * The writer
 */

static void assert_written(lb_der_writer *w, const uint8_t *buffer, const char *hex)
{
    size_t needed;

    assert_code(lb_der_put_finish(w, &needed), 0);
    assert_view((lb_der_view){buffer, needed}, hex);
}

static void write_known_answers(void **state)
{
    static const uint8_t rsa[] = {0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1};
    static const uint8_t octets[] = {0, 0, 0x80, 1};
    uint8_t b[256];
    lb_der_writer w;

    (void)state;
    /* SubjectPublicKeyInfo with a toy key. */
    lb_der_put_init(&w, b, sizeof b);
    lb_der_put_open(&w, LB_DER_SEQUENCE);
    lb_der_put_open(&w, LB_DER_SEQUENCE);
    lb_der_put_oid(&w, LB_DER_VIEW(rsa));
    lb_der_put_null(&w);
    lb_der_put_close(&w);
    lb_der_put_open_bits(&w, LB_DER_BIT_STRING);
    lb_der_put_open(&w, LB_DER_SEQUENCE);
    lb_der_put_integer(&w, octets, sizeof octets);
    lb_der_put_integer_small(&w, 65537);
    lb_der_put_close(&w);
    lb_der_put_close(&w);
    lb_der_put_close(&w);
    assert_written(&w, b,
                   "301e 300d 06092a864886f70d010101 0500 030d00 300a 0203008001"
                   "0203010001");

    lb_der_put_init(&w, b, sizeof b);
    lb_der_put_integer(&w, NULL, 0);
    lb_der_put_integer(&w, octets, 2);
    lb_der_put_integer(&w, octets + 2, 1);
    lb_der_put_integer(&w, octets + 3, 1);
    lb_der_put_integer_small(&w, 0);
    lb_der_put_integer_small(&w, 127);
    lb_der_put_integer_small(&w, 128);
    lb_der_put_integer_small(&w, 256);
    lb_der_put_integer_small(&w, UINT64_MAX);
    lb_der_put_boolean(&w, true);
    lb_der_put_boolean(&w, false);
    lb_der_put_octets(&w, octets, 2);
    lb_der_put_octets(&w, NULL, 0);
    lb_der_put_bits(&w, octets, 1);
    lb_der_put_bits(&w, NULL, 0);
    lb_der_put_open(&w, LB_DER_CONTEXT(0));
    lb_der_put_raw(&w, octets, 1);
    lb_der_put_close(&w);
    lb_der_put_primitive(&w, LB_DER_CONTEXT_PRIMITIVE(1), octets, 1);
    lb_der_put_open_bits(&w, LB_DER_CONTEXT_PRIMITIVE(2));
    lb_der_put_close(&w);
    assert_written(&w, b,
                   "020100 020100 02020080 020101 020100 02017f 02020080 02020100"
                   "020900ffffffffffffffff 0101ff 010100 04020000 0400 03020000 030100"
                   "a00100 810100 820100");

    lb_der_put_init(&w, NULL, 0);
    assert_written(&w, b, "");
    lb_der_put_init(&w, b, 0);
    assert_written(&w, b, "");
}

/* SEQUENCE { OCTET STRING of n octets, BIT STRING, INTEGER of n octets, top bit set } */
static gpg_error_t write_border(const uint8_t *data, size_t n, uint8_t *out, size_t room,
                                size_t *needed)
{
    lb_der_writer w;

    lb_der_put_init(&w, out, room);
    lb_der_put_open(&w, LB_DER_SEQUENCE);
    lb_der_put_octets(&w, data, n);
    lb_der_put_bits(&w, data, n);
    lb_der_put_integer(&w, data, n);
    lb_der_put_open(&w, LB_DER_CONTEXT(0));
    lb_der_put_raw(&w, data, n);
    lb_der_put_close(&w);
    lb_der_put_close(&w);
    return lb_der_put_finish(&w, needed);
}

static void check_border(const uint8_t *data, size_t n, guarded out)
{
    size_t needed, again;
    uint8_t *p;
    lb_der_reader r, inner;
    lb_der_view v;
    bool present;

    assert_code(write_border(data, n, NULL, 12345, &needed), 0);
    p = guarded_room(out, needed);
    assert_code(write_border(data, n, p, needed, &again), 0);
    assert_int_equal(again, needed);
    assert_code(lb_der_whole(p, needed, LB_DER_SEQUENCE, &r), 0);
    assert_code(lb_der_octets(&r, &v), 0);
    assert_int_equal(v.size, n);
    assert_memory_equal(v.data, data, n);
    assert_code(lb_der_bits(&r, &v), 0);
    assert_int_equal(v.size, n);
    assert_memory_equal(v.data, data, n);
    assert_code(lb_der_integer(&r, &v), 0);
    assert_int_equal(v.size, n);
    assert_memory_equal(v.data, data, n);
    assert_code(lb_der_context(&r, 0, &inner, &present), 0);
    assert_true(present);
    assert_int_equal(inner.left, n);
    assert_code(lb_der_end(&r), 0);
}

/* Contents at the borders of the length's forms, and around them, so that each of the elements,
 * whose contents are n, n + 1 and 4n + ... octets, meets its border. */
static void write_borders(void **state)
{
    static const size_t border[] = {0x80, 0x100, 0x10000};
    const size_t most = 0x10000 + 2;
    guarded out = guarded_new(5 * most);
    uint8_t *data = malloc(most);

    (void)state;
    assert_non_null(data);
    memset(data, 0xa5, most);
    for (size_t n = 1; n < 300; n++)
        check_border(data, n, out);
    for (size_t i = 0; i < SIZE(border); i++)
        for (size_t n = border[i] - 2; n <= border[i] + 2; n++)
            check_border(data, n, out);
    /* The outer SEQUENCE passes 65535 near n = 16380. */
    for (size_t n = 16370; n <= 16390; n++)
        check_border(data, n, out);
    free(data);
    guarded_free(out);
}

/* The length octets themselves, up to four of them. */
static void write_length_octets(void **state)
{
    static const struct {
        size_t n;
        const char *header;
    } table[] = {{0, "0400"},
                 {1, "0401"},
                 {127, "047f"},
                 {128, "048180"},
                 {255, "0481ff"},
                 {256, "04820100"},
                 {65535, "0482ffff"},
                 {65536, "0483010000"},
                 {16777215, "0483ffffff"},
                 {16777216, "048401000000"}};
    size_t most = 16777216 + 8;
    uint8_t *data = calloc(1, most), *out = malloc(most);

    (void)state;
    assert_non_null(data);
    assert_non_null(out);
    for (size_t i = 0; i < SIZE(table); i++) {
        lb_der_writer w;
        size_t needed;
        size_t header = strlen(table[i].header) / 2;
        for (unsigned opened = 0; opened < 2; opened++) {
            lb_der_put_init(&w, out, table[i].n + header);
            if (opened) {
                lb_der_put_open(&w, LB_DER_OCTET_STRING);
                lb_der_put_raw(&w, data, table[i].n);
                lb_der_put_close(&w);
            } else {
                lb_der_put_octets(&w, data, table[i].n);
            }
            assert_code(lb_der_put_finish(&w, &needed), 0);
            assert_int_equal(needed, table[i].n + header);
            assert_view((lb_der_view){out, header}, table[i].header);
        }
    }
    free(data);
    free(out);
}

/* Every buffer that is too small: reported with the size needed, not written past, and wiped. */
static void write_short_buffers(void **state)
{
    size_t n, needed;
    uint8_t *der = load_der("ok-2048.pem", &n);
    guarded out = guarded_new(n);
    lb_der_view value[8];

    (void)state;
    assert_code(read_rsa(der, n, value), 0);
    for (size_t room = 0; room < n; room++) {
        uint8_t *p = guarded_room(out, room);
        memset(p, 0xee, room);
        assert_code(write_rsa(value, p, room, &needed), GPG_ERR_BUFFER_TOO_SHORT);
        assert_int_equal(needed, n);
        for (size_t i = 0; i < room; i++)
            assert_int_equal(p[i], 0);
    }
    for (size_t k = 1; k < 300; k++) {
        size_t size;
        assert_code(write_border(der + n - k, k, NULL, 0, &size), 0);
        for (size_t room = size > 10 ? size - 10 : 0; room < size; room++) {
            uint8_t *p = guarded_room(out, room < out.room ? room : out.room);
            if (room > out.room)
                break;
            assert_code(write_border(der + n - k, k, p, room, &needed), GPG_ERR_BUFFER_TOO_SHORT);
            assert_int_equal(needed, size);
        }
    }
    free(der);
    guarded_free(out);
}

static void write_misuse(void **state)
{
    static const uint8_t one = 1;
    uint8_t b[64];
    lb_der_writer w;
    size_t needed = 1;

    (void)state;
    lb_der_put_init(&w, b, sizeof b);
    lb_der_put_open(&w, LB_DER_SEQUENCE);
    memset(b, 0xee, sizeof b);
    assert_code(lb_der_put_finish(&w, &needed), GPG_ERR_INV_STATE);
    assert_int_equal(needed, 0);
    for (size_t i = 0; i < sizeof b; i++)
        assert_int_equal(b[i], 0);

    lb_der_put_init(&w, b, sizeof b);
    lb_der_put_close(&w);
    lb_der_put_null(&w);
    assert_code(lb_der_put_finish(&w, NULL), GPG_ERR_INV_STATE);

    for (unsigned depth = LB_DER_PUT_DEPTH; depth <= LB_DER_PUT_DEPTH + 1; depth++) {
        lb_der_put_init(&w, b, sizeof b);
        for (unsigned i = 0; i < depth; i++)
            lb_der_put_open(&w, LB_DER_SEQUENCE);
        for (unsigned i = 0; i < depth; i++)
            lb_der_put_close(&w);
        assert_code(lb_der_put_finish(&w, &needed),
                    depth > LB_DER_PUT_DEPTH ? GPG_ERR_INV_STATE : 0);
        assert_int_equal(needed, depth > LB_DER_PUT_DEPTH ? 0 : 2 * depth);
    }

    /* Sizes that no memory has: refused before anything is read or summed up. */
    lb_der_put_init(&w, NULL, 0);
    lb_der_put_octets(&w, &one, SIZE_MAX);
    assert_code(lb_der_put_finish(&w, NULL), GPG_ERR_TOO_LARGE);
    lb_der_put_init(&w, NULL, 0);
    lb_der_put_octets(&w, &one, (size_t)LB_DER_PUT_MAX + 1);
    assert_code(lb_der_put_finish(&w, NULL), GPG_ERR_TOO_LARGE);
    lb_der_put_init(&w, NULL, 0);
    lb_der_put_octets(&w, &one, LB_DER_PUT_MAX);
    assert_code(lb_der_put_finish(&w, &needed), 0);
    assert_int_equal(needed, (size_t)LB_DER_PUT_MAX + 6);
    lb_der_put_init(&w, b, sizeof b);
    lb_der_put_integer(&w, &one, SIZE_MAX);
    assert_code(lb_der_put_finish(&w, NULL), GPG_ERR_TOO_LARGE);
    lb_der_put_init(&w, b, sizeof b);
    lb_der_put_integer(&w, &one, LB_DER_PUT_MAX);
    assert_code(lb_der_put_finish(&w, NULL), GPG_ERR_TOO_LARGE);
    lb_der_put_init(&w, b, sizeof b);
    lb_der_put_null(&w);
    lb_der_put_raw(&w, &one, SIZE_MAX);
    lb_der_put_null(&w);
    assert_code(lb_der_put_finish(&w, NULL), GPG_ERR_TOO_LARGE);
    lb_der_put_init(&w, b, sizeof b);
    lb_der_put_open(&w, LB_DER_SEQUENCE);
    lb_der_put_octets(&w, &one, LB_DER_PUT_MAX);
    lb_der_put_close(&w);
    assert_code(lb_der_put_finish(&w, NULL), GPG_ERR_TOO_LARGE);
}

/*
 * Random input
 */

/* All reading functions at the start of the data: the cursor stays where it is on error, else it
 * moves on and what comes out lies within the data. */
static void check_all_readers(const uint8_t *data, size_t n)
{
    for (size_t i = 0; i < SIZE(all_readers); i++) {
        lb_der_reader r;
        lb_der_view v;
        lb_der_init(&r, data, n);
        if (all_readers[i](&r, &v)) {
            assert_ptr_equal(r.at, data);
            assert_int_equal(r.left, n);
            assert_null(v.data);
            assert_int_equal(v.size, 0);
        } else {
            assert_true(r.at >= data && r.at + r.left == data + n);
            assert_true(r.left < n || all_readers[i] == read_context);
            assert_true(v.size <= n || all_readers[i] == read_small);
        }
    }
}

/* A random tree of elements. */
static void write_random(rng *r, lb_der_writer *w, unsigned depth)
{
    static const uint8_t oid[] = {0x2b, 0x81, 0x04, 0x00, 0x22};
    uint8_t data[300];
    size_t n = rng_below(r, rng_below(r, 8) ? 20 : sizeof data);

    rng_fill(r, data, n);
    switch (rng_below(r, depth < 8 ? 10 : 7)) {
    case 0:
        lb_der_put_integer(w, data, n);
        break;
    case 1:
        lb_der_put_octets(w, data, n);
        break;
    case 2:
        lb_der_put_bits(w, data, n);
        break;
    case 3:
        lb_der_put_null(w);
        break;
    case 4:
        lb_der_put_boolean(w, n & 1);
        break;
    case 5:
        lb_der_put_oid(w, LB_DER_VIEW(oid));
        break;
    case 6:
        lb_der_put_primitive(w, LB_DER_CONTEXT_PRIMITIVE(n % 31), data, n);
        break;
    default:
        lb_der_put_open(w, n & 1 ? LB_DER_SEQUENCE : LB_DER_CONTEXT(n % 31));
        for (size_t i = rng_below(r, 4); i > 0; i--)
            write_random(r, w, depth + 1);
        lb_der_put_close(w);
        break;
    }
}

static void random_trees(void **state)
{
    guarded out = guarded_new(262144), copy = guarded_new(262144);
    rng r = rng_start();

    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        rng same = r;
        lb_der_writer w;
        size_t needed, again;
        uint8_t *p;

        lb_der_put_init(&w, NULL, 0);
        write_random(&same, &w, 0);
        assert_code(lb_der_put_finish(&w, &needed), 0);
        p = guarded_room(out, needed);
        same = r;
        lb_der_put_init(&w, p, needed);
        write_random(&same, &w, 0);
        assert_code(lb_der_put_finish(&w, &again), 0);
        assert_int_equal(again, needed);
        assert_true(check_rewrite(p, needed, copy));

        size_t room = rng_below(&r, needed);
        same = r;
        lb_der_put_init(&w, guarded_room(out, room), room);
        write_random(&same, &w, 0);
        (void)lb_der_put_finish(&w, NULL);
        (void)rng_next(&r);
    }
    guarded_free(out);
    guarded_free(copy);
}

static void random_input(void **state)
{
    enum { ROOM = 4096 };
    guarded in = guarded_new(ROOM), out = guarded_new(ROOM);
    uint8_t *sample[SIZE(samples)], work[ROOM];
    size_t size[SIZE(samples)];
    unsigned accepted = 0;
    rng r = rng_start();

    (void)state;
    for (size_t i = 0; i < SIZE(samples); i++)
        sample[i] = load_der(samples[i], &size[i]);
    for (unsigned i = 0; i < 100000; i++) {
        static const uint8_t first[] = {1, 2, 3, 4, 5, 6, 0x30, 0x31, 0xa0, 0x81};
        size_t n, which = rng_below(&r, SIZE(samples) + 3);
        const uint8_t *p;
        if (which < SIZE(samples)) {
            n = size[which];
            memcpy(work, sample[which], n);
            for (size_t k = 1 + rng_below(&r, 4); k > 0; k--)
                mutate(&r, work, &n, ROOM);
        } else {
            n = rng_below(&r, 64);
            rng_fill(&r, work, n);
            if (n > 1) {
                work[0] = first[rng_below(&r, sizeof first)];
                if (rng_below(&r, 2))
                    work[1] = (uint8_t)rng_below(&r, n);
            }
        }
        p = rng_below(&r, 8) ? guarded_copy(in, work, n) : guarded_copy_at_start(in, work, n);
        accepted += check_rewrite(p, n, out);
        (void)check_rsa(p, n, out);
        check_all_readers(p, n);
    }
    assert_true(accepted > 1000 && accepted < 90000);
    for (size_t i = 0; i < SIZE(samples); i++)
        free(sample[i]);
    guarded_free(in);
    guarded_free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths),
        cmocka_unit_test(tags),
        cmocka_unit_test(integers),
        cmocka_unit_test(strings),
        cmocka_unit_test(object_identifiers),
        cmocka_unit_test(containers),
        cmocka_unit_test(deep_nesting),
        cmocka_unit_test(samples_rewrite),
        cmocka_unit_test(samples_truncated),
        cmocka_unit_test(samples_corrupted),
        cmocka_unit_test(hostile_files),
        cmocka_unit_test(iteration_counts),
        cmocka_unit_test(write_known_answers),
        cmocka_unit_test(write_borders),
        cmocka_unit_test(write_length_octets),
        cmocka_unit_test(write_short_buffers),
        cmocka_unit_test(write_misuse),
        cmocka_unit_test(random_trees),
        cmocka_unit_test(random_input),
    };

    return cmocka_run_group_tests_name("der", tests, NULL, NULL);
}

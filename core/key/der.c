/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * der.c - strict reader and writer of DER: see der.h for the rules and for what may leak.
 * Paragraph numbers are those of ITU-T X.690 (02/2021).
 */
#include "core/key/der.h"

#include <string.h>

#include "base/error.h"
#include "base/wipe.h"
#include "core/number/limb.h"

enum {
    TAG_CONSTRUCTED = 0x20,
    TAG_CLASS = 0xc0,
    TAG_NUMBER = 0x1f,
    LENGTH_LONG = 0x80, /* the long form: the low seven bits count the length octets */
    LENGTH_OCTETS = 4   /* the most that are read: longer ones stand for 4 GiB and more */
};

/* An element's header, all of it checked: contents octets stand at + header. */
typedef struct {
    uint8_t tag;
    size_t header;
    size_t length;
} element;

bool lb_der_view_equal(lb_der_view a, lb_der_view b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/*
 * Reading
 */

void lb_der_init(lb_der_reader *reader, const void *data, size_t size)
{
    reader->at = data;
    reader->left = size;
}

/* Identifier octets (8.1.2). In the universal class DER fixes for each type whether it is
 * constructed (10.2 forbids constructed strings): EXTERNAL, EMBEDDED PDV, SEQUENCE, SET and
 * CHARACTER STRING are, the others are not. Number 0 is the end-of-contents mark of BER. */
static gpg_error_t check_tag(uint8_t tag)
{
    const uint32_t constructed_types = 1u << 8 | 1u << 11 | 1u << 16 | 1u << 17 | 1u << 29;
    unsigned number = tag & TAG_NUMBER;

    if (number == TAG_NUMBER)
        return lb_error(GPG_ERR_INV_TAG, "DER: tag in the high-tag-number form");
    if ((tag & TAG_CLASS) != 0)
        return 0;
    if (number == 0)
        return lb_error(GPG_ERR_NOT_DER_ENCODED, "DER: end-of-contents mark (BER)");
    if (((tag & TAG_CONSTRUCTED) != 0) != ((constructed_types >> number & 1) != 0))
        return lb_error(GPG_ERR_NOT_DER_ENCODED,
                        "DER: type in the wrong form, primitive or constructed (BER)");
    return 0;
}

/* Length octets (8.1.3, 10.1) at p, of which n octets may be read: *count is their number and
 * *length the length. Here a length is only decoded; the caller compares it with the data. */
static gpg_error_t read_length(const uint8_t *p, size_t n, size_t *count, uint32_t *length)
{
    if (n < 1)
        return lb_error(GPG_ERR_TOO_SHORT, "DER: data end before a length");
    *count = 1;
    *length = p[0];
    if (p[0] < LENGTH_LONG)
        return 0;

    unsigned more = p[0] - LENGTH_LONG;
    if (more == 0)
        return lb_error(GPG_ERR_NOT_DER_ENCODED, "DER: indefinite length (BER)");
    if (more > n - 1)
        return lb_error(GPG_ERR_TOO_SHORT, "DER: data end inside a length");
    if (p[1] == 0)
        return lb_error(GPG_ERR_NOT_DER_ENCODED, "DER: length with a leading zero octet (BER)");
    if (more > LENGTH_OCTETS)
        return lb_error(GPG_ERR_INV_LENGTH, "DER: length beyond the end of the data");

    uint32_t value = 0;
    for (unsigned i = 1; i <= more; i++)
        value = value << 8 | p[i];
    if (value < LENGTH_LONG)
        return lb_error(GPG_ERR_NOT_DER_ENCODED, "DER: short length in the long form (BER)");
    *count = 1 + (size_t)more;
    *length = value;
    return 0;
}

/* The header of the next element. On success header + length <= reader->left. */
static gpg_error_t read_header(const lb_der_reader *reader, element *e)
{
    gpg_error_t err;
    size_t count = 0;
    uint32_t length = 0;

    *e = (element){0, 0, 0};
    if (reader->left == 0)
        return lb_error(GPG_ERR_TOO_SHORT, "DER: an element is missing");
    e->tag = reader->at[0];
    err = check_tag(e->tag);
    if (err)
        return err;
    err = read_length(reader->at + 1, reader->left - 1, &count, &length);
    if (err)
        return err;
    /* read_length read count octets, so 1 + count <= left and the difference is right. */
    if (length > reader->left - 1 - count)
        return lb_error(GPG_ERR_INV_LENGTH, "DER: length beyond the end of the data");
    e->header = 1 + count;
    e->length = length;
    return 0;
}

/* The header of the next element, which must have this tag: the tag is compared first, so that
 * the message for a wrong type does not speak of its length. */
static gpg_error_t expect(const lb_der_reader *reader, uint8_t tag, element *e)
{
    *e = (element){0, 0, 0};
    if (reader->left != 0 && reader->at[0] != tag && check_tag(reader->at[0]) == 0)
        return lb_error(GPG_ERR_INV_TAG, "DER: another type than the expected one");
    return read_header(reader, e);
}

static lb_der_view contents_of(const lb_der_reader *reader, const element *e)
{
    return (lb_der_view){reader->at + e->header, e->length};
}

static void advance(lb_der_reader *reader, const element *e)
{
    reader->at += e->header + e->length;
    reader->left -= e->header + e->length;
}

int lb_der_peek(const lb_der_reader *reader)
{
    return reader->left == 0 ? -1 : reader->at[0];
}

bool lb_der_next_is(const lb_der_reader *reader, uint8_t tag)
{
    return lb_der_peek(reader) == tag;
}

gpg_error_t lb_der_end(const lb_der_reader *reader)
{
    if (reader->left != 0)
        return lb_error(GPG_ERR_BAD_DATA, "DER: octets after the last element");
    return 0;
}

gpg_error_t lb_der_enter(lb_der_reader *reader, uint8_t tag, lb_der_reader *inner)
{
    element e;
    gpg_error_t err = expect(reader, tag, &e);

    lb_der_init(inner, NULL, 0);
    if (err)
        return err;
    lb_der_init(inner, reader->at + e.header, e.length);
    advance(reader, &e);
    return 0;
}

gpg_error_t lb_der_whole(const void *data, size_t size, uint8_t tag, lb_der_reader *inner)
{
    lb_der_reader outer;
    gpg_error_t err;

    lb_der_init(&outer, data, size);
    err = lb_der_enter(&outer, tag, inner);
    if (!err)
        err = lb_der_end(&outer);
    if (err)
        lb_der_init(inner, NULL, 0);
    return err;
}

gpg_error_t lb_der_context(lb_der_reader *reader, unsigned n, lb_der_reader *inner, bool *present)
{
    gpg_error_t err;

    *present = false;
    lb_der_init(inner, NULL, 0);
    if (!lb_der_next_is(reader, LB_DER_CONTEXT(n)))
        return 0;
    err = lb_der_enter(reader, LB_DER_CONTEXT(n), inner);
    *present = !err;
    return err;
}

/* Contents of an INTEGER (8.3): at least one octet, no superfluous one, and here no sign. The
 * branches on secret values are these three and no others. */
static gpg_error_t check_integer(lb_der_view c)
{
    if (c.size == 0)
        return lb_error(GPG_ERR_INV_LENGTH, "DER: integer without octets");
    if (lb_ct_public(c.data[0] & 0x80))
        return lb_error(GPG_ERR_INV_VALUE, "DER: negative integer");
    if (c.size > 1 && lb_ct_public(c.data[0] == 0) && lb_ct_public(!(c.data[1] & 0x80)))
        return lb_error(GPG_ERR_NOT_DER_ENCODED, "DER: integer with a superfluous zero octet");
    return 0;
}

gpg_error_t lb_der_integer(lb_der_reader *reader, lb_der_view *magnitude)
{
    element e;
    lb_der_view c;
    gpg_error_t err = expect(reader, LB_DER_INTEGER, &e);

    *magnitude = (lb_der_view){NULL, 0};
    if (err)
        return err;
    c = contents_of(reader, &e);
    err = check_integer(c);
    if (err)
        return err;
    if (lb_ct_public(c.data[0] == 0)) {
        c.data++;
        c.size--;
    }
    *magnitude = c;
    advance(reader, &e);
    return 0;
}

gpg_error_t lb_der_integer_small(lb_der_reader *reader, uint64_t max, uint64_t *value)
{
    lb_der_reader next = *reader;
    lb_der_view magnitude;
    uint64_t v = 0;
    gpg_error_t err = lb_der_integer(&next, &magnitude);

    *value = 0;
    if (err)
        return err;
    if (magnitude.size > sizeof v)
        return lb_error(GPG_ERR_TOO_LARGE, "DER: integer too large for its field");
    for (size_t i = 0; i < magnitude.size; i++)
        v = v << 8 | magnitude.data[i];
    if (v > max)
        return lb_error(GPG_ERR_TOO_LARGE, "DER: integer too large for its field");
    *value = v;
    *reader = next;
    return 0;
}

gpg_error_t lb_der_octets(lb_der_reader *reader, lb_der_view *octets)
{
    element e;
    gpg_error_t err = expect(reader, LB_DER_OCTET_STRING, &e);

    *octets = (lb_der_view){NULL, 0};
    if (err)
        return err;
    *octets = contents_of(reader, &e);
    advance(reader, &e);
    return 0;
}

gpg_error_t lb_der_bits_as(lb_der_reader *reader, uint8_t tag, lb_der_view *octets)
{
    element e;
    lb_der_view c;
    gpg_error_t err = expect(reader, tag, &e);

    *octets = (lb_der_view){NULL, 0};
    if (err)
        return err;
    c = contents_of(reader, &e);
    if (c.size == 0)
        return lb_error(GPG_ERR_INV_LENGTH, "DER: bit string without its count of unused bits");
    if (c.data[0] != 0)
        return lb_error(GPG_ERR_INV_VALUE, "DER: bit string that is not whole octets");
    *octets = (lb_der_view){c.data + 1, c.size - 1};
    advance(reader, &e);
    return 0;
}

gpg_error_t lb_der_bits(lb_der_reader *reader, lb_der_view *octets)
{
    return lb_der_bits_as(reader, LB_DER_BIT_STRING, octets);
}

/* Contents of an OBJECT IDENTIFIER (8.19): sub-identifiers in base 128, of which all octets but
 * the last have the top bit set, and none begins with a digit zero (octet 80). */
static gpg_error_t check_oid(lb_der_view c)
{
    bool first = true;

    if (c.size == 0)
        return lb_error(GPG_ERR_INV_OID_STRING, "DER: object identifier without octets");
    for (size_t i = 0; i < c.size; i++) {
        if (first && c.data[i] == 0x80)
            return lb_error(GPG_ERR_INV_OID_STRING,
                            "DER: object identifier with a padded sub-identifier");
        first = !(c.data[i] & 0x80);
    }
    if (!first)
        return lb_error(GPG_ERR_INV_OID_STRING,
                        "DER: object identifier ends inside a sub-identifier");
    return 0;
}

gpg_error_t lb_der_oid(lb_der_reader *reader, lb_der_view *oid)
{
    element e;
    gpg_error_t err = expect(reader, LB_DER_OID, &e);

    *oid = (lb_der_view){NULL, 0};
    if (err)
        return err;
    err = check_oid(contents_of(reader, &e));
    if (err)
        return err;
    *oid = contents_of(reader, &e);
    advance(reader, &e);
    return 0;
}

gpg_error_t lb_der_boolean(lb_der_reader *reader, bool *value)
{
    element e;
    lb_der_view c;
    gpg_error_t err = expect(reader, LB_DER_BOOLEAN, &e);

    *value = false;
    if (err)
        return err;
    c = contents_of(reader, &e);
    if (c.size != 1)
        return lb_error(GPG_ERR_INV_LENGTH, "DER: boolean that is not one octet");
    if (c.data[0] != 0 && c.data[0] != 0xff)
        return lb_error(GPG_ERR_NOT_DER_ENCODED, "DER: boolean that is neither 00 nor FF (BER)");
    *value = c.data[0] != 0;
    advance(reader, &e);
    return 0;
}

gpg_error_t lb_der_null(lb_der_reader *reader)
{
    element e;
    gpg_error_t err = expect(reader, LB_DER_NULL, &e);

    if (err)
        return err;
    if (e.length != 0)
        return lb_error(GPG_ERR_INV_LENGTH, "DER: NULL with contents");
    advance(reader, &e);
    return 0;
}

gpg_error_t lb_der_any(lb_der_reader *reader, uint8_t *tag, lb_der_view *contents,
                       lb_der_view *whole)
{
    element e;
    gpg_error_t err = read_header(reader, &e);

    if (tag)
        *tag = err ? 0 : e.tag;
    if (contents)
        *contents = err ? (lb_der_view){NULL, 0} : contents_of(reader, &e);
    if (whole)
        *whole = err ? (lb_der_view){NULL, 0} : (lb_der_view){reader->at, e.header + e.length};
    if (!err)
        advance(reader, &e);
    return err;
}

gpg_error_t lb_der_skip(lb_der_reader *reader)
{
    return lb_der_any(reader, NULL, NULL, NULL);
}

/*
 * Writing
 *
 * One pass, forwards. An open element first gets a one-octet length; when it is closed and its
 * length needs more octets, its contents are moved up. The octets produced at any moment are
 * never more than those of the finished whole, hence a buffer of exactly that size is enough.
 * used never falls, so that once something did not fit, nothing after it is written either.
 */

void lb_der_put_init(lb_der_writer *writer, void *buffer, size_t size)
{
    *writer = (lb_der_writer){.buffer = buffer, .size = buffer ? size : 0};
}

static void fail(lb_der_writer *writer, gpg_err_code_t code)
{
    if (!writer->error)
        writer->error = code;
}

/* Account for n more octets; whether they may be written. */
static bool claim(lb_der_writer *writer, size_t n)
{
    if (writer->error)
        return false;
    if (n > SIZE_MAX - writer->used) {
        fail(writer, GPG_ERR_TOO_LARGE);
        return false;
    }
    writer->used += n;
    return writer->used <= writer->size;
}

static void append(lb_der_writer *writer, const uint8_t *octets, size_t n)
{
    if (claim(writer, n) && n != 0)
        memcpy(writer->buffer + writer->used - n, octets, n);
}

static void append_octet(lb_der_writer *writer, unsigned octet)
{
    uint8_t o = (uint8_t)octet;

    append(writer, &o, 1);
}

/* Length octets for n <= LB_DER_PUT_MAX, minimal; returns their number. */
static size_t encode_length(uint8_t out[1 + LENGTH_OCTETS], size_t n)
{
    unsigned more = 0;

    for (size_t rest = n; n >= LENGTH_LONG && rest != 0; rest >>= 8)
        more++;
    if (more == 0) {
        out[0] = (uint8_t)n;
        return 1;
    }
    out[0] = (uint8_t)(LENGTH_LONG | more);
    for (unsigned i = 0; i < more; i++)
        out[more - i] = (uint8_t)(n >> (8 * i));
    return 1 + (size_t)more;
}

static void append_header(lb_der_writer *writer, uint8_t tag, size_t length)
{
    uint8_t octets[1 + LENGTH_OCTETS];

    if (length > LB_DER_PUT_MAX) {
        fail(writer, GPG_ERR_TOO_LARGE);
        return;
    }
    append_octet(writer, tag);
    append(writer, octets, encode_length(octets, length));
}

gpg_error_t lb_der_put_finish(lb_der_writer *writer, size_t *needed)
{
    if (writer->depth != 0)
        fail(writer, GPG_ERR_INV_STATE);
    if (needed)
        *needed = writer->error ? 0 : writer->used;
    if (!writer->error && (!writer->buffer || writer->used <= writer->size))
        return 0;
    if (writer->buffer)
        lb_wipe(writer->buffer, writer->size);
    if (writer->error == GPG_ERR_TOO_LARGE)
        return lb_error(GPG_ERR_TOO_LARGE, "DER: element too large to be written");
    if (writer->error)
        return lb_error(writer->error, "DER: elements opened and closed do not match");
    return lb_error(GPG_ERR_BUFFER_TOO_SHORT, "DER: the buffer is too small");
}

void lb_der_put_open(lb_der_writer *writer, uint8_t tag)
{
    if (writer->depth >= LB_DER_PUT_DEPTH) {
        fail(writer, GPG_ERR_INV_STATE);
        return;
    }
    append_octet(writer, tag);
    append_octet(writer, 0);
    writer->start[writer->depth++] = writer->used;
}

void lb_der_put_open_bits(lb_der_writer *writer, uint8_t tag)
{
    lb_der_put_open(writer, tag);
    append_octet(writer, 0);
}

void lb_der_put_close(lb_der_writer *writer)
{
    uint8_t octets[1 + LENGTH_OCTETS];
    size_t start, length, count;

    if (writer->depth == 0)
        fail(writer, GPG_ERR_INV_STATE);
    if (writer->error)
        return;
    start = writer->start[--writer->depth];
    length = writer->used - start;
    if (length > LB_DER_PUT_MAX) {
        fail(writer, GPG_ERR_TOO_LARGE);
        return;
    }
    count = encode_length(octets, length);
    if (!claim(writer, count - 1) || !writer->buffer)
        return;
    memmove(writer->buffer + start + count - 1, writer->buffer + start, length);
    memcpy(writer->buffer + start - 1, octets, count);
}

void lb_der_put_integer(lb_der_writer *writer, const uint8_t *magnitude, size_t size)
{
    static const uint8_t zero[1] = {0};
    bool sign_octet;

    while (size != 0 && lb_ct_public(magnitude[0] == 0)) {
        magnitude++;
        size--;
    }
    if (size == 0) {
        lb_der_put_primitive(writer, LB_DER_INTEGER, zero, sizeof zero);
        return;
    }
    if (size >= LB_DER_PUT_MAX) {
        fail(writer, GPG_ERR_TOO_LARGE);
        return;
    }
    /* A value with its top bit set needs a zero octet before it, or it would be negative. */
    sign_octet = lb_ct_public(magnitude[0] & 0x80) != 0;
    append_header(writer, LB_DER_INTEGER, size + (sign_octet ? 1 : 0));
    if (sign_octet)
        append_octet(writer, 0);
    append(writer, magnitude, size);
}

void lb_der_put_integer_small(lb_der_writer *writer, uint64_t value)
{
    uint8_t octets[8];

    for (unsigned i = 0; i < sizeof octets; i++)
        octets[i] = (uint8_t)(value >> (56 - 8 * i));
    lb_der_put_integer(writer, octets, sizeof octets);
}

void lb_der_put_octets(lb_der_writer *writer, const uint8_t *octets, size_t size)
{
    lb_der_put_primitive(writer, LB_DER_OCTET_STRING, octets, size);
}

void lb_der_put_bits(lb_der_writer *writer, const uint8_t *octets, size_t size)
{
    lb_der_put_open_bits(writer, LB_DER_BIT_STRING);
    append(writer, octets, size);
    lb_der_put_close(writer);
}

void lb_der_put_oid(lb_der_writer *writer, lb_der_view oid)
{
    lb_der_put_primitive(writer, LB_DER_OID, oid.data, oid.size);
}

void lb_der_put_boolean(lb_der_writer *writer, bool value)
{
    const uint8_t octet = value ? 0xff : 0;

    lb_der_put_primitive(writer, LB_DER_BOOLEAN, &octet, 1);
}

void lb_der_put_null(lb_der_writer *writer)
{
    lb_der_put_primitive(writer, LB_DER_NULL, NULL, 0);
}

void lb_der_put_primitive(lb_der_writer *writer, uint8_t tag, const uint8_t *contents, size_t size)
{
    append_header(writer, tag, size);
    append(writer, contents, size);
}

void lb_der_put_raw(lb_der_writer *writer, const uint8_t *der, size_t size)
{
    append(writer, der, size);
}

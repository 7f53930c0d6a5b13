/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pem.c - strict reader and writer of PEM: see pem.h for the rules and for what may leak.
 */
#include "core/key/pem.h"

#include <string.h>

#include "base/error.h"
#include "base/wipe.h"
#include "core/number/limb.h"

#define LINE_COLUMNS 64 /* RFC 7468, section 2: generators wrap there */

static const char begin_mark[] = "-----BEGIN ";
static const char end_mark[] = "-----END ";
static const char dashes[] = "-----";

/*
 * base64 by arithmetic. A mask is all ones for true and zero for false.
 */

/* The value itself, with its history hidden from the compiler, so that a mask is not turned back
 * into the branch that it stands for. */
static inline uint32_t hide(uint32_t x)
{
#if defined(__GNUC__)
    __asm__("" : "+r"(x));
#endif
    return x;
}

/* Mask of low <= x <= high, for values below 2^31, low > 0: low - 1 - x has its top bit set exactly
 * when x >= low, and x - high - 1 exactly when x <= high. */
static inline uint32_t mask_within(uint32_t x, uint32_t low, uint32_t high)
{
    return 0 - (hide((low - 1 - x) & (x - high - 1)) >> 31);
}

/* Value of one base64 character (RFC 4648, table 1). If it has none, *bad becomes all ones. */
static uint32_t decode_char(uint8_t character, uint32_t *bad)
{
    uint32_t c = character;
    uint32_t upper = mask_within(c, 'A', 'Z');
    uint32_t lower = mask_within(c, 'a', 'z');
    uint32_t digit = mask_within(c, '0', '9');
    uint32_t plus = mask_within(c, '+', '+');
    uint32_t slash = mask_within(c, '/', '/');

    *bad |= ~(upper | lower | digit | plus | slash);
    return (upper & (c - 'A')) | (lower & (c - 'a' + 26)) | (digit & (c - '0' + 52)) | (plus & 62) |
           (slash & 63);
}

/* The base64 character of a value below 64: each mask adds the step between two ranges of the
 * alphabet, which are A-Z, a-z, 0-9, + and /. */
static char encode_char(uint32_t value)
{
    uint32_t c = 'A' + value;

    c += mask_within(value, 26, 63) & (uint32_t)('a' - ('Z' + 1));
    c -= mask_within(value, 52, 63) & (uint32_t)('z' + 1 - '0');
    c -= mask_within(value, 62, 63) & (uint32_t)('9' + 1 - '+');
    c += mask_within(value, 63, 63) & (uint32_t)('/' - ('+' + 1));
    return (char)c;
}

/*
 * Lines
 */

/* A part of the text. */
typedef struct {
    const char *at;
    size_t size;
} span;

static bool is_blank(char c)
{
    return lb_ct_public((c == ' ') | (c == '\t'));
}

static bool is_line_end(char c)
{
    return lb_ct_public((c == '\n') | (c == '\r'));
}

static void drop(span *s, size_t n)
{
    s->at += n;
    s->size -= n;
}

/* Reads all of it, wherever c stands. */
static bool contains(span s, char c)
{
    int found = 0;

    for (size_t i = 0; i < s.size; i++)
        found |= s.at[i] == c;
    return lb_ct_public(found);
}

static bool starts_with(span s, const char *prefix)
{
    size_t n = strlen(prefix);

    return s.size >= n && memcmp(s.at, prefix, n) == 0;
}

/* Take the next line, without its end, off the text; false when there is none. */
static bool next_line(span *text, span *line)
{
    size_t n = 0;

    if (text->size == 0)
        return false;
    while (n < text->size && !is_line_end(text->at[n]))
        n++;
    *line = (span){text->at, n};
    if (n + 1 < text->size && text->at[n] == '\r' && text->at[n + 1] == '\n')
        n++;
    drop(text, n < text->size ? n + 1 : n);
    return true;
}

/* The line without spaces and tabs at its end. */
static span trimmed(span line)
{
    while (line.size != 0 && is_blank(line.at[line.size - 1]))
        line.size--;
    return line;
}

static void skip_byte_order_mark(span *text)
{
    if (starts_with(*text, "\xef\xbb\xbf"))
        drop(text, 3);
}

bool lb_pem_detect(const void *data, size_t size)
{
    span text = {data, size < LB_PEM_MAX ? size : LB_PEM_MAX};
    span line;

    skip_byte_order_mark(&text);
    while (next_line(&text, &line))
        if (starts_with(line, begin_mark))
            return true;
    return false;
}

/*
 * BEGIN and END lines
 */

/* A label (RFC 7468, section 3): printable ASCII, words joined by single spaces or hyphens. The
 * RFC allows an empty one; no key has it. */
static bool valid_label(span label)
{
    bool joint = true; /* at a place where a space or hyphen may not stand */

    for (size_t i = 0; i < label.size; i++) {
        bool separator = label.at[i] == ' ' || label.at[i] == '-';
        if (label.at[i] < 0x20 || label.at[i] > 0x7e || (separator && joint))
            return false;
        joint = separator;
    }
    return !joint;
}

/* Whether the line is mark, a valid label, and dashes; *label is then the label. */
static bool read_boundary(span line, const char *mark, span *label)
{
    span rest = trimmed(line);
    size_t tail = strlen(dashes);

    if (!starts_with(rest, mark))
        return false;
    drop(&rest, strlen(mark));
    if (rest.size < tail || memcmp(rest.at + rest.size - tail, dashes, tail) != 0)
        return false;
    *label = (span){rest.at, rest.size - tail};
    return valid_label(*label);
}

/* Take the text up to and with the BEGIN line. */
static gpg_error_t find_begin(span *text, span *label)
{
    span line;

    while (next_line(text, &line)) {
        if (starts_with(line, end_mark))
            return lb_error(GPG_ERR_INV_ARMOR, "PEM: END line without a BEGIN line before it");
        if (!starts_with(line, begin_mark))
            continue;
        if (!read_boundary(line, begin_mark, label))
            return lb_error(GPG_ERR_INV_ARMOR, "PEM: malformed BEGIN line");
        return 0;
    }
    return lb_error(GPG_ERR_NO_DATA, "PEM: no BEGIN line");
}

/* Only white space may be left behind the dashes of the END line. */
static gpg_error_t check_nothing_follows(span text)
{
    span rest = text;
    span line;
    bool clean = true;

    for (size_t i = 0; i < text.size; i++)
        clean &= is_blank(text.at[i]) || is_line_end(text.at[i]);
    if (clean)
        return 0;
    (void)next_line(&rest, &line); /* the END line's own rest cannot begin a block */
    while (next_line(&rest, &line))
        if (starts_with(line, begin_mark))
            return lb_error(GPG_ERR_TOO_MANY,
                            "PEM: a second block after the END line; a key file holds one");
    return lb_error(GPG_ERR_BAD_DATA, "PEM: text after the END line");
}

/* The text from the first line with a hyphen, at which the base64 lines stopped. */
static gpg_error_t check_end(span text, span label)
{
    span rest = text;
    span other;

    if (text.size == 0)
        return lb_error(GPG_ERR_INV_ARMOR, "PEM: no END line");
    if (starts_with(text, begin_mark))
        return lb_error(GPG_ERR_INV_ARMOR, "PEM: BEGIN line inside a block");
    if (!starts_with(text, end_mark))
        return lb_error(GPG_ERR_INV_ARMOR, "PEM: malformed END line");
    drop(&rest, strlen(end_mark));
    if (rest.size >= label.size && memcmp(rest.at, label.at, label.size) == 0) {
        drop(&rest, label.size);
        if (starts_with(rest, dashes)) {
            drop(&rest, strlen(dashes));
            return check_nothing_follows(rest);
        }
    }
    (void)next_line(&text, &rest);
    if (read_boundary(rest, end_mark, &other))
        return lb_error(GPG_ERR_INV_ARMOR, "PEM: the labels of BEGIN and END differ");
    return lb_error(GPG_ERR_INV_ARMOR, "PEM: malformed END line");
}

/*
 * The body
 */

/* The state between two characters of base64. Only the counts are branched on. */
typedef struct {
    uint32_t bits; /* the characters of the group so far, six bits each */
    uint32_t bad;  /* nonzero once a character was outside the alphabet */
    unsigned group;
    unsigned padding;
    bool misplaced; /* something stands after the padding */
    size_t size;    /* octets decoded */
    uint8_t *out;   /* NULL to count and check only */
    size_t room;
} decoder;

/* The top octets of a group of `characters`, of which 2, 3 or 4 make 1, 2 or 3 octets. */
static void emit(decoder *d, unsigned characters)
{
    uint32_t group = d->bits << (6 * (4 - characters)) & 0xffffff;

    for (unsigned i = 0; i + 1 < characters; i++) {
        if (d->out && d->size < d->room)
            d->out[d->size] = (uint8_t)(group >> (16 - 8 * i));
        d->size++;
    }
    d->bits = 0;
}

static void decode_line(decoder *d, span line)
{
    for (size_t i = 0; i < line.size; i++) {
        if (lb_ct_public(line.at[i] == '=')) {
            d->padding++;
            continue;
        }
        if (d->padding != 0)
            d->misplaced = true;
        d->bits = d->bits << 6 | decode_char((uint8_t)line.at[i], &d->bad);
        if (++d->group == 4) {
            emit(d, 4);
            d->group = 0;
        }
    }
}

/* After the last character. At most two pads that fill up the last group mean that it has 2, 3 or
 * no characters, and no pads where it has none. n characters (n = 2 or 3) hold 6n bits, of which
 * 8(n - 1) are data; the other 4 or 2 must be zero. */
static gpg_error_t decode_finish(decoder *d)
{
    uint32_t spare = 0;

    if (lb_ct_public(d->bad != 0))
        return lb_error(GPG_ERR_INV_ARMOR, "PEM: a character that is not base64");
    if (d->misplaced)
        return lb_error(GPG_ERR_INV_ARMOR, "PEM: base64 continues after its padding");
    if (d->padding > 2 || (d->group + d->padding) % 4 != 0)
        return lb_error(GPG_ERR_INV_ARMOR, "PEM: base64 is cut off or wrongly padded");
    if (d->group != 0) {
        spare = d->bits & (d->group == 2 ? 0xf : 0x3);
        emit(d, d->group);
    }
    if (lb_ct_public(spare != 0))
        return lb_error(GPG_ERR_INV_ARMOR, "PEM: base64 with bits set behind its last octet");
    if (d->size == 0)
        return lb_error(GPG_ERR_NO_DATA, "PEM: nothing between BEGIN and END");
    return 0;
}

/* Take base64 lines off the text, up to a line that begins with a hyphen or to the end. */
static gpg_error_t decode_lines(decoder *d, span *text)
{
    span line;

    while (text->size != 0 && lb_ct_public(text->at[0] != '-')) {
        (void)next_line(text, &line);
        line = trimmed(line);
        if (line.size == 0)
            return lb_error(GPG_ERR_INV_ARMOR, "PEM: blank line inside base64");
        decode_line(d, line);
    }
    return 0;
}

/* Blank lines may stand between BEGIN and base64. */
static void skip_blank_lines(span *text)
{
    span rest = *text;
    span line;

    while (next_line(&rest, &line) && trimmed(line).size == 0)
        *text = rest;
}

/* Whether the next line is a header (RFC 1421, section 4.6): those have a colon, which is not
 * base64. */
static bool at_header(span text)
{
    span line = {NULL, 0};

    (void)next_line(&text, &line);
    return line.size != 0 && !lb_ct_public(line.at[0] == '-') && contains(line, ':');
}

/* Take a line off the text that is a header of this name; *value is then what it says. */
static bool take_header(span *text, const char *name, span *value)
{
    if (!next_line(text, value) || !starts_with(*value, name))
        return false;
    *value = trimmed(*value);
    drop(value, strlen(name));
    while (value->size != 0 && is_blank(value->at[0]))
        drop(value, 1);
    return true;
}

/* Take the header lines of the traditional encryption and the blank line behind them, where the
 * text begins with header lines at all. */
static gpg_error_t read_header(span *text, lb_pem_block *block)
{
    static const char encrypted[] = "4,ENCRYPTED";
    span value;

    if (!at_header(*text))
        return 0;
    if (starts_with(*text, "DEK-Info:"))
        return lb_error(GPG_ERR_INV_ARMOR, "PEM: header DEK-Info without Proc-Type before it");
    if (!take_header(text, "Proc-Type:", &value) || value.size != strlen(encrypted) ||
        memcmp(value.at, encrypted, strlen(encrypted)) != 0)
        return lb_error(GPG_ERR_INV_ARMOR, "PEM: a header that is not Proc-Type: 4,ENCRYPTED");
    if (!take_header(text, "DEK-Info:", &value) || value.size == 0)
        return lb_error(GPG_ERR_INV_ARMOR,
                        "PEM: encrypted, but no header DEK-Info says how behind Proc-Type");
    block->dek = value.at;
    block->dek_size = value.size;
    if (!next_line(text, &value) || trimmed(value).size != 0)
        return lb_error(GPG_ERR_INV_ARMOR, "PEM: no blank line behind the header lines");
    return 0;
}

/* The body of the block, and the END line behind it. */
static gpg_error_t read_body(span text, lb_pem_block *block)
{
    const span label = {block->label, block->label_size};
    decoder d = {0};
    gpg_error_t err;

    err = read_header(&text, block);
    if (err)
        return err;
    skip_blank_lines(&text);
    if (at_header(text))
        return lb_error(GPG_ERR_INV_ARMOR, "PEM: a header line in the wrong place");
    block->body = text.at;
    err = decode_lines(&d, &text);
    if (err)
        return err;
    block->body_size = (size_t)(text.at - block->body);
    err = check_end(text, label);
    if (!err)
        err = decode_finish(&d);
    block->size = d.size;
    return err;
}

gpg_error_t lb_pem_parse(const void *data, size_t size, lb_pem_block *block)
{
    span text = {data, size};
    span label = {NULL, 0};
    gpg_error_t err;

    *block = (lb_pem_block){0};
    if (size > LB_PEM_MAX)
        return lb_error(GPG_ERR_TOO_LARGE, "PEM: text above 1 MiB");
    if (contains(text, '\0'))
        return lb_error(GPG_ERR_INV_ARMOR, "PEM: NUL octet in the text");
    skip_byte_order_mark(&text);
    err = find_begin(&text, &label);
    if (err)
        return err;
    block->label = label.at;
    block->label_size = label.size;
    err = read_body(text, block);
    if (err)
        *block = (lb_pem_block){0};
    return err;
}

bool lb_pem_label_is(const lb_pem_block *block, const char *label)
{
    size_t n = strlen(label);

    return block->label_size == n && n != 0 && memcmp(block->label, label, n) == 0;
}

gpg_error_t lb_pem_decode(const lb_pem_block *block, uint8_t *out, size_t room, size_t *written)
{
    span text = {block->body, block->body_size};
    decoder d = {.out = out, .room = room};
    gpg_error_t err;

    *written = 0;
    if (room < block->size)
        return lb_error(GPG_ERR_BUFFER_TOO_SHORT, "PEM: the buffer is too small");
    err = decode_lines(&d, &text);
    if (!err)
        err = decode_finish(&d);
    /* The text was changed after it was parsed. emit kept to the room all the same. */
    if (!err && d.size != block->size)
        err = lb_error(GPG_ERR_INV_ARMOR, "PEM: the text changed while it was read");
    if (err)
        lb_wipe(out, room);
    else
        *written = d.size;
    lb_wipe(&d, sizeof d);
    return err;
}

/*
 * Writing
 */

static char *put_text(char *out, const char *text)
{
    size_t n = strlen(text);

    memcpy(out, text, n);
    return out + n;
}

/* The four characters for n = 1, 2 or 3 octets. */
static char *put_group(char *out, const uint8_t *data, size_t n)
{
    uint32_t group = (uint32_t)data[0] << 16;

    if (n > 1)
        group |= (uint32_t)data[1] << 8;
    if (n > 2)
        group |= data[2];
    out[0] = encode_char(group >> 18);
    out[1] = encode_char(group >> 12 & 63);
    out[2] = n > 1 ? encode_char(group >> 6 & 63) : '=';
    out[3] = n > 2 ? encode_char(group & 63) : '=';
    return out + 4;
}

static char *put_body(char *out, const uint8_t *data, size_t n)
{
    const size_t per_line = LINE_COLUMNS / 4 * 3;

    for (size_t i = 0; i < n; i += 3) {
        out = put_group(out, data + i, n - i < 3 ? n - i : 3);
        if (i + 3 >= n || (i + 3) % per_line == 0)
            *out++ = '\n';
    }
    return out;
}

static char *put_boundary(char *out, const char *mark, const char *label)
{
    out = put_text(out, mark);
    out = put_text(out, label);
    out = put_text(out, dashes);
    *out++ = '\n';
    return out;
}

gpg_error_t lb_pem_write(const char *label, const uint8_t *data, size_t n, char *out, size_t room,
                         size_t *needed)
{
    size_t label_size = strlen(label);
    size_t characters, lines, size;

    *needed = 0;
    if (n == 0 || !valid_label((span){label, label_size}))
        return lb_error(GPG_ERR_INV_ARG, "PEM: no data, or a malformed label");
    /* The bounds come first: with both below LB_PEM_MAX no sum below can overflow. */
    if (n > LB_PEM_MAX || label_size > LB_PEM_MAX)
        return lb_error(GPG_ERR_TOO_LARGE, "PEM: text above 1 MiB");
    characters = (n + 2) / 3 * 4;
    lines = (characters + LINE_COLUMNS - 1) / LINE_COLUMNS;
    size = characters + lines + strlen(begin_mark) + strlen(end_mark) +
           2 * (label_size + strlen(dashes) + 1);
    if (size > LB_PEM_MAX)
        return lb_error(GPG_ERR_TOO_LARGE, "PEM: text above 1 MiB");
    *needed = size;
    if (!out)
        return 0;
    if (room < size)
        return lb_error(GPG_ERR_BUFFER_TOO_SHORT, "PEM: the buffer is too small");
    out = put_boundary(out, begin_mark, label);
    out = put_body(out, data, n);
    (void)put_boundary(out, end_mark, label);
    return 0;
}

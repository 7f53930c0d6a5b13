/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * der.h - strict reader and writer of DER (ITU-T X.690, the distinguished rules) for keys and
 * signatures. It knows tags, lengths and a few primitive types. It must not know any key format,
 * any algorithm or any number; it allocates nothing and calls nothing that does.
 *
 * Rules for all functions
 *
 * - A reader is a cursor over the caller's memory. What it hands out (lb_der_view) points into
 *   that memory and lives as long as it does. Nothing is copied.
 * - On success a reading function moves the cursor behind the element. On error the cursor does
 *   not move and every output is empty (NULL, 0, false).
 * - A length is compared with what remains before it is used for anything, in arithmetic that
 *   cannot overflow where size_t has 32 bits.
 * - One call reads one header. Nothing recurses: depth is what the caller's code asks for, so
 *   deeply nested input costs nothing.
 * - Where a type has several encodings in BER, only the one of DER is taken: definite lengths in
 *   the fewest octets, integers in the fewest octets, primitive strings, TRUE as FF.
 *
 * What may leak
 *
 * Tags, lengths and object identifiers are public: a key file's structure is not a secret. Of an
 * INTEGER's value the reader branches only on what DER's minimality rule demands: whether the
 * first octet is zero and whether the top bit of the first octet (and, behind a zero octet, of
 * the second) is set. Since the encoded length is public, this reveals the value's bit length
 * rounded up to octets and whether its top octet has its top bit set; no more. The writer
 * likewise strips leading zero octets, which its output's length shows anyhow. Contents of
 * octet and bit strings are not looked at. lb_der_integer_small, lb_der_oid, lb_der_boolean and
 * lb_der_view_equal are for public values and do look at them.
 *
 * Error codes
 *
 *   GPG_ERR_TOO_SHORT        an element is missing, or its header is cut off
 *   GPG_ERR_INV_LENGTH       a length runs beyond the data, or cannot be the type's length
 *   GPG_ERR_INV_TAG          another type stands here, or a tag that DER or this reader refuses
 *   GPG_ERR_NOT_DER_ENCODED  BER that is not DER
 *   GPG_ERR_INV_VALUE        a negative integer, or a bit string that is not whole octets
 *   GPG_ERR_TOO_LARGE        a small integer above its bound
 *   GPG_ERR_INV_OID_STRING   a malformed object identifier
 *   GPG_ERR_BAD_DATA         something follows the last element
 */
#ifndef LB_KEY_DER_H
#define LB_KEY_DER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gpg-error.h>

/* Identifier octets, in the low-tag-number form (X.690, 8.1.2.2). */
enum {
    LB_DER_BOOLEAN = 0x01,
    LB_DER_INTEGER = 0x02,
    LB_DER_BIT_STRING = 0x03,
    LB_DER_OCTET_STRING = 0x04,
    LB_DER_NULL = 0x05,
    LB_DER_OID = 0x06,
    LB_DER_SEQUENCE = 0x30,
    LB_DER_SET = 0x31
};

/* Context-specific tags, n from 0 to 30: [n] EXPLICIT, or [n] IMPLICIT of a SEQUENCE or SET, is
 * constructed; [n] IMPLICIT of a string, integer or object identifier is primitive. */
#define LB_DER_CONTEXT(n) ((uint8_t)(0xa0 | (n)))
#define LB_DER_CONTEXT_PRIMITIVE(n) ((uint8_t)(0x80 | (n)))

/* Octets in somebody else's memory. data may be NULL where size is 0. */
typedef struct {
    const uint8_t *data;
    size_t size;
} lb_der_view;

/* A view of a whole array, for tables of object identifiers. */
#define LB_DER_VIEW(array) ((lb_der_view){(array), sizeof(array)})

/* Whether two views hold the same octets. For public data: stops at the first difference. */
bool lb_der_view_equal(lb_der_view a, lb_der_view b);

/*
 * Reading
 */

/* A cursor: the next octet to read and how many are left. */
typedef struct {
    const uint8_t *at;
    size_t left;
} lb_der_reader;

/* Begin to read size octets at data. */
void lb_der_init(lb_der_reader *reader, const void *data, size_t size);

/* Begin to read data that must be exactly one element with this tag: *inner reads its contents.
 * Octets behind the element are an error. Every format starts here. */
gpg_error_t lb_der_whole(const void *data, size_t size, uint8_t tag, lb_der_reader *inner);

/* The identifier octet of the next element, unchecked, or -1 at the end of the data. */
int lb_der_peek(const lb_der_reader *reader);

/* Whether there is a next element and its identifier octet is tag: for OPTIONAL fields. */
bool lb_der_next_is(const lb_der_reader *reader, uint8_t tag);

/* Nothing may be left. Call it at the end of every SEQUENCE: surplus elements are errors. */
gpg_error_t lb_der_end(const lb_der_reader *reader);

/* Step over the element with this tag; *inner, another cursor, reads its contents. For constructed
 * types, and for an OCTET STRING that holds DER. */
gpg_error_t lb_der_enter(lb_der_reader *reader, uint8_t tag, lb_der_reader *inner);

/* The optional field [n] EXPLICIT: *present says whether it is there, and if so *inner reads its
 * contents, in which the caller reads one element and then calls lb_der_end. */
gpg_error_t lb_der_context(lb_der_reader *reader, unsigned n, lb_der_reader *inner, bool *present);

/* INTEGER, not negative, minimal. *magnitude is its big-endian value without leading zero octets;
 * the value 0 has size 0. The value may be secret, see above. */
gpg_error_t lb_der_integer(lb_der_reader *reader, lb_der_view *magnitude);

/* INTEGER from 0 to max, public: versions, iteration counts, salt lengths. */
gpg_error_t lb_der_integer_small(lb_der_reader *reader, uint64_t max, uint64_t *value);

/* OCTET STRING, primitive. */
gpg_error_t lb_der_octets(lb_der_reader *reader, lb_der_view *octets);

/* BIT STRING of whole octets, primitive: the count of unused bits must be 0 and is not part of
 * *octets. All bit strings in keys are such. */
gpg_error_t lb_der_bits(lb_der_reader *reader, lb_der_view *octets);

/* The same contents under another tag: [n] IMPLICIT BIT STRING is LB_DER_CONTEXT_PRIMITIVE(n),
 * as in the publicKey field of RFC 5958. */
gpg_error_t lb_der_bits_as(lb_der_reader *reader, uint8_t tag, lb_der_view *octets);

/* OBJECT IDENTIFIER: *oid is its contents, to be compared with lb_der_view_equal. */
gpg_error_t lb_der_oid(lb_der_reader *reader, lb_der_view *oid);

/* BOOLEAN, public. */
gpg_error_t lb_der_boolean(lb_der_reader *reader, bool *value);

/* NULL. */
gpg_error_t lb_der_null(lb_der_reader *reader);

/* One element of any type. Each output pointer may be NULL: *tag its identifier octet, *contents
 * its contents, *whole header and contents. Only this element's own header is checked. */
gpg_error_t lb_der_any(lb_der_reader *reader, uint8_t *tag, lb_der_view *contents,
                       lb_der_view *whole);

/* Step over one element of any type, as lb_der_any. */
gpg_error_t lb_der_skip(lb_der_reader *reader);

/*
 * Writing
 *
 * The calls stand in the order of the ASN.1, and a SEQUENCE is opened and closed:
 *
 *     lb_der_put_init(&w, buffer, size);
 *     lb_der_put_open(&w, LB_DER_SEQUENCE);           SEQUENCE {
 *         lb_der_put_open(&w, LB_DER_SEQUENCE);           algorithm SEQUENCE {
 *             lb_der_put_oid(&w, oid);                        algorithm OBJECT IDENTIFIER
 *             lb_der_put_null(&w);                            parameters NULL
 *         lb_der_put_close(&w);                           }
 *         lb_der_put_bits(&w, key, key_size);             subjectPublicKey BIT STRING
 *     lb_der_put_close(&w);                           }
 *     return lb_der_put_finish(&w, &needed);
 *
 * None of the calls between init and finish returns anything: the first error is kept and
 * finish reports it. With buffer NULL nothing is written and only the size is counted. With a
 * buffer that is too small nothing is written past its end, counting goes on, and finish says
 * how much is needed. A buffer of exactly the size needed is enough.
 */

/* Deepest nesting of lb_der_put_open. The deepest format, EncryptedPrivateKeyInfo with PBES2,
 * needs 6. */
#define LB_DER_PUT_DEPTH 12

/* Longest contents of one element. Keys are far below; the bound keeps lengths in 32 bits. */
#define LB_DER_PUT_MAX 0x7fffffffu

typedef struct {
    uint8_t *buffer;
    size_t size;
    size_t used; /* octets produced, also those that had no room: used > size is an overflow */
    unsigned depth;
    gpg_err_code_t error;
    size_t start[LB_DER_PUT_DEPTH]; /* where the contents of the open elements begin */
} lb_der_writer;

/* Begin to write to buffer; NULL to count only, whatever size says. */
void lb_der_put_init(lb_der_writer *writer, void *buffer, size_t size);

/* End of writing. *needed (may be NULL) is the size of the whole, valid also with
 * GPG_ERR_BUFFER_TOO_SHORT and when counting; it is 0 with other errors. On error the buffer is
 * wiped, since it may hold a part of a private key. GPG_ERR_INV_STATE: open and close do not
 * match, or nesting too deep. GPG_ERR_TOO_LARGE: contents above LB_DER_PUT_MAX. */
gpg_error_t lb_der_put_finish(lb_der_writer *writer, size_t *needed);

/* Open an element whose contents are written by the calls that follow: SEQUENCE, SET, [n], or an
 * OCTET STRING that holds DER. */
void lb_der_put_open(lb_der_writer *writer, uint8_t tag);

/* Open a BIT STRING (or, with another tag, an implicitly tagged one) that holds DER. */
void lb_der_put_open_bits(lb_der_writer *writer, uint8_t tag);

/* Close the element that was opened last. */
void lb_der_put_close(lb_der_writer *writer);

/* INTEGER from size big-endian octets; leading zero octets are stripped, and no octets at all
 * are the value 0. The value may be secret, see above. */
void lb_der_put_integer(lb_der_writer *writer, const uint8_t *magnitude, size_t size);

/* INTEGER, public. */
void lb_der_put_integer_small(lb_der_writer *writer, uint64_t value);

/* OCTET STRING. */
void lb_der_put_octets(lb_der_writer *writer, const uint8_t *octets, size_t size);

/* BIT STRING of whole octets. */
void lb_der_put_bits(lb_der_writer *writer, const uint8_t *octets, size_t size);

/* OBJECT IDENTIFIER from its contents octets. */
void lb_der_put_oid(lb_der_writer *writer, lb_der_view oid);

/* BOOLEAN. */
void lb_der_put_boolean(lb_der_writer *writer, bool value);

/* NULL. */
void lb_der_put_null(lb_der_writer *writer);

/* A primitive element with any tag: strings under an implicit tag. */
void lb_der_put_primitive(lb_der_writer *writer, uint8_t tag, const uint8_t *contents, size_t size);

/* Octets that are DER already. */
void lb_der_put_raw(lb_der_writer *writer, const uint8_t *der, size_t size);

#endif

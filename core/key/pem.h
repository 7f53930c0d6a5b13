/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pem.h - strict reader and writer of the textual encoding of keys (PEM, RFC 7468). It knows
 * labels, lines and base64. It must not know what a label promises or what the octets mean; it
 * allocates nothing.
 *
 * What is read
 *
 * A key file holds exactly one block, by the grammar `textualmsg` of RFC 7468, section 3, with
 * lines of any length. In particular:
 *
 * - Lines end with LF, CR LF or CR; the last one may lack its end. A UTF-8 byte-order mark at
 *   the start is skipped. Spaces and tabs are ignored at the end of a line, blank lines between
 *   the BEGIN line and the first base64 line; nowhere else.
 * - Text before the BEGIN line is ignored; no line of it may begin like a BEGIN or END line.
 * - After the END line only white space may follow: other text and a second block are errors.
 *   RFC 7468 lets a file hold many blocks, which suits certificate chains; a file with two keys
 *   leaves open which one is meant. This also refuses a parameter block before a key
 *   ("EC PARAMETERS"): the key block alone says all.
 * - The labels of BEGIN and END are equal, and not empty.
 * - base64 is canonical (RFC 4648, section 3.5): a multiple of four characters with padding, none
 *   outside the alphabet, none after the padding, zero bits in the last character where it has
 *   bits to spare; at least one octet. So one body text stands for one octet string.
 * - A NUL octet anywhere is an error, as is a text above LB_PEM_MAX.
 * - Header lines (RFC 1421) are errors, but for those of the traditional encryption: right behind
 *   the BEGIN line stand "Proc-Type: 4,ENCRYPTED" (section 4.6.1.1), "DEK-Info: " and its value
 *   (section 4.6.1.3), and a blank line. What the value means is not looked at here.
 *
 * What may leak
 *
 * The text's layout is public: line lengths, white space, padding, the label and so the number of
 * octets. The base64 characters are secret: they are decoded and encoded by arithmetic, without
 * a table and without a branch on their value. A text with a character outside the alphabet is
 * refused at the end of the body, whatever its place.
 *
 * Error codes
 *
 *   GPG_ERR_TOO_LARGE         above LB_PEM_MAX
 *   GPG_ERR_NO_DATA           no BEGIN line, or a block without base64
 *   GPG_ERR_INV_ARMOR         malformed in any other way; the detail text says which
 *   GPG_ERR_BAD_DATA          text after the END line
 *   GPG_ERR_TOO_MANY          a second block after the END line
 *   GPG_ERR_BUFFER_TOO_SHORT  the output does not fit
 */
#ifndef LB_KEY_PEM_H
#define LB_KEY_PEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gpg-error.h>

/* Longest text that is read or written: 1 MiB. The longest sensible key, RSA of 16384 bits with
 * its private part, needs 13 KiB. */
#define LB_PEM_MAX ((size_t)1 << 20)

/* A block found by lb_pem_parse. The pointers point into the text. */
typedef struct {
    const char *label; /* between "BEGIN " and the dashes; not NUL-terminated */
    size_t label_size;
    const char *body; /* base64 lines, from the first character to the END line */
    size_t body_size;
    size_t size;     /* octets that the body decodes to, exactly */
    const char *dek; /* value of the header line DEK-Info, without blanks around it; NULL when the
                        block has no header */
    size_t dek_size;
} lb_pem_block;

/* Whether a buffer is PEM rather than DER: a line begins with "-----BEGIN ". Looks at the first
 * LB_PEM_MAX octets only. True does not mean that lb_pem_parse will accept it. */
bool lb_pem_detect(const void *data, size_t size);

/* Find the one block of a text and check everything said above. On error *block is zero. */
gpg_error_t lb_pem_parse(const void *data, size_t size, lb_pem_block *block);

/* Whether the block has this label, a C string. */
bool lb_pem_label_is(const lb_pem_block *block, const char *label);

/* Decode the block's body to out, which must have room for block->size octets and must not
 * overlap the text. *written is block->size, or 0 on error; then out is wiped. */
gpg_error_t lb_pem_decode(const lb_pem_block *block, uint8_t *out, size_t room, size_t *written);

/* Write the block for n octets of data: lines of 64 characters, ended with LF. *needed is the
 * size of the text, to which no NUL is added. With out NULL only *needed is set. With too little
 * room nothing is written. data must hold at least one octet and not overlap out; the label, a
 * C string, is one that lb_pem_parse accepts (else GPG_ERR_INV_ARG). */
gpg_error_t lb_pem_write(const char *label, const uint8_t *data, size_t n, char *out, size_t room,
                         size_t *needed);

#endif

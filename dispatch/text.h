/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text that grows, and JSON written into it. Out of memory is remembered and told at the end. Knows
 * nothing of limbic.
 */
#ifndef LB_DISPATCH_TEXT_H
#define LB_DISPATCH_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct lb_text {
    char *data; /* NUL-terminated; NULL before the first octet */
    size_t length, size;
    bool failed;
};

void lb_text_add(struct lb_text *text, const char *octets, size_t length);
void lb_text_put(struct lb_text *text, const char *string);
void lb_text_printf(struct lb_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A string from elsewhere in a line of text: control characters become `?`. */
void lb_text_foreign(struct lb_text *text, const char *string);

/* JSON. `key` is NULL in arrays and at the top. Commas are set where they belong. Strings from
   elsewhere are made valid UTF-8: what is not becomes U+FFFD. */
void lb_json_open(struct lb_text *text, const char *key, char bracket);        /* '{' or '[' */
void lb_json_close(struct lb_text *text, char bracket);                        /* '}' or ']' */
void lb_json_string(struct lb_text *text, const char *key, const char *value); /* NULL: null */
void lb_json_number(struct lb_text *text, const char *key, unsigned long long value);
void lb_json_bool(struct lb_text *text, const char *key, bool value);

#endif

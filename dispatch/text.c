/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Growing text, and JSON (RFC 8259) written into it.
 */
#include "dispatch/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* Makes room for `more` octets and the NUL. */
static bool grow(struct lb_text *text, size_t more)
{
    size_t size = text->size ? text->size : 1024;
    char *data;

    while (size - text->length <= more)
        size *= 2;
    if (text->failed || size == text->size)
        return !text->failed;
    data = realloc(text->data, size);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->size = size;
    return true;
}

void lb_text_add(struct lb_text *text, const char *octets, size_t length)
{
    if (!grow(text, length))
        return;
    memcpy(text->data + text->length, octets, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void lb_text_put(struct lb_text *text, const char *string)
{
    lb_text_add(text, string, strlen(string));
}

void lb_text_printf(struct lb_text *text, const char *format, ...)
{
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0 || !grow(text, (size_t)length))
        return;
    va_start(args, format);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, args);
    va_end(args);
    text->length += (size_t)length;
}

void lb_text_foreign(struct lb_text *text, const char *string)
{
    size_t before = text->length;

    lb_text_put(text, string);
    if (!text->failed)
        lb_one_line(text->data + before);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

/* The length of the UTF-8 character at s, or 0 if there is none (RFC 3629, section 4: no overlong
   forms, no surrogates, nothing above U+10FFFF). */
static size_t utf8_length(const unsigned char *s)
{
    unsigned char least = 0x80, most = 0xbf; /* of the second octet */
    size_t length;

    if (s[0] < 0x80)
        return 1;
    if (s[0] < 0xc2 || s[0] > 0xf4)
        return 0;
    length = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    if (s[0] == 0xe0)
        least = 0xa0;
    else if (s[0] == 0xed)
        most = 0x9f;
    else if (s[0] == 0xf0)
        least = 0x90;
    else if (s[0] == 0xf4)
        most = 0x8f;
    if (s[1] < least || s[1] > most)
        return 0;
    for (size_t i = 2; i < length; i++)
        if (s[i] < 0x80 || s[i] > 0xbf)
            return 0;
    return length;
}

static void quoted(struct lb_text *text, const char *value)
{
    lb_text_put(text, "\"");
    while (*value) {
        size_t length = utf8_length((const unsigned char *)value);

        if (length == 0)
            lb_text_put(text, "\xef\xbf\xbd");
        else if (*value == '"' || *value == '\\')
            lb_text_printf(text, "\\%c", *value);
        else if ((unsigned char)*value < ' ')
            lb_text_printf(text, "\\u%04x", (unsigned)(unsigned char)*value);
        else
            lb_text_add(text, value, length);
        value += length ? length : 1;
    }
    lb_text_put(text, "\"");
}

/* What comes before a value: a comma unless it is the first one, and the key. */
static void begin(struct lb_text *text, const char *key)
{
    if (text->length && !strchr("{[", text->data[text->length - 1]))
        lb_text_put(text, ",");
    if (key) {
        quoted(text, key);
        lb_text_put(text, ":");
    }
}

void lb_json_open(struct lb_text *text, const char *key, char bracket)
{
    begin(text, key);
    lb_text_add(text, &bracket, 1);
}

void lb_json_close(struct lb_text *text, char bracket)
{
    lb_text_add(text, &bracket, 1);
}

void lb_json_string(struct lb_text *text, const char *key, const char *value)
{
    begin(text, key);
    if (value)
        quoted(text, value);
    else
        lb_text_put(text, "null");
}

void lb_json_number(struct lb_text *text, const char *key, unsigned long long value)
{
    begin(text, key);
    lb_text_printf(text, "%llu", value);
}

void lb_json_bool(struct lb_text *text, const char *key, bool value)
{
    begin(text, key);
    lb_text_put(text, value ? "true" : "false");
}

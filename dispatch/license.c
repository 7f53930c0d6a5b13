/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A recursive reader of SPDX expressions, of bounded depth, that decides while it reads.
 */
#include "dispatch/license.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/nearest.h"

enum { DEPTH = 8 };

/* Identifiers of the SPDX licence list that software like this is likely to be under. */
static const char *const known[] = {
    "0BSD",
    "AGPL-3.0-only",
    "AGPL-3.0-or-later",
    "Apache-2.0",
    "Artistic-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDDL-1.0",
    "EPL-2.0",
    "EUPL-1.2",
    "GPL-2.0-only",
    "GPL-2.0-or-later",
    "GPL-3.0-only",
    "GPL-3.0-or-later",
    "ISC",
    "LGPL-2.0-or-later",
    "LGPL-2.1-only",
    "LGPL-2.1-or-later",
    "LGPL-3.0-only",
    "LGPL-3.0-or-later",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "OpenSSL",
    "Unlicense",
    "Zlib",
};

struct reader {
    const char *at;
    const char *list;
    unsigned depth;
    bool malformed;
};

static bool same(const char *a, size_t length, const char *b)
{
    return strlen(b) == length && strncasecmp(a, b, length) == 0;
}

static bool listed(const char *list, const char *id, size_t length)
{
    for (;;) {
        size_t item = strcspn(list, ",");

        if (item == length && strncasecmp(list, id, length) == 0)
            return true;
        if (!list[item])
            return false;
        list += item + 1;
    }
}

/* The next token: a parenthesis or what lies between spaces and parentheses. Its length; 0 at the
   end. */
static size_t peek(struct reader *r)
{
    r->at += strspn(r->at, " \t\n");
    return *r->at == '(' || *r->at == ')' ? 1 : strcspn(r->at, " \t\n()");
}

static bool take(struct reader *r, const char *token)
{
    size_t length = peek(r);

    if (!same(r->at, length, token))
        return false;
    r->at += length;
    return true;
}

static bool read_expression(struct reader *r);

static bool read_parenthesis(struct reader *r)
{
    bool allowed = false;

    if (++r->depth > DEPTH)
        r->malformed = true;
    else
        allowed = read_expression(r);
    r->depth--;
    if (!take(r, ")"))
        r->malformed = true;
    return allowed;
}

static bool read_identifier(struct reader *r)
{
    size_t length = peek(r);
    bool allowed;

    if (length == 0 || *r->at == ')' || same(r->at, length, "OR") || same(r->at, length, "AND") ||
        same(r->at, length, "WITH")) {
        r->malformed = true;
        return false;
    }
    allowed = listed(r->list, r->at, length);
    r->at += length;
    if (take(r, "WITH")) {
        length = peek(r);
        r->malformed |= length == 0 || *r->at == '(' || *r->at == ')';
        r->at += length;
    }
    return allowed;
}

static bool read_part(struct reader *r)
{
    return take(r, "(") ? read_parenthesis(r) : read_identifier(r);
}

static bool read_alternative(struct reader *r)
{
    bool allowed = read_part(r);

    while (!r->malformed && take(r, "AND"))
        allowed &= read_part(r);
    return allowed;
}

static bool read_expression(struct reader *r)
{
    bool allowed = read_alternative(r);

    while (!r->malformed && take(r, "OR"))
        allowed |= read_alternative(r);
    return allowed;
}

bool lb_license_allows(const char *list, const char *expression)
{
    struct reader r = {.at = expression, .list = list};
    bool allowed = read_expression(&r);

    return allowed && !r.malformed && peek(&r) == 0;
}

bool lb_license_is_known(const char *id)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcasecmp(known[i], id) == 0)
            return true;
    return strncasecmp(id, "LicenseRef-", 11) == 0 && id[11];
}

bool lb_license_stands_in(const char *expression, const char *id)
{
    struct reader r = {.at = expression};
    size_t length;

    while ((length = peek(&r)) > 0) {
        if (same(r.at, length, id))
            return true;
        r.at += length;
    }
    return false;
}

const char *lb_license_nearest(const char *id)
{
    struct lb_nearest nearest = {.word = id};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        lb_nearest_offer(&nearest, known[i]);
    return lb_nearest_name(&nearest);
}

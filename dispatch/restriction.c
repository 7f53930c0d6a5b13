/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One pass over a word, name by name: what is near to the name of a restriction, and marks that only
 * restrictions have. It errs on the side of the restriction, since a word refused is told, and a
 * restriction lost is not.
 */
#include "dispatch/restriction.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"

#define NAME_OCTETS "abcdefghijklmnopqrstuvwxyz0123456789_-"

/* `root` is what the name begins with however it goes on, and also what it is where nothing follows;
   from `least` octets on a beginning of the whole counts too. */
static const struct restricting {
    enum lb_hidden_kind kind;
    const char *whole, *root;
    size_t least, least_near; /* octets that a beginning, or a mistyped name, has */
    unsigned faults;          /* of typing */
} restricting[] = {
    {LB_HIDES_LICENSE, "license", "licen", 3, 5, 2},
    {LB_HIDES_ONLY, "only", "only", 3, 3, 1},
};

static bool resembles(const struct restricting *r, const char *name)
{
    size_t length = strlen(name);

    return strncmp(name, r->root, strlen(r->root)) == 0 ||
           (length >= r->least && strncmp(name, r->whole, length) == 0) ||
           (length >= r->least_near && lb_edit_distance(name, r->whole) <= r->faults);
}

enum lb_hidden_kind lb_resembles_restriction(const char *name, size_t length)
{
    char copy[32];

    snprintf(copy, sizeof copy, "%.*s", length < sizeof copy ? (int)length : (int)sizeof copy - 1,
             name);
    for (size_t i = 0; i < sizeof restricting / sizeof *restricting; i++)
        if (resembles(&restricting[i], copy))
            return restricting[i].kind;
    return LB_HIDES_NOTHING;
}

static bool begins(const char *word, const char *with)
{
    return strncmp(word, with, strlen(with)) == 0;
}

/* Where the part begins that may hide something. What stands before a first `:` is the affair of
   whoever reads policies of chains, but for its names. */
static size_t behind_policy(const char *word)
{
    static const char *const policies[] = {"try:", "warn:", "only:"};

    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
        if (begins(word, policies[i]))
            return strlen(policies[i]);
    return 0;
}

/* Settings whose values have a `:`, before a share. */
static bool has_share(const char *word)
{
    return begins(word, "ab=") || begins(word, "shadow=");
}

/* A `=` stands once, behind a slot: not in a chain. A `:` stands once, behind a policy. A `!` begins
   a word of a file, and no part of one. */
static bool is_misplaced(const char *word, size_t start, size_t at)
{
    bool is_first = strpbrk(word, "=:,") == word + at;

    switch (word[at]) {
    case '=':
        return at == 0 || !is_first;
    case ':':
        return (start > 0 || strchr(word, '=') || !is_first) && !has_share(word);
    case '!':
        return at == start || strchr(",=:", word[at - 1]);
    default:
        return false;
    }
}

/* What is amiss at one place between names. */
static enum lb_hidden_kind look(const char *word, size_t start, size_t at)
{
    if (word[at] <= ' ' || word[at] > '~')
        return LB_HIDES_OCTET;
    return is_misplaced(word, start, at) ? LB_HIDES_MARK : LB_HIDES_NOTHING;
}

static enum lb_hidden_kind look_at_name(const char *name, size_t length)
{
    return *name == '-' ? LB_HIDES_SUBTRACTION : lb_resembles_restriction(name, length);
}

/* What only restricts holds beside other words, too: so it is told before a mark or an only: that may
   be passed over with its word. */
static bool goes_before(enum lb_hidden_kind kind, enum lb_hidden_kind before)
{
    return !before || ((before == LB_HIDES_MARK || before == LB_HIDES_ONLY) &&
                       kind != LB_HIDES_NOTHING && kind != LB_HIDES_MARK && kind != LB_HIDES_ONLY);
}

struct lb_hidden lb_hidden_restriction(const char *word)
{
    struct lb_hidden found = {LB_HIDES_NOTHING, 0, 0}, here;
    size_t start = behind_policy(word);

    if (*word == '-' || begins(word, "license="))
        return found;
    for (size_t at = start; word[at]; at += here.length) {
        size_t name = strspn(word + at, NAME_OCTETS);

        here.offset = at;
        here.length = name ? name : 1;
        here.kind = name ? look_at_name(word + at, name) : look(word, start, at);
        if (goes_before(here.kind, found.kind))
            found = here;
    }
    return found;
}

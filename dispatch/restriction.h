/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Restrictions where no restriction can stand: words that were meant to restrict and are mistyped, or
 * run together with others. Knows text; knows no policy and no registry.
 */
#ifndef LB_DISPATCH_RESTRICTION_H
#define LB_DISPATCH_RESTRICTION_H

#include <stddef.h>

enum lb_hidden_kind {
    LB_HIDES_NOTHING,
    LB_HIDES_SUBTRACTION, /* -FEATURE, behind something else */
    LB_HIDES_LICENSE,     /* license=, or what resembles it */
    LB_HIDES_ONLY,        /* only:, or what resembles it */
    LB_HIDES_MARK,        /* a `:`, `=` or `!` that has no place here */
    LB_HIDES_OCTET        /* what no word can hold: a dash or space that is none, say */
};

struct lb_hidden {
    enum lb_hidden_kind kind;
    size_t offset, length; /* of what hides, in the word */
};

/* Whether a name is "license" or "only", begins or ends early as one of them, or is near to one: no
   provider can be named so. LB_HIDES_LICENSE, LB_HIDES_ONLY or LB_HIDES_NOTHING. */
enum lb_hidden_kind lb_resembles_restriction(const char *name, size_t length);

/* The first restriction that hides in a word, in lower case. What is well formed hides nothing:
   -FEATURE, license=..., a chain behind try:, warn: or only:, an override. (Whether -FEATURE and
   license= name what there is, others find out.) */
struct lb_hidden lb_hidden_restriction(const char *word);

#endif

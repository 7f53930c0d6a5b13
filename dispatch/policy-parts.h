/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of the policy share: faults, names, and the order of work. policy.c reads words
 * into a policy; policy-place.c then finds what they name, once every restriction is known.
 */
#ifndef LB_DISPATCH_POLICY_PARTS_H
#define LB_DISPATCH_POLICY_PARTS_H

#include "dispatch/policy.h"

/* The first error stands; warnings are counted beyond what is kept. What foreign strings bring along
   is made one line. */
void lb_policy_fail(struct lb_policy *policy, gpg_err_code_t code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void lb_policy_warn(struct lb_policy *policy, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Where a word stands, to begin a message with: "LIMBIC: word 2", "the program's words: word 1",
   "/etc/limbic/limbic.conf:3: word 1". */
const char *lb_source_place(char text[LB_SOURCE_TEXT_SIZE], struct lb_source source);

/* Finds what elements, overrides and licences name, and fills the selection. */
void lb_policy_place(struct lb_policy *policy);

/* Appends what a provider, or one of its tiers, stands for. 0, or the code and why it cannot be had. */
gpg_err_code_t lb_policy_list(struct lb_order *order, struct lb_policy *policy,
                              const char *provider, const char *tier, char why[LB_BAN_SIZE]);

/* The same for the default chain, as far as that is there. */
void lb_policy_list_default(struct lb_order *order, struct lb_policy *policy);

/* Whether the policy, once placed, uses nothing but what is listed and what is derived. */
bool lb_policy_uses_only(const struct lb_policy *policy, const struct lb_order *listed);

/* Nearest names that this build has, NULL if none is near (policy-names.c). `kept` is room for one
   that is a module's. */
const char *lb_nearest_provider(const char *name, char kept[LB_NAME_MAX + 1]);
const char *lb_nearest_tier(unsigned provider, const char *name);
const char *lb_nearest_slot(const char *name);
const char *lb_nearest_lone_word(const char *name, char kept[LB_NAME_MAX + 1]);
const char *lb_nearest_key(const char *name); /* of what may stand before a `=` */
const char *lb_nearest_chain_policy(const char *name);
/* Whether no other key is nearer to this one than "license", near or not: what may have been meant to
   restrict must not be passed over. */
bool lb_resembles_license(const char *key);
bool lb_is_setting(const char *key); /* one of the keys that are no slots */

/* The size class of that name, or -1. Its name is the most bits that it has, "2048"; the fewest,
   which listings print beside it, are as good. */
int lb_size_class_by_name(const char *name);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * results.c - the list of what was measured.
 */
#include "bench/results.h"

#include "bench/failure.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[OP_COUNT] = {"generate", "sign", "verify"};

const char *op_name(enum op op)
{
    return names[op];
}

enum op op_by_name(const char *name, size_t length)
{
    for (int op = 0; op < OP_COUNT; op++)
        if (strlen(names[op]) == length && !memcmp(names[op], name, length))
            return (enum op)op;
    return OP_COUNT;
}

bool results_add(struct results *results, const struct result *result)
{
    if (results->count == results->room) {
        size_t room = results->room ? 2 * results->room : 32;
        struct result *list = realloc(results->list, room * sizeof *list);

        if (!list)
            return failed(STATUS_USAGE, "out of memory");
        results->list = list;
        results->room = room;
    }
    results->list[results->count++] = *result;
    return true;
}

void results_free(struct results *results)
{
    free(results->list);
    *results = (struct results){NULL, 0, 0};
}

bool result_is_noisy(const struct result *result)
{
    return result->op != OP_GENERATE && stats_has_spread(&result->time) &&
           stats_spread(&result->time) > RESULT_NOISY;
}

const struct result *results_find(const struct results *results, const struct result *like,
                                  enum op op)
{
    for (size_t i = 0; i < results->count; i++) {
        const struct result *result = &results->list[i];

        if (result->op == op && result->contestant == like->contestant &&
            !strcmp(result->row, like->row))
            return result;
    }
    return NULL;
}

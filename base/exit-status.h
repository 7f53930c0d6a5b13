/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The exit statuses of the programs, and the one table from error codes to them. Knows codes of
 * libgpg-error; of limbic only what limbic.h says they mean.
 */
#ifndef LB_BASE_EXIT_STATUS_H
#define LB_BASE_EXIT_STATUS_H

#include <gpg-error.h>

/* A contract: see limbic(1). */
enum lb_exit_status {
    LB_EXIT_OK = 0,    /* done, valid */
    LB_EXIT_NO = 1,    /* not valid, does not decrypt */
    LB_EXIT_USAGE = 2, /* usage; an unusable key, option, file or algorithm */
    LB_EXIT_FAULT = 3  /* a provider missing, refused or failing; a fault detected */
};

static inline enum lb_exit_status lb_exit_status(gpg_error_t error)
{
    switch (gpg_err_code(error)) {
    case GPG_ERR_NO_ERROR:
        return LB_EXIT_OK;
    case GPG_ERR_BAD_SIGNATURE:
    case GPG_ERR_DECRYPT_FAILED:
        return LB_EXIT_NO;
    case GPG_ERR_NOT_FOUND:       /* a provider */
    case GPG_ERR_NOT_SUPPORTED:   /* a provider that is refused */
    case GPG_ERR_SELFTEST_FAILED: /* of a kernel */
    case GPG_ERR_INTERNAL:
    case GPG_ERR_BUG:
        return LB_EXIT_FAULT;
    default:
        return LB_EXIT_USAGE;
    }
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The batch calls of limbic.h: arrays of independent operations. A group of them is gathered, every
 * one as far as its block; then the trapdoor is computed for all blocks; then every one is ended.
 */
#include <string.h>

#include "base/error.h"
#include "base/wipe.h"
#include "core/key/key.h"
#include "core/number/limb.h"
#include "core/output.h"
#include "core/params.h"

/* A group has as many operations as the widest kernels have lanes, and their blocks have room on
   the stack: eight of 4096 bits, two of 16384. */
#define LANES 8
#define ROOM 4096

/* An item, whatever its kind. */
struct view {
    limbic_key_t key;
    const struct limbic_params *params;
    const void *input; /* message, digest or ciphertext */
    size_t input_len;
    const void *signature; /* to be verified */
    size_t signature_len;
    void *output; /* signature or message */
    size_t output_size;
    size_t *output_len; /* NULL of a verification */
    gpg_error_t *error;
};

struct lane {
    struct view view;
    struct lb_rsa_padding padding;
    const unsigned char *digest;
    size_t digest_len;
    gpg_error_t begun; /* of the item, before its block was computed: the answer, unless 0 */
    unsigned char room[LB_HASH_MAX];
};

struct group {
    struct lane lane[LANES];
    struct lb_rsa_job job[LANES]; /* of the lane of the same number */
    unsigned char blocks[ROOM];
    size_t count, used;
};

struct kind {
    size_t first_size; /* of an item, in its first version */
    size_t our_size;
    struct view (*view)(void *item);
    gpg_error_t (*begin)(struct lane *lane, unsigned flags, unsigned char *block);
    void (*compute)(struct lb_rsa_job *jobs, size_t count);
    gpg_error_t (*end)(struct lane *lane, unsigned char *block, gpg_error_t err);
};

/* Whether items may be read: what this version does not know of them asks for nothing. */
static gpg_error_t check_items(const struct kind *kind, const unsigned char *items, size_t count,
                               size_t *stride)
{
    size_t size;

    memcpy(stride, items, sizeof *stride);
    for (size_t i = 0; i < count; i++) {
        const unsigned char *item = items + i * *stride;
        memcpy(&size, item, sizeof size);
        if (size != *stride || size < kind->first_size || size > 65536)
            return lb_error(GPG_ERR_INV_ARG, "the size of an item is not set, or not all are one");
        for (size_t j = kind->our_size; j < size; j++)
            if (item[j])
                return lb_error(GPG_ERR_INV_ARG, "an item asks for what this version lacks");
    }
    return 0;
}

static gpg_error_t check_view(const struct view *view)
{
    if (view->output_len)
        *view->output_len = 0;
    if (!view->key || (!view->input && view->input_len) ||
        (!view->signature && view->signature_len) || (view->output_len && !view->output))
        return lb_error(GPG_ERR_INV_ARG, "NULL argument");
    return 0;
}

/* Takes an item into the group; false if there is no room for it. */
static bool gather(const struct kind *kind, struct group *group, void *item, unsigned flags)
{
    struct lane *lane = &group->lane[group->count];
    struct lb_rsa_job *job = &group->job[group->count];
    struct view view;
    size_t bytes;

    if (group->count == LANES)
        return false;
    view = kind->view(item);
    bytes = view.key ? lb_rsa_bytes(view.key->rsa) : 0;
    if (bytes > ROOM - group->used)
        return false;
    *job = (struct lb_rsa_job){view.key ? view.key->rsa : NULL, group->blocks + group->used, 0};
    lane->view = view;
    job->err = check_view(&view);
    if (!job->err)
        job->err = kind->begin(lane, flags, job->block);
    lane->begun = job->err;
    group->used += bytes;
    group->count++;
    return true;
}

static gpg_error_t run(const struct kind *kind, void *items, size_t count, unsigned flags)
{
    struct group group;
    gpg_error_t err, last = 0;
    size_t stride = 0, taken = 0;

    if (!items && count)
        return lb_error(GPG_ERR_INV_ARG, "NULL argument");
    if (flags & ~LIMBIC_BATCH_DIGEST)
        return lb_error(GPG_ERR_INV_ARG, "unknown flag");
    if (count == 0)
        return 0;
    err = check_items(kind, items, count, &stride);
    if (err)
        return err;
    while (taken < count) {
        group.count = group.used = 0;
        while (taken < count &&
               gather(kind, &group, (unsigned char *)items + taken * stride, flags))
            taken++;
        kind->compute(group.job, group.count);
        for (size_t i = 0; i < group.count; i++) {
            struct lane *lane = &group.lane[i];
            err = lane->begun ? lane->begun : kind->end(lane, group.job[i].block, group.job[i].err);
            *lane->view.error = err;
            last = err ? err : last;
        }
    }
    lb_wipe(&group, sizeof group);
    return last;
}

/*
 * Signatures
 */

static gpg_error_t gather_digest(struct lane *lane, unsigned flags)
{
    const struct view *view = &lane->view;
    gpg_error_t err = lb_params_to_sign(&lane->padding, view->params);

    lane->digest = view->input;
    lane->digest_len = view->input_len;
    if (err || (flags & LIMBIC_BATCH_DIGEST))
        return err;
    return lb_params_digest(&lane->padding, view->input, view->input_len, lane->room, &lane->digest,
                            &lane->digest_len);
}

static gpg_error_t begin_sign(struct lane *lane, unsigned flags, unsigned char *block)
{
    const struct view *view = &lane->view;
    struct lb_rsa *rsa = view->key->rsa;
    gpg_error_t err;

    if (!lb_rsa_is_private(rsa))
        return lb_error(GPG_ERR_NO_SECKEY, "signing needs a private key");
    err = lb_output_fits(view->output, view->output_size, lb_rsa_bytes(rsa), view->output_len);
    if (!err)
        err = gather_digest(lane, flags);
    return err ? err
               : lb_rsa_sign_begin(rsa, &lane->padding, lane->digest, lane->digest_len, block);
}

static gpg_error_t end_sign(struct lane *lane, unsigned char *block, gpg_error_t err)
{
    if (err)
        return err;
    LB_DECLASSIFY(block, lb_rsa_bytes(lane->view.key->rsa));
    memcpy(lane->view.output, block, lb_rsa_bytes(lane->view.key->rsa));
    return 0;
}

static struct view view_sign(void *item)
{
    struct limbic_sign_item *i = item;

    return (struct view){.key = i->key,
                         .params = i->params,
                         .input = i->message,
                         .input_len = i->message_len,
                         .output = i->signature,
                         .output_size = i->signature_size,
                         .output_len = &i->signature_len,
                         .error = &i->error};
}

gpg_error_t limbic_sign_batch(struct limbic_sign_item *items, size_t count, unsigned flags)
{
    static const struct kind kind = {
        offsetof(struct limbic_sign_item, error) + sizeof(gpg_error_t),
        sizeof(struct limbic_sign_item),
        view_sign,
        begin_sign,
        lb_rsa_private_batch,
        end_sign,
    };

    return run(&kind, items, count, flags);
}

static gpg_error_t begin_verify(struct lane *lane, unsigned flags, unsigned char *block)
{
    gpg_error_t err = gather_digest(lane, flags);

    return err ? err
               : lb_rsa_verify_begin(lane->view.key->rsa, &lane->padding, lane->digest_len,
                                     lane->view.signature, lane->view.signature_len, block);
}

static gpg_error_t end_verify(struct lane *lane, unsigned char *block, gpg_error_t err)
{
    return lb_rsa_verify_end(lane->view.key->rsa, &lane->padding, lane->digest, lane->digest_len,
                             block, err);
}

static struct view view_verify(void *item)
{
    struct limbic_verify_item *i = item;

    return (struct view){.key = i->key,
                         .params = i->params,
                         .input = i->message,
                         .input_len = i->message_len,
                         .signature = i->signature,
                         .signature_len = i->signature_len,
                         .error = &i->error};
}

gpg_error_t limbic_verify_batch(struct limbic_verify_item *items, size_t count, unsigned flags)
{
    static const struct kind kind = {
        offsetof(struct limbic_verify_item, error) + sizeof(gpg_error_t),
        sizeof(struct limbic_verify_item),
        view_verify,
        begin_verify,
        lb_rsa_public_batch,
        end_verify,
    };

    return run(&kind, items, count, flags);
}

/*
 * Decryption
 */

static gpg_error_t begin_decrypt(struct lane *lane, unsigned flags, unsigned char *block)
{
    const struct view *view = &lane->view;
    struct lb_rsa *rsa = view->key->rsa;
    size_t max = 0;
    gpg_error_t err;

    (void)flags;
    if (!lb_rsa_is_private(rsa))
        return lb_error(GPG_ERR_NO_SECKEY, "decryption needs a private key");
    err = lb_params_to_encrypt(&lane->padding, view->params);
    if (!err)
        err = lb_rsa_max_message(rsa, &lane->padding, &max);
    if (!err)
        err = lb_output_fits(view->output, view->output_size, max, view->output_len);
    if (err)
        return err;
    err = lb_rsa_decrypt_begin(rsa, view->input, view->input_len, block);
    if (err)
        *view->output_len = 0;
    return err;
}

static gpg_error_t end_decrypt(struct lane *lane, unsigned char *block, gpg_error_t err)
{
    const struct view *view = &lane->view;

    return lb_rsa_decrypt_end(view->key->rsa, &lane->padding, view->input, block, view->output,
                              view->output_len, err);
}

static struct view view_decrypt(void *item)
{
    struct limbic_decrypt_item *i = item;

    return (struct view){.key = i->key,
                         .params = i->params,
                         .input = i->ciphertext,
                         .input_len = i->ciphertext_len,
                         .output = i->message,
                         .output_size = i->message_size,
                         .output_len = &i->message_len,
                         .error = &i->error};
}

gpg_error_t limbic_decrypt_batch(struct limbic_decrypt_item *items, size_t count)
{
    static const struct kind kind = {
        offsetof(struct limbic_decrypt_item, error) + sizeof(gpg_error_t),
        sizeof(struct limbic_decrypt_item),
        view_decrypt,
        begin_decrypt,
        lb_rsa_private_batch,
        end_decrypt,
    };

    return run(&kind, items, count, 0);
}

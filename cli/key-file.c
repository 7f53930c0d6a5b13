/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Key files: read, with the passphrase of encrypted ones, and written. Knows no key format: the
 * library does.
 */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

#define MOST_KEY_FILE (1024 * 1024)

/* How often a wrong passphrase may be typed. */
#define ATTEMPTS 3

static gpg_error_t import_with(const struct cli_buffer *file, unsigned flags,
                               struct cli_key_source *source)
{
    return limbic_key_import_encrypted(&source->key, file->data, file->length,
                                       source->passphrase.data, source->passphrase.length, flags);
}

static gpg_error_t import_asking(const char *path, const struct cli_buffer *file, unsigned flags,
                                 struct cli_key_source *source, int *status)
{
    gpg_error_t err = 0;
    char prompt[300];

    snprintf(prompt, sizeof prompt, "Passphrase of %.256s: ", cli_input_name(path));
    for (int i = 0; i < ATTEMPTS; i++) {
        *status = cli_ask_passphrase(i > 0 ? "Wrong. Once more: " : prompt, "--passphrase-file",
                                     &source->passphrase);
        if (*status != CLI_OK)
            return 0;
        err = import_with(file, flags, source);
        if (gpg_err_code(err) != GPG_ERR_BAD_PASSPHRASE)
            break;
        cli_release(&source->passphrase);
    }
    return err;
}

/* The file is known to be encrypted; err says so. */
static gpg_error_t import_encrypted(const struct cli_args *args, const struct cli_buffer *file,
                                    unsigned flags, struct cli_key_source *source, gpg_error_t err,
                                    int *status)
{
    const char *path = args->value[OPT_PASSPHRASE_FILE];

    if (!path && !cli_has_terminal())
        return err;
    if (!path)
        return import_asking(args->value[OPT_KEY], file, flags, source, status);
    *status = cli_read_passphrase(path, &source->passphrase);
    return *status == CLI_OK ? import_with(file, flags, source) : 0;
}

gpg_error_t cli_import_key(const struct cli_args *args, unsigned flags,
                           struct cli_key_source *source, int *status)
{
    const char *path = args->value[OPT_KEY];
    struct cli_buffer file;
    gpg_error_t err;

    *source = (struct cli_key_source){.protection = LIMBIC_PROTECTION_INIT};
    *status = cli_read_file(path, MOST_KEY_FILE, &file);
    if (*status != CLI_OK)
        return 0;
    /* What it cannot say, import says with a reason. */
    (void)limbic_key_protection(file.data, file.length, &source->protection);
    err = limbic_key_import(&source->key, file.data, file.length, flags);
    if (gpg_err_code(err) == GPG_ERR_NO_PASSPHRASE)
        err = import_encrypted(args, &file, flags, source, err, status);
    cli_release(&file);
    if (err || *status != CLI_OK)
        cli_release_key(source);
    return err;
}

void cli_release_key(struct cli_key_source *source)
{
    limbic_key_free(source->key);
    source->key = NULL;
    cli_release(&source->passphrase);
}

int cli_load_key(const struct cli_args *args, unsigned flags, limbic_key_t *key)
{
    struct cli_key_source source;
    int status;
    gpg_error_t err = cli_import_key(args, flags, &source, &status);

    *key = NULL;
    if (err)
        return cli_library_error(err, cli_input_name(args->value[OPT_KEY]));
    if (status == CLI_OK) {
        *key = source.key;
        source.key = NULL;
        cli_release_key(&source);
    }
    return status;
}

static gpg_error_t export_key(limbic_key_t key, const struct cli_key_form *form, void *buffer,
                              size_t size, size_t *length)
{
    unsigned flags = form->der ? 0 : LIMBIC_EXPORT_PEM;

    if (form->passphrase)
        return limbic_key_export_encrypted(key, flags, form->passphrase->data,
                                           form->passphrase->length, form->protection, buffer, size,
                                           length);
    return limbic_key_export(key, form->format, flags, buffer, size, length);
}

/* The room needed is asked for first. */
int cli_write_key(limbic_key_t key, const struct cli_key_form *form, const char *path)
{
    int is_public =
        form->format == LIMBIC_FORMAT_SPKI || form->format == LIMBIC_FORMAT_PKCS1_PUBLIC;
    struct cli_buffer text;
    size_t size;
    gpg_error_t err = export_key(key, form, NULL, 0, &size);
    int status;

    if (err)
        return cli_library_error(err, NULL);
    status = cli_make_buffer(&text, size);
    if (status != CLI_OK)
        return status;
    err = export_key(key, form, text.data, size, &text.length);
    status =
        err ? cli_library_error(err, NULL)
            : cli_write_file(path, text.data, text.length, is_public ? CLI_PUBLIC : CLI_PRIVATE);
    cli_release(&text);
    return status;
}

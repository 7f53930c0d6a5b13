/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program of many lives, for run-lifetime: it uses an installed limbic from handlers of its own end,
 * opens and closes the library, and has two copies of it at once.
 *
 *     lifetime exit KEY            calls before, in and after everything that runs at exit
 *     lifetime reload KEY LIBRARY  (without limbic) opens and closes the library a thousand times
 *     lifetime two KEY PLUGIN      (with the static library) beside a plug-in that has the shared one
 *
 * Compiled with PLUGIN it is that plug-in. Exit status 0 is well; what is not is said.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <limbic.h>

#define SIGNATURE 256

static unsigned char key_data[8192];
static size_t key_length;

/* The calls, found where the case wants them. */
struct calls {
    __typeof__(limbic_key_import) *import;
    __typeof__(limbic_sign) *sign;
    __typeof__(limbic_key_free) *release;
    __typeof__(limbic_configure) *configure;
    __typeof__(limbic_report) *report;
    __typeof__(limbic_free) *free_text;
};

void read_key(const char *path);
void read_key(const char *path)
{
    FILE *f = fopen(path, "rb");

    key_length = f ? fread(key_data, 1, sizeof key_data, f) : 0;
    if (f)
        fclose(f);
}

static int sign_with(const struct calls *calls, unsigned char signature[SIGNATURE])
{
    limbic_key_t key;
    size_t length = 0;
    gpg_error_t err = calls->import(&key, key_data, key_length, 0);

    if (err)
        return 1;
    err = calls->sign(key, NULL, "text", 4, signature, SIGNATURE, &length);
    calls->release(key);
    return err || length != SIGNATURE;
}

#ifndef NO_LIBRARY
/* Whether the copy's report has the line. */
static int reports(const struct calls *calls, const char *line)
{
    char *text;
    int found;

    if (calls->report(LIMBIC_REPORT_INFO, 0, &text))
        return 0;
    found = strstr(text, line) != NULL;
    calls->free_text(text);
    return found;
}

static const struct calls linked = {limbic_key_import, limbic_sign,   limbic_key_free,
                                    limbic_configure,  limbic_report, limbic_free};
#endif

#ifdef PLUGIN
/* The copy of the plug-in: signs, and tells whether its words are none. */
int plugin_run(const unsigned char *data, size_t length, unsigned char *signature);
int plugin_run(const unsigned char *data, size_t length, unsigned char *signature)
{
    memcpy(key_data, data, length);
    key_length = length;
    return sign_with(&linked, signature) || !reports(&linked, "words            (none)\n");
}
#else

static int complain(const char *what)
{
    fprintf(stderr, "%s\n", what);
    return 1;
}

/* ---- exit ----------------------------------------------------------------------------------- */

#ifndef NO_LIBRARY
static int at_exit_case;

static void must_sign(const char *where)
{
    unsigned char signature[SIGNATURE];

    if (at_exit_case && sign_with(&linked, signature)) {
        complain(where);
        _exit(1);
    }
}

static void early_handler(void)
{
    must_sign("in a handler registered before first use");
}

static void late_handler(void)
{
    must_sign("in a handler registered after first use");
}

__attribute__((destructor)) static void destructor(void)
{
    must_sign("in a destructor");
}

static atomic_int signed_by_thread;

static void *keep_signing(void *unused)
{
    for (;;) {
        must_sign("in a detached thread");
        atomic_fetch_add(&signed_by_thread, 1);
    }
    return unused;
}

static int run_exit(void)
{
    at_exit_case = 1;
    if (atexit(early_handler))
        return 1;
    must_sign("in main");
    if (atexit(late_handler))
        return 1;
    for (int i = 0; i < 4; i++) {
        pthread_t id;

        if (pthread_create(&id, NULL, keep_signing, NULL) || pthread_detach(id))
            return 1;
    }
    while (atomic_load(&signed_by_thread) < 8)
        usleep(1000);
    return 0; /* they go on while the handlers run */
}
#endif

/* ---- reload --------------------------------------------------------------------------------- */

#define LIVING 32
#define TIMES 1000

static int find(void *library, struct calls *calls)
{
    *(void **)&calls->import = dlsym(library, "limbic_key_import");
    *(void **)&calls->sign = dlsym(library, "limbic_sign");
    *(void **)&calls->release = dlsym(library, "limbic_key_free");
    return !calls->import || !calls->sign || !calls->release;
}

static struct calls found;
static atomic_int used, may_end;

/* Uses the library, and lives on after it was closed: its thread-local data end with it. */
static void *use_and_stay(void *unused)
{
    unsigned char signature[SIGNATURE];
    limbic_key_t none;

    (void)found.import(&none, "", 0, 0); /* leaves an error's detail behind */
    if (sign_with(&found, signature))
        _exit(complain("in a thread"));
    atomic_fetch_add(&used, 1);
    while (!atomic_load(&may_end)) {
        if (sign_with(&found, signature))
            _exit(complain("in a thread, while others close the library"));
        usleep(20000);
    }
    return unused;
}

static int run_reload(const char *path)
{
    pthread_t thread[LIVING];

    for (int i = 0; i < TIMES; i++) {
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

        if (!library || find(library, &found))
            return complain(dlerror());
        if (i < LIVING && pthread_create(&thread[i], NULL, use_and_stay, NULL))
            return complain("no thread");
        if (i < LIVING)
            while (atomic_load(&used) <= i)
                usleep(100);
        if (dlclose(library))
            return complain("dlclose");
    }
    atomic_store(&may_end, 1);
    for (int i = 0; i < LIVING; i++)
        pthread_join(thread[i], NULL);
    return 0;
}

/* ---- two ------------------------------------------------------------------------------------ */

#ifndef NO_LIBRARY
static int run_two(const char *path)
{
    int (*run)(const unsigned char *, size_t, unsigned char *);
    unsigned char mine[SIGNATURE], other[SIGNATURE];
    void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (!plugin)
        return complain(dlerror());
    *(void **)&run = dlsym(plugin, "plugin_run");
    if (limbic_configure("only:portable") || sign_with(&linked, mine))
        return complain("the copy of the program");
    if (!run || run(key_data, key_length, other))
        return complain("the copy of the plug-in");
    if (memcmp(mine, other, SIGNATURE))
        return complain("two signatures");
    if (!reports(&linked, "words            only:portable\n"))
        return complain("the words of the program");
    return 0;
}
#endif

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    read_key(argv[2]);
#ifndef NO_LIBRARY
    if (strcmp(argv[1], "exit") == 0)
        return run_exit();
    if (strcmp(argv[1], "two") == 0 && argc == 4)
        return run_two(argv[3]);
#endif
    if (strcmp(argv[1], "reload") == 0 && argc == 4)
        return run_reload(argv[3]);
    return 2;
}
#endif

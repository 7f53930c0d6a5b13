/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * limbic.h - public-key cryptography with pluggable arithmetic: the public interface.
 *
 * Rules that hold for every function:
 *
 *   Errors       Functions return a gpg_error_t: 0, or a code of libgpg-error (gpg_err_code() gives
 *                it, gpg_strerror() its text) whose source is GPG_ERR_SOURCE_USER_1.
 *                limbic_error_detail() has one line more on the last error of the calling thread.
 *                Codes that any function may return besides those it lists: GPG_ERR_INV_ARG (a NULL
 *                or contradictory argument, an unknown flag, a structure without its size), and
 *                those of limbic_init, which runs on first use. Functions that draw random numbers
 *                (generation, checks, private operations and what makes a private key) may also
 *                return GPG_ERR_NOT_OPERATIONAL (the source repeats itself) and what the system
 *                says when getrandom fails. Functions that make an object or a text set it to NULL
 *                when they fail.
 *   Units        Sizes and lengths are in octets unless a name says bits.
 *   Output       Functions that write to a caller's buffer take (buffer, size, &length). With
 *                buffer NULL they only set length to the room needed (an upper bound where the text
 *                says so). When size is too small they set length likewise, write nothing and
 *                return GPG_ERR_BUFFER_TOO_SHORT. Otherwise length is what was written. Input and
 *                output buffers must not overlap, unless the text says otherwise.
 *   Texts        Names, versions and warnings that are returned as const char * are the library's
 *                and stay as they are while the process lives, unless the text says otherwise.
 *   Threads      All functions may be called from any thread at any time. A key is immutable and
 *                may be used by many threads at once. A stream belongs to one thread at a time.
 *   Fork         A child may go on using the keys of its parent; blinding values are not shared.
 *                fork() waits while another thread is in the middle of first use, the opening of a
 *                module or self-tests. The code of a module must not call it.
 *   Constant     Operations with a private key run in constant time in everything secret: key,
 *   time         nonces, blinding, padding checks. Sizes, algorithms and results are public.
 *                Functions that only see public values may run in variable time; import and export
 *                of private keys leak the lengths of their encoded integers, key generation the
 *                number of candidates tried.
 *   Memory       Private keys live in locked, undumpable pages as far as the process may lock
 *                memory, and are wiped when freed; likewise what a passphrase gives, but for the
 *                large memory of scrypt, which is undumpable and wiped, not locked. Sign and verify with a ready key allocate
 *                nothing, but libgcrypt allocates a context for MD5, SHAKE, Streebog and GOST R
 *                34.11-94.
 *   Stack        Operations keep their scratch on the stack: at most 128 KiB at 16384 bits, 64 KiB up
 *                to 4096 bits, key generation included.
 *   Structures   Structures that may grow begin with their size; use the *_INIT macros. Members are
 *                only ever appended; one that this version does not know must be zero
 *                (GPG_ERR_INV_ARG).
 *
 * limbic uses libgcrypt for digests, and for the ciphers of encrypted key files, and calls
 * gcry_check_version only; a program that wants to initialise libgcrypt in its own way does so
 * before its first call of limbic. libgcrypt itself aborts the process if it runs out of memory
 * during its own first initialisation, and refuses a cipher for good if it does so at the cipher's
 * first use.
 */
#ifndef LIMBIC_H
#define LIMBIC_H

#include <gpg-error.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* ------------------------------------------------------------------------------------------------
 * The library
 */

#define LIMBIC_VERSION "0.1.0"
#define LIMBIC_VERSION_NUMBER 0x000100

/* The version of the library that runs, e.g. "0.1.0"; NULL if `required` is given and is newer than
   it or is not a version. Does not initialise anything. */
const char *limbic_version(const char *required);

/* Initialises the library: reads the configuration files and LIMBIC, chooses the kernels and self-tests those of the first
   plan. Calling it is optional: every function that needs it does so, once. flags:
   LIMBIC_INIT_TEST_ALL tests every kernel of the plan at every size now, which takes up to a
   second, instead of when a key first needs it. Errors, of the words in the files and in LIMBIC: GPG_ERR_NOT_FOUND,
   GPG_ERR_NOT_SUPPORTED (a provider that an `only:` chain names is missing, or not usable here),
   GPG_ERR_UNKNOWN_NAME, GPG_ERR_SYNTAX, GPG_ERR_CONFLICT, GPG_ERR_TOO_LARGE (a restriction that is
   misspelt or contradicts another, and must not be lost). Of a configuration file that is there and
   cannot be obeyed: GPG_ERR_CONFIGURATION (others may write to it, or it is no regular file),
   GPG_ERR_SYNTAX, GPG_ERR_TOO_LARGE, or a code of the system (it cannot be read). Of the machine: GPG_ERR_SELFTEST_FAILED (no usable kernel is
   left), GPG_ERR_SYSTEM_BUG (libgcrypt is too old), GPG_ERR_ENOMEM, and GPG_ERR_EMFILE or another
   code of the system where a module of an `only:` chain could not be opened for a shortage that may
   pass. The same error is returned by every later operation, until limbic_reconfigure succeeds. */
#define LIMBIC_INIT_TEST_ALL 1u
gpg_error_t limbic_init(unsigned flags);

/* The program's own words, in the language of the variable LIMBIC, before the library is first used.
   They take the place of all words of the variable and of the configuration files except those that
   can only restrict: -FEATURE, license= and words of files that are marked final. NULL takes back what was configured before. Errors: GPG_ERR_INV_STATE (the library
   is in use already), GPG_ERR_ENOMEM, and those that limbic_init has for the words, among them the
   restrictions of the variable and of the files; then nothing is configured anew. The files are read
   for this check, and again at first use. */
gpg_error_t limbic_configure(const char *words);

/* Other words at any time, also while other threads compute: publishes a new choice of kernels,
   which every operation that begins from then on uses. The configuration files are read anew, the
   environment is not. Words as in limbic_configure, in the place of all that were in force but the
   restrictions of the variable and of the files; NULL means the words of first
   use, so that going back needs no restart. What the words name is looked for each time, also with
   NULL: a module that was missing, or not opened for a shortage, may be there by now; one that was
   opened or refused is not looked at again, and neither are the environment and the CPU. Keys stay ready. What has failed a self-test stays out
   of use; sizes of keys that have been made ready before are self-tested for the new choice before
   it is published. What was made for some words is kept until the process ends, about 90 KiB for
   each text of them, and used when they come again. Errors: GPG_ERR_ENOMEM, and those that
   limbic_init has for the words; then everything stays as it was, and nothing is kept. */
gpg_error_t limbic_reconfigure(const char *words);

/* What the library runs and why, as text for people or as one JSON object (LIMBIC_REPORT_JSON).
   LIST: the providers. INFO: version, licence, build options, words in force, memory.
   EXPLAIN: for every slot the kernel chosen, and the reason against every other candidate.
   Works also when limbic_init fails: the report says why. *text is released with limbic_free.
   Errors: GPG_ERR_ENOMEM. */
enum limbic_report_kind {
    LIMBIC_REPORT_LIST = 1,
    LIMBIC_REPORT_INFO = 2,
    LIMBIC_REPORT_EXPLAIN = 3,
};
#define LIMBIC_REPORT_JSON 1u
gpg_error_t limbic_report(enum limbic_report_kind what, unsigned flags, char **text);

/* What LIMBIC_REPORT_EXPLAIN would say in another program: a dry run with the configuration files as
   this process reads them, the lines for that program among them. Nothing is read from a running
   process; the words that the program gives itself are not known. Words that cannot be used are no
   error here: the text says so. *text is released with limbic_free. Errors: GPG_ERR_ENOMEM,
   GPG_ERR_TOO_LARGE (a name of more than 255 octets). */
struct limbic_program {
    size_t size;
    const char *name;     /* the basename of its file, as in [program NAME] */
    const char *variable; /* its LIMBIC; NULL: not set */
    int is_set_id;        /* it ignores the variable */
    const char *what;     /* for the report: what this is a dry run of; NULL: the program NAME */
};
#define LIMBIC_PROGRAM_INIT \
    { \
        sizeof(struct limbic_program), 0, 0, 0, 0 \
    }
gpg_error_t limbic_explain(const struct limbic_program *program, unsigned flags, char **text);

/* Checks configuration files: their lines, and their words as they would count here, for programs
   without a section of their own and for each that has one. `name` and `octets` are one file's; with
   NULL for `name` the installed files are checked, who may write to them too. `found` is called on
   the calling thread for each finding, "FILE:LINE: text", or "FILE: text" where it is of the whole
   file; the text is valid during the call. Returns 0 whether or not there are any. Errors: a code of
   the system (an installed file cannot be read), GPG_ERR_ENOMEM. */
typedef void (*limbic_finding_fn)(void *opaque, const char *finding);
gpg_error_t limbic_config_lint(const char *name, const void *octets, size_t length,
                               limbic_finding_fn found, void *opaque);

/* Releases what the library allocated for the caller. NULL is fine. */
void limbic_free(void *p);

/* One line on the calling thread's last error: what is wrong, and where. "" if there is nothing to
   say. Valid until the thread's next call of the library. Never holds secrets. */
const char *limbic_error_detail(void);

/* One line on a word in force that was understood by nobody and so had no effect, or NULL. */
const char *limbic_warning(void);

/* One line on the first kernel that was found wrong in this process, by its self-test or in an
   operation, or NULL: results come from others then, and limbic_report(LIMBIC_REPORT_EXPLAIN) tells
   all. Before the library's first use there is none. Valid until the thread's next call of this
   function. */
const char *limbic_fault(void);

/* Makes limbic_init and every creation of a private key fail with GPG_ERR_ENOMEM when the key's
   memory cannot be locked (on != 0), instead of going on with unlocked, undumpable memory. */
void limbic_require_locked(int on);

/* Self-tests of the kernels of all providers (NULL), or of the one named, chosen or not: known
   answers and comparison with portable C, at 256, 1024 and 2048 bits, with LIMBIC_SELFTEST_LONG at
   every size class. For all providers a known RSA signature by the plan in force follows. `report`,
   if not NULL, is called on the calling thread once for each group of tests: what was tested, and
   NULL or what failed, both valid during the call. Errors: GPG_ERR_SELFTEST_FAILED,
   GPG_ERR_NOT_FOUND (no such provider), GPG_ERR_NOT_SUPPORTED (nothing of it is usable here),
   GPG_ERR_ENOMEM, GPG_ERR_EMFILE or another code of the system (its module could not be opened for a
   shortage that may pass). */
#define LIMBIC_SELFTEST_LONG 1u
typedef void (*limbic_selftest_fn)(void *opaque, const char *what, const char *failure);
gpg_error_t limbic_selftest(const char *provider, unsigned flags, limbic_selftest_fn report,
                            void *opaque);

/* ------------------------------------------------------------------------------------------------
 * Keys
 *
 * A key is opaque and immutable: private with its public half, or public only. Keys are counted
 * references.
 */
typedef struct limbic_key *limbic_key_t;

enum limbic_key_type {
    LIMBIC_KEY_RSA = 1,
};

struct limbic_key_facts {
    size_t size; /* sizeof(struct limbic_key_facts), set by the caller */
    enum limbic_key_type type;
    int is_private;
    unsigned bits;         /* of the modulus */
    const char *type_name; /* "RSA" */
    size_t max_signature;  /* octets */
};
#define LIMBIC_KEY_FACTS_INIT \
    { \
        sizeof(struct limbic_key_facts), LIMBIC_KEY_RSA, 0, 0, 0, 0 \
    }

/* Progress of key generation: prime candidates tested so far (after sieving) and how many a key of
   this kind takes on the average. Called on the generating thread. A return value other than 0
   cancels. */
typedef int (*limbic_progress_fn)(void *opaque, unsigned long tested, unsigned long expected);

struct limbic_generate {
    size_t size;
    uint64_t e;     /* RSA: public exponent, odd, >= 3; 0 for 65537 */
    int allow_weak; /* RSA: allow 1024 and 1536 bits */
    limbic_progress_fn progress;
    void *opaque;
    unsigned primes; /* RSA: how many primes, 0 for 2 */
};
#define LIMBIC_GENERATE_INIT \
    { \
        sizeof(struct limbic_generate), 0, 0, 0, 0, 0 \
    }

/* Makes a private key. spec: "rsa:BITS", BITS 2048 .. 16384, even or odd (1024 .. 2047 only with
   allow_weak). Ranges, distance and tests of the primes are those of FIPS 186-5, A.1.3, but they
   are searched for upwards from random starts, not drawn one by one; d is smaller than
   lcm(p-1, q-1). Up to 3 primes below 4096 bits, 4 below 8192, 5 from there on; their lengths
   differ by one bit at most. A key of three and more is for old software that wants one: it is
   faster, but the primes are shorter. options may be NULL. Errors: GPG_ERR_UNSUPPORTED_ALGORITHM
   (spec is of another kind), GPG_ERR_INV_VALUE (BITS is no decimal number; e is even or 1; one
   prime), GPG_ERR_TOO_SHORT (weak size), GPG_ERR_TOO_LARGE (BITS, or too many primes for it),
   GPG_ERR_CANCELED, GPG_ERR_BAD_SECKEY (the new key failed its trial: a fault of arithmetic),
   GPG_ERR_ENOMEM. */
gpg_error_t limbic_key_generate(limbic_key_t *key, const char *spec,
                                const struct limbic_generate *options);

/* Reads one key, PEM or DER, private or public, detected from the content: PKCS#8 (RFC 5208, 5958),
   PKCS#1 RSAPrivateKey and RSAPublicKey (RFC 8017, A.1), SubjectPublicKeyInfo (RFC 5280). Strict:
   DER only, nothing after the structure; in PEM text before the block is allowed, only white space
   after it. RSA: 512 to 16384 bits, e odd, 3 to 2^64 - 1, two to five primes of any lengths. Secret
   numbers that are zero are missing, and are computed from the others: d and the CRT values from
   the primes, the primes from d (which takes as long as some three to ten operations modulo n
   without CRT, by chance and by the number of primes: 4 to 20 seconds at 16384 bits; not for primes
   that are tiny, nor where e d - 1 ends in more than 256 zero bits). So every key is whole once it
   is loaded, and is written so. The numbers of a private key are checked for consistency (n = pq, e dp = 1 mod p-1, e dq = 1 mod q-1, q qi =
   1 mod p, e d = 1 modulo either; d < n), not for primality: limbic_key_check does that. flags:
   LIMBIC_IMPORT_LENIENT leaves the consistency checks out, so that limbic_key_check can be asked
   about a bad key; such a key is refused by every private operation. Errors: GPG_ERR_NO_DATA (empty, or a PEM block without contents),
   GPG_ERR_TOO_LARGE (more than 1 MiB, a number of more than 16384 bits, or more than five primes), GPG_ERR_TOO_SHORT (a
   modulus of less than 512 bits, or DER that ends early). PEM: GPG_ERR_INV_ARMOR, GPG_ERR_BAD_DATA
   (text after the block), GPG_ERR_TOO_MANY (a second block). DER: GPG_ERR_BAD_DATA (neither PEM nor
   DER; octets or elements that do not belong), GPG_ERR_NOT_DER_ENCODED (BER), GPG_ERR_INV_LENGTH,
   GPG_ERR_INV_TAG, GPG_ERR_INV_VALUE (a negative number, odd bits), GPG_ERR_INV_OID_STRING,
   GPG_ERR_UNKNOWN_VERSION. Keys: GPG_ERR_UNSUPPORTED_ALGORITHM (no RSA key, or one for PSS only),
   GPG_ERR_NO_PASSPHRASE (encrypted: limbic_key_import_encrypted reads it), GPG_ERR_BAD_PUBKEY (n
   or e), GPG_ERR_BAD_SECKEY (the other numbers do not fit them,
   or PKCS#8 holds another key's public half), GPG_ERR_ENOMEM. */
#define LIMBIC_IMPORT_LENIENT 1u
gpg_error_t limbic_key_import(limbic_key_t *key, const void *data, size_t len, unsigned flags);

/* Writes a key. The output of LIMBIC_EXPORT_PEM ends with a newline and has no NUL.
   Errors: GPG_ERR_NO_SECKEY (a private format of a public key),
   GPG_ERR_BUFFER_TOO_SHORT, GPG_ERR_ENOMEM. */
enum limbic_format {
    LIMBIC_FORMAT_PKCS8 = 1,        /* private: PrivateKeyInfo, version 0 */
    LIMBIC_FORMAT_PKCS1 = 2,        /* private: RSAPrivateKey */
    LIMBIC_FORMAT_SPKI = 3,         /* public: SubjectPublicKeyInfo */
    LIMBIC_FORMAT_PKCS1_PUBLIC = 4, /* public: RSAPublicKey */
};
#define LIMBIC_EXPORT_PEM 1u
gpg_error_t limbic_key_export(limbic_key_t key, enum limbic_format format, unsigned flags,
                              void *buffer, size_t size, size_t *length);

/* A key from, and to, its components: non-negative integers as big-endian octets (leading zeros
   allowed on input, none on output). RSA: "n", "e", and for a private key also "d", "p", "q", "dp",
   "dq", "qi" (q^-1 mod p), and for each further prime "r3", "d3", "t3" ((p q)^-1 mod r3), "r4", ...;
   what is missing of a private key, or zero, is computed: at least "d" or the primes must be there.
   Flags as limbic_key_import.
   Errors: for the list GPG_ERR_MISSING_VALUE, GPG_ERR_UNKNOWN_NAME, GPG_ERR_DUP_VALUE; for the type
   GPG_ERR_UNSUPPORTED_ALGORITHM; for the numbers GPG_ERR_TOO_LARGE (more than 16384 bits, or
   written in more than 1 MiB), GPG_ERR_TOO_SHORT, GPG_ERR_BAD_PUBKEY, GPG_ERR_BAD_SECKEY;
   GPG_ERR_ENOMEM. get_component: GPG_ERR_UNKNOWN_NAME (also of a prime that the key lacks), GPG_ERR_NO_SECKEY, GPG_ERR_BUFFER_TOO_SHORT. */
struct limbic_component {
    const char *name;
    const void *value;
    size_t length;
};
gpg_error_t limbic_key_from_components(limbic_key_t *key, enum limbic_key_type type,
                                       const struct limbic_component *components, size_t count,
                                       unsigned flags);
gpg_error_t limbic_key_get_component(limbic_key_t key, const char *name, void *buffer, size_t size,
                                     size_t *length);

/* The public half as a key of its own. Errors: GPG_ERR_BAD_PUBKEY (loaded leniently, with a bad n
   or e), GPG_ERR_ENOMEM. */
gpg_error_t limbic_key_public(limbic_key_t key, limbic_key_t *public_key);

/* One more reference, one less; the last one wipes and frees. NULL is fine. */
limbic_key_t limbic_key_ref(limbic_key_t key);
void limbic_key_free(limbic_key_t key);

/* Facts about a key. info->size must be set. */
gpg_error_t limbic_key_info(limbic_key_t key, struct limbic_key_facts *info);

/* Full validation, slow: consistency, primality of the primes (Miller-Rabin with random bases and a
   Lucas test); a modulus that is a prime or has a factor below 752. Errors: GPG_ERR_BAD_PUBKEY,
   GPG_ERR_BAD_SECKEY, GPG_ERR_ENOMEM. */
gpg_error_t limbic_key_check(limbic_key_t key);

/* Makes the key ready for the plan in force: self-tests of the kernels at its size, prepared
   states, first blinding values. Creation does so already; this is for keys used after the plan
   changed, so that no operation has to: the first operation after a change of plan may otherwise
   allocate once, for states that the new kernels keep. Errors: GPG_ERR_BAD_PUBKEY and
   GPG_ERR_BAD_SECKEY (loaded leniently, and bad), GPG_ERR_ENOMEM. */
gpg_error_t limbic_key_ready(limbic_key_t key);

/* ------------------------------------------------------------------------------------------------
 * Sign and verify
 */

enum limbic_hash {
    LIMBIC_HASH_DEFAULT = 0, /* SHA-256 for RSA */
    LIMBIC_HASH_NONE = 1,    /* no digest: the message itself is padded (PKCS#1: no DigestInfo) */
    LIMBIC_HASH_SHA1 = 2,
    LIMBIC_HASH_SHA224 = 3,
    LIMBIC_HASH_SHA256 = 4,
    LIMBIC_HASH_SHA384 = 5,
    LIMBIC_HASH_SHA512 = 6,
    LIMBIC_HASH_SHA512_224 = 7,
    LIMBIC_HASH_SHA512_256 = 8,
    LIMBIC_HASH_SHA3_224 = 9,
    LIMBIC_HASH_SHA3_256 = 10,
    LIMBIC_HASH_SHA3_384 = 11,
    LIMBIC_HASH_SHA3_512 = 12,
    LIMBIC_HASH_SHAKE128 = 13, /* 32 octets of output */
    LIMBIC_HASH_SHAKE256 = 14, /* 64 octets of output */
    LIMBIC_HASH_SM3 = 15,
    LIMBIC_HASH_STREEBOG256 = 16,
    LIMBIC_HASH_STREEBOG512 = 17,
    LIMBIC_HASH_GOSTR94 = 18,
    LIMBIC_HASH_MD5 = 19,
};

/* The number of the hash with that name as limbic(1) has them ("sha256", "sha3-256", "none"),
   case-insensitive, or -1. The name of a number, or NULL. The digest's octets; 0 for NONE and
   DEFAULT. */
int limbic_hash_by_name(const char *name);
const char *limbic_hash_name(enum limbic_hash hash);
size_t limbic_hash_size(enum limbic_hash hash);

enum limbic_padding {
    LIMBIC_PADDING_DEFAULT = 0, /* to sign PKCS1, to encrypt OAEP */
    LIMBIC_PADDING_PKCS1 = 1,   /* RSASSA-PKCS1-v1_5 (RFC 8017, 8.2), RSAES-PKCS1-v1_5 (7.2) */
    LIMBIC_PADDING_PSS = 2,     /* to sign: RSASSA-PSS (8.1; SHAKE as MGF: RFC 8702) */
    LIMBIC_PADDING_OAEP = 3,    /* to encrypt: RSAES-OAEP (7.1; SHAKE as MGF as with PSS) */
    LIMBIC_PADDING_RAW = 4,     /* none: the input is a number below the modulus, big-endian, with
                                   leading zeros or without. Secure only for those who build a
                                   padding of their own upon it */
};

/* Salt lengths besides plain numbers of octets. */
#define LIMBIC_SALT_DEFAULT (-1) /* sign: DIGEST; verify: AUTO */
#define LIMBIC_SALT_DIGEST (-2)  /* as long as the digest */
#define LIMBIC_SALT_MAX (-3)     /* as long as fits */
#define LIMBIC_SALT_AUTO (-4)    /* verify only: any length, as found */

struct limbic_params {
    size_t size;
    enum limbic_hash hash;
    enum limbic_padding padding;
    enum limbic_hash mgf_hash; /* PSS, OAEP; DEFAULT: as hash */
    int salt_len;              /* PSS */
    const void *label;         /* OAEP: octets that must be the same to decrypt */
    size_t label_len;
};
#define LIMBIC_PARAMS_INIT \
    { \
        sizeof(struct limbic_params), LIMBIC_HASH_DEFAULT, LIMBIC_PADDING_DEFAULT, \
            LIMBIC_HASH_DEFAULT, LIMBIC_SALT_DEFAULT, 0, 0 \
    }

/* Signs a message, or the digest of one (then digest_len must be the hash's size). params may be
   NULL for all defaults. The signature of RSA has the octets of the modulus. The result has been
   checked with the public key before it is released. When a kernel is at fault it is taken out of
   service and the portable ones do the work again; so there is never a wrong signature. RAW signs
   the input itself (hash DEFAULT or NONE), which is not zero and below the modulus.
   Errors: GPG_ERR_NO_SECKEY (a public key), GPG_ERR_UNUSABLE_SECKEY (loaded leniently, and bad),
   GPG_ERR_DIGEST_ALGO (unknown; not in this libgcrypt; PKCS#1 with a digest that has no DigestInfo,
   which are SHAKE, Streebog and GOST R 34.11-94; PSS without a digest, RAW with one),
   GPG_ERR_INV_LENGTH (digest), GPG_ERR_TOO_SHORT (the key is too short for digest and salt, or for
   the message with LIMBIC_HASH_NONE), GPG_ERR_INV_VALUE (padding, salt length or a label; RAW: out
   of range), GPG_ERR_BAD_SECKEY (the key's own
   values do not give a valid signature), GPG_ERR_BUFFER_TOO_SHORT. */
gpg_error_t limbic_sign(limbic_key_t key, const struct limbic_params *params, const void *message,
                        size_t len, void *signature, size_t size, size_t *length);
gpg_error_t limbic_sign_digest(limbic_key_t key, const struct limbic_params *params,
                               const void *digest, size_t digest_len, void *signature, size_t size,
                               size_t *length);

/* Returns 0 if the signature is valid. Errors: GPG_ERR_BAD_SIGNATURE (not valid, of whatever kind:
   wrong length, out of range, wrong padding or digest, a key too short for them),
   GPG_ERR_UNUSABLE_PUBKEY (loaded leniently, and bad), GPG_ERR_DIGEST_ALGO, GPG_ERR_INV_LENGTH
   (digest), GPG_ERR_INV_VALUE (padding, salt length or a label). With PKCS#1 v1.5 only the exact encoding of
   RFC 8017 is accepted, with the NULL parameter in DigestInfo. */
gpg_error_t limbic_verify(limbic_key_t key, const struct limbic_params *params, const void *message,
                          size_t len, const void *signature, size_t signature_len);
gpg_error_t limbic_verify_digest(limbic_key_t key, const struct limbic_params *params,
                                 const void *digest, size_t digest_len, const void *signature,
                                 size_t signature_len);

/* The same for messages that come in pieces: open, update as often as needed, then either sign or
   verify once, then close (at any time; NULL is fine). Opening allocates. After sign or verify,
   whatever they returned, everything but close gives GPG_ERR_INV_STATE; asking for the length,
   GPG_ERR_BUFFER_TOO_SHORT, GPG_ERR_INV_ARG and GPG_ERR_NO_SECKEY end nothing. Other errors: as the
   calls above, those of params when opening; GPG_ERR_DIGEST_ALGO for LIMBIC_HASH_NONE;
   GPG_ERR_ENOMEM. */
typedef struct limbic_stream *limbic_stream_t;
gpg_error_t limbic_stream_open(limbic_stream_t *stream, limbic_key_t key,
                               const struct limbic_params *params);
gpg_error_t limbic_stream_update(limbic_stream_t stream, const void *data, size_t len);
gpg_error_t limbic_stream_sign(limbic_stream_t stream, void *signature, size_t size,
                               size_t *length);
gpg_error_t limbic_stream_verify(limbic_stream_t stream, const void *signature,
                                 size_t signature_len);
void limbic_stream_close(limbic_stream_t stream);

/* ------------------------------------------------------------------------------------------------
 * Encrypt and decrypt
 */

/* Encrypts a message, which is short: with OAEP at most k - 2h - 2 octets for a modulus of k and a
   hash of h octets, with PKCS1 k - 11, with RAW k. params may be NULL: OAEP with SHA-256. PKCS1 and
   RAW use no hash: one that params name must be one of enum limbic_hash, and has no effect. The
   ciphertext has k octets and may be written over the message. Constant time in the message. A private key serves as its public half does.
   Errors: GPG_ERR_UNUSABLE_PUBKEY (loaded leniently, and bad), GPG_ERR_TOO_SHORT (the key for the
   message, or for the hash), GPG_ERR_DIGEST_ALGO (OAEP without one, or one that this libgcrypt
   lacks), GPG_ERR_INV_VALUE (padding; a label without OAEP; RAW: zero, or not below the modulus),
   GPG_ERR_BUFFER_TOO_SHORT; those of the system's randomness. */
gpg_error_t limbic_encrypt(limbic_key_t key, const struct limbic_params *params,
                           const void *message, size_t len, void *ciphertext, size_t size,
                           size_t *length);

/* Decrypts. The buffer must have room for the longest message that there can be, which is what a
   call without one tells (and what limbic_encrypt takes at most); *length is then the length of
   the message. The message may be written over the ciphertext. The private operation is blinded,
   in constant time, and checked with the public key, as in limbic_sign.

   OAEP: whatever is wrong with a ciphertext (its length, its range, the padding, the label) gives
   GPG_ERR_DECRYPT_FAILED with one detail, in one time. PKCS1: the padding is never an error, since
   to tell of it would let anybody decrypt who may ask often enough (D. Bleichenbacher, CRYPTO '98).
   A ciphertext with a wrong padding gives a message of pseudo-random octets and length instead, the
   same each time, derived from the private key and the ciphertext (implicit rejection,
   draft-irtf-cfrg-rsa-guidance, as OpenSSL 3.2 and later have it); only one of a wrong length or not
   below the modulus gives GPG_ERR_DECRYPT_FAILED. Who uses PKCS1 must not tell either whether the
   message made sense. RAW: the number in as many octets as the modulus has.
   Errors: GPG_ERR_DECRYPT_FAILED, GPG_ERR_NO_SECKEY (a public key), GPG_ERR_UNUSABLE_SECKEY,
   GPG_ERR_BAD_SECKEY (the key's own values do not give a right result), GPG_ERR_TOO_SHORT (the key
   for the hash), GPG_ERR_DIGEST_ALGO, GPG_ERR_INV_VALUE, GPG_ERR_BUFFER_TOO_SHORT. */
gpg_error_t limbic_decrypt(limbic_key_t key, const struct limbic_params *params,
                           const void *ciphertext, size_t len, void *message, size_t size,
                           size_t *length);

/* ------------------------------------------------------------------------------------------------
 * Many operations in one call
 *
 * Arrays of operations that do not depend on each other, with the same keys or different ones, each
 * with an error of its own: exactly those of the call for one. All items of an array have the same
 * `size`. Buffers must be there (there is no asking for lengths) and belong to one item only;
 * otherwise what may overlap is as in the call for one. A failed item's buffer is left as it was.
 * Nothing is allocated that a single call would not allocate.
 *
 * A call returns 0 if all items succeeded, else the error of the last one that did not;
 * limbic_error_detail then tells of one of those that did not. GPG_ERR_INV_ARG without any item having been touched: items is NULL,
 * sizes are wrong, an unknown flag.
 *
 * In this version the operations are computed one after another.
 */
#define LIMBIC_BATCH_DIGEST 1u /* the messages are digests, as for limbic_sign_digest */

struct limbic_sign_item {
    size_t size; /* sizeof(struct limbic_sign_item) */
    limbic_key_t key;
    const struct limbic_params *params; /* NULL: defaults */
    const void *message;
    size_t message_len;
    void *signature;
    size_t signature_size;
    size_t signature_len; /* set by the call */
    gpg_error_t error;    /* set by the call */
};
gpg_error_t limbic_sign_batch(struct limbic_sign_item *items, size_t count, unsigned flags);

struct limbic_verify_item {
    size_t size;
    limbic_key_t key;
    const struct limbic_params *params;
    const void *message;
    size_t message_len;
    const void *signature;
    size_t signature_len;
    gpg_error_t error; /* 0: valid */
};
gpg_error_t limbic_verify_batch(struct limbic_verify_item *items, size_t count, unsigned flags);

struct limbic_decrypt_item {
    size_t size;
    limbic_key_t key;
    const struct limbic_params *params;
    const void *ciphertext;
    size_t ciphertext_len;
    void *message;
    size_t message_size;
    size_t message_len;
    gpg_error_t error;
};
gpg_error_t limbic_decrypt_batch(struct limbic_decrypt_item *items, size_t count);

/* ------------------------------------------------------------------------------------------------
 * Encrypted key files
 */

/* The encryption of a private key under a passphrase. As a parameter it says how to encrypt, and
   members that are 0 stand for the values behind their names; the defaults are of 2023's advice by
   OWASP, and every OpenSSL from 1.1.0 on reads what comes of them (its scrypt takes no more than
   32 MiB, hence N = 2^14 with p = 5). */
enum limbic_kdf {
    LIMBIC_KDF_DEFAULT = 0, /* to write: PBKDF2; as an answer: the file is not encrypted */
    LIMBIC_KDF_PBKDF2 = 1,  /* RFC 8018, with HMAC over `hash` */
    LIMBIC_KDF_SCRYPT = 2,  /* RFC 7914 */
    LIMBIC_KDF_PEM_MD5 = 3, /* traditional PEM: MD5, once. Weak, and read only */
};
enum limbic_cipher {
    LIMBIC_CIPHER_DEFAULT = 0, /* AES-256 */
    LIMBIC_CIPHER_AES128 = 1,  /* all in mode CBC */
    LIMBIC_CIPHER_AES192 = 2,
    LIMBIC_CIPHER_AES256 = 3,
    LIMBIC_CIPHER_DES_EDE3 = 4, /* read only */
};
struct limbic_protection {
    size_t size;
    enum limbic_kdf kdf;
    enum limbic_cipher cipher;
    enum limbic_hash hash; /* PBKDF2: SHA1, SHA224 .. SHA512, SHA512_224, SHA512_256; SHA256 */
    uint64_t iterations;   /* PBKDF2; 600000 */
    uint64_t scrypt_n;     /* 2^14; the memory is 128 r (N + p + 2) octets, the time goes with N r p */
    uint64_t scrypt_r;     /* 8 */
    uint64_t scrypt_p;     /* 5 */
};
#define LIMBIC_PROTECTION_INIT \
    { \
        sizeof(struct limbic_protection), LIMBIC_KDF_DEFAULT, LIMBIC_CIPHER_DEFAULT, \
            LIMBIC_HASH_DEFAULT, 0, 0, 0, 0 \
    }

/* Limits, so that a file from somebody else takes neither hours nor all memory: on one core of 2020
   the greatest numbers take some ten seconds. They hold for reading and writing. PBKDF2 goes through
   its iterations for each piece of the key that is as long as the hash: for AES-256 twice with SHA-1
   and SHA-224, SHA-512/224. To write, PBKDF2 has at least 1000 iterations, scrypt N r p at least
   2^13. */
#define LIMBIC_PBKDF2_MOST_ITERATIONS 10000000u /* of all pieces together */
#define LIMBIC_SCRYPT_MOST_MEMORY 0x10000000u   /* 256 MiB */
#define LIMBIC_SCRYPT_MOST_WORK 0x1000000u      /* N r p: 2^24 */
#define LIMBIC_SCRYPT_MOST_BLOCKS 0x10000u      /* r p: 2^16 */
#define LIMBIC_SALT_MOST 1024u                  /* octets */
#define LIMBIC_PASSPHRASE_MOST 65536u           /* octets */

/* Reads one key as limbic_key_import does, also when it is encrypted; a file that is not encrypted
   is read as it is. Encrypted keys are: EncryptedPrivateKeyInfo (RFC 5958, section 3) with PBES2
   (RFC 8018), PEM or DER; and PKCS#1 in traditional PEM encryption, with the header lines Proc-Type
   and DEK-Info. The ciphers and derivations are those above.
   A passphrase is octets, used as they are: any value, NUL among them, no character set, no end of
   line taken off; it may be empty, but not NULL. limbic_key_import itself says that one is needed,
   by GPG_ERR_NO_PASSPHRASE, after all that can be judged without; so a program asks then only.
   Errors: GPG_ERR_BAD_PASSPHRASE (a wrong passphrase; the same when the encrypted octets are damaged
   so that no key comes out: where one comes out whose numbers are damaged, the error is that of the
   numbers), GPG_ERR_UNSUPPORTED_PROTECTION (another way of encryption, such as PBES1 and that of
   PKCS#12; or this libgcrypt refuses the cipher), GPG_ERR_DIGEST_ALGO (it refuses the hash),
   GPG_ERR_INV_VALUE (a number that PBKDF2 or scrypt cannot have), GPG_ERR_TOO_LARGE (above the
   limits; the passphrase is too long), GPG_ERR_INV_LENGTH (the encrypted octets are not whole
   blocks); and those of limbic_key_import. */
gpg_error_t limbic_key_import_encrypted(limbic_key_t *key, const void *data, size_t len,
                                        const void *passphrase, size_t passphrase_len,
                                        unsigned flags);

/* Writes a private key as EncryptedPrivateKeyInfo with PBES2, DER or LIMBIC_EXPORT_PEM, with a fresh
   salt and initialisation vector of 16 octets each; how == NULL: all defaults. The length depends on
   the key and `how` alone. An empty passphrase protects nothing and is refused.
   Errors: GPG_ERR_NO_SECKEY (a public key), GPG_ERR_INV_PASSPHRASE (empty), GPG_ERR_INV_VALUE (kdf,
   cipher or hash unknown or read only; a number that the derivation cannot have), GPG_ERR_TOO_SHORT,
   GPG_ERR_TOO_LARGE (a number below or above the limits; the passphrase),
   GPG_ERR_UNSUPPORTED_PROTECTION, GPG_ERR_DIGEST_ALGO (this libgcrypt refuses the cipher, the hash),
   GPG_ERR_BUFFER_TOO_SHORT, GPG_ERR_ENOMEM. */
gpg_error_t limbic_key_export_encrypted(limbic_key_t key, unsigned flags, const void *passphrase,
                                        size_t passphrase_len, const struct limbic_protection *how,
                                        void *buffer, size_t size, size_t *length);

/* How the key in a file is encrypted, without its passphrase: all members of *found that mean
   something for its kdf, the others 0; kdf LIMBIC_KDF_DEFAULT and no more when it is not encrypted.
   found->size must be set. Looks at the container only: numbers are not compared with the limits,
   and what is not encrypted need not be a key. Errors: those of limbic_key_import for containers,
   GPG_ERR_UNSUPPORTED_PROTECTION, GPG_ERR_INV_LENGTH (of an initialisation vector or key). */
gpg_error_t limbic_key_protection(const void *data, size_t len, struct limbic_protection *found);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif /* LIMBIC_H */

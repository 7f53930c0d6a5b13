/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-rsa-shapes.c - RSA keys of which numbers are missing, keys of more than two primes in their
 * formats, and numbers made to keep the search for primes busy.
 */
#define LIMBIC_TESTING 1 /* the hooks of the test build */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <gcrypt.h>

#include "core/key/der.h"
#include "core/key/key.h"
#include "core/number/random.h"
#include "tests/keys.h"

static const char message[] = "limbic-case";
#define MESSAGE message, sizeof message - 1

static const char *const names[] = {"n",  "e",  "d",  "p",  "q",  "dp", "dq",
                                    "qi", "r3", "d3", "t3", "r4", "d4", "t4"};
enum { N, E, D, P, Q, DP, DQ, QI, NAMES = SIZE(names) };

struct numbers {
    struct limbic_component list[NAMES];
    unsigned char octets[NAMES][MAX_SIGNATURE];
    size_t count;
};

static void get_numbers(struct numbers *x, limbic_key_t key)
{
    for (x->count = 0; x->count < NAMES; x->count++) {
        size_t i = x->count, len;
        if (limbic_key_get_component(key, names[i], x->octets[i], MAX_SIGNATURE, &len))
            break;
        x->list[i] = (struct limbic_component){names[i], x->octets[i], len};
    }
}

/* A key of those numbers whose bits are set. */
static gpg_error_t from(limbic_key_t *key, const struct numbers *x, unsigned long which,
                        unsigned flags)
{
    struct limbic_component some[NAMES];
    size_t count = 0;

    for (size_t i = 0; i < x->count; i++)
        if (which >> i & 1)
            some[count++] = x->list[i];
    return limbic_key_from_components(key, LIMBIC_KEY_RSA, some, count, flags);
}

/* It signs what the whole key signs. */
static void signs_as(limbic_key_t key, limbic_key_t whole)
{
    unsigned char one[MAX_SIGNATURE], other[MAX_SIGNATURE];
    size_t len, other_len;

    assert_code(limbic_key_check(key), 0);
    assert_code(limbic_sign(key, NULL, MESSAGE, one, sizeof one, &len), 0);
    assert_code(limbic_sign(whole, NULL, MESSAGE, other, sizeof other, &other_len), 0);
    assert_int_equal(len, other_len);
    assert_memory_equal(one, other, len);
}

static void same_export(limbic_key_t key, limbic_key_t whole)
{
    static unsigned char one[MAX_KEY], other[MAX_KEY];
    size_t len, other_len;

    assert_code(limbic_key_export(key, LIMBIC_FORMAT_PKCS1, 0, one, sizeof one, &len), 0);
    assert_code(limbic_key_export(whole, LIMBIC_FORMAT_PKCS1, 0, other, sizeof other, &other_len),
                0);
    assert_int_equal(len, other_len);
    assert_memory_equal(one, other, len);
}

static const char *const files[] = {"keys/rsa512.pkcs8.pem", "rsa/ok-1017.pem",
                                    "rsa/ok-1025.pem",       "rsa/ok-2047.pem",
                                    "rsa/ok-2048-e3.pem",    "rsa/ok-unbalanced-1536-512.pem",
                                    "rsa/e-64bit.pem",       "rsa/multi-3-1536.pem",
                                    "rsa/multi-3-2049.pem",  "rsa/multi-4-2048.pem"};

/* Whatever is missing, as long as d or the primes are there. */
static void missing_numbers(void **state)
{
    static struct numbers x;
    limbic_key_t whole, key;

    (void)state;
    for (size_t f = 0; f < SIZE(files); f++) {
        unsigned long all, crt = 0, primes = 1 << P | 1 << Q;

        print_message("# %s\n", files[f]);
        whole = must_import(files[f]);
        get_numbers(&x, whole);
        all = (1ul << x.count) - 1;
        for (size_t i = 8; i < x.count; i += 3)
            primes |= 1ul << i;
        crt = all & ~primes & ~7ul;
        /* Each alone, all CRT values, and d with them. */
        for (size_t i = DP; i < x.count; i++)
            if (crt >> i & 1) {
                assert_code(from(&key, &x, all & ~(1ul << i), 0), 0);
                same_export(key, whole);
                limbic_key_free(key);
            }
        assert_code(from(&key, &x, all & ~crt, 0), 0);
        same_export(key, whole);
        signs_as(key, whole);
        limbic_key_free(key);
        assert_code(from(&key, &x, all & ~crt & ~(1ul << D), 0), 0);
        signs_as(key, whole);
        limbic_key_free(key);
        /* d alone: the primes are found, of more than two not in their order. */
        assert_code(from(&key, &x, 7, 0), 0);
        assert_int_equal(lb_rsa_primes(key->rsa), lb_rsa_primes(whole->rsa));
        if (x.count == 8) /* the longer one first */
            same_export(key, whole);
        signs_as(key, whole);
        limbic_key_free(key);
        /* Neither d nor primes; one prime of them missing, which d makes up for. */
        assert_code(from(&key, &x, all & ~primes & ~(1ul << D), 0), GPG_ERR_BAD_SECKEY);
        for (size_t i = P; i < x.count; i++) {
            if (!(primes >> i & 1))
                continue;
            assert_code(from(&key, &x, all & ~(1ul << i) & ~(1ul << D), 0), GPG_ERR_BAD_SECKEY);
            assert_code(from(&key, &x, all & ~(1ul << i), 0), 0);
            signs_as(key, whole);
            limbic_key_free(key);
            x.octets[i == P ? Q : P][0] ^= 1;
            assert_code(from(&key, &x, all & ~(1ul << i), 0), GPG_ERR_BAD_SECKEY);
            x.octets[i == P ? Q : P][0] ^= 1;
        }
        limbic_key_free(whole);
    }
}

/* ---- Made numbers ---- */

static gcry_mpi_t mpi(const struct limbic_component *c)
{
    gcry_mpi_t x;

    if (gcry_mpi_scan(&x, GCRYMPI_FMT_USG, c->value, c->length, NULL))
        fail_msg("gcry_mpi_scan");
    return x;
}

static void put(struct numbers *x, size_t i, gcry_mpi_t value)
{
    size_t len;

    if (gcry_mpi_print(GCRYMPI_FMT_USG, x->octets[i], MAX_SIGNATURE, &len, value))
        fail_msg("gcry_mpi_print");
    x->list[i] = (struct limbic_component){names[i], x->octets[i], len};
}

static gcry_mpi_t less_one(gcry_mpi_t x)
{
    gcry_mpi_t r = gcry_mpi_new(0);

    gcry_mpi_sub_ui(r, x, 1);
    return r;
}

/* d modulo (p - 1) (q - 1) does as well as modulo their least common multiple. */
static void d_modulo_phi(void **state)
{
    static struct numbers x;
    limbic_key_t whole = must_import("rsa/ok-2047.pem"), key;
    gcry_mpi_t p1, q1, phi = gcry_mpi_new(0), d = gcry_mpi_new(0), e;

    (void)state;
    get_numbers(&x, whole);
    e = mpi(&x.list[E]);
    gcry_mpi_t p = mpi(&x.list[P]), q = mpi(&x.list[Q]);
    p1 = less_one(p);
    q1 = less_one(q);
    gcry_mpi_mul(phi, p1, q1);
    gcry_mpi_invm(d, e, phi);
    put(&x, D, d);
    for (int which = 0; which < 3; which++) {
        static const unsigned long sets[] = {0xff, 0x1f, 0x07};
        assert_code(from(&key, &x, sets[which], 0), 0);
        signs_as(key, whole);
        limbic_key_free(key);
    }
    gcry_mpi_t *all[] = {&p1, &q1, &phi, &d, &e, &p, &q};
    for (size_t i = 0; i < SIZE(all); i++)
        gcry_mpi_release(*all[i]);
    limbic_key_free(whole);
}

static unsigned draws;

static gpg_error_t counted(void *opaque, void *buf, size_t len)
{
    (void)opaque;
    draws++;
    memset(buf, 3, len);
    return 0;
}

/* Of these the search for primes finds none, and sees it before it begins, or soon. */
static void no_primes_to_find(void **state)
{
    static struct numbers x, y;
    limbic_key_t whole = must_import("rsa/ok-2048.pem"), key;
    gcry_mpi_t p, p1, t = gcry_mpi_new(0), d = gcry_mpi_new(0), e, n;

    (void)state;
    get_numbers(&x, whole);
    e = mpi(&x.list[E]);
    n = mpi(&x.list[N]);
    p = mpi(&x.list[P]);
    p1 = less_one(p);
    y = x;
    for (size_t i = 0; i < NAMES; i++)
        y.list[i].value = y.octets[i];
    lb_random_hook(counted, NULL);
    draws = 0;
    /* A prime. */
    put(&y, N, p);
    gcry_mpi_invm(d, e, p1);
    put(&y, D, d);
    assert_code(from(&key, &y, 7, 0), GPG_ERR_BAD_SECKEY);
    /* Its square. */
    gcry_mpi_mul(t, p, p);
    put(&y, N, t);
    gcry_mpi_mul(t, p, p1);
    gcry_mpi_invm(d, e, t);
    put(&y, D, d);
    assert_code(from(&key, &y, 7, 0), GPG_ERR_BAD_SECKEY);
    assert_int_equal(draws, 0);
    lb_random_hook(NULL, NULL);
    /* d that is no inverse: even, off by two, 1, n and more. */
    for (int i = 0; i < 5; i++) {
        gcry_mpi_t wrong = mpi(&x.list[D]);
        if (i == 0)
            gcry_mpi_sub_ui(wrong, wrong, 1);
        else if (i == 1)
            gcry_mpi_add_ui(wrong, wrong, 2);
        else if (i == 2)
            gcry_mpi_set_ui(wrong, 1);
        else if (i == 3)
            gcry_mpi_set(wrong, n);
        else
            gcry_mpi_mul_2exp(wrong, n, 80);
        y.list[N] = x.list[N];
        put(&y, D, wrong);
        assert_code(from(&key, &y, 7, 0), GPG_ERR_BAD_SECKEY);
        assert_code(from(&key, &y, 0x1f, 0), GPG_ERR_BAD_SECKEY);
        /* Leniently it can be looked at, not used. */
        assert_code(from(&key, &y, 7, LIMBIC_IMPORT_LENIENT), 0);
        unsigned char out[MAX_SIGNATURE];
        size_t len;
        assert_code(limbic_key_get_component(key, "p", out, sizeof out, &len), 0);
        assert_int_equal(len, 0);
        assert_code(limbic_key_check(key), GPG_ERR_BAD_SECKEY);
        assert_code(limbic_sign(key, NULL, MESSAGE, out, sizeof out, &len),
                    GPG_ERR_UNUSABLE_SECKEY);
        limbic_key_free(key);
        gcry_mpi_release(wrong);
    }
    /* An even modulus, e = 1: said before anything is searched for. */
    y = x;
    for (size_t i = 0; i < NAMES; i++)
        y.list[i].value = y.octets[i];
    y.octets[N][255] ^= 1;
    assert_code(from(&key, &y, 7, 0), GPG_ERR_BAD_PUBKEY);
    y.octets[N][255] ^= 1;
    gcry_mpi_set_ui(t, 1);
    put(&y, E, t);
    assert_code(from(&key, &y, 7, 0), GPG_ERR_BAD_PUBKEY);
    gcry_mpi_t *all[] = {&p, &p1, &t, &d, &e, &n};
    for (size_t i = 0; i < SIZE(all); i++)
        gcry_mpi_release(*all[i]);
    limbic_key_free(whole);
}

static gcry_mpi_t some_prime(void)
{
    gcry_mpi_t p;

    if (gcry_prime_generate(&p, 150, 0, NULL, NULL, NULL, GCRY_WEAK_RANDOM, 0))
        fail_msg("gcry_prime_generate");
    return p;
}

/* Of 150 bits, and 1 modulo 2^96. */
static gcry_mpi_t prime_of_high_order(void)
{
    gcry_mpi_t p = gcry_mpi_new(0);

    do {
        gcry_mpi_randomize(p, 54, GCRY_WEAK_RANDOM);
        gcry_mpi_set_bit(p, 53);
        gcry_mpi_mul_2exp(p, p, 96);
        gcry_mpi_add_ui(p, p, 1);
    } while (gcry_prime_check(p, 0));
    return p;
}

/* n, e and d of `count` primes of 150 bits, one of high order if that is asked for, and of the square of
   a prime unless that is 0. */
static void made_of(struct numbers *x, int count, bool high_order, unsigned square)
{
    gcry_mpi_t n = gcry_mpi_set_ui(NULL, square ? square : 1), d = gcry_mpi_new(0),
               phi = gcry_mpi_set_ui(NULL, square ? square - 1 : 1),
               e = gcry_mpi_set_ui(NULL, 65537);

    if (square) {
        gcry_mpi_mul_ui(n, n, square);
        gcry_mpi_mul_ui(phi, phi, square);
    }
    for (int i = 0; i < count; i++) {
        gcry_mpi_t p = high_order && i == 0 ? prime_of_high_order() : some_prime(),
                   p1 = less_one(p);

        gcry_mpi_mul(n, n, p);
        gcry_mpi_mul(phi, phi, p1);
        gcry_mpi_release(p);
        gcry_mpi_release(p1);
    }
    gcry_mpi_invm(d, e, phi);
    put(x, N, n);
    put(x, E, e);
    put(x, D, d);
    x->count = 3;
    gcry_mpi_t *all[] = {&n, &phi, &d, &e};
    for (size_t i = 0; i < SIZE(all); i++)
        gcry_mpi_release(*all[i]);
}

static void five_are_found(bool high_order)
{
    static struct numbers x;
    limbic_key_t key;

    made_of(&x, 5, high_order, 0);
    assert_code(from(&key, &x, 7, 0), 0);
    assert_int_equal(lb_rsa_primes(key->rsa), 5);
    signs_as(key, key);
    limbic_key_free(key);
}

static void five_and_six(void **state)
{
    static struct numbers x;
    limbic_key_t key;

    (void)state;
    for (int i = 0; i < 4; i++)
        five_are_found(false);
    made_of(&x, 6, false, 0);
    assert_code(from(&key, &x, 7, 0), GPG_ERR_BAD_SECKEY);
}

static gpg_error_t counted_random(void *opaque, void *buf, size_t len)
{
    (void)opaque;
    draws++;
    gcry_randomize(buf, len, GCRY_WEAK_RANDOM);
    return 0;
}

/* Where r - 1 of one prime has a large power of two and those of others a small one: bases separate
   these as well. And a square beside other primes, which no base splits, does not keep the search. */
static void primes_of_unlike_orders(void **state)
{
    static struct numbers x;
    limbic_key_t key;

    (void)state;
    for (int i = 0; i < 3; i++)
        five_are_found(true);
    made_of(&x, 4, false, 65521);
    lb_random_hook(counted_random, NULL);
    draws = 0;
    assert_code(from(&key, &x, 7, 0), GPG_ERR_BAD_SECKEY);
    assert_true(draws < 30);
    /* e d - 1 = 2^589, with a round for each of its zeros: seen before the search. */
    made_of(&x, 4, false, 0);
    gcry_mpi_t d = gcry_mpi_set_ui(NULL, 0);
    gcry_mpi_set_bit(d, 589);
    gcry_mpi_add_ui(d, d, 1);
    gcry_mpi_t three = gcry_mpi_set_ui(NULL, 3);
    gcry_mpi_div(d, NULL, d, three, 0);
    put(&x, E, three);
    put(&x, D, d);
    draws = 0;
    assert_code(from(&key, &x, 7, 0), GPG_ERR_BAD_SECKEY);
    assert_int_equal(draws, 0);
    lb_random_hook(NULL, NULL);
    gcry_mpi_release(d);
    gcry_mpi_release(three);
}

/* ---- Formats ---- */

/* Through every format; PKCS#1 comes out as it went in. */
static void more_primes_round_trip(void **state)
{
    static unsigned char out[MAX_KEY], again[MAX_KEY];
    size_t len, again_len;

    (void)state;
    for (size_t f = 7; f < SIZE(files); f++) {
        limbic_key_t key = must_import(files[f]), other;
        struct text given = load(files[f]);

        assert_code(
            limbic_key_export(key, LIMBIC_FORMAT_PKCS1, LIMBIC_EXPORT_PEM, out, sizeof out, &len),
            0);
        assert_int_equal(len, given.len);
        assert_memory_equal(out, given.data, len);
        for (unsigned flags = 0; flags < 2; flags++) {
            assert_code(limbic_key_export(key, LIMBIC_FORMAT_PKCS8, flags, out, sizeof out, &len),
                        0);
            assert_code(limbic_key_import(&other, out, len, 0), 0);
            assert_code(limbic_key_export(other, LIMBIC_FORMAT_PKCS8, flags, again, sizeof again,
                                          &again_len),
                        0);
            assert_int_equal(len, again_len);
            assert_memory_equal(out, again, len);
            signs_as(other, key);
            limbic_key_free(other);
        }
        free(given.data);
        limbic_key_free(key);
    }
}

/* RSAPrivateKey with a version and so many further primes, whose numbers are nonsense; count < 0: no
   list of them. */
static gpg_error_t import_list(uint64_t version, int count, int numbers)
{
    static const unsigned char number[65] = {0x80, [64] = 1};
    static unsigned char der[MAX_KEY];
    limbic_key_t key;
    lb_der_writer w;
    size_t len;

    lb_der_put_init(&w, der, sizeof der);
    lb_der_put_open(&w, LB_DER_SEQUENCE);
    lb_der_put_integer_small(&w, version);
    for (int i = 0; i < 8; i++)
        lb_der_put_integer(&w, number, sizeof number);
    if (count >= 0)
        lb_der_put_open(&w, LB_DER_SEQUENCE);
    for (int i = 0; i < count; i++) {
        lb_der_put_open(&w, LB_DER_SEQUENCE);
        for (int j = 0; j < numbers; j++)
            lb_der_put_integer(&w, number, sizeof number);
        lb_der_put_close(&w);
    }
    if (count >= 0)
        lb_der_put_close(&w);
    lb_der_put_close(&w);
    assert_code(lb_der_put_finish(&w, &len), 0);
    return limbic_key_import(&key, der, len, 0);
}

static void lists_of_primes(void **state)
{
    (void)state;
    assert_code(import_list(0, -1, 3), GPG_ERR_BAD_PUBKEY); /* the form is right, e is too long */
    for (int count = 1; count <= 3; count++) {
        assert_code(import_list(1, count, 3), GPG_ERR_BAD_PUBKEY);
        assert_code(import_list(0, count, 3), GPG_ERR_BAD_DATA);
        assert_code(import_list(2, count, 3), GPG_ERR_UNKNOWN_VERSION);
        assert_code(import_list(1, count, 2), GPG_ERR_TOO_SHORT);
        assert_code(import_list(1, count, 4), GPG_ERR_BAD_DATA);
    }
    assert_code(import_list(1, -1, 3), GPG_ERR_TOO_SHORT);
    assert_code(import_list(1, 0, 3), GPG_ERR_TOO_SHORT);
    assert_code(import_list(1, 4, 3), GPG_ERR_TOO_LARGE);
    assert_code(import_list(1, 20, 3), GPG_ERR_TOO_LARGE);
}

/* Each number of a further prime off by two: the check says which. */
static void wrong_numbers(void **state)
{
    static const struct {
        const char *name, *detail;
    } wrong[] = {{"r3", "product"}, {"d3", "d3"}, {"t3", "t3"},
                 {"r4", "product"}, {"d4", "d4"}, {"t4", "t4"}};
    static struct numbers x;
    limbic_key_t whole = must_import("rsa/multi-4-2048.pem"), key;

    (void)state;
    get_numbers(&x, whole);
    assert_int_equal(x.count, 14);
    for (size_t i = 0; i < SIZE(wrong); i++) {
        unsigned char *last = x.octets[8 + i] + x.list[8 + i].length - 1;
        *last ^= 2;
        assert_code(from(&key, &x, 0x3fff, 0), GPG_ERR_BAD_SECKEY);
        assert_non_null(strstr(limbic_error_detail(), wrong[i].detail));
        *last ^= 2;
    }
    assert_code(from(&key, &x, 0x3fff, 0), 0);
    limbic_key_free(key);
    /* A prime twice, one dropped, two exchanged. */
    assert_code(from(&key, &x, 0x7ff, 0), GPG_ERR_BAD_SECKEY);
    struct limbic_component r3 = x.list[8];
    x.list[8].value = x.list[11].value;
    assert_code(from(&key, &x, 0x3fff, 0), GPG_ERR_BAD_SECKEY);
    x.list[11].value = r3.value;
    assert_code(from(&key, &x, 0x3fff, 0), GPG_ERR_BAD_SECKEY);
    limbic_key_free(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_numbers),         cmocka_unit_test(d_modulo_phi),
        cmocka_unit_test(no_primes_to_find),       cmocka_unit_test(five_and_six),
        cmocka_unit_test(primes_of_unlike_orders), cmocka_unit_test(more_primes_round_trip),
        cmocka_unit_test(lists_of_primes),         cmocka_unit_test(wrong_numbers),
    };

    if (!gcry_check_version(NULL))
        return 99;
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_ENABLE_QUICK_RANDOM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

# SPDX-License-Identifier: LGPL-2.1-or-later
# The algorithms, written once against the table of arithmetic slots.

LIMBIC_SOURCES += \
	core/arena.c \
	core/arena.h \
	core/batch.c \
	core/derived.c \
	core/derived.h \
	core/encrypt.c \
	core/growing.h \
	core/key/der.c \
	core/key/der.h \
	core/key/encrypted.c \
	core/key/format.c \
	core/key/kdf.c \
	core/key/kdf.h \
	core/key/key.c \
	core/key/key.h \
	core/key/pbes2.c \
	core/key/pbes2.h \
	core/key/pem.c \
	core/key/pem.h \
	core/key/protect.c \
	core/key/protect.h \
	core/key/rsa-der.c \
	core/key/rsa-der.h \
	core/library.c \
	core/number/arith.h \
	core/number/divide.c \
	core/number/divsteps.c \
	core/number/divsteps.h \
	core/number/gcd.c \
	core/number/generate.c \
	core/number/invert.c \
	core/number/limb.h \
	core/number/lucas.c \
	core/number/modulus.c \
	core/number/modulus.h \
	core/number/montgomery.c \
	core/number/montgomery.h \
	core/number/nat.c \
	core/number/nat.h \
	core/number/power.c \
	core/number/prime.c \
	core/number/prime.h \
	core/number/probable.h \
	core/number/random.c \
	core/number/random.h \
	core/number/shift.c \
	core/number/sieve.c \
	core/number/sieve.h \
	core/number/state.c \
	core/number/state.h \
	core/number/wide.h \
	core/output.h \
	core/params.c \
	core/params.h \
	core/scheme/hash.c \
	core/scheme/hash.h \
	core/scheme/pkcs1-encrypt.c \
	core/scheme/pkcs1.c \
	core/scheme/pkcs1.h \
	core/scheme/rsa-blinding.c \
	core/scheme/rsa-complete.c \
	core/scheme/rsa-compute.c \
	core/scheme/rsa-encrypt.c \
	core/scheme/rsa-fault.c \
	core/scheme/rsa-generate.c \
	core/scheme/rsa-key.c \
	core/scheme/rsa-key.h \
	core/scheme/rsa-sign.c \
	core/scheme/rsa-steps.h \
	core/scheme/rsa-validate.c \
	core/scheme/rsa.h \
	core/selftest-limbs.c \
	core/selftest-moduli.c \
	core/selftest-pattern.c \
	core/selftest-pattern.h \
	core/selftest-rsa.c \
	core/selftest-rsa.h \
	core/selftest.h \
	core/sign.c \
	core/slots.c

# What stands between rows and kernels with --enable-verify.
if VERIFY
LIMBIC_SOURCES += \
	core/verify-limbs.c \
	core/verify-moduli.c \
	core/verify.c \
	core/verify.h
endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ADX: what products, squares and reductions in blocks of eight limbs by eight are made of. For the
 * assembler only.
 *
 * Registers
 *   r8 .. r15  the window: eight limbs of the running sum; the limb of weight w (counted from the
 *              block's lowest) is in r(8 + w mod 8), so that after eight rows each is where it was
 *   rsi        the block's eight limbs of the multiplicand
 *   rcx        its eight multipliers
 *   rdi        the limbs of the sum at the block's weight, in memory
 *   rdx        one multiplier    rax, rbx  a product    rbp  zero
 *
 * A block adds multiplicand times multipliers, row by row. Row i adds limb i of the memory's sum
 * and eight products to the window, whose lowest limb is then final and goes to memory, and whose
 * highest is new. The chain in CF joins each low half with the high half one limb down, and at the
 * bottom with memory's limb; the chain in OF adds what comes of it to the window. Both end in the new
 * limb, so that no flag crosses from row to row. Joining the halves first is faster than adding each
 * to the window (9.1 cycles a row, not 12.1, on Sapphire Rapids): no limb of the window is added to
 * twice. After the block the window is that of the block eight limbs up: the multipliers' sweep over a
 * long multiplicand keeps its carry in registers.
 *
 * Bounds: before a row the window is at most B^8 - 1; with the memory's limb, at most B - 1, and the
 * products, at most (B^8 - 1)(B - 1), that is at most B^9 - 1: the new limb takes both chains' last
 * carries without a carry of its own, in either order.
 */

/* An instruction with the limb of weight \w among its operands. */
    .macro  limb before, w, after
        .if     (\w) % 8 == 0
        \before %r8 \after
        .elseif (\w) % 8 == 1
        \before %r9 \after
        .elseif (\w) % 8 == 2
        \before %r10 \after
        .elseif (\w) % 8 == 3
        \before %r11 \after
        .elseif (\w) % 8 == 4
        \before %r12 \after
        .elseif (\w) % 8 == 5
        \before %r13 \after
        .elseif (\w) % 8 == 6
        \before %r14 \after
        .else
        \before %r15 \after
        .endif
    .endm

/* The limb of weight \w from memory at the same weight, or to it. */
    .macro  get w
        limb    "mov 8 * (\w)(%rdi),", (\w)
    .endm

    .macro  put w
        limb    "mov", (\w), ", 8 * (\w)(%rdi)"
    .endm

/* One product of a row, rdx times limb \j of the multiplicand, to weight \w. Its high half waits in rbx
   or in the register of the row's new limb, weight \top, in turn, so that the last one's is there. */
    .macro  product j, w, top
        .if     (7 - \j) % 2
        mulx    8 * (\j)(%rsi), %rax, %rbx
        limb    adcx, (\top), ", %rax"
        .else
        limb    "mulx 8 * (\j)(%rsi), %rax,", (\top)
        adcx    %rbx, %rax
        .endif
        limb    "adox %rax,", (\w)
    .endm

/* A row's first product. \add: whether to add memory's limb of that weight, too. */
    .macro  first_product j, w, top, add
        xor     %ebp, %ebp
        .if     (7 - \j) % 2
        mulx    8 * (\j)(%rsi), %rax, %rbx
        .else
        limb    "mulx 8 * (\j)(%rsi), %rax,", (\top)
        .endif
        .if     \add
        adcx    8 * (\w)(%rdi), %rax
        .endif
        limb    "adox %rax,", (\w)
    .endm

    .macro  end_row top
        limb    "adcx %rbp,", (\top)
        limb    "adox %rbp,", (\top)
    .endm

/* The rest of a row of eight products from weight \w on. */
    .macro  rest_of_row w
        .irp    j, 1, 2, 3, 4, 5, 6, 7
        product \j, (\w + \j), (\w + 8)
        .endr
        end_row (\w + 8)
    .endm

/* A block. \add: whether memory holds limbs of the sum; if not, they count as zero. The lowest limb
   leaves its register before the high half of product 1 needs it. */
    .macro  block add
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        mov     8 * \i(%rcx), %rdx
        first_product 0, \i, (\i + 8), \add
        put     \i
        rest_of_row \i
        .endr
    .endm

    .macro  clear_window
        .irp    reg, r8d, r9d, r10d, r11d, r12d, r13d, r14d, r15d
        xor     %\reg, %\reg
        .endr
    .endm

/* The window to memory at weights 8 .. 15 of the last block, where rdi has gone. */
    .macro  store_window
        .irp    w, 0, 1, 2, 3, 4, 5, 6, 7
        put \w
        .endr
    .endm

    .macro  enter room
        .irp    reg, rbx, rbp, r12, r13, r14, r15
        push    %\reg
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %\reg, 0
        .endr
        sub     $\room, %rsp
        .cfi_adjust_cfa_offset \room
    .endm

    .macro  leave_and_return room
        add     $\room, %rsp
        .cfi_adjust_cfa_offset -\room
        .irp    reg, r15, r14, r13, r12, rbp, rbx
        pop     %\reg
        .cfi_adjust_cfa_offset -8
        .cfi_restore %\reg
        .endr
        ret
    .endm

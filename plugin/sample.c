// SPDX-License-Identifier: GPL-2.0
/*
 * A program whose inlining and whose instruction counts are known, for the tests of attribution and
 * of counting.  Linked static and to fixed addresses, like the guest's agent.
 *
 *	main -> twice() -> [ branch() -> [ leaf() ] ], spin()	 [] is inlined
 *
 * Where a count matters the body is one asm statement without operands: the compiler then has
 *nothing to add to it.  The labels are what the test of attribution looks at.
 */

#include <string.h>

/* 1 + 2 * 500 instructions */
static inline __attribute__((always_inline)) void leaf(void)
{
	asm volatile(".globl leaf_first, leaf_last\n"
		     "leaf_first:	mov	$500, %%ecx\n"
		     "1:		dec	%%ecx\n"
		     "leaf_last:	jnz	1b"
		     :
		     :
		     : "ecx", "cc");
}

/* 2 instructions of its own, one on each side of the leaf */
static inline __attribute__((always_inline)) void branch(void)
{
	asm volatile(".globl branch_first\n"
		     "branch_first:	nop");
	leaf();
	asm volatile(".globl branch_last\n"
		     "branch_last:	nop");
}

/* 3 instructions of its own, the return included */
__attribute__((noinline, noclone, used)) void twice(void)
{
	asm volatile(".globl twice_first\n"
		     "twice_first:	nop");
	branch();
	asm volatile(".globl twice_last\n"
		     "twice_last:	nop");
}

/*
 * In assembly and without debug information, as a kernel's entry code: 2 + 3 * 1000 instructions,
 * of which 1000 load and 1000 store, all to one line.
 */
asm(".pushsection .text\n"
    ".globl spin\n"
    ".type spin, @function\n"
    "spin:	mov	$1000, %ecx\n"
    "1:		incl	spin_word(%rip)\n"
    "		dec	%ecx\n"
    "		jnz	1b\n"
    "		ret\n"
    ".size spin, . - spin\n"
    ".popsection\n"
    ".pushsection .bss\n"
    ".balign 64\n"
    "spin_word:	.skip	64\n"
    ".popsection");
void spin(void);

/* The same for a guest: long enough for some timer interrupts, 2 + 3 * 10^7 instructions. */
asm(".pushsection .text\n"
    ".globl spin_long\n"
    ".type spin_long, @function\n"
    "spin_long:	mov	$10000000, %ecx\n"
    "1:		incl	spin_word(%rip)\n"
    "		dec	%ecx\n"
    "		jnz	1b\n"
    "		ret\n"
    ".size spin_long, . - spin_long\n"
    ".popsection");
void spin_long(void);

/* The marks: push and mov, then cpuid, then pop and ret. */
__attribute__((noinline, noclone, used)) void ps_mark_begin(void)
{
	asm volatile("mov $0x70617274, %%eax\n\tcpuid" : : : "eax", "ebx", "ecx", "edx", "memory");
}

__attribute__((noinline, noclone, used)) void ps_mark_end(void)
{
	asm volatile("mov $0x70617274, %%eax\n\tcpuid" : : : "eax", "ebx", "ecx", "edx", "memory");
}

int main(int argc, char **argv)
{
	int i;

	spin();
	if (argc == 2 && !strcmp(argv[1], "long")) {
		ps_mark_begin();
		spin_long();
		ps_mark_end();
		return 0;
	}
	ps_mark_begin();
	twice();
	spin();
	ps_mark_end();
	twice();
	/* A second measurement, when asked for: it adds to the first. */
	for (i = 1; i < argc; i++) {
		ps_mark_begin();
		twice();
		ps_mark_end();
	}
	return 0;
}

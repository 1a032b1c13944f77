/* Features that only 32-bit ARM has: conditional indirect branches, in A32 and in Thumb's IT blocks; every way to write
 * the pc; switches between the instruction sets; a helper on the kernel's page. */
#include <stdio.h>

int a32(int n, int (*f)(int)), t32(int n, int (*f)(int));
int other_a32(int n), other_t32(int n);

asm(".syntax unified\n.text\n.arm\n.align 2\n"
    ".type other_a32, %function\n"
    "other_a32: add r0, r0, #3\n"
    "tst r0, #1\n"
    "bxne lr\n"
    "subs r0, r0, #2\n"
    "moveq pc, lr\n"
    "mov pc, lr\n"
    ".type a32, %function\n"
    "a32: push {r4, r5, r6, lr}\n"
    "mov r4, r0\n"
    "mov r5, r1\n"
    "mov r6, #0\n"
    "1: mov r0, r4\n"
    "blx r5\n"             /* to either instruction set */
    "add r6, r6, r0\n"
    "and r0, r4, #7\n"
    "cmp r0, #4\n"
    "addls pc, pc, r0, lsl #2\n" /* a conditional branch into a table of branches */
    "b 7f\n"
    "b 2f\n"
    "b 3f\n"
    "b 2f\n"
    "b 4f\n"
    "b 5f\n"
    "2: add r6, r6, #1\n"
    "3: add r6, r6, #2\n"
    "4: tst r4, #8\n"
    "mov r0, r4\n"
    "blne other_a32\n"     /* a conditional call */
    "blxeq r5\n"           /* a conditional indirect call */
    "add r6, r6, r0\n"
    "5: adr r1, 8f\n"
    "and r0, r4, #3\n"
    "cmp r0, #1\n"
    "ldrls pc, [r1, r0, lsl #2]\n" /* a table of addresses */
    "7: blx other_t32\n"   /* direct, to Thumb */
    "add r6, r6, r0\n"
    "6: str lr, [sp, #-4]!\n"
    "adr lr, 9f\n"
    "push {lr}\n"
    "tst r4, #16\n"
    "popne {pc}\n"
    "ldr pc, [sp], #4\n"
    "9: ldr lr, [sp], #4\n"
    "subs r4, r4, #1\n"
    "movmi r0, r6\n"
    "popmi {r4, r5, r6, pc}\n"  /* a conditional return that pops several registers */
    "b 1b\n"
    "8: .word 6b, 7b\n"
    ".thumb\n.align 2\n.thumb_func\n"
    ".type other_t32, %function\n"
    "other_t32: adds r0, r0, #5\n"
    "lsls r1, r0, #31\n"
    "it mi\n"
    "bxmi lr\n"
    "subs r0, r0, #3\n"
    "itte ne\n"
    "addne r0, r0, #1\n"
    "addne r0, r0, #1\n"
    "bxeq lr\n"           /* the last of an IT block of three */
    "bx lr\n"
    ".thumb_func\n"
    ".type moved, %function\n"
    "moved: lsls r1, r0, #31\n"
    "it mi\n"
    "movmi pc, lr\n"      /* stays in Thumb */
    "adds r0, r0, #1\n"
    "mov pc, lr\n"
    ".thumb_func\n"
    ".type t32, %function\n"
    "t32: push {r4, r5, r6, lr}\n"
    "mov r4, r0\n"
    "mov r5, r1\n"
    "movs r6, #0\n"
    "1: mov r0, r4\n"
    "blx r5\n"
    "add r6, r6, r0\n"
    "and r0, r4, #7\n"
    "cmp r0, #3\n"
    "bhi 6f\n"
    "tbb [pc, r0]\n"       /* a table of bytes */
    "5: .byte (2f - 5b) / 2, (3f - 5b) / 2, (4f - 5b) / 2, (2f - 5b) / 2\n"
    "2: adds r6, r6, #1\n"
    "3: cbz r4, 4f\n"
    "adds r6, r6, #2\n"
    "4: cbnz r0, 6f\n"
    "blx other_a32\n"      /* direct, to A32 */
    "add r6, r6, r0\n"
    "6: and r0, r4, #1\n"
    "tbh [pc, r0, lsl #1]\n"
    "7: .2byte (8f - 7b) / 2, (9f - 7b) / 2\n"
    "8: bl other_t32\n"
    "bl moved\n"
    "add r6, r6, r0\n"
    "9: tst r4, #2\n"
    "ite ne\n"
    "addne r6, r6, #3\n"
    "blxeq r5\n"           /* at the end of an IT block */
    "tst r4, #4\n"
    "it eq\n"
    "beq.w 2f\n"
    "adr r1, 2f\n"
    "adds r1, r1, #1\n"
    "push {r1}\n"
    "tst r4, #8\n"
    "it ne\n"
    "popne {pc}\n"
    "ldr.w pc, [sp], #4\n"
    ".balign 4\n"
    "2: subs r4, r4, #1\n"
    "itt mi\n"
    "movmi r0, r6\n"
    "popmi {r4, r5, r6, pc}\n"
    "b 1b\n"
    ".thumb_func\n"
    ".type by_table, %function\n"
    "by_table: push {r0, lr}\n"
    "ldmia.w sp!, {r0, lr}\n"
    "ldr.w pc, [r1, #8]\n" /* as in a linker's PLT */
    /* the IT block begins on one page, and its branch is on the next: QEMU begins in its middle */
    ".p2align 12\n"
    ".space 4092\n"
    ".thumb_func\n"
    ".type edge, %function\n"
    "edge: lsls r1, r0, #31\n"
    "it mi\n"
    "bxmi lr\n"
    "adds r0, r0, #1\n"
    "bx lr\n");

int edge(int n);
int by_table(int n, int (**table)(int));

static int twice(int n) { return 2 * n; }

int main(void) {
    int (*table[3])(int) = {0, 0, edge}, sum = 0;
    for (int n = 0; n < 6; n++)
        sum += by_table(0, table) + edge(n);
    int (*functions[])(int) = {other_a32, other_t32, twice, edge};
    for (int i = 0; i < 4; i++)
        sum = sum * 3 + a32(40, functions[i]) + t32(40, functions[i]);
    /* __kuser_get_tls */
    int tls = ((int (*)(void))0xffff0fe0)() != 0;
    printf("%d %d\n", sum, tls);
    return tls ? 7 : 1;
}

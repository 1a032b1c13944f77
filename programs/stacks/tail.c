/* Calls at the end of functions, functions that call each other, jumps through a table, and assembler that runs from one function into the next */
#include "stacks.h"

static NOINLINE int leaf(int x)
{
    work(x & 3);
    return x * 3 + 1;
}

static NOINLINE int second(int x)
{
    return leaf(x + 1);
}

static NOINLINE int first(int x)
{
    return second(x * 2);
}

static NOINLINE int even(unsigned n);

static NOINLINE int odd(unsigned n)
{
    sum++;
    return n ? even(n - 1) : 0;
}

static NOINLINE int even(unsigned n)
{
    sum++;
    return n ? odd(n - 1) : 1;
}

static NOINLINE int vm(const uint8_t *code)
{
    static void *const ops[] = { &&increment, &&twice, &&again, &&end };
    int a = 1, turns = 5;
    const uint8_t *p = code;
    goto *ops[*p++];
increment:
    a++;
    goto *ops[*p++];
twice:
    a *= 2;
    goto *ops[*p++];
again:
    if (--turns)
        p = code;
    goto *ops[*p++];
end:
    return a;
}

static NOINLINE int through(int (*f)(int), int x)
{
    return f(x);
}

/* `entry_part` runs on into `shared_part`, which `cold_part` jumps into the middle of */
int entry_part(int x);
int cold_part(int x);
__asm__(".text\n.globl entry_part\n.type entry_part, @function\nentry_part:\n addi a0, a0, 1\n addi a0, a0, 2\n"
        ".size entry_part, . - entry_part\n"
        ".type shared_part, @function\nshared_part:\n slli a0, a0, 1\n1: addi a0, a0, 5\n ret\n.size shared_part, . - shared_part\n"
        ".globl cold_part\n.type cold_part, @function\ncold_part:\n bnez a0, 2f\n ret\n2: addi a0, a0, -1\n j 1b\n.size cold_part, . - cold_part\n");

int main(void)
{
    static const uint8_t code[] = { 0, 1, 2, 3 };
    for (int i = 0; i < 40; i++) {
        sum += first(i) + even(i) + vm(code) + through(i & 1 ? leaf : first, i);
        sum += entry_part(i) + cold_part(i & 3);
    }
    return 0;
}

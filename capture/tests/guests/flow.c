/* Every kind of branch, deterministic: loops, calls, recursion, function pointers, a switch with a jump table, setjmp,
 * and memory copies of the C library. */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

static int add(int a) { return a + 3; }
static int mul(int a) { return a * 5; }
static int neg(int a) { return -a; }
static int (*volatile table[3])(int) = {add, mul, neg};
static volatile char text[200];

static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

static int pick(int n) {
    switch (n % 8) {
    case 0: return 7;
    case 1: return n * 3;
    case 2: return n - 9;
    case 3: return n ^ 5;
    case 4: return n << 2;
    case 5: return n >> 1;
    case 6: return ~n;
    default: return 1;
    }
}

int main(void) {
    int sum = 0;
    for (int i = 0; i < 60; i++)
        sum += table[i % 3](i) + pick(i);
    jmp_buf back;
    volatile int turns = 0;
    if (setjmp(back) < 5) {
        turns++;
        longjmp(back, turns);
    }
    for (int i = 0; i < 50; i++)
        memset((char *)text, i, i * 4);
    char line[64];
    int n = snprintf(line, sizeof line, "%d %d %d %s\n", sum, fib(11), turns, "done");
    return fwrite(line, 1, n, stdout) == (size_t)n ? 3 : 1;
}

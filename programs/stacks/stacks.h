/* What the programs share. A stack is an array whose name begins with `stack_`: the test finds them by that. */
#include <stdint.h>

#define NOINLINE __attribute__((noinline, noclone))
#define STACK(name) static char stack_##name[8192] __attribute__((aligned(16), used))
#define TOP(name) ((uintptr_t)(stack_##name + sizeof stack_##name))

#define MSIP (*(volatile uint32_t *)0x2000000)
#define MTIMECMP ((volatile uint32_t *)0x2004000)
#define MTIME (*(volatile uint32_t *)0x200bff8)

static volatile uint32_t sum;

static inline void timer_in(uint32_t cycles)
{
    MTIMECMP[1] = 0xffffffff;
    MTIMECMP[0] = MTIME + cycles;
    MTIMECMP[1] = 0;
}

__attribute__((unused)) static NOINLINE void work(int n)
{
    for (int i = 0; i < n; i++)
        sum = sum * 31 + i;
}

/* registers that a call keeps: ra, sp, s0 to s11 */
struct context {
    uintptr_t ra, sp, s[12];
};

/* jump.S */
int save_context(struct context *here) __attribute__((returns_twice));
void restore_context(const struct context *to, int value) __attribute__((noreturn));
void switch_context(struct context *from, const struct context *to);

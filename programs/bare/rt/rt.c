// Runtime of the test programs; rt.h documents it.
#include "rt.h"

#define CLINT_MSIP ((volatile uint32_t *)CLINT_BASE)
#define CLINT_MTIMECMP ((volatile uint32_t *)(CLINT_BASE + 0x4000))
#define CLINT_MTIME ((volatile uint32_t *)(CLINT_BASE + 0xbff8))
#define UART ((volatile uint8_t *)UART_BASE)
#define FINISHER ((volatile uint32_t *)FINISHER_BASE)

void park(void) __attribute__((noreturn));

// ---- program and console ----

void exit(int code)
{
    *FINISHER = code == 0 ? 0x5555 : ((uint32_t)code << 16 | 0x3333);
    park();
}

void uart_putc(char c)
{
    *UART = (uint8_t)c;
}

void uart_puts(const char *s)
{
    while (*s)
        uart_putc(*s++);
}

void uart_putdec(uint32_t v)
{
    char digits[10];
    int n = 0;
    do {
        digits[n++] = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    while (n)
        uart_putc(digits[--n]);
}

void uart_puthex(uint32_t v)
{
    for (int shift = 28; shift >= 0; shift -= 4)
        uart_putc("0123456789abcdef"[v >> shift & 15]);
}

int report(const char *name, uint32_t result, uint32_t expected)
{
    uart_puts(name);
    uart_puts(": result ");
    uart_puthex(result);
    if (result == expected) {
        uart_puts(" ok\n");
        return 0;
    }
    uart_puts(" wrong, ");
    uart_puthex(expected);
    uart_puts(" expected\n");
    return 1;
}

void check(bool held, const char *what)
{
    if (held)
        return;
    uart_puts("check failed: ");
    uart_puts(what);
    uart_putc('\n');
    exit(2);
}

// ---- memory ----

void *memcpy(void *to, const void *from, size_t n)
{
    uint8_t *t = to;
    const uint8_t *f = from;
    if ((((uintptr_t)t | (uintptr_t)f) & 3) == 0)
        for (; n >= 4; n -= 4, t += 4, f += 4)
            *(uint32_t *)t = *(const uint32_t *)f;
    while (n--)
        *t++ = *f++;
    return to;
}

void *memset(void *to, int c, size_t n)
{
    uint8_t *t = to;
    uint32_t word = (uint8_t)c * 0x01010101u;
    for (; n && ((uintptr_t)t & 3); n--)
        *t++ = (uint8_t)c;
    for (; n >= 4; n -= 4, t += 4)
        *(uint32_t *)t = word;
    while (n--)
        *t++ = (uint8_t)c;
    return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
    const uint8_t *p = a, *q = b;
    for (; n; n--, p++, q++)
        if (*p != *q)
            return *p - *q;
    return 0;
}

// ---- timer and software interrupts ----

uint64_t timer_now(void)
{
    uint32_t high, low;
    do {
        high = CLINT_MTIME[1];
        low = CLINT_MTIME[0];
    } while (CLINT_MTIME[1] != high);
    return (uint64_t)high << 32 | low;
}

void timer_set(uint32_t hart, uint64_t when)
{
    // The upper half is set to its maximum first, so that no intermediate value fires.
    CLINT_MTIMECMP[2 * hart + 1] = UINT32_MAX;
    CLINT_MTIMECMP[2 * hart] = (uint32_t)when;
    CLINT_MTIMECMP[2 * hart + 1] = (uint32_t)(when >> 32);
}

void software_interrupt(uint32_t hart)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    CLINT_MSIP[hart] = 1;
}

void software_interrupt_clear(uint32_t hart)
{
    CLINT_MSIP[hart] = 0;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

// ---- traps ----

static trap_fn *volatile trap_handler;

void set_trap_handler(trap_fn *fn)
{
    trap_handler = fn;
}

void rt_trap(struct trap_frame *f)
{
    if (trap_handler) {
        trap_handler(f);
        return;
    }
    uart_puts("unexpected trap: mcause ");
    uart_puthex(f->mcause);
    uart_puts(" mepc ");
    uart_puthex(f->mepc);
    uart_puts(" mtval ");
    uart_puthex(f->mtval);
    uart_putc('\n');
    exit(64 + (int)(f->mcause & 63));
}

// ---- locks ----

void lock(lock_t *l)
{
    while (__atomic_exchange_n(&l->held, 1, __ATOMIC_ACQUIRE))
        while (l->held)
            ;
}

void unlock(lock_t *l)
{
    atomic_store(&l->held, 0);
}

bool try_lock(lock_t *l)
{
#ifndef __riscv_atomic
    return __atomic_exchange_n(&l->held, 1, __ATOMIC_ACQUIRE) == 0;
#else
    uint32_t was, failed;
    __asm__ volatile("1: lr.w.aq %0, (%2)\n"
                     "   li %1, 1\n"
                     "   bnez %0, 2f\n"
                     "   sc.w.rl %1, %1, (%2)\n"
                     "   bnez %1, 1b\n"
                     "2:"
                     : "=&r"(was), "=&r"(failed)
                     : "r"(&l->held)
                     : "memory");
    return was == 0;
#endif
}

#ifndef __riscv_atomic
// For cores without the A extension: the functions that the compiler calls instead, under the SoC's test-and-set locks.
// Interrupts are off while the lock is held, otherwise a handler of the same hart would wait for it forever.
static inline uint32_t atomic_enter(volatile uint32_t *lock)
{
    uint32_t status = interrupts_save();
    while (*lock)
        ;
    return status;
}

static inline void atomic_leave(volatile uint32_t *lock, uint32_t status)
{
    *lock = 0;
    interrupts_restore(status);
}

#define ATOMIC(name, update) \
    uint32_t name##_soc(volatile void *at, uint32_t v, int order) __asm__(#name); \
    uint32_t name##_soc(volatile void *at, uint32_t v, int order) \
    { \
        volatile uint32_t *p = at; \
        volatile uint32_t *lock = (volatile uint32_t *)SYSTEM_LOCKS + ((uintptr_t)p >> 2) % SYSTEM_LOCK_COUNT; \
        (void)order; \
        uint32_t status = atomic_enter(lock); \
        uint32_t was = *p; \
        *p = update; \
        atomic_leave(lock, status); \
        return was; \
    }
ATOMIC(__atomic_exchange_4, v)
ATOMIC(__atomic_fetch_add_4, was + v)
ATOMIC(__atomic_fetch_or_4, was | v)
#endif

// ---- harts ----

extern volatile uint32_t boot_gate; // crt.S: the other harts wait until it is not 0

#define CENSUS_CLOSED 0x80000000u
#define CENSUS_TICKS 1000000 // 0.1 s at 10 MHz

static uint32_t harts = 1;
static volatile uint32_t census; // bit h: hart h waits for work
static volatile bool probe_faulted;
static struct {
    job_fn *fn;
    void *arg;
    volatile uint32_t epoch;
    volatile uint32_t done;
} job;

uint32_t hart_count(void)
{
    return harts;
}

void share(uint32_t n, uint32_t hart, uint32_t of, uint32_t *lo, uint32_t *hi)
{
    *lo = n * hart / of;
    *hi = n * (hart + 1) / of;
}

void barrier(void)
{
    static volatile uint32_t arrived, sense;
    uint32_t now = sense;
    if (atomic_add(&arrived, 1) == harts - 1) {
        arrived = 0;
        atomic_store(&sense, !now);
        return;
    }
    while (atomic_load(&sense) == now)
        ;
}

void parallel(job_fn *fn, void *arg)
{
    job.fn = fn;
    job.arg = arg;
    job.done = 0;
    atomic_add(&job.epoch, 1);
    for (uint32_t h = 1; h < harts; h++)
        software_interrupt(h);
    fn(0, harts, arg);
    while (atomic_load(&job.done) != harts - 1)
        ;
}

void rt_secondary(uint32_t hart)
{
    uint32_t seen = 0;
    interrupts_select(MIE_SOFTWARE);
    if (__atomic_fetch_or(&census, 1u << hart, __ATOMIC_ACQ_REL) & CENSUS_CLOSED)
        park(); // too late: the program runs without this hart
    for (;;) {
        // Interrupts are off: a pending software interrupt ends the wait but does not trap.
        wait_for_interrupt();
        software_interrupt_clear(hart);
        uint32_t epoch = atomic_load(&job.epoch);
        if (epoch == seen)
            continue;
        seen = epoch;
        job.fn(hart, harts, job.arg);
        interrupts_off();
        interrupts_select(MIE_SOFTWARE);
        atomic_add(&job.done, 1);
    }
}

static void probe_trap(struct trap_frame *f)
{
    probe_faulted = true;
    f->mepc += insn_length(f->mepc);
}

// A hart exists if its msip bit holds a 1. This is checked before the other harts may pass the gate.
static bool probe(uint32_t hart)
{
    probe_faulted = false;
    CLINT_MSIP[hart] = 1;
    uint32_t there = CLINT_MSIP[hart] & 1;
    CLINT_MSIP[hart] = 0;
    return there && !probe_faulted;
}

void rt_main(void)
{
    uint32_t present = 1;
    set_trap_handler(probe_trap);
    while (present < MAX_HARTS && probe(present))
        present++;
    set_trap_handler(NULL);

    atomic_store(&boot_gate, 1);
    uint32_t expected = (1u << present) - 2;
    uint64_t limit = timer_now() + CENSUS_TICKS;
    while ((atomic_load(&census) & expected) != expected && timer_now() < limit)
        ;
    uint32_t in = __atomic_fetch_or(&census, CENSUS_CLOSED, __ATOMIC_ACQ_REL);
    while (harts < present && in >> harts & 1)
        harts++;
    int code = main();
#ifdef PRINT_INSTRET
    // `build --count`: the checked-in programs print nothing that depends on timing.
    uint32_t retired;
    __asm__ volatile("csrr %0, minstret" : "=r"(retired));
    uart_putdec(retired);
    uart_puts(" instructions by hart 0\n");
#endif
    exit(code);
}

// Runtime of the test programs: bare-metal RV32IMAC, machine mode, 1 to 8 harts.
//
// The platform is QEMU's `virt` board: RAM, CLINT, a 16550 UART and the test finisher.
#ifndef RT_H
#define RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform.h"

#define MAX_HARTS 8
#define NOINIT __attribute__((section(".noinit")))
#define NOINLINE __attribute__((noinline))

// ---- program ----

// Entry of hart 0; returns the exit code.
int main(void);
// Ends the simulation: 0 is a pass, anything else a failure with that code.
void exit(int code) __attribute__((noreturn));
// Prints `name: result <hex> ok`, or `name: result <hex> wrong, <hex> expected`. Returns 0 if they agree.
int report(const char *name, uint32_t result, uint32_t expected);
// Ends the program with a message if `held` is false.
void check(bool held, const char *what);

// ---- console ----

void uart_putc(char c);
void uart_puts(const char *s);
void uart_putdec(uint32_t v);
void uart_puthex(uint32_t v);

// ---- memory ----

void *memcpy(void *to, const void *from, size_t n);
void *memset(void *to, int c, size_t n);
int memcmp(const void *a, const void *b, size_t n);

// ---- harts ----

static inline uint32_t hart_id(void)
{
#ifdef SOC
    return *(volatile uint32_t *)SYSTEM_HART;
#else
    uint32_t h;
    __asm__ volatile("csrr %0, mhartid" : "=r"(h));
    return h;
#endif
}
// Harts that run this program, numbered from 0.
uint32_t hart_count(void);

typedef void job_fn(uint32_t hart, uint32_t harts, void *arg);
// Runs `fn` on every hart, including this one (hart 0), and returns when all have finished.
void parallel(job_fn *fn, void *arg);
// The share [*lo, *hi) of 0..n of `hart` out of `harts`.
void share(uint32_t n, uint32_t hart, uint32_t harts, uint32_t *lo, uint32_t *hi);
// Barrier: waits until all harts of the current job arrive.
void barrier(void);

// ---- locks and atomics ----

typedef struct {
    volatile uint32_t held;
} lock_t;
// Test and test-and-set, with amoswap.
void lock(lock_t *l);
void unlock(lock_t *l);
// One attempt, with lr/sc.
bool try_lock(lock_t *l);

static inline uint32_t atomic_add(volatile uint32_t *p, uint32_t v)
{
    return __atomic_fetch_add(p, v, __ATOMIC_ACQ_REL);
}
static inline uint32_t atomic_load(volatile uint32_t *p)
{
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}
static inline void atomic_store(volatile uint32_t *p, uint32_t v)
{
#ifdef __riscv_atomic
    __atomic_store_n(p, v, __ATOMIC_RELEASE);
#else
    // a plain store could come between the load and the store of another hart's exchange
    __atomic_exchange_n(p, v, __ATOMIC_RELEASE);
#endif
}

// ---- traps, timer, software interrupts ----

// Registers x1..x31 at x[1]..x[31] (x[0] is unused), then the trap CSRs. crt.S depends on the layout.
struct trap_frame {
    uint32_t x[32];
    uint32_t mepc;
    uint32_t mstatus;
    uint32_t mcause;
    uint32_t mtval;
};
#define CAUSE_INTERRUPT 0x80000000u
#define CAUSE_SOFTWARE (CAUSE_INTERRUPT | 3)
#define CAUSE_TIMER (CAUSE_INTERRUPT | 7)
#define CAUSE_ILLEGAL 2u
#define CAUSE_BREAK 3u
#define CAUSE_ECALL 11u
#define MIE_SOFTWARE (1u << 3)
#define MIE_TIMER (1u << 7)

typedef void trap_fn(struct trap_frame *f);
// Handler of all harts; without one a trap ends the program with code 64 + cause.
void set_trap_handler(trap_fn *fn);
// Length of the instruction at `pc`: 2 or 4 bytes.
static inline uint32_t insn_length(uint32_t pc)
{
    return (*(const volatile uint16_t *)pc & 3) == 3 ? 4 : 2;
}

#ifdef __riscv_zicsr
static inline void interrupts_on(void)
{
    __asm__ volatile("csrsi mstatus, 8" ::: "memory");
}
static inline void interrupts_off(void)
{
    __asm__ volatile("csrci mstatus, 8" ::: "memory");
}
// Disables interrupts; returns whether they were enabled.
static inline uint32_t interrupts_save(void)
{
    uint32_t status;
    __asm__ volatile("csrrci %0, mstatus, 8" : "=r"(status)::"memory");
    return status;
}
static inline void interrupts_restore(uint32_t status)
{
    __asm__ volatile("csrs mstatus, %0" ::"r"(status & 8) : "memory");
}
static inline void interrupts_select(uint32_t mie)
{
    __asm__ volatile("csrw mie, %0" ::"r"(mie) : "memory");
}
#else
// A core without machine mode (picorv32): no interrupts.
static inline void interrupts_on(void) {}
static inline void interrupts_off(void) {}
static inline uint32_t interrupts_save(void)
{
    return 0;
}
static inline void interrupts_restore(uint32_t status)
{
    (void)status;
}
static inline void interrupts_select(uint32_t mie)
{
    (void)mie;
}
#endif
#if defined(__riscv_zicsr) && !defined(TIMER_ONLY)
static inline void wait_for_interrupt(void)
{
    __asm__ volatile("wfi" ::: "memory");
}
#else
// Without software interrupts, their bit is polled.
static inline void wait_for_interrupt(void)
{
    while (!((volatile uint32_t *)CLINT_BASE)[hart_id()])
        ;
}
#endif

uint64_t timer_now(void);
// The timer interrupt of `hart` is pending from `when` on.
void timer_set(uint32_t hart, uint64_t when);
#define TIMER_NEVER UINT64_MAX
void software_interrupt(uint32_t hart);
void software_interrupt_clear(uint32_t hart);

// ---- random numbers: xorshift32, the state is never 0 ----

static inline uint32_t rand_seed(uint32_t n)
{
    uint32_t s = n * 0x9e3779b9u + 0x7f4a7c15u;
    s ^= s >> 16;
    s *= 0x85ebca6bu;
    s ^= s >> 13;
    return s ? s : 1;
}
static inline uint32_t rand_next(uint32_t *s)
{
    uint32_t x = *s;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *s = x;
}
// Approximately uniform in 0..n, without a division.
static inline uint32_t rand_below(uint32_t *s, uint32_t n)
{
    return (uint32_t)(((uint64_t)rand_next(s) * n) >> 32);
}

// One step of a running checksum (FNV-1a over words, then mixed).
static inline uint32_t mix(uint32_t h, uint32_t v)
{
    h = (h ^ v) * 0x01000193u;
    return h ^ (h >> 15);
}

#endif

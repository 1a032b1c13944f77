// Interrupts: on every hart the timer ticks at uneven intervals while a checksum is computed repeatedly.
// The timer handler itself takes an ecall, an illegal instruction and a breakpoint, allows a nested
// software interrupt, whose handler also takes an ecall, and sends one to the next hart.
// With TIMER_ONLY (serv: no other interrupt, and a trap in a handler would leave interrupts off) nothing nests: the
// ecall and the breakpoint are in the checksum loop, and the timer handler polls for messages.
#include "rt.h"

#define TICKS 2400 // in all, shared out over the harts
#define WORDS 512

static struct {
    uint32_t quota, ticks, nested, depth, deepest, ecalls, illegal, breaks, random;
    volatile uint32_t mail, mail_sum; // written by the previous hart
    volatile bool done;
} hart_state[MAX_HARTS];
static volatile uint32_t sent, sent_sum, received, received_sum;
static uint32_t words[WORDS];
static uint32_t first_tick[MAX_HARTS];

static uint32_t call_supervisor(uint32_t x)
{
    register uint32_t a0 __asm__("a0") = x;
    __asm__ volatile("ecall" : "+r"(a0)::"memory");
    return a0;
}
static void receive(uint32_t h)
{
    uint32_t n = __atomic_exchange_n(&hart_state[h].mail, 0, __ATOMIC_ACQ_REL);
    uint32_t sum = __atomic_exchange_n(&hart_state[h].mail_sum, 0, __ATOMIC_ACQ_REL);
    atomic_add(&received, n);
    atomic_add(&received_sum, sum);
}
#ifndef TIMER_ONLY
static void illegal_short(void)
{
#ifdef SOC
    // VexRiscv decodes 0 as an addi, so use an illegal 4-byte instruction there
    __asm__ volatile(".4byte 0xffffffff" ::: "memory");
#else
    __asm__ volatile(".option push\n.option rvc\n.2byte 0\n.option pop" ::: "memory");
#endif
}
static void illegal_long(void)
{
    __asm__ volatile("csrw cycle, zero" ::: "memory"); // a write to a read-only register
}
#endif

static NOINLINE void on_timer(uint32_t h)
{
    uint32_t tick = hart_state[h].ticks++;
    // The next tick comes 60 to 255 timer ticks later, or never.
    uint64_t when = timer_now() + 60 + rand_below(&hart_state[h].random, 196);
#ifdef TIMER_ONLY
    when += 2000; // after the end of this handler
#endif
    timer_set(h, hart_state[h].ticks < hart_state[h].quota ? when : TIMER_NEVER);

#ifndef TIMER_ONLY
    check(call_supervisor(tick) == (tick ^ 0x55), "the ecall answers inside the timer handler");
    switch (tick % 4) {
    case 0: illegal_short(); break;
    case 1: illegal_long(); break;
    case 2: __asm__ volatile("ebreak" ::: "memory"); break;
    default: break;
    }
#endif

    uint32_t to = (h + 1) % hart_count(), message = first_tick[h] + tick;
    atomic_add(&sent, 1);
    atomic_add(&sent_sum, message);
    atomic_add(&hart_state[to].mail, 1);
    atomic_add(&hart_state[to].mail_sum, message);

#ifdef TIMER_ONLY
    receive(h);
#else
    // Software interrupts, not further timer interrupts, may nest here.
    interrupts_select(MIE_SOFTWARE);
    interrupts_on();
    software_interrupt(to);
    uint32_t before = hart_state[h].nested;
    software_interrupt(h);
    while (*(volatile uint32_t *)&hart_state[h].nested == before)
        ;
    interrupts_off();
    interrupts_select(MIE_SOFTWARE | MIE_TIMER);
#endif

    if (hart_state[h].ticks == hart_state[h].quota)
        hart_state[h].done = true;
}

static void on_software(uint32_t h)
{
    software_interrupt_clear(h);
    if (hart_state[h].depth > 1)
        check(call_supervisor(h) == (h ^ 0x55), "the ecall answers two traps deep");
    hart_state[h].nested++;
    receive(h);
}

static void handler(struct trap_frame *f)
{
    uint32_t h = hart_id();
    if (++hart_state[h].depth > hart_state[h].deepest)
        hart_state[h].deepest = hart_state[h].depth;
    switch (f->mcause) {
    case CAUSE_TIMER: on_timer(h); break;
    case CAUSE_SOFTWARE: on_software(h); break;
    case CAUSE_ECALL:
        hart_state[h].ecalls++;
        f->x[10] ^= 0x55;
        f->mepc += 4;
        break;
    case CAUSE_ILLEGAL:
        hart_state[h].illegal++;
        f->mepc += insn_length(f->mepc);
        break;
    case CAUSE_BREAK:
        hart_state[h].breaks++;
        f->mepc += insn_length(f->mepc);
        break;
    default: check(false, "the trap is one of those asked for");
    }
    hart_state[h].depth--;
}

static NOINLINE uint32_t checksum(void)
{
    uint32_t h = 0;
    for (uint32_t i = 0; i < WORDS; i++)
        h = (words[i] & 60) == 4 ? mix(h, words[i]) : h + (words[i] >> 3);
    return h;
}

static void work(uint32_t hart, uint32_t harts, void *arg)
{
    (void)arg;
    uint32_t lo, hi;
    share(TICKS, hart, harts, &lo, &hi);
    hart_state[hart].quota = hi - lo;
    hart_state[hart].random = rand_seed(4000 + hart);
    first_tick[hart] = lo;
    uint32_t want = checksum();
    barrier();
    timer_set(hart, timer_now() + 100);
    interrupts_select(MIE_SOFTWARE | MIE_TIMER);
    interrupts_on();
    // A register that a trap does not restore shows as a wrong checksum.
    while (!hart_state[hart].done) {
#ifdef TIMER_ONLY
        interrupts_on(); // serv leaves them off if one is pending at mret
#endif
        check(checksum() == want, "interrupts leave the registers as they were");
#ifdef TIMER_ONLY
        check(call_supervisor(hart) == (hart ^ 0x55), "the ecall answers between interrupts");
        __asm__ volatile("ebreak" ::: "memory");
#endif
    }
    barrier();
    while (atomic_load(&received) != sent || atomic_load(&received_sum) != sent_sum) {
#ifdef TIMER_ONLY
        receive(hart);
#endif
    }
    barrier();
    interrupts_off();
}

int main(void)
{
    uint32_t s = rand_seed(5), ticks = 0, ecalls = 0, illegal = 0, breaks = 0, nested = 0;
    for (int i = 0; i < WORDS; i++)
        words[i] = rand_next(&s);
    set_trap_handler(handler);
    check(call_supervisor(1) == 0x54, "the ecall answers");
    parallel(work, NULL);
    for (uint32_t h = 0; h < hart_count(); h++) {
#ifndef TIMER_ONLY
        check(hart_state[h].deepest == 3, "an exception nests in an interrupt in an interrupt");
#endif
        ticks += hart_state[h].ticks;
        ecalls += hart_state[h].ecalls;
        illegal += hart_state[h].illegal;
        breaks += hart_state[h].breaks;
        nested += hart_state[h].nested >= hart_state[h].ticks;
    }
#ifdef TIMER_ONLY
    check(ticks == TICKS && ecalls == breaks + 1 && illegal + nested == 0, "every tick, ecall and breakpoint came");
#else
    check(ticks == TICKS && ecalls > 2 * TICKS, "every tick came, with its ecalls");
    check(illegal + breaks > TICKS / 2, "the illegal instructions and breakpoints trapped");
    check(nested == hart_count(), "a software interrupt nested in every tick");
#endif
    check(received_sum == sent_sum && received == TICKS, "every message came");
    return report("irq", mix(mix(0, ticks), received_sum), 0xc8b679f8);
}

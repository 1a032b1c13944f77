// Traps of an RV64 core: timer interrupts at uneven intervals during a checksum with ecalls, illegal instructions of
// both lengths and breakpoints, each after unpredictable branches.
#include "rt.h"

#define WORDS 256
#define ROUNDS 24

static volatile uint32_t timers, ecalls, illegals, breaks;
static uint32_t random, words[WORDS];

static void handler(struct trap_frame *f)
{
    switch (f->mcause) {
    case CAUSE_TIMER:
        timers++;
        timer_set(hart_id(), timer_now() + 20 + rand_below(&random, 100));
        return;
    case CAUSE_ECALL: ecalls++; break;
    case CAUSE_ILLEGAL: illegals++; break;
    case CAUSE_BREAK: breaks++; break;
    default: check(false, "the trap is one of those asked for");
    }
    f->mepc += insn_length(f->mepc);
}

static NOINLINE uint32_t checksum(uint32_t h)
{
    for (uint32_t i = 0; i < WORDS; i++) {
        h = mix(h, words[i]);
        switch (words[i] & 31) {
        case 0: __asm__ volatile("ecall" ::: "memory"); break;
        case 1: __asm__ volatile(".option push\n.option rvc\n.2byte 0\n.option pop" ::: "memory"); break;
        case 2: __asm__ volatile(".4byte 0xffffffff" ::: "memory"); break;
        case 3: __asm__ volatile("ebreak" ::: "memory"); break;
        default: h += words[i] >> 3;
        }
    }
    return h;
}

int main(void)
{
    uint32_t seed = rand_seed(64), asked = 0;
    for (uint32_t i = 0; i < WORDS; i++) {
        words[i] = rand_below(&seed, 1 << 20);
        asked += (words[i] & 31) < 4;
    }
    random = rand_seed(65);
    set_trap_handler(handler);
    timer_set(hart_id(), timer_now() + 50);
    interrupts_select(MIE_TIMER);
    interrupts_on();
    uint32_t h = 0;
    for (uint32_t i = 0; i < ROUNDS; i++)
        h = checksum(h);
    interrupts_off();
    check(ecalls + illegals + breaks == ROUNDS * asked, "each exception comes once");
    check(timers > 0, "the timer ticks");
    return report("traps", h, 0x30bf946b);
}

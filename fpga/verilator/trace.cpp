// Runs a Verilated trace system on a beat file; its trace words go to standard output.
//
// usage: sim <beats> <idle-limit> <rest> <gap> <stall-seed> <init-seed> <sync> <clocks-a-word>      (see TraceOptions)
// system.h, generated next to it, names the ports. The beat file is described in src/beats/mod.rs.
//
// One cycle: inputs set, clock low, eval, outputs sampled; clock high, eval. A word is taken in a cycle
// in which valid and ready are both 1 before the edge.
#include "Vtop.h"
#include "verilated.h"
#include "system.h"
#include "words.h"
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

static Vtop* top;
static uint64_t cycles, beats, words;

// ready: 1 or 0 for 1 to 16 cycles at a time, occasionally 64
static uint64_t seed;
static bool open_now = true;
static unsigned left;
// at most one word in this many cycles
static uint64_t clocks_a_word, since_word;

static bool next_ready() {
    if (since_word < clocks_a_word) return false;
    if (seed == 0) return true;
    if (left == 0) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        open_now = !open_now;
        unsigned kind = seed >> 20 & 15;
        left = kind == 0 ? 64 : kind <= 5 ? 2 + (seed >> 30 & 15) % 15 : 1;
    }
    left--;
    return open_now;
}

static void tick() {
    const bool ready = next_ready();
    set_ready(*top, ready);
    set_clock(*top, 0);
    top->eval();
    since_word++;
    if (ready && get_valid(*top)) {
        since_word = 1;
        put(get_data(*top));
        words++;
    }
    set_clock(*top, 1);
    top->eval();
    cycles++;
}

static void write_register(unsigned addr, uint32_t data) {
    set_bus(*top, addr, data, 1);
    tick();
    set_bus(*top, addr, data, 0);
}

// rdata is valid in the cycle after addr
static uint32_t read_register(unsigned addr) {
    set_bus(*top, addr, 0, 0);
    tick();
    tick();
    return get_rdata(*top);
}

static FILE* file;
static uint32_t in[1 << 16];
static size_t in_at, in_n;

static bool next_word(uint32_t* w) {
    if (in_at == in_n) {
        in_n = fread(in, sizeof(uint32_t), sizeof(in) / sizeof(in[0]), file);
        in_at = 0;
        if (in_n == 0) return false;
    }
    *w = in[in_at++];
    return true;
}

static uint32_t need_word() {
    uint32_t w;
    if (!next_word(&w)) {
        fprintf(stderr, "beat file: cut inside a record\n");
        exit(4);
    }
    return w;
}

static uint64_t need_address() {
    uint64_t low = need_word();
    return WIDE ? low | static_cast<uint64_t>(need_word()) << 32 : low;
}

int main(int argc, char** argv) {
    if (argc != 9) return 2;
    file = fopen(argv[1], "rb");
    if (!file) {
        perror(argv[1]);
        return 2;
    }
    const uint64_t idle_limit = strtoull(argv[2], nullptr, 0);
    const uint64_t rest = strtoull(argv[3], nullptr, 0);
    const uint64_t gap = strtoull(argv[4], nullptr, 0);
    if (need_word() != 0x42485347 || need_word() != 1 || need_word() > CORES || need_word() != (WIDE ? 64 : 32)) {
        fprintf(stderr, "beat file: header does not fit this system\n");
        return 4;
    }
    const unsigned long init_seed = strtoul(argv[6], nullptr, 0);
    VerilatedContext context;
    context.randSeed(static_cast<int>(init_seed));
    context.randReset(init_seed != 0 ? 2 : 0);
    top = new Vtop{&context};
    for (unsigned c = 0; c < CORES; c++) core_idle(*top, c);
    set_bus(*top, 0, 0, 0);
    set_reset(*top, 1);
    for (int i = 0; i < 4; i++) tick();
    set_reset(*top, 0);

    if (const unsigned long period = strtoul(argv[7], nullptr, 0)) {
        write_register(REG_SYNC, static_cast<uint32_t>(period));
    }
    write_register(REG_CONTROL, 1);
    uint64_t limit = cycles + 1000000;
    set_bus(*top, REG_STATUS, 0, 0);
    do {
        tick();
        if (cycles > limit) {
            fprintf(stderr, "status.active is still 0 after 1000000 cycles\n");
            return 6;
        }
    } while (!(get_rdata(*top) & STATUS_ACTIVE));

    seed = strtoull(argv[5], nullptr, 0);
    clocks_a_word = strtoull(argv[8], nullptr, 0);
    const uint64_t start = cycles;
    uint64_t idle = 0;  // cycles without a beat that must precede the next one
    uint32_t used = 0;  // cores with a beat in the current cycle
    uint32_t w;
    while (next_word(&w)) {
        const uint32_t delta = w & 0xfffff;
        if (delta != 0 && used != 0) {
            tick();
            for (unsigned c = 0; c < CORES; c++)
                if (used >> c & 1) core_idle(*top, c);
            used = 0;
            for (uint64_t i = 0; i < rest; i++) tick();
            idle += delta - 1;
        } else {
            idle += delta;
        }
        if (w >> 25 & 1) continue;
        if (used == 0) {
            if (idle > idle_limit) idle = idle_limit;
            for (; idle > 0; idle--) tick();
        }
        const uint32_t insn = need_word();
        const uint64_t pc = need_address();
        const uint64_t next_pc = need_address();
        const unsigned core = w >> 20 & 15;
        if (core >= CORES || (used >> core & 1)) {
            fprintf(stderr, "beat %" PRIu64 ": core %u twice in a cycle, or not there\n", beats, core);
            return 4;
        }
        core_beat(*top, core, w >> 24 & 1, pc, next_pc, insn);
        used |= 1u << core;
        beats++;
    }
    if (used != 0) tick();
    for (unsigned c = 0; c < CORES; c++) core_idle(*top, c);
    for (uint64_t i = 0; i < gap; i++) tick();
    const uint64_t stop = cycles - start;
    write_register(REG_CONTROL, 0);
    limit = cycles + 100000000;
    set_bus(*top, REG_STATUS, 0, 0);
    tick();  // the value read before this one is from before the write
    do {
        tick();
        if (cycles > limit) {
            fprintf(stderr, "status.idle is still 0 after 100000000 cycles\n");
            return 6;
        }
    } while (!(get_rdata(*top) & STATUS_IDLE));
    const uint32_t overflow = read_register(REG_OVERFLOW);
    flush_out();
    fprintf(stderr, "summary %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu32 "\n", cycles, start,
            stop, beats, words, overflow);
    top->final();
    delete top;
    return 0;
}

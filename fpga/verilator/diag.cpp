// Runs a Verilated SoC with a diagnosis chip at its cores; what it does goes to standard output as 32-bit words.
//
// usage: sim +image=<hex file> <max-cycles> <frames file> <clocks of a byte>
// The frames are groups of bytes, a count before each: those that are sent before the cores start, and after they stopped, each
// group when nothing has come for a while.
// diag.h, written beside it, names the ports.
//
// One cycle: inputs set, clock low, eval, outputs sampled; clock high, eval. Clocks are those of the chip's time.
// A record is a word  kind | core << 4  and its arguments:
//   1 retired: clock, pc, npc, insn, rd | rmask << 8 | wmask << 16, rd value, address, read, written
//   2 byte of the link: clock, byte      3 the cores start: clock
//   5 a trap is taken: address, cause
//   4 end: clocks of the cores, stores (2), their hash (2), exited
#include "Vsoc.h"
#include "verilated.h"
#include "diag.h"
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/prctl.h>
#include <vector>

static uint32_t out[1 << 16];
static size_t out_n;

static void flush_out() {
    if (fwrite(out, sizeof(uint32_t), out_n, stdout) != out_n || fflush(stdout) != 0) exit(5);
    out_n = 0;
}

static void put(uint32_t w) {
    out[out_n++] = w;
    if (out_n == sizeof(out) / sizeof(out[0])) flush_out();
}

static bool group(FILE* f, std::vector<uint8_t>& bytes) {
    uint32_t n;
    if (fread(&n, 4, 1, f) != 1) return false;
    bytes.resize(n);
    return fread(bytes.data(), 1, n, f) == n;
}

int main(int argc, char** argv) {
    if (argc < 5) return 2;
    // nobody would stop it
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const uint64_t limit = strtoull(argv[2], nullptr, 0);
    const uint64_t byte_clocks = strtoull(argv[4], nullptr, 0);
    std::vector<std::vector<uint8_t>> groups(1);
    FILE* f = fopen(argv[3], "rb");
    if (!f || !group(f, groups[0])) {
        fprintf(stderr, "%s: no group of bytes\n", argv[3]);
        return 6;
    }
    for (std::vector<uint8_t> more; group(f, more);) groups.push_back(more);
    fclose(f);
    VerilatedContext context;
    context.commandArgs(argc, argv);
    Vsoc top{&context};
    top.reset = 1;
    top.soc_reset = 1;
    top.halt = 0;
    // FNV-1a over 64-bit words
    uint64_t stores = 0xcbf29ce484222325, store_count = 0, cycle = 0;
    const auto store = [&](uint64_t v) { stores = (stores ^ v) * 0x100000001b3; };
    size_t sent = 0;
    size_t at = 0;
    bool running = false, stopped = false, exited = false;
    uint64_t idle = 0;
    uint32_t now = 0;
    for (uint64_t clocks = 0;; clocks++) {
        if (clocks == 8) top.reset = 0;
        const bool live = clocks >= 8;
        top.ready = clocks % byte_clocks == 0;
        const std::vector<uint8_t>& bytes = groups[at];
        const bool offers = live && sent < bytes.size();
        top.host_valid = offers;
        top.host_octet = offers ? bytes[sent] : 0;
        top.clk = 0;
        top.eval();
        if (offers && top.host_ready) {
            sent++;
            idle = 0;
        }
        if (live && top.valid) idle = 0;
        if (live && top.valid && top.ready) {
            put(2);
            put(now);
            put(top.octet);
        }
        if (!running && !top.soc_reset && top.run) {
            running = true;
            put(3);
            put(now);
        }
        if (running) {
            for (unsigned c = 0; c < CORES; c++) {
                uint32_t v[8], mepc, cause;
                if (get_trap(top, c, mepc, cause)) {
                    put(5 | c << 4);
                    put(mepc);
                    put(cause);
                }
                if (get_retired(top, c, v)) {
                    put(1 | c << 4);
                    put(now);
                    for (uint32_t w : v) put(w);
                }
            }
            if (top.access && top.access_wstrb) {
                store(cycle << 8 | top.access_master << 4 | top.access_wstrb);
                store(static_cast<uint64_t>(top.access_addr) << 32 | top.access_wdata);
                store_count++;
            }
            if (top.exited) exited = true;
            if (!top.run) stopped = true;
            if (cycle == limit) top.halt = 1;
            if (!stopped) cycle++;
        }
        // all bytes are gone and nothing has come for a while
        if (sent == bytes.size()) idle++;
        if (idle > 20000) {
            top.soc_reset = 0;
            if (stopped) {
                if (++at == groups.size()) break;
                sent = 0;
            }
            idle = 0;
        }
        if (clocks > limit + 400000000) {
            fprintf(stderr, "the diagnosis chip is not idle 400000000 cycles after the cores stopped\n");
            return 6;
        }
        top.clk = 1;
        top.eval();
        if (live) now++;
    }
    put(4);
    const uint64_t ends[] = {cycle, store_count, stores};
    for (uint64_t v : ends) {
        put(static_cast<uint32_t>(v));
        put(static_cast<uint32_t>(v >> 32));
    }
    put(exited);
    flush_out();
    top.final();
    return 0;
}

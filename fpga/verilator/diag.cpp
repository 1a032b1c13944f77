// Runs a Verilated SoC with a diagnosis chip at its cores; its output is 32-bit words on standard output.
//
// usage: sim +image=<hex file> <max-cycles> <cycles per byte>
// At the start, and when nothing has arrived for a while, the host is asked for its next action. The response comes on
// standard input as a word: a number of bytes for the chip, which follow; GO: the cores start; END.
// diag.h, generated next to it, names the ports.
//
// One cycle: inputs set, clock low, eval, outputs sampled; clock high, eval. Cycles are those of the chip's time.
// A record is a word  kind | core << 4  and its arguments:
//   1 retired: cycle, pc, npc, rd | rmask << 8 | wmask << 16, rd value, address, read, written
//   2 byte of the link: cycle, byte      3 the cores start: cycle
//   5 a trap is taken: address, cause    6 request to the host
//   7 the DMA stores: cycle, address, data, bytes
//   4 end: cycles of the cores, stores (2), their hash (2), exited
#include "Vsoc.h"
#include "verilated.h"
#include "diag.h"
#include "words.h"
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/prctl.h>
#include <vector>

static const uint32_t GO = 0xffffffff, END = 0xfffffffe;

// the host's next action, and its bytes, if it sends some
static uint32_t ask(std::vector<uint8_t>& bytes) {
    put(6);
    flush_out();
    uint32_t n;
    if (fread(&n, 4, 1, stdin) != 1) exit(7);
    bytes.clear();
    if (n == GO || n == END) return n;
    bytes.resize(n);
    if (fread(bytes.data(), 1, n, stdin) != n) exit(7);
    return n;
}

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    // ends with the parent process, which could not stop it
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const uint64_t limit = strtoull(argv[2], nullptr, 0);
    const uint64_t byte_clocks = strtoull(argv[3], nullptr, 0);
    std::vector<uint8_t> bytes;
    bool go = ask(bytes) == GO;
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
    bool running = false, stopped = false, exited = false;
    uint64_t idle = 0;
    uint32_t now = 0;
    for (uint64_t clocks = 0;; clocks++) {
        if (clocks == 8) top.reset = 0;
        const bool live = clocks >= 8;
        top.ready = clocks % byte_clocks == 0;
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
                uint32_t v[7], mepc, cause;
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
                if (top.access_master >= CORES) {
                    put(7);
                    put(now);
                    put(top.access_addr);
                    put(top.access_wdata);
                    put(top.access_wstrb);
                }
            }
            if (top.exited) exited = true;
            if (!top.run) stopped = true;
            if (cycle == limit) top.halt = 1;
            if (!stopped) cycle++;
        }
        // all bytes were sent and nothing has arrived for a while
        if (sent == bytes.size()) idle++;
        if (idle > 20000) {
            if (!go || stopped) {
                const uint32_t next = ask(bytes);
                if (next == END) break;
                go = go || next == GO;
                sent = 0;
            }
            if (go) top.soc_reset = 0;
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

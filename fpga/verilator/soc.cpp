// Runs a Verilated SoC; its output is 32-bit words on standard output.
//
// usage: sim +image=<hex file> +mtime=<initial mtime> <max-cycles> <vcd file or -> [<link>]
// soc.h, generated next to it, names the ports. If the SoC has a serial line, <link> becomes a symbolic link to a
// pseudo-terminal connected to it.
//
// One cycle: inputs set, clock low, eval, outputs sampled; clock high, eval. Cycle 0 is the first in which the
// cores run. A record is a word  kind | core << 4 | cycles since the last record << 8  and its arguments:
//   0 time: cycles, when they do not fit in the 24 bits        1 retired: pc, npc
//   2 trap: mepc, cause (bit 4: interrupt)                     3 trace word: the word, assembled from the pins
//   4 console: the byte                                        5 end: see below
//   6 serial line: the byte, bit 8: no stop bit
// for a SoC that takes data, with DATA in soc.h, also:
//   7 register: number, value; before the instruction that wrote it
//   8 access, reported one cycle later: address, data read or written, strobes (0: read)
//   9 recording starts
// and with VALUES in soc.h, for a SoC that traces load values as well as control flow:
//   10 word of load values, assembled from their pins
#include "Vsoc.h"
#include "verilated.h"
#include "soc.h"
#include "records.h"
#if VM_TRACE
#include "verilated_vcd_c.h"
#endif
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <csignal>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <termios.h>
#include <unistd.h>

// FNV-1a over 64-bit words
static uint64_t stores = 0xcbf29ce484222325;
static uint64_t store_count;

static void store(uint64_t v) { stores = (stores ^ v) * 0x100000001b3; }

#ifndef PINS
// The SoC's serial line: a receiver and a transmitter, and the terminal connected to them.
struct Line {
    int terminal = -1, other = -1;
    unsigned in_bits = 0, in_wait = 0, in_byte = 0;
    unsigned out_bits = 0, out_wait = 0, out_byte = 0;
    std::deque<uint8_t> to_soc, to_host;
    uint64_t clocks = 0;

    bool open_terminal(const char* link) {
        terminal = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
        if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) return false;
        const char* name = ptsname(terminal);
        // held open, so that the line stays when the host closes it; raw, so that nothing is echoed
        other = open(name, O_RDWR | O_NOCTTY);
        termios raw;
        if (other < 0 || tcgetattr(other, &raw) != 0) return false;
        cfmakeraw(&raw);
        return tcsetattr(other, TCSANOW, &raw) == 0 && symlink(name, link) == 0;
    }

    void carry() {
        uint8_t b[256];
        const ssize_t n = read(terminal, b, sizeof b);
        for (ssize_t i = 0; i < n; i++) to_soc.push_back(b[i]);
        while (!to_host.empty()) {
            const uint8_t byte = to_host.front();
            if (write(terminal, &byte, 1) != 1) break;
            to_host.pop_front();
        }
    }

    // one cycle: returns the received byte, with bit 8 if it had no stop bit, or -1
    int clock(bool tx, uint8_t& rx) {
        if (terminal >= 0 && (clocks++ & 255) == 0) carry();
        if (out_bits == 0) {
            rx = 1;
            if (!to_soc.empty()) {
                out_byte = to_soc.front() << 1 | 0x200;
                to_soc.pop_front();
                out_bits = 10;
                out_wait = DIVISOR; // the previous stop bit
            }
        }
        if (out_bits != 0 && --out_wait == 0) {
            rx = out_byte & 1;
            out_byte = out_byte >> 1 | 0x200;
            out_bits--;
            out_wait = DIVISOR;
        }
        // waits for a start bit, then samples every bit in its middle
        if (in_bits == 0) {
            if (!tx) {
                in_bits = 9;
                in_wait = DIVISOR + DIVISOR / 2;
            }
        } else if (--in_wait == 0) {
            in_wait = DIVISOR;
            if (--in_bits == 0) {
                if (terminal >= 0) to_host.push_back(in_byte);
                return static_cast<int>(in_byte | (tx ? 0 : 0x100));
            }
            in_byte = (in_byte >> 1 | (tx ? 0x80 : 0)) & 0xff;
        }
        return -1;
    }

    // waits until the host has taken all bytes, for at most ten seconds. Bytes just written are briefly on neither
    // side, and lost if the terminal closes then, so the line must stay empty for a while
    void finish() {
        for (int i = 0, empty = 0; terminal >= 0 && i < 1000 && empty < 20; i++) {
            carry();
            int left = 0;
            empty = to_host.empty() && (ioctl(other, FIONREAD, &left) != 0 || left == 0) ? empty + 1 : 0;
            usleep(10000);
        }
    }
};
#endif

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    // ends with the parent process, which could not stop it
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const bool to_vcd = argc > 4 && strcmp(argv[4], "-") != 0;
    const bool served = argc > 5;
    const uint64_t limit = strtoull(argv[3], nullptr, 0);
    VerilatedContext context;
    context.commandArgs(argc, argv);
    Vsoc top{&context};
#if VM_TRACE
    VerilatedVcdC vcd;
    if (to_vcd) {
        context.traceEverOn(true);
        top.trace(&vcd, 99);
        vcd.open(argv[4]);
    }
    uint64_t time = 0;
#endif
    top.halt = 0;
    top.reset = 1;
    bool running = false, stopped = false;
    uint64_t after = 0, retired = 0;
#ifdef DATA
    bool accessed = false, recorded = false;
    unsigned master = 0;
    uint32_t addr = 0, data = 0, strobes = 0;
#endif
#ifdef VALUES
    uint64_t value_bits = 0;
    uint32_t value_word = 0;
#endif
#ifdef PINS
    uint64_t word_bits = 0;
    uint32_t word = 0;
#else
    Line line;
    top.rx = 1;
    if (served && !line.open_terminal(argv[5])) {
        perror(argv[5]);
        return 6;
    }
#endif
    const auto begin = std::chrono::steady_clock::now();
    uint64_t clocks = 0;
    for (;; clocks++) {
        if (clocks == 8) top.reset = 0;
        top.clk = 0;
        top.eval();
#if VM_TRACE
        if (to_vcd) vcd.dump(time++);
#endif
        if (!running && top.run && clocks > 8) running = true;
        if (running) {
#ifdef DATA
            if (accessed) {
                record(8, master);
                put(addr);
                put(strobes ? data : top.access_rdata);
                put(strobes);
            }
            if (top.recorded && !recorded) record(9, 0);
            recorded = top.recorded;
            accessed = top.access;
            master = top.access_master;
            addr = top.access_addr;
            data = top.access_wdata;
            strobes = top.access_wstrb;
#endif
            for (unsigned c = 0; c < CORES; c++) {
                uint32_t a, b;
                if (get_trap(top, c, a, b)) {
                    record(2, c);
                    put(a);
                    put(b);
                }
#ifdef DATA
                uint32_t npc, rd, value;
                if (get_retired(top, c, a, npc) && get_register(top, c, rd, value)) {
                    record(7, c);
                    put(rd);
                    put(value);
                }
#endif
                if (get_retired(top, c, a, b)) {
                    record(1, c);
                    put(a);
                    put(b);
                    retired++;
                }
            }
            if (top.access && top.access_wstrb) {
                store(cycle << 8 | top.access_master << 4 | top.access_wstrb);
                store(static_cast<uint64_t>(top.access_addr) << 32 | top.access_wdata);
                store_count++;
            }
            if (top.console_valid) {
                record(4, 0);
                put(top.console_data);
            }
            if (!top.run) stopped = true;
            if (cycle == limit) top.halt = 1;
            if (stopped && after++ > 400000000) {
                fprintf(stderr, "the trace system is not idle 400000000 cycles after the cores stopped\n");
                return 6;
            }
        }
#ifdef VALUES
        if (top.value_strobe) {
            value_word |= static_cast<uint32_t>(top.value_pins) << value_bits;
            value_bits += PINS;
            if (value_bits == 32) {
                record(10, 0);
                put(value_word);
                value_word = 0;
                value_bits = 0;
            }
        }
#endif
#ifdef PINS
        if (top.trace_strobe) {
            word |= static_cast<uint32_t>(top.trace_pins) << word_bits;
            word_bits += PINS;
            if (word_bits == 32) {
                record(3, 0);
                put(word);
                word = 0;
                word_bits = 0;
            }
        }
#else
        const int byte = clocks > 8 ? line.clock(top.tx, top.rx) : -1;
        if (byte >= 0) {
            record(6, 0);
            put(static_cast<uint32_t>(byte));
        }
#endif
        // a host may take its time
        if (!running && !served && clocks > 1000000) {
            fprintf(stderr, "the cores do not start within 1000000 cycles\n");
            return 6;
        }
        if (stopped && top.done) break;
        top.clk = 1;
        top.eval();
#if VM_TRACE
        if (to_vcd) vcd.dump(time++);
#endif
        if (running) cycle++;
    }
#ifndef PINS
    line.finish();
#endif
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    // cycles (2), clocks (2), retired (2), stores (2), their hash (2), microseconds (2), exited, exit code
    record(5, 0);
    const uint64_t ends[] = {cycle - after, clocks, retired, store_count, stores, static_cast<uint64_t>(seconds.count() * 1e6)};
    for (uint64_t v : ends) {
        put(static_cast<uint32_t>(v));
        put(static_cast<uint32_t>(v >> 32));
    }
    put(top.exited);
    put(top.exit_code);
    flush_out();
#if VM_TRACE
    if (to_vcd) vcd.close();
#endif
    top.final();
    return 0;
}

// Runs a Verilated tile (fpga::tile): a core with AXI4 ports, the memory behind them, and its trace system.
//
// usage: tile <image> <entry> <max-cycles> <control> <input>
// <control> is the value of the register that enables the trace system. <input> holds what the UART receives.
// <image> holds segments: address, bytes (8 each), then the bytes. tile.h, generated next to it, names ports and slots.
//
// One cycle: clock low, inputs set, eval, outputs sampled; clock high, eval. The core is held in reset until tracing is
// active. The output is 32-bit words on standard output. A record is a word  kind | core << 4 | cycles since the last
// record << 8  and its arguments:
//   0 time: cycles, when they do not fit in the 24 bits        1 retired: pc (2), instruction
//   2 trap: mepc (2)                                           3 trace word
//   4 console: the byte                                        5 end: cycles (2), microseconds (2), exited, exit code
//   6 context of the instructions that the core retires from now on: mode, address space above bit 1; 0 at first
#include "Vtile.h"
#include "tile.h"
#include "records.h"
#include "verilated.h"
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/prctl.h>
#include <vector>

static void put2(uint64_t v) {
    put(static_cast<uint32_t>(v));
    put(static_cast<uint32_t>(v >> 32));
}

// 128 MiB of RAM, and devices at the addresses of QEMU's board
static constexpr uint64_t RAM = 0x80000000, RAM_BYTES = 1 << 27;
static constexpr uint64_t CONSOLE = 0x10000000, FINISHER = 0x100000, FINISHER_2 = 0x10100000, CLINT = 0x2000000;
static std::vector<uint8_t> ram(RAM_BYTES);
static bool exited, software, uart_interrupts;
static uint32_t exit_code;
static uint64_t mtime, mtimecmp = ~0ull, entry;

static uint64_t load8(uint64_t at) {
    at &= ~7ull;
    uint64_t v = 0;
    if (at >= RAM && at < RAM + RAM_BYTES) memcpy(&v, &ram[at - RAM], 8);
    // lui t0, upper bits of the entry; slli t0, t0, 32 and srli t0, t0, 32; jr t0: target of a boot ROM
    else if (at == CONSOLE) v = 0x0202929300000000ull | (entry & 0xfffff000) | 0x2b7;
    else if (at == CONSOLE + 8) v = 0x000280670202d293ull;
    else if (at == CLINT) v = software;
    else if (at == CLINT + 0x4000) v = mtimecmp;
    else if (at == CLINT + 0xbff8) v = mtime;
    return v;
}

static std::vector<uint8_t> input;
static size_t read_input;

// receiver buffer and line status of the UART, a 16550, whose transmitter is always ready
static uint64_t load_uart(uint64_t offset) {
    const bool has_data = read_input < input.size();
    if (offset == 5) return static_cast<uint64_t>(0x60 | has_data) << 40;
    return offset == 0 && has_data ? input[read_input++] : 0;
}

static void store8(uint64_t at, uint64_t v, uint8_t strobes) {
    at &= ~7ull;
    if (at >= RAM && at < RAM + RAM_BYTES) {
        for (int i = 0; i < 8; i++)
            if (strobes >> i & 1) ram[at - RAM + i] = static_cast<uint8_t>(v >> 8 * i);
    } else if (at == CONSOLE && strobes & 3) {
        if (strobes & 1) {
            record(4, 0);
            put(v & 0xff);
        }
        // interrupt enable register: received data
        if (strobes & 2) uart_interrupts = v >> 8 & 1;
    } else if ((at == FINISHER || at == FINISHER_2) && strobes & 1) {
        exited = true;
        exit_code = (v & 0xffff) == 0x5555 ? 0 : static_cast<uint32_t>(v) >> 16;
    } else if (at == CLINT && strobes & 1) {
        software = v & 1;
    } else if (at == CLINT + 0x4000) {
        for (int i = 0; i < 8; i++)
            if (strobes >> i & 1) {
                const uint64_t mask = 0xffull << 8 * i;
                mtimecmp = (mtimecmp & ~mask) | (v & mask);
            }
    }
}

// AXI5 atomic transactions on `n` bytes: `loaded` from the address, `given` by the core
static uint64_t atomic(unsigned op, uint64_t loaded, uint64_t given, unsigned n) {
    const unsigned shift = 64 - 8 * n;
    const int64_t a = static_cast<int64_t>(loaded << shift) >> shift, b = static_cast<int64_t>(given << shift) >> shift;
    const uint64_t ua = loaded << shift, ub = given << shift;
    if ((op & 0x30) == 0x30) return given;
    switch (op & 7) {
    case 0: return loaded + given;
    case 1: return loaded & ~given;
    case 2: return loaded ^ given;
    case 3: return loaded | given;
    case 4: return a > b ? loaded : given;
    case 5: return a < b ? loaded : given;
    case 6: return ua > ub ? loaded : given;
    default: return ua < ub ? loaded : given;
    }
}

// One AXI4 port: one read and one write at a time. The first beat of a read comes WAIT cycles after its address.
struct Axi {
    static constexpr int WAIT = 4;
    struct Wires {
        uint64_t araddr, awaddr, wdata;
        uint8_t arlen, arburst, arid, arlock, arvalid, rready;
        uint8_t awlen, awburst, awid, awlock, awatop, awsize, awvalid, wstrb, wvalid, bready;
    };
    // outputs, as sampled before the edge
    bool arready = true, rvalid = false, rlast = false, awready = true, wready = false, bvalid = false;
    uint64_t rdata = 0;
    uint8_t rresp = 0, rid = 0, bresp = 0, bid = 0;

    bool reading = false, writing = false, kept = false, written = false;
    int wait = 0;
    uint64_t raddr = 0, waddr = 0, reservation = 0;
    uint8_t rleft = 0, rlen = 0, rburst = 0, wlock = 0, watop = 0, wsize = 0;

    static uint64_t next(uint64_t at, uint8_t burst, uint8_t len) {
        const uint64_t n = (at & ~7ull) + 8;
        if (burst == 0) return at;
        if (burst == 1) return n;
        const uint64_t size = 8ull * (len + 1);
        return (at & ~(size - 1)) | (n & (size - 1));
    }

    void clock(const Wires& w) {
        if (rvalid && w.rready) {
            rvalid = false;
            if (rlast) {
                reading = false;
                rlast = false;
            }
        }
        if (bvalid && w.bready) bvalid = writing = false;
        if (arready && w.arvalid) {
            reading = true;
            raddr = w.araddr;
            rleft = rlen = w.arlen;
            rburst = w.arburst;
            rid = w.arid;
            rresp = 0;
            wait = WAIT;
            if (w.arlock) {
                reservation = w.araddr & ~7ull;
                kept = true;
                rresp = 1;
            }
        } else if (reading && !rvalid && wait > 0) {
            wait--;
        }
        if (reading && !rvalid && wait == 0) {
            rvalid = true;
            // bursts fetch instructions
            rdata = rlen == 0 && raddr - CONSOLE < 8 ? load_uart(raddr - CONSOLE) : load8(raddr);
            rlast = rleft == 0;
            if (!rlast) rleft--;
            raddr = next(raddr, rburst, rlen);
        }
        if (wready && w.wvalid) {
            uint64_t v = w.wdata;
            uint8_t strobes = w.wstrb;
            bresp = 0;
            if (wlock) {
                bresp = kept && reservation == (waddr & ~7ull) ? 1 : 0;
                if (!bresp) strobes = 0;
            }
            if (watop) {
                const unsigned n = 1u << wsize, shift = 8 * (waddr & 7);
                const uint64_t was = load8(waddr);
                // the old value is returned as a read
                reading = true;
                wait = 0;
                rvalid = rlast = true;
                rdata = was;
                rid = bid;
                rresp = 0;
                v = atomic(watop, was >> shift, v >> shift, n) << shift;
            }
            store8(waddr, v, strobes);
            if (strobes && kept && reservation == (waddr & ~7ull)) kept = false;
            waddr = next(waddr, wburst, wlen);
            if (wleft == 0) {
                written = true;
                bvalid = true;
            } else {
                wleft--;
            }
        }
        if (awready && w.awvalid) {
            writing = true;
            written = false;
            waddr = w.awaddr;
            wleft = wlen = w.awlen;
            wburst = w.awburst;
            bid = w.awid;
            wlock = w.awlock;
            watop = w.awatop;
            wsize = w.awsize;
        }
        arready = !reading && !(writing && watop);
        // an atomic transaction waits for the read channel
        awready = !writing && !reading;
        wready = writing && !written;
    }

    uint8_t wleft = 0, wlen = 0, wburst = 0;
};

#define DRIVE(p) \
    t.m##p##_arready = a.arready; \
    t.m##p##_rdata = a.rdata; \
    t.m##p##_rresp = a.rresp; \
    t.m##p##_rid = a.rid; \
    t.m##p##_rlast = a.rlast; \
    t.m##p##_rvalid = a.rvalid; \
    t.m##p##_awready = a.awready; \
    t.m##p##_wready = a.wready; \
    t.m##p##_bresp = a.bresp; \
    t.m##p##_bid = a.bid; \
    t.m##p##_bvalid = a.bvalid
#define SAMPLE(p) \
    return {t.m##p##_araddr, t.m##p##_awaddr, t.m##p##_wdata, t.m##p##_arlen, t.m##p##_arburst, t.m##p##_arid, \
            t.m##p##_arlock, t.m##p##_arvalid, t.m##p##_rready, t.m##p##_awlen, t.m##p##_awburst, t.m##p##_awid, \
            t.m##p##_awlock, t.m##p##_awatop, t.m##p##_awsize, t.m##p##_awvalid, t.m##p##_wstrb, t.m##p##_wvalid, \
            t.m##p##_bready}

static void drive(Vtile& t, int port, const Axi& a) {
#if AXI_PORTS > 1
    if (port == 1) {
        DRIVE(1);
        return;
    }
#endif
    (void)port;
    DRIVE(0);
}

static Axi::Wires sample(const Vtile& t, int port) {
#if AXI_PORTS > 1
    if (port == 1) SAMPLE(1);
#endif
    (void)port;
    SAMPLE(0);
}

// Reports the instructions that core `c` retires in this cycle, oldest first.
static void log_core(const Vtile& t, unsigned c) {
    unsigned valid, trap;
    uint64_t pc[LANES], mepc;
    uint32_t insn[LANES];
    unsigned context;
    static unsigned last_context[CORES];
    get_log(t, c, valid, pc, insn, trap, mepc, context);
    if (valid && context != last_context[c]) {
        record(6, c);
        put(last_context[c] = context);
    }
    for (unsigned lane = 0; lane < LANES; lane++) {
        if (!(valid >> lane & 1)) continue;
        record(1, c);
        put2(pc[lane]);
        put(insn[lane]);
    }
    if (trap) {
        record(2, c);
        put2(mepc);
    }
}

int main(int argc, char** argv) {
    if (argc != 6) return 2;
    // ends with the parent process, which could not stop it
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    FILE* image = fopen(argv[1], "rb");
    if (!image) {
        perror(argv[1]);
        return 6;
    }
    uint64_t segment[2];
    while (fread(segment, 8, 2, image) == 2) {
        if (segment[0] < RAM || segment[0] + segment[1] > RAM + RAM_BYTES) return 6;
        if (fread(&ram[segment[0] - RAM], 1, segment[1], image) != segment[1]) return 6;
    }
    fclose(image);
    entry = strtoull(argv[2], nullptr, 0);
    const uint64_t limit = strtoull(argv[3], nullptr, 0);
    const uint32_t control = static_cast<uint32_t>(strtoul(argv[4], nullptr, 0));
    if (FILE* file = fopen(argv[5], "rb")) {
        for (int c; (c = fgetc(file)) != EOF;) input.push_back(static_cast<uint8_t>(c));
        fclose(file);
    }
    VerilatedContext context;
    Vtile top{&context};
    Axi axi[AXI_PORTS];
    top.reset = 1;
    top.core_reset = 1;
    top.ready = 1;
    const auto begin = std::chrono::steady_clock::now();
    // 0: reset, 1: enabled, 2: the core runs, 3: it is stopped, 4: disabled
    int state = 0;
    uint64_t clocks = 0, since = 0, ran = 0;
    for (;; clocks++) {
        top.clk = 0;
        top.reset = clocks < 16;
        top.bus_write = 0;
        // reads status in every cycle without a write
        top.bus_addr = 3;
        if (state == 0 && clocks == 20) {
            top.bus_addr = 2;
            top.bus_write = 1;
            top.bus_wdata = control;
            state = 1;
            since = clocks;
        } else if (state == 1 && clocks > since + 4 && (top.bus_rdata & 2)) {
            state = 2;
            since = clocks;
        } else if (state == 2 && (exited || cycle == limit)) {
            state = 3;
            since = clocks;
            ran = cycle;
        } else if (state == 3 && clocks > since + 400) {
            // instructions in the queue are reported while tracing is on
            top.bus_addr = 2;
            top.bus_write = 1;
            // the modes stay selected, or what is in the pipeline would be hidden
            top.bus_wdata = control & ~1u;
            state = 4;
            since = clocks;
        } else if (state == 4 && clocks > since + 4 && (top.bus_rdata & 4)) {
            break;
        }
        if (clocks > since + 1000000 && state != 2) {
            fprintf(stderr, "the trace system does not answer in state %d\n", state);
            return 6;
        }
        top.core_reset = state < 2 || clocks < since + 16 && state == 2;
        top.stop = state > 2;
        top.timer_irq = mtime >= mtimecmp;
        top.soft_irq = software;
        top.uart_irq = uart_interrupts && read_input < input.size();
        for (int i = 0; i < AXI_PORTS; i++) drive(top, i, axi[i]);
        top.eval();
        if (state >= 2) {
            for (unsigned c = 0; c < CORES; c++) log_core(top, c);
        }
        if (top.valid) {
            record(3, 0);
            put(top.data);
        }
        Axi::Wires wires[AXI_PORTS];
        for (int i = 0; i < AXI_PORTS; i++) wires[i] = sample(top, i);
        top.clk = 1;
        top.eval();
        for (int i = 0; i < AXI_PORTS && !top.core_reset; i++) axi[i].clock(wires[i]);
        if (state >= 2) {
            cycle++;
            mtime = cycle / 16;
        }
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    record(5, 0);
    put2(ran);
    put2(static_cast<uint64_t>(seconds.count() * 1e6));
    put(exited);
    put(exit_code);
    flush_out();
    top.final();
    return 0;
}

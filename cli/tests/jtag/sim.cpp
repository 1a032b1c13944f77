// A trace system with a remote_bitbang port for OpenOCD: each change of the pins lasts some cycles. The core is a file
// of instructions; it is stopped while SRST is low, and until SRST has been low for the first time.
#include "Vgoshawk.h"
#include "verilated.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static Vgoshawk dut;
static FILE *beats;
static bool runs = false, held = false;
static unsigned clocks = 0;

static void step() {
    unsigned core, trapped, pc, next, insn, cycle;
    // slower than words leave by this port
    bool told = runs && !held && clocks % 48 == 0 && fscanf(beats, "%u %u %u %x %x %x", &cycle, &core, &trapped, &pc, &next, &insn) == 6;
    dut.rvfi_valid_0 = told;
    if (told) {
        dut.rvfi_intr_0 = trapped;
        dut.rvfi_pc_rdata_0 = pc;
        dut.rvfi_pc_wdata_0 = next;
        dut.rvfi_insn_0 = insn;
    }
    dut.clock = 0;
    dut.eval();
    dut.clock = 1;
    dut.eval();
    clocks++;
}

int main(int argc, char **argv) {
    sockaddr_un at = {};
    at.sun_family = AF_UNIX;
    strncpy(at.sun_path, argv[1], sizeof at.sun_path - 1);
    int server = socket(AF_UNIX, SOCK_STREAM, 0);
    if (argc < 3 || bind(server, (sockaddr *)&at, sizeof at) || listen(server, 1) || !(beats = fopen(argv[2], "r"))) {
        perror("sim");
        return 1;
    }
    char comment[200];
    for (int i = 0; i < 2; i++)
        if (!fgets(comment, sizeof comment, beats))
            return 1;
    dut.jtag_trst_n = 1;
    dut.reset = 1;
    step();
    dut.reset = 0;
    puts("listening");
    fflush(stdout);
    int host = accept(server, nullptr, nullptr);
    char command;
    while (read(host, &command, 1) == 1 && command != 'Q') {
        if (command >= '0' && command <= '7') {
            int pins = command - '0';
            dut.jtag_tck = pins >> 2;
            dut.jtag_tms = pins >> 1 & 1;
            dut.jtag_tdi = pins & 1;
        } else if (command >= 'r' && command <= 'u') {
            int resets = command - 'r';
            dut.jtag_trst_n = !(resets >> 1);
            runs |= held && !(resets & 1);
            held = resets & 1;
        } else if (command == 'R') {
            char bit = '0' + dut.jtag_tdo;
            if (write(host, &bit, 1) != 1)
                return 1;
            continue;
        } else {
            continue;
        }
        // phases of TCK with different lengths, including the shortest allowed
        for (unsigned i = 4 + clocks % 3; i; i--)
            step();
    }
    printf("%u clocks\n", clocks);
}

// Clock and console of the simulated SoC; what it prints goes to the standard error, so that the SoC's log stands alone.
#include "Vsim.h"
#include "verilated.h"
#include <cstdio>

int main() {
    const long LIMIT = 3000000;
    Vsim sim;
    sim.serial_source_ready = 1;
    sim.serial_sink_valid = 0;
    for (long clocks = 0; !Verilated::gotFinish(); clocks++) {
        if (clocks == LIMIT) {
            fprintf(stderr, "no end after %ld clocks\n", LIMIT);
            return 1;
        }
        sim.sys_rst = clocks < 4;
        sim.sys_clk = 0;
        sim.eval();
        if (sim.serial_source_valid)
            fputc(sim.serial_source_data, stderr);
        sim.sys_clk = 1;
        sim.eval();
    }
    sim.final();
}

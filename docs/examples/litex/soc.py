#!/usr/bin/env python3
"""Traced VexRiscv cores in LiteX, simulated by Verilator

    pip install ./python/litex
    goshawk gen --set small --ingress pc-chain --bus wishbone --port axi-stream -o trace-litex
    python3 docs/examples/litex/soc.py trace-litex -o litex-soc

The firmware traces a part of its run into a memory of the SoC and prints that memory. The output folder then has `firmware.elf`,
`words.hex`, the trace as printed, and `retired.txt`, the core and address of every instruction that retired.

With `--cores 2`, and a trace system of `goshawk gen --cores 2`, there are two cores: with `--cpu vexriscv` a second VexRiscv on the
bus, without coherence of caches; with `--cpu vexriscv_smp` the cluster of LiteX, whose package must be installed.
"""

import argparse
import contextlib
import shutil
import subprocess
import sys
from pathlib import Path

from litex.build.generic_platform import Pins, Subsignal
from litex.build.sim import SimPlatform
from litex.gen import LiteXModule
from litex.soc.cores.cpu.vexriscv.core import VexRiscv
from litex.soc.cores.dma import WishboneDMAWriter
from litex.soc.integration.export import get_csr_header
from litex.soc.integration.soc import SoCRegion
from litex.soc.integration.soc_core import SoCCore
from litex.soc.interconnect import wishbone
from litex.soc.interconnect.csr import CSRStorage
from migen import ClockDomain, Display, Finish, If, Signal

from goshawk_litex import Goshawk

HERE = Path(__file__).resolve().parent
PINS = [
    ("sys_clk", 0, Pins(1)),
    ("sys_rst", 0, Pins(1)),
    (
        "serial",
        0,
        *(Subsignal(f"{end}_{name}", Pins(n)) for end in ["source", "sink"] for name, n in [("valid", 1), ("ready", 1), ("data", 8)]),
    ),
]
# what the trace is written into; above 0x80000000 no cache of the CPU is in the way
TRACE_RAM = 0x9000_0000, 0x4000
REGISTERS = 0xA000_0000, 0x1000
# where the second core starts, in start.S
SECOND_RESET = 0x10


class Clock(LiteXModule):
    def __init__(self, platform):
        self.cd_sys = ClockDomain()
        self.comb += [self.cd_sys.clk.eq(platform.request("sys_clk")), self.cd_sys.rst.eq(platform.request("sys_rst"))]


class Ended(LiteXModule):
    """A register by which the firmware ends a simulation."""

    def __init__(self):
        self.when = CSRStorage()
        self.sync += If(self.when.storage, Finish())


class Soc(SoCCore):
    def __init__(self, platform, folder, cpu, variant, cores):
        super().__init__(
            platform,
            clk_freq=int(1e6),
            cpu_type=cpu,
            cpu_variant=variant,
            integrated_rom_size=0x2000,
            integrated_sram_size=0x4000,
            uart_name="sim",
            with_timer=False,
            ident="traced VexRiscv",
        )
        self.crg = Clock(platform)

        # the trace system: registers on the bus, words by DMA into a memory
        cpus = [self.cpu]
        if cpu == "vexriscv_smp":
            # the ports to a DRAM stay open: nothing is at its addresses
            self.cpu.memory_buses.append(None)
        if cpu == "vexriscv" and cores == 2:
            self.second = VexRiscv(platform, variant)
            self.second.set_reset_address(self.mem_map["rom"] + SECOND_RESET)
            for name, bus in [("ibus", self.second.ibus), ("dbus", self.second.dbus)]:
                self.bus.add_master(f"second_{name}", master=bus)
            cpus.append(self.second)
        self.goshawk = Goshawk(platform, folder, cpus)
        self.bus.add_slave("goshawk", self.goshawk.bus, SoCRegion(origin=REGISTERS[0], size=REGISTERS[1], cached=False))
        self.trace_ram = wishbone.SRAM(TRACE_RAM[1])
        self.bus.add_slave("trace_ram", self.trace_ram.bus, SoCRegion(origin=TRACE_RAM[0], size=TRACE_RAM[1], cached=False))
        writer = wishbone.Interface(data_width=32, address_width=32, addressing="word")
        # words as they are, and they wait while the writer is not enabled
        self.trace_dma = WishboneDMAWriter(writer, endianness="big")
        self.trace_dma.add_ctrl(ready_on_idle=0)
        self.trace_dma.add_csr()
        self.bus.add_master("trace_dma", master=writer)
        self.comb += self.goshawk.source.connect(self.trace_dma.sink)

        # of the simulation alone
        self.ended = Ended()
        for n, core in enumerate(self.goshawk.retired):
            self.sync += If(core["valid"], Display(f"retired {n} %08x", core["pc"]))


def configure_cluster(cores):
    """Selects the smallest cluster of this number of cores that the package has as Verilog."""
    from litex.soc.cores.cpu.vexriscv_smp.core import VexRiscvSMP

    VexRiscvSMP.cpu_count = cores
    VexRiscvSMP.litedram_width = 32 if cores == 1 else 128
    if cores > 1:
        VexRiscvSMP.coherent_dma = True
        VexRiscvSMP.icache_width = VexRiscvSMP.dcache_width = 64
        VexRiscvSMP.icache_size = VexRiscvSMP.dcache_size = 8192
        VexRiscvSMP.icache_ways = VexRiscvSMP.dcache_ways = 2


def firmware(soc, folder, output, given):
    """Compiles it for the finished SoC; its bytes."""
    regions = {name: soc.bus.regions[name] for name in ["rom", "sram"]}
    places = [f"-Wl,--defsym={n.upper()}_{k}={v}" for n, r in regions.items() for k, v in [("BASE", r.origin), ("SIZE", r.size)]]
    head = get_csr_header(soc.csr_regions, soc.constants, soc.bus.regions["csr"].origin, with_access_functions=False)
    own = {"GOSHAWK_BASE": REGISTERS[0], "TRACE_RAM_BASE": TRACE_RAM[0], "TRACE_RAM_SIZE": TRACE_RAM[1]}
    own |= {"ITEMS": given.items, "CORES": given.cores}
    defines = "".join(f"#define {name} 0x{value:x}\n" for name, value in own.items())
    (output / "soc.h").write_text(head.replace("#include <generated/soc.h>\n", "") + defines)
    shutil.copy(Path(folder) / "registers.h", output)
    # VexRiscv alone has no mhartid
    march = "rv32im" if given.cpu == "vexriscv" else "rv32im_zicsr"
    flags = f"-march={march} -mabi=ilp32 -O2 -Wall -Wextra -Werror -ffreestanding -nostdlib -static -Wl,--build-id=sha1".split()
    sources = [str(HERE / name) for name in ["start.S", "firmware.c"]]
    compiler = "riscv64-unknown-elf-"
    subprocess.run(
        [f"{compiler}gcc", *flags, *places, f"-I{output}", f"-T{HERE / 'link.ld'}", *sources, "-lgcc", "-o", "firmware.elf"],
        cwd=output,
        check=True,
    )
    subprocess.run([f"{compiler}objcopy", "-O", "binary", "firmware.elf", "firmware.bin"], cwd=output, check=True)
    data = (output / "firmware.bin").read_bytes()
    data += bytes(-len(data) % 4)
    return [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)]


def simulate(platform, soc, output):
    """Verilates the SoC and runs it; the lines that it printed, and the cores and addresses of what retired."""
    fragment = soc.get_fragment()
    platform.finalize(fragment)
    # memories' contents are written beside it
    with contextlib.chdir(output):
        platform.get_verilog(fragment, name="sim").write("sim.v")
    sources = [source[0] for source in platform.sources]
    warnings = "-Wno-fatal -Wno-lint -Wno-style -Wno-BLKANDNBLK -Wno-COMBDLY -Wno-CASEINCOMPLETE -Wno-MULTIDRIVEN -Wno-INITIALDLY".split()
    subprocess.run(
        ["verilator", "-O3", "--cc", "--exe", "--build", "--top-module", "sim", *warnings, "-CFLAGS", "-O1"]
        + [str(HERE / "sim.cpp"), "sim.v", *sources],
        cwd=output,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    done = subprocess.run(["obj_dir/Vsim"], cwd=output, check=True, capture_output=True, text=True)
    lines = done.stdout.splitlines()
    return done.stderr.splitlines(), [line.split()[1:] for line in lines if line.startswith("retired ")]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", help="what `goshawk gen` wrote")
    options.add_argument("-o", "--output", required=True, type=Path, help="folder that is made")
    options.add_argument("--cpu", choices=["vexriscv", "vexriscv_smp"], default="vexriscv", help="CPU of LiteX [vexriscv]")
    options.add_argument("--cores", type=int, choices=[1, 2], default=1, help="number of cores, as of the trace system [1]")
    options.add_argument("--cpu-variant", default="standard", help="of VexRiscv [standard]")
    options.add_argument("--items", type=int, default=200, help="numbers that the firmware sorts, four times [200]")
    given = options.parse_args()
    output = given.output.resolve()
    output.mkdir(parents=True, exist_ok=True)

    platform = SimPlatform("SIM", PINS)
    if given.cpu == "vexriscv_smp":
        configure_cluster(given.cores)
    soc = Soc(platform, given.folder, given.cpu, given.cpu_variant, given.cores)
    soc.finalize()
    soc.init_rom("rom", firmware(soc, given.folder, output, given), auto_size=False)
    console, retired = simulate(platform, soc, output)
    (output / "retired.txt").write_text("".join(f"{core} 0x{pc}\n" for core, pc in retired))
    starts = [i for i, line in enumerate(console) if line.startswith("trace of ")]
    if len(starts) != 1 or console[-1] != "end":
        sys.exit("soc.py: the firmware did not print a trace:\n" + "\n".join(console[-20:]))
    words = console[starts[0] + 1 : -1]
    print("\n".join(console[: starts[0]]))
    (output / "words.hex").write_text("\n".join(words) + "\n")
    print(f"{len(retired)} instructions retired, {len(words)} words of trace: {given.output}/words.hex")


if __name__ == "__main__":
    main()

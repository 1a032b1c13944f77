"""A Goshawk trace system in a LiteX SoC with VexRiscv cores

    generate(FOLDER)
    soc.goshawk = Goshawk(platform, FOLDER, [soc.cpu])

The registers are a Wishbone slave, `bus`; the words are a LiteX stream, `source`, whose `last` ends a trace.
"""

import re
import subprocess
from pathlib import Path

from litex import get_data_mod
from litex.gen import LiteXModule
from litex.soc.cores.cpu.vexriscv.core import CPU_VARIANTS
from litex.soc.interconnect import stream, wishbone
from migen import ClockSignal, Instance, ResetSignal, Signal

# a signal of the PC chain ingress: the wire of VexRiscv's last stage, and its width
RETIREMENT = {"valid": ("lastStageIsFiring", 1), "insn": ("lastStageInstruction", 32), "pc": ("lastStagePc", 32)}


def generate(folder, set="small", cores=1, options=(), goshawk="goshawk"):
    """Writes the trace system for `cores` VexRiscv cores into `folder`, by `goshawk gen` with further `options`."""
    fixed = ["--ingress", "pc-chain", "--bus", "wishbone", "--port", "axi-stream"]
    subprocess.run([goshawk, "gen", "--set", set, "--cores", str(cores), *fixed, *options, "-o", str(folder)], check=True)


def with_ports(verilog, module, wires):
    """`verilog` in which `wires` of `module` are output ports: pairs of a name and a width."""
    before, head, rest = verilog.partition(f"module {module} (\n")
    body, end, others = rest.partition("endmodule\n")
    for name, width in wires:
        body, found = re.subn(rf"^ *wire [^\n]*\b{name}\b[^\n]*;\n", "", body, flags=re.M)
        if found != 1:
            raise ValueError(f"{module} has {found} wires named {name}, expected one: the Verilog of VexRiscv is of another version")
        body = f"  output [{width - 1}:0] {name},\n{body}"
    return before + head + body + end + others


def with_cores(verilog, cluster, cores):
    """`verilog` in which module `cluster` has the signals of retirement of its `cores` as ports, with the core's number at their ends."""
    wires = list(RETIREMENT.values())
    for core in range(cores):
        instance = rf"^  (VexRiscv\w*) cores_{core}_cpu_logic_cpu \($"
        found = re.findall(instance, verilog, flags=re.M)
        if len(found) != 1:
            raise ValueError(f"{cluster} has {len(found)} instances of core {core}, expected one: the Verilog of VexRiscv is of another version")
        verilog = with_ports(verilog, found[0], wires)
        connections = "".join(f"    .{name} ({name}_{core}),\n" for name, _ in wires)
        verilog = re.sub(instance, lambda match: f"{match[0]}\n{connections}".rstrip("\n"), verilog, flags=re.M)
        head = f"module {cluster} (\n"
        if head not in verilog:
            raise ValueError(f"there is no module {cluster}: the Verilog of VexRiscv is of another version")
        ports = "".join(f"  output [{width - 1}:0] {name}_{core},\n" for name, width in wires)
        verilog = verilog.replace(head, head + ports)
    return verilog


def retirement(cpu, folder):
    """The signals of retirement of each core of a VexRiscv or VexRiscvSMP. A copy of its Verilog in `folder` has ports for them."""
    if cpu.name == "vexriscv" and hasattr(cpu, "cpu_count"):
        return cluster_retirement(cpu, folder)
    variant = CPU_VARIANTS[cpu.variant]
    # the last stage holds the expanded form of a compressed instruction
    if cpu.variant.startswith("imac"):
        raise ValueError(f"VexRiscv {cpu.variant} has compressed instructions; standard, lite, full and linux have none")
    source = Path(get_data_mod("cpu", "vexriscv").data_location) / f"{variant}.v"
    traced = Path(folder).resolve() / f"{variant}_traced.v"
    traced.write_text(with_ports(source.read_text(), "VexRiscv", RETIREMENT.values()))
    cpu.use_external_variant(str(traced))
    signals = {name: Signal(width) for name, (_, width) in RETIREMENT.items()}
    cpu.cpu_params.update({f"o_{RETIREMENT[name][0]}": signal for name, signal in signals.items()})
    return [signals]


def cluster_retirement(cpu, folder):
    if cpu.with_rvc:
        raise ValueError("VexRiscv SMP with --with-rvc has compressed instructions; leave them out")
    cores = [{name: Signal(width) for name, (_, width) in RETIREMENT.items()} for _ in range(cpu.cpu_count)]
    for n, core in enumerate(cores):
        cpu.cpu_params.update({f"o_{RETIREMENT[name][0]}_{n}": signal for name, signal in core.items()})
    add_sources = cpu.add_sources

    # the name of the cluster is known when LiteX asks for its Verilog
    def add_traced(platform):
        add_sources(platform)
        source = Path(get_data_mod("cpu", "vexriscv_smp").data_location).resolve() / f"{cpu.cluster_name}.v"
        traced = Path(folder).resolve() / f"{cpu.cluster_name}_traced.v"
        traced.write_text(with_cores(source.read_text(), cpu.cluster_name, cpu.cpu_count))
        listed = [at for at, entry in enumerate(platform.sources) if Path(entry[0]).resolve() == source]
        platform.sources[listed[0]] = (str(traced), *platform.sources[listed[0]][1:])

    cpu.add_sources = add_traced
    return cores


class Goshawk(LiteXModule):
    """The trace system in `folder`, connected to all cores of `cpus`; `retired` holds the signals of retirement of each core."""

    def __init__(self, platform, folder, cpus, name="goshawk"):
        self.bus = bus = wishbone.Interface(data_width=32, address_width=32, addressing="word")
        self.source = source = stream.Endpoint([("data", 32)])
        self.retired = [core for cpu in cpus for core in retirement(cpu, folder)]
        ports = {f"i_retire_{at}_{i}": s for i, core in enumerate(self.retired) for at, s in core.items()}
        self.specials += Instance(
            name,
            i_clock=ClockSignal("sys"),
            i_reset=ResetSignal("sys"),
            i_wb_cyc=bus.cyc,
            i_wb_stb=bus.stb,
            i_wb_we=bus.we,
            i_wb_adr=bus.adr[:10],
            i_wb_dat_w=bus.dat_w,
            i_wb_sel=bus.sel,
            o_wb_dat_r=bus.dat_r,
            o_wb_ack=bus.ack,
            o_wb_err=bus.err,
            o_m_axis_tvalid=source.valid,
            i_m_axis_tready=source.ready,
            o_m_axis_tdata=source.data,
            o_m_axis_tlast=source.last,
            **ports,
        )
        platform.add_source(str((Path(folder) / "goshawk_trace.v").resolve()))

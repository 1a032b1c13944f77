"""Tests a generated trace system on its buses with cocotb's bus models: random register accesses, then the vectors.

Environment: BUS and PORT as for `goshawk gen`, FOLDER with its files, SEED, WRITES as for `--writes`, and, if the port has a
separate clock, its PERIOD, where that of the system is 70.
"""

import logging
import os
import random
import re
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge, Timer
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiProt, AxiStreamBus, AxiStreamSink
from cocotbext.axi.apb import ApbBus, ApbMaster

FOLDER = Path(os.environ["FOLDER"])
draw = random.Random(int(os.environ["SEED"]))
OKAY, SLVERR = 0, 2
WRITES = os.environ["WRITES"]
# protection bits of a privileged and secure access
BEST = 1
# the models log every transfer
logging.getLogger("cocotb.goshawk").setLevel(logging.WARNING)


def registers():
    """Byte offset and reset value of each register, by name."""
    row = re.compile(r"\| \d+ \| 0x(\w+) \| `(\w+)` \| [^|]+ \| 0x(\w+) \|")
    text = (FOLDER / "registers.md").read_text()
    return {name: (int(at, 16), int(value, 16)) for at, name, value in row.findall(text)}


MAP = registers()


def pauses(percent):
    while True:
        yield draw.random() * 100 < percent


class Wishbone:
    """A Wishbone master of classic cycles with random waits."""

    def __init__(self, dut):
        self.dut = dut
        for name in ["cyc", "stb", "we", "adr", "dat_w", "sel"]:
            getattr(dut, f"wb_{name}").value = 0

    async def cycle(self, address, data, sel):
        dut = self.dut
        for _ in range(draw.choice([0, 0, 1, 3])):
            await RisingEdge(dut.clock)
        dut.wb_cyc.value = 1
        dut.wb_stb.value = 1
        dut.wb_we.value = int(data is not None)
        dut.wb_adr.value = address >> 2
        dut.wb_dat_w.value = draw.getrandbits(32) if data is None else data
        dut.wb_sel.value = sel
        for _ in range(8):
            await RisingEdge(dut.clock)
            ack, err = int(dut.wb_ack.value), int(dut.wb_err.value)
            assert not (ack and err)
            if ack or err:
                # the strobe may stay active for another cycle of the same block
                read = int(dut.wb_dat_r.value)
                dut.wb_stb.value = 0
                dut.wb_cyc.value = draw.getrandbits(1)
                return SLVERR if err else OKAY, read
        assert False, "no answer"

    async def write(self, address, data, sel=15, prot=BEST):
        return (await self.cycle(address, data, sel))[0]

    async def read(self, address):
        return await self.cycle(address, None, 15)


class Mapped:
    """A master of cocotbext-axi."""

    def __init__(self, master):
        self.master = master

    async def write(self, address, data, sel=15, prot=BEST):
        first = (sel & -sel).bit_length() - 1
        length = bin(sel).count("1")
        part = data.to_bytes(4, "little")[first : first + length]
        return int((await self.master.write(address + first, part, prot=AxiProt(prot))).resp)

    async def read(self, address):
        got = await self.master.read(address, 4)
        return int(got.resp), int.from_bytes(bytes(got.data), "little")


def master(dut):
    bus = os.environ["BUS"]
    if bus == "wishbone":
        return Wishbone(dut)
    if bus == "apb":
        model = ApbMaster(ApbBus.from_prefix(dut, "s_apb"), dut.clock, dut.reset)
        model.set_pause_generator(pauses(30))
        return Mapped(model)
    model = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clock, dut.reset)
    channels = [model.write_if.aw_channel, model.write_if.w_channel, model.write_if.b_channel]
    channels += [model.read_if.ar_channel, model.read_if.r_channel]
    for channel in channels:
        channel.set_pause_generator(pauses(draw.choice([0, 30, 70])))
    return Mapped(model)


def port_of(dut):
    """Clock and reset of the word port."""
    return (dut.port_clock, dut.port_reset) if "PERIOD" in os.environ else (dut.clock, dut.reset)


async def taken(dut, valid, ready, data, into):
    """Takes the data of a port, with random waits; checks that data stays stable until it is taken."""
    valid, ready, data = (getattr(dut, name) for name in (valid, ready, data))
    clock, reset = port_of(dut)
    held = None
    ready.value = 0
    while True:
        await RisingEdge(clock)
        if reset.value == 1:
            continue
        there = int(valid.value)
        now = int(data.value) if there else None
        assert held is None or held == now, f"{held:#x} became {now}"
        if there and ready.value == 1:
            into.append(now)
            held = None
        else:
            held = now
        ready.value = draw.random() < 0.7


async def stream(sink, into):
    """Receives a trace, which must be one packet."""
    while True:
        packet = await sink.recv()
        assert not into, "a second packet"
        into.extend(packet.tdata)


def words(dut):
    """The list of data from the port, and a function that converts it to 32-bit words."""
    port, got = os.environ["PORT"], []
    if port == "axi-stream":
        sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), *port_of(dut), byte_lanes=4)
        sink.set_pause_generator(pauses(30))
        cocotb.start_soon(stream(sink, got))
    elif port == "bytes":
        cocotb.start_soon(taken(dut, "byte_valid", "byte_ready", "byte_data", got))
    elif port == "native":
        cocotb.start_soon(taken(dut, "valid", "ready", "data", got))
        return got, lambda: got
    else:
        cocotb.start_soon(taken(dut, "m_atb_atvalid", "m_atb_atready", "m_atb_atdata", got))
        dut.m_atb_afvalid.value = 0
        return got, lambda: got
    return got, lambda: [int.from_bytes(bytes(got[i : i + 4]), "little") for i in range(0, len(got), 4)]


async def flushed(dut, got):
    """Checks that everything traced so far has left when the flush is acknowledged."""
    if os.environ["PORT"] != "atb":
        return
    clock, _ = port_of(dut)
    dut.m_atb_afvalid.value = 1
    for _ in range(5000):
        await RisingEdge(clock)
        if dut.m_atb_afready.value == 1:
            break
    else:
        assert False, "the flush is not acknowledged"
    assert int(dut.m_atb_atbytes.value) == 3
    before = len(got)
    for _ in range(300):
        await RisingEdge(clock)
    assert len(got) == before, "a word came behind the acknowledgement"
    dut.m_atb_afvalid.value = 0
    for _ in range(2):
        await RisingEdge(clock)
    await ReadOnly()
    assert dut.m_atb_afready.value == 0
    await RisingEdge(clock)


def refused(prot):
    """Whether a write with these protection bits must be refused."""
    return ("privileged" in WRITES and not prot & 1) or ("secure" in WRITES and prot & 2 != 0)


async def random_accesses(bus):
    """Accesses registers with a reset value, parts of words, and addresses after the last register."""
    for _ in range(150):
        name = draw.choice(list(MAP))
        at, value = MAP[name]
        kind, prot = draw.randrange(5), draw.randrange(8)
        if kind == 0:
            beyond = draw.randrange(4 * len(MAP), 4096, 4)
            assert await bus.read(beyond) == (SLVERR, 0)
            assert await bus.write(beyond, 1) == SLVERR
        elif kind == 1:
            assert await bus.write(MAP["control"][0], 1, draw.choice([1, 3, 4, 8, 12])) == SLVERR
        elif kind == 2 and name in ["id", "params"]:
            right = SLVERR if refused(prot) else OKAY
            assert await bus.write(at, draw.getrandbits(32), prot=prot) == right
        elif kind == 3 and refused(prot):
            assert await bus.write(MAP["control"][0], 1, prot=prot) == SLVERR
        if name not in ["status", "sync"]:
            assert await bus.read(at) == (OKAY, value), name


async def instructions(dut, clocks, after={}):
    """Retires the instructions of the vectors on core 0, one in a number of clocks drawn from `clocks`; what `after` has for the number of
    one comes after it."""
    for n, line in enumerate((FOLDER / "beats.txt").read_text().splitlines()[2:]):
        _, _, trapped, pc, next_pc, insn = line.split()
        for _ in range(draw.choice(clocks)):
            await RisingEdge(dut.clock)
            dut.rvfi_valid_0.value = 0
        dut.rvfi_valid_0.value = 1
        dut.rvfi_intr_0.value = int(trapped)
        dut.rvfi_insn_0.value = int(insn, 16)
        dut.rvfi_pc_rdata_0.value = int(pc, 16)
        dut.rvfi_pc_wdata_0.value = int(next_pc, 16)
        if n in after:
            await RisingEdge(dut.clock)
            dut.rvfi_valid_0.value = 0
            await after[n]()
    await RisingEdge(dut.clock)
    dut.rvfi_valid_0.value = 0


def held(dut):
    """Starts the clock of a system that is in reset, and whose core retires nothing."""
    cocotb.start_soon(Clock(dut.clock, 70, "step").start())
    dut.rvfi_valid_0.value = 0
    dut.rvfi_trap_0.value = 0
    dut.reset.value = 1


async def released(dut):
    """Ends the reset after four clocks; returns one clock later."""
    for _ in range(4):
        await RisingEdge(dut.clock)
    dut.reset.value = 0
    await RisingEdge(dut.clock)


@cocotb.test()
async def accesses_and_vectors(dut):
    cocotb.start_soon(Clock(dut.clock, 70, "step").start())
    if "PERIOD" in os.environ:
        await Timer(draw.randrange(1, 70), "step")
        cocotb.start_soon(Clock(dut.port_clock, int(os.environ["PERIOD"]), "step").start())
        dut.port_reset.value = 1
    dut.rvfi_valid_0.value = 0
    dut.rvfi_trap_0.value = 0
    dut.reset.value = 1
    bus = master(dut)
    got, whole = words(dut)
    for _ in range(4):
        await RisingEdge(dut.clock)
        await RisingEdge(port_of(dut)[0])
    dut.reset.value = 0
    if "PERIOD" in os.environ:
        await RisingEdge(dut.port_clock)
        dut.port_reset.value = 0
    await random_accesses(bus)

    control, status = MAP["control"][0], MAP["status"][0]
    assert await bus.write(control, 1) == OKAY
    assert await bus.read(control) == (OKAY, 1)
    for _ in range(20000):
        resp, value = await bus.read(status)
        assert resp == OKAY
        if value & 2:
            break
    else:
        assert False, "tracing does not begin"

    reading = True

    async def reads():
        while reading:
            at, value = MAP[draw.choice(["id", "params"])]
            assert await bus.read(at) == (OKAY, value)

    busy = cocotb.start_soon(reads())
    await instructions(dut, [1, 2, 5], {2500: lambda: flushed(dut, got)})
    reading = False
    await busy
    assert await bus.write(control, 0) == OKAY
    while not (await bus.read(status))[1] & 4:
        pass
    # a model may still hold part of the last data from the port
    for _ in range(40):
        await RisingEdge(dut.clock)
        await RisingEdge(port_of(dut)[0])
    right = [int(w, 16) for w in (FOLDER / "words.hex").read_text().split()]
    assert whole() == right, f"{len(whole())} words, {len(right)} are right"

"""Traces two cores or more through the trace funnel of a generated system, as a tool that knows the RISC-V Trace Control Interface 1.0 and
the base address of the pages, and no more.

Environment as for `buses.py`; CORES; PROTOCOL: ntrace or etrace; SRAM: bytes of the memory of a sink, or 0.
"""

import os

import cocotb
from cocotb.triggers import RisingEdge
from buses import FOLDER, OKAY, draw, master, words
from tci import ACTIVE, CONTROL, EMPTY, ENABLE, FEATURES, IMPL, MODE, TRACING, Tool
from cocotb.clock import Clock

CORES = int(os.environ["CORES"])
NTRACE = os.environ["PROTOCOL"] == "ntrace"
SRAM = int(os.environ["SRAM"])
PAGE = 0x1000
ENCODER, FUNNEL, SINK = 1, 8, 9
DISABLED, TIMES, COUNTER = 0x008, 0x040, 0x048
WP, RP, DATA = 0x020, 0x028, 0x040


class Component(Tool):
    """The component in a page."""

    def __init__(self, bus, page):
        super().__init__(bus)
        self.base = page * PAGE

    async def read(self, offset):
        return await super().read(self.base + offset)

    async def write(self, offset, value):
        await super().write(self.base + offset, value)


def messages(data):
    """The messages in some bytes, each with the number of its core and the bytes without it."""
    found, at = [], 0
    while at < len(data):
        first = data[at]
        if first == (0xFF if NTRACE else 0):
            at += 1
            continue
        if NTRACE:
            end = next(i for i in range(at, len(data)) if data[i] & 3 == 3) + 1
            # SRC of two or four bits is after the six bits of TCODE
            bits = 2 if CORES <= 4 else 4
            mask = ((1 << bits) - 1) << 2
            core, rest = (data[at + 1] & mask) >> 2, bytes([first, data[at + 1] & ~mask]) + bytes(data[at + 2 : end])
        else:
            end = at + 2 + (first & 31)
            core, rest = data[at + 1], bytes([first]) + bytes(data[at + 2 : end])
        found.append((core, rest))
        at = end
    return found


def octets(stream):
    return b"".join(word.to_bytes(4, "little") for word in stream)


async def retire(dut, core, count):
    """Retires the first instructions of the vectors on a core."""
    port = lambda name: getattr(dut, f"rvfi_{name}_{core}")
    for line in (FOLDER / "beats.txt").read_text().splitlines()[2 : 2 + count]:
        _, _, trapped, pc, next_pc, insn = line.split()
        for _ in range(draw.choice([1, 2, 4])):
            await RisingEdge(dut.clock)
            port("valid").value = 0
        port("valid").value = 1
        port("intr").value = int(trapped)
        port("insn").value = int(insn, 16)
        port("pc_rdata").value = int(pc, 16)
        port("pc_wdata").value = int(next_pc, 16)
    await RisingEdge(dut.clock)
    port("valid").value = 0


@cocotb.test()
async def a_tool_traces_through_a_funnel(dut):
    cocotb.start_soon(Clock(dut.clock, 70, "step").start())
    for core in range(CORES):
        getattr(dut, f"rvfi_valid_{core}").value = 0
        getattr(dut, f"rvfi_trap_{core}").value = 0
    dut.reset.value = 1
    bus = master(dut)
    got, whole = ([], None) if SRAM else words(dut)
    for _ in range(4):
        await RisingEdge(dut.clock)
    dut.reset.value = 0
    await RisingEdge(dut.clock)

    # what is there: pages without a component read as 0
    kinds = {}
    for page in range(16):
        kind = await Component(bus, page).read(IMPL)
        if kind:
            assert kind & 0xFF == 1, f"page {page}: version {kind:#x}"
            kinds[page] = kind >> 8 & 15
    assert [p for p, k in kinds.items() if k == ENCODER] == list(range(CORES)), kinds
    (funnel,) = [Component(bus, p) for p, k in kinds.items() if k == FUNNEL]
    sinks = [Component(bus, p) for p, k in kinds.items() if k == SINK]
    assert len(sinks) == (SRAM > 0) and len(kinds) == CORES + 1 + len(sinks), kinds
    encoders = [Component(bus, page) for page in range(CORES)]
    for core, encoder in enumerate(encoders):
        features = await encoder.read(FEATURES)
        assert features >> 16 & 0xFFF == core, "trTeSrcID"
        assert features >> 28 == (8 if not NTRACE else 2 if CORES <= 4 else 4), "trTeSrcBits"

    # inputs that can be disabled are those of encoders
    await funnel.activate()
    await funnel.write(DISABLED, 0xFFFFFFFF)
    assert await funnel.read(DISABLED) == (1 << CORES) - 1
    times = await funnel.read(TIMES)
    if times:
        assert times >> 24 == 32 and times >> 4 & 7 == 2, f"{times:#x}"
        assert await funnel.read(COUNTER) != await funnel.read(COUNTER)
        assert [await e.read(TIMES) >> 4 & 7 for e in encoders] == [4] * CORES, "shared"
    assert [await e.read(COUNTER) for e in encoders] == [0] * CORES

    right = [m for _, m in messages(octets(int(w, 16) for w in (FOLDER / "words.hex").read_text().split()))]
    for off, count in [(0, 5000), (1, 600), ((1 << CORES) - 2, 300)]:
        for encoder in encoders:
            await encoder.activate()
        for sink in sinks:
            await sink.activate()
            await sink.write(WP, 0)
            await sink.write(CONTROL, ENABLE | ACTIVE)
        await funnel.activate()
        await funnel.write(DISABLED, off)
        assert await funnel.read(DISABLED) == off
        await funnel.write(CONTROL, ENABLE | ACTIVE)
        assert await funnel.read(CONTROL) == EMPTY | ENABLE | ACTIVE
        del got[:]
        for encoder in encoders:
            await encoder.write(CONTROL, MODE | ENABLE | ACTIVE)
            await encoder.write(CONTROL, MODE | TRACING | ENABLE | ACTIVE)
            # only the vendor's status says when the first instruction can be traced
            while not await encoder.read(0xE08) & 2:
                pass
        running = [cocotb.start_soon(retire(dut, core, count)) for core in range(CORES)]
        for task in running:
            await task
        for encoder in encoders:
            await encoder.write(CONTROL, MODE | ACTIVE)
            await encoder.poll(EMPTY, EMPTY)
            assert await encoder.read(CONTROL) >> 12 & 1 == 0, "trace was lost"
        await funnel.write(CONTROL, ACTIVE)
        await funnel.poll(EMPTY, EMPTY)
        for _ in range(40):
            await RisingEdge(dut.clock)
        for sink in sinks:
            await sink.write(CONTROL, ACTIVE)
            wp = await sink.read(WP)
            assert wp & 1 == 0, "the memory holds the whole trace"
            await sink.write(RP, 0)
            got = [await sink.read(DATA) for _ in range(wp // 4)]
        found = messages(octets(got if sinks else whole()))
        for core in range(CORES):
            own = [m for c, m in found if c == core]
            if off >> core & 1:
                assert own == [], f"core {core} is disabled"
            elif times:
                assert len(own) > count // 50, f"core {core}: {len(own)} messages"
            elif count == 5000:
                assert own == right, f"core {core}: {len(own)} messages, {len(right)} are right"
            else:
                # the last ones end the trace
                whole_ones = len(own) - 3
                assert whole_ones > count // 50 and own[:whole_ones] == right[:whole_ones], f"core {core}"
        turns = sum(a[0] != b[0] for a, b in zip(found, found[1:]))
        assert turns > 4 or bin(off).count("1") == CORES - 1, f"{turns} turns"
    await funnel.write(CONTROL, 0)
    await funnel.poll(ACTIVE | ENABLE, 0)

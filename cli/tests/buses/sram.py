"""Traces into the RAM sink of a generated system, and reads the trace through its registers, as a tool that knows the RISC-V Trace
Control Interface 1.0 and the base addresses of encoder and sink, and no more.

Environment as for `buses.py`; SIZE: bytes of the memory.
"""

import os

import cocotb
from buses import FOLDER, SLVERR, held, master, released
from tci import ACTIVE, COMPONENT, EMPTY, ENABLE, IMPL, Component, Tool

START, LIMIT, WP, RP, DATA = 0x010, 0x018, 0x020, 0x028, 0x040
SRAM, SMEM_MODE, STOP_ON_WRAP, WRAP = 1 << 12, 1 << 4, 1 << 8, 1
SIZE = int(os.environ["SIZE"])


class Sink(Component):
    async def dump(self):
        """The words of the trace from the oldest on."""
        wp = await self.read(WP)
        begin, count = (wp & ~3, SIZE // 4) if wp & WRAP else (0, wp // 4)
        await self.write(RP, begin)
        return [await self.read(DATA) for _ in range(count)]


@cocotb.test()
async def the_trace_is_in_the_memory(dut):
    held(dut)
    bus = master(dut)
    tool, sink = Tool(bus), Sink(bus)
    await released(dut)
    right = [int(w, 16) for w in (FOLDER / "words.hex").read_text().split()]

    await sink.activate()
    assert await sink.read(IMPL) & 0x3F0F == SRAM | 0x901
    await sink.write(0, SMEM_MODE | ACTIVE)
    assert await sink.read(0) == EMPTY | ACTIVE, "there is no other mode"
    assert await sink.range(START) == (0, 0)
    assert await sink.range(LIMIT) == (SIZE - 4, SIZE - 4)
    assert await sink.range(RP) == (0, SIZE - 4)
    assert await sink.range(WP) == (0, SIZE - 4)
    # every other word of the page reads as 0
    for offset in [0x008, 0x00C, 0x014, 0x01C, 0x024, 0x02C, 0x030, 0x03C, 0x044, 0x800, 0xE00, 0xFFC]:
        assert await sink.range(offset) == (0, 0), f"{offset:#x}"

    for stop in [0, STOP_ON_WRAP]:
        await sink.write(WP, 0)
        await sink.write(0, stop | ENABLE | ACTIVE)
        assert await sink.read(0) == stop | EMPTY | ENABLE | ACTIVE
        await tool.trace(dut)
        await tool.poll(EMPTY, EMPTY)
        full = len(right) * 4 >= SIZE
        assert (await sink.read(0) & ENABLE != 0) == (not stop or not full)
        assert (await sink.read(WP) & WRAP != 0) == full
        await sink.write(0, ACTIVE)
        expected = right[: SIZE // 4] if stop else right[-(SIZE // 4) :]
        assert await sink.dump() == expected, f"stop {stop}"
        # a read that is not of the data register leaves the pointer; writes of parts of a word change nothing
        at = await sink.read(RP)
        assert await bus.write(COMPONENT + RP, 0, sel=1) == SLVERR
        assert await sink.read(RP) == at
    await sink.write(0, 0)
    await sink.poll(ACTIVE, 0)
    assert await sink.read(WP) == 0

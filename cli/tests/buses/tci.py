"""Controls a generated trace system as a tool that knows the RISC-V Trace Control Interface 1.0 and the base address, and no more.

Environment as for `buses.py`; FIELDS: words that the tool must find by writing, as offset=written/fixed.
"""

import os

import cocotb
from cocotb.triggers import RisingEdge
from buses import FOLDER, OKAY, held, instructions, master, released, words

CONTROL, IMPL, FEATURES, FILTERS = 0x000, 0x004, 0x008, 0x00C
ACTIVE, ENABLE, TRACING, EMPTY = 1, 2, 4, 8
MODE = 6 << 4
# address of the page of a sink or bridge
COMPONENT = 0x1000
# registers of the specification that an encoder may have: time stamps without the counter, triggers, filters, comparators
OTHERS = [0x040, 0x044, *range(0x050, 0x05C, 4), *range(0x400, 0x440, 4), *range(0x600, 0x640, 4)]


class Tool:
    def __init__(self, bus):
        self.bus = bus

    async def read(self, offset):
        resp, value = await self.bus.read(offset)
        assert resp == OKAY, f"{offset:#x}"
        return value

    async def write(self, offset, value):
        assert await self.bus.write(offset, value) == OKAY, f"{offset:#x}"

    async def poll(self, mask, right):
        for _ in range(200):
            if await self.read(CONTROL) & mask == right:
                return
        assert False, f"never {right:#x} in {mask:#x}"

    async def activate(self):
        await self.write(CONTROL, 0)
        await self.poll(ACTIVE, 0)
        await self.write(CONTROL, ACTIVE)
        await self.poll(ACTIVE, ACTIVE)

    async def discover(self):
        """Bits that can be written, and bits that are always 1, of each word that is not 0."""
        found = []
        for offset in [CONTROL, IMPL, FEATURES, FILTERS, *OTHERS]:
            await self.activate()
            await self.write(offset, 0xFFFFFFFF)
            ones = await self.read(offset)
            await self.write(offset, ACTIVE if offset == CONTROL else 0)
            await self.poll(EMPTY, EMPTY)
            zeros = await self.read(offset)
            if offset == CONTROL:
                ones, zeros = ones & ~EMPTY, zeros & ~EMPTY
            if ones | zeros:
                found.append(f"{offset:x}={ones ^ zeros:x}/{ones & zeros:x}")
        return " ".join(found)

    async def trace(self, dut, prepare=None):
        """Traces the instructions of the test vectors, with what `prepare` sets. Words may still be in the system afterwards."""
        await self.activate()
        if prepare:
            await prepare()
        await self.write(CONTROL, MODE | ACTIVE)
        mode = await self.read(CONTROL) & 0x70
        await self.write(CONTROL, mode | ENABLE | ACTIVE)
        await self.write(CONTROL, mode | TRACING | ENABLE | ACTIVE)
        # only the vendor's status says when the first instruction can be traced
        while not await self.read(0xE08) & 2:
            pass
        await instructions(dut, [4, 5, 8])
        await self.write(CONTROL, mode | TRACING | ACTIVE)


class Component(Tool):
    """The sink or bridge, whose page follows that of the encoder."""

    async def read(self, offset):
        return await super().read(COMPONENT + offset)

    async def write(self, offset, value):
        await super().write(COMPONENT + offset, value)

    async def range(self, offset):
        """What a register reads after writes of zeros, and of ones."""
        await self.write(offset, 0)
        least = await self.read(offset)
        await self.write(offset, 0xFFFFFFFF)
        return least, await self.read(offset)


@cocotb.test()
async def a_tool_traces(dut):
    held(dut)
    tool = Tool(master(dut))
    got, whole = words(dut)
    await released(dut)
    found = await tool.discover()
    assert found == os.environ["FIELDS"], found
    # the short traces of the discovery: whole words, no instructions
    for _ in range(400):
        await RisingEdge(dut.clock)
    got.clear()

    await tool.activate()
    assert await tool.read(IMPL) & 0xFFF == 0x101
    for offset in [FEATURES, FILTERS, 0x050, 0x054]:
        await tool.write(offset, 0)
    await tool.write(CONTROL, MODE | ACTIVE)
    mode = await tool.read(CONTROL) & 0x70
    await tool.write(CONTROL, mode | ENABLE | ACTIVE)
    assert await tool.read(CONTROL) & 15 == ACTIVE | ENABLE | EMPTY
    await tool.write(CONTROL, mode | TRACING | ENABLE | ACTIVE)
    assert await tool.read(CONTROL) & 7 == 7
    # only the vendor's status says when the first instruction can be traced
    while not await tool.read(0xE08) & 2:
        pass
    await instructions(dut, [4, 5, 8])
    assert await tool.read(CONTROL) & EMPTY == 0
    await tool.write(CONTROL, mode | TRACING | ACTIVE)
    await tool.poll(EMPTY, EMPTY)
    for _ in range(40):
        await RisingEdge(dut.clock)
    right = [int(w, 16) for w in (FOLDER / "words.hex").read_text().split()]
    assert whole() == right, f"{len(whole())} words, {len(right)} are right"
    assert await tool.read(CONTROL) >> 12 & 1 == 0, "trace was lost"
    await tool.write(CONTROL, 0)
    await tool.poll(ACTIVE | ENABLE, 0)

"""Traces through the RAM sink of a generated system into system memory, an AXI4 subordinate of cocotbext-axi with random waits, as a tool
that knows the RISC-V Trace Control Interface 1.0 and the base addresses of encoder and sink, and no more.

Environment as for `memory.py`; SIZE: bytes of the buffer. The contents of the buffer go to FOLDER/memory.bin, from the oldest word on.
"""

import os

import cocotb
from buses import FOLDER, held, master, released
from cocotbext.axi import AxiSlaveWrite, AxiWriteBus
from memory import Memory, waits
from sram import LIMIT, SMEM_MODE, START, STOP_ON_WRAP, WP, WRAP, Sink
from tci import ACTIVE, EMPTY, ENABLE, IMPL, Tool

SMEM = 1 << 13
SIZE = int(os.environ["SIZE"])
BASE = 0x2000_0FD0
EVENTS, FULL = 0xE00, 2


@cocotb.test()
async def the_trace_is_in_system_memory(dut):
    held(dut)
    bus = master(dut)
    tool, sink, memory = Tool(bus), Sink(bus), Memory()
    slave = AxiSlaveWrite(AxiWriteBus.from_prefix(dut, "m_axi"), dut.clock, dut.reset, target=memory)
    for channel in [slave.aw_channel, slave.w_channel, slave.b_channel]:
        channel.set_pause_generator(waits(100))
    await released(dut)
    right = [int(w, 16) for w in (FOLDER / "words.hex").read_text().split()]
    full = len(right) * 4 >= SIZE

    await sink.activate()
    assert await sink.read(IMPL) & 0x3F0F == SMEM | 0x901
    await sink.write(0, ACTIVE)
    assert await sink.read(0) == SMEM_MODE | EMPTY | ACTIVE, "there is no other mode"
    # addresses of 32 bits; every other word of the page but the write pointer reads as 0
    assert await sink.range(START) == (0, 0xFFFF_FFFC)
    assert await sink.range(LIMIT) == (0, 0xFFFF_FFFC)
    for offset in [0x008, 0x00C, 0x014, 0x01C, 0x024, 0x028, 0x02C, 0x040, 0x044, 0x800, EVENTS, 0xFFC]:
        assert await sink.range(offset) == (0, 0), f"{offset:#x}"

    memory.range = range(BASE, BASE + SIZE)
    for stop in [0, STOP_ON_WRAP]:
        memory.bytes.clear()
        for offset, value in [(START, BASE), (LIMIT, BASE + SIZE - 4), (WP, BASE)]:
            await sink.write(offset, value)
            assert await sink.read(offset) == value, f"{offset:#x}"
        await sink.write(0, stop | ENABLE | ACTIVE)
        assert await sink.read(0) & ~EMPTY == SMEM_MODE | stop | ENABLE | ACTIVE
        await tool.trace(dut)
        await tool.poll(EMPTY, EMPTY)
        await sink.write(0, stop | ACTIVE)
        await sink.poll(EMPTY, EMPTY)
        wp = await sink.read(WP)
        assert bool(wp & WRAP) == full
        assert await sink.read(EVENTS) == (FULL if stop and full else 0) and dut.memory_irq.value == int(stop and full)
        await sink.write(EVENTS, FULL)
        begin, count = ((wp & ~WRAP) - BASE, SIZE // 4) if full else (0, (wp - BASE) // 4)
        stored = memory.words(BASE, count)
        stored = stored[begin // 4 :] + stored[: begin // 4]
        expected = right[: SIZE // 4] if stop else right[-(SIZE // 4) :]
        assert stored == expected, f"stop {stop}: {len(stored)} words, {len(expected)} are right"
        assert not memory.outside, f"outside of the buffer: {memory.outside[0]:#x}"
    (FOLDER / "memory.bin").write_bytes(b"".join(w.to_bytes(4, "little") for w in stored))
    await sink.write(0, 0)
    await sink.poll(ACTIVE, 0)
    assert await sink.read(START) == 0 and dut.memory_irq.value == 0

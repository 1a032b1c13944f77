"""Controls the time stamps of a generated N-Trace system, as a tool that knows the RISC-V Trace Control Interface 1.0, N-Trace and the base
address, and no more.

Environment as for `buses.py`; FIELDS: bits of trTsControl that can be written, and that are always 1, as written/fixed; PLAIN: the words of
the same trace without time stamps.
"""

import os
from pathlib import Path

import cocotb
from buses import FOLDER, held, master, released, words
from cocotb.triggers import RisingEdge
from tci import EMPTY, Tool

TS, LOW, HIGH = 0x040, 0x048, 0x04C
COUNT, RESET, PRESCALE, ENABLE = 1 << 1, 1 << 2, 8, 1 << 15
IDLE = 0xFF
# TCODE of messages with the time itself
SYNCHRONIZATIONS = [9, 11, 12, 29]


def messages(got):
    """The messages of words: their bytes."""
    data = b"".join(w.to_bytes(4, "little") for w in got)
    found, now = [], []
    for byte in data:
        if now or byte != IDLE:
            now.append(byte)
        if now and byte & 3 == 3:
            found.append(bytes(now))
            now = []
    assert not now
    return found


def without_time(message):
    """The message without its last field, and that field."""
    end = max(i for i, byte in enumerate(message[:-1]) if byte & 3 == 1)
    stamp = sum((byte >> 2) << 6 * i for i, byte in enumerate(message[end + 1 :]))
    return message[:end] + bytes([message[end] | 3]), stamp


def times(got):
    """The messages without their times, and the times."""
    plain, all_times, now = [], [], 0
    for message in messages(got):
        rest, stamp = without_time(message)
        now = stamp if message[0] >> 2 in SYNCHRONIZATIONS else now + stamp
        plain.append(rest)
        all_times.append(now)
    return plain, all_times


@cocotb.test()
async def a_tool_controls_the_time_stamps(dut):
    held(dut)
    tool = Tool(master(dut))
    got, whole = words(dut)
    await released(dut)

    assert await tool.read(TS) == 0x2000_803A, "the fields of an inactive unit have their reset values"
    await tool.activate()
    await tool.write(TS, 0xFFFFFFFF)
    ones = await tool.read(TS)
    await tool.write(TS, 0)
    zeros = await tool.read(TS)
    assert f"{ones ^ zeros:x}/{ones & zeros:x}" == os.environ["FIELDS"]

    plain = messages([int(w, 16) for w in Path(os.environ["PLAIN"]).read_text().split()])
    assert len(plain) > 20

    async def trace(fields):
        """The words of a trace with these fields, and the counter before and after it."""
        got.clear()

        async def prepare():
            await tool.write(TS, fields | RESET)
            assert await tool.read(TS) & 0x8302 == fields
            prepare.before = await tool.read(LOW)

        await tool.trace(dut, prepare)
        await tool.poll(EMPTY, EMPTY)
        for _ in range(40):
            await RisingEdge(dut.clock)
        after = await tool.read(LOW)
        assert await tool.read(HIGH) == 0
        return list(whole()), prepare.before, after

    # no times
    found, before, after = await trace(COUNT)
    assert messages(found) == plain and after > before
    # a counter that is stopped
    found, before, after = await trace(ENABLE)
    assert times(found) == (plain, [0] * len(plain)) and before == after == 0
    # times, and times of every fourth and sixteenth cycle
    for log4 in [0, 1, 2]:
        found, before, after = await trace(ENABLE | COUNT | log4 << PRESCALE)
        rest, at = times(found)
        assert rest == plain
        assert at == sorted(at) and before < at[0] and at[-1] < after, f"{before} {at} {after}"
        span = (at[-1] - at[0]) << 2 * log4
        # at least four cycles for each instruction of the vectors
        retired = len((FOLDER / "beats.txt").read_text().splitlines()) - 2
        assert 4 * retired - 64 < span < 10 * retired, f"{span} cycles, {retired} instructions"
    # inactive, the fields have their reset values
    await tool.activate()
    assert await tool.read(TS) == 0x2000_803B

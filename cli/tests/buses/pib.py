"""Traces through the PIB sink of a generated system, as a tool and a probe that know the RISC-V Trace Control Interface 1.0, the protocol and
the base addresses of encoder and sink, and no more.

Environment as for `buses.py`; MODES: trPibMode:trPibClkCenter:trPibDivider, several.
"""

import os

import cocotb
from buses import FOLDER, held, master
from cocotb.triggers import RisingEdge
from tci import ACTIVE, EMPTY, ENABLE, IMPL, Component, Tool

MODE, CENTER, DIVIDER = 4, 8, 16
E_TRACE, N_TRACE, VENDOR = 0, 1, 7


class Pins:
    """The pins at each edge of the system's clock."""

    def __init__(self, dut):
        self.dut, self.seen = dut, []

    async def run(self):
        while True:
            await RisingEdge(self.dut.clock)
            if self.dut.reset.value == 0:
                self.seen.append((int(self.dut.trc_clk.value), int(self.dut.trc_data.value)))


def byte(bits):
    return sum(bit << n for n, bit in enumerate(bits))


def uart(levels, period):
    """Bytes: a start bit of 0, eight bits, a stop bit of 1."""
    at, got = 0, bytearray()
    while 0 in levels[at:]:
        at = levels.index(0, at)
        bits = levels[at + period // 2 : at + 10 * period : period]
        assert len(bits) == 10 and bits[9] == 1
        got.append(byte(bits[1:9]))
        at += 10 * period
    return bytes(got)


def manchester(levels, period):
    """Messages between a start bit (1, 0) and a stop bit (0, 0); 1 is 1, 0 and 0 is 0, 1."""
    at, got = 0, []
    while 1 in levels[at:]:
        at = levels.index(1, at)
        halves = levels[at + period // 2 :: period]
        pairs = list(zip(halves[::2], halves[1::2]))
        end = pairs.index((0, 0))
        bits = [first for first, _ in pairs[1:end]]
        assert pairs[0] == (1, 0) and (1, 1) not in pairs and len(bits) % 8 == 0
        got.append(bytes(byte(bits[n : n + 8]) for n in range(0, len(bits), 8)))
        at += 2 * (end + 1) * period
    return got


def parallel(seen, width):
    """Bytes of the beats at the edges of the clock, from the first edge on."""
    beats = [now[1] for before, now in zip(seen, seen[1:]) if before[0] != now[0]]
    assert all(beat < 1 << width for beat in beats)
    bits = [beat >> n & 1 for beat in beats for n in range(width)]
    return bytes(byte(bits[n : n + 8]) for n in range(0, len(bits) - 7, 8))


def messages(data, protocol):
    """Messages between idle bytes."""
    at, got = 0, []
    while at < len(data):
        end = at + 1
        if protocol == VENDOR:
            end = at + 4
        elif protocol == E_TRACE:
            end += data[at] & 31
        else:
            while data[end - 1] & 3 != 3:
                end += 1
        if data[at] != (0xFF if protocol == N_TRACE else 0) or protocol == VENDOR:
            got.append(data[at:end])
        at = end
    return got


@cocotb.test(timeout_time=3_000_000 * 70, timeout_unit="step")
async def a_probe_gets_the_trace(dut):
    held(dut)
    bus = master(dut)
    tool, sink, pins = Tool(bus), Component(bus), Pins(dut)
    for _ in range(4):
        await RisingEdge(dut.clock)
    cocotb.start_soon(pins.run())
    dut.reset.value = 0
    await RisingEdge(dut.clock)
    words = [int(w, 16) for w in (FOLDER / "words.hex").read_text().split()]
    await tool.activate()
    protocol = await tool.read(0) >> 24 & 7
    right = messages(b"".join(w.to_bytes(4, "little") for w in words), protocol)
    assert len(right) > 8

    await sink.activate()
    assert await sink.read(IMPL) == 0xA01
    for offset in [0x008, 0x00C, 0x010, 0x018, 0x020, 0x040, 0x800, 0xE00, 0xFFC]:
        assert await sink.range(offset) == (0, 0), f"{offset:#x}"

    for setting in os.environ["MODES"].split():
        mode, center, divider = map(int, setting.split(":"))
        value = mode << MODE | center << CENTER | divider << DIVIDER | ACTIVE
        await sink.activate()
        pins.seen.clear()
        await sink.write(0, value)
        assert await sink.read(0) == value | EMPTY
        if mode < 8:
            pins.seen.clear()
        await sink.write(0, value | ENABLE)
        assert await sink.read(0) == value | ENABLE | EMPTY
        await tool.trace(dut)
        # a slow mode: the encoder waits for the pins
        while await tool.read(0) & EMPTY == 0:
            pass
        await sink.write(0, value)
        while await sink.read(0) & (ENABLE | EMPTY) != EMPTY:
            pass
        for _ in range(4 * (divider + 1)):
            await RisingEdge(dut.clock)
        levels = [data for _, data in pins.seen]
        if mode == 4:
            got = manchester(levels, divider + 1)
        elif mode == 5:
            got = messages(uart(levels, divider + 1), protocol)
        else:
            got = messages(parallel(pins.seen, 1 << mode - 8), protocol)
        assert got == right, f"{setting}: {len(got)} messages, {len(right)} are right"
    assert await tool.read(0) >> 12 & 1 == 0, "trace was lost"

    # disabled, the sink discards the trace, and the encoder becomes empty
    pins.seen.clear()
    await tool.trace(dut)
    await tool.poll(EMPTY, EMPTY)
    assert len({data for _, data in pins.seen}) == 1, "idle"
    # a reset of the sink leaves the pins at 0
    await sink.write(0, 0)
    await sink.poll(ACTIVE, 0)
    for _ in range(4):
        await RisingEdge(dut.clock)
    assert pins.seen[-1] == (0, 0)

"""Traces through the ATB bridge of a generated system, as a tool that knows the RISC-V Trace Control Interface 1.0 and the base addresses
of encoder and bridge, and no more.

Environment as for `buses.py`.
"""

import os

import cocotb
from buses import FOLDER, draw, flushed, master, port_of
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from tci import ACTIVE, EMPTY, ENABLE, IMPL, Component, Tool

ID = 8


class Receiver:
    """An ATB receiver with random waits: words with their IDs; a word and its ID stay until it is accepted."""

    def __init__(self, dut):
        self.dut, self.got, self.stalled = dut, [], False

    async def run(self):
        clock, reset = port_of(self.dut)
        offered = None
        self.dut.m_atb_atready.value = 0
        while True:
            await RisingEdge(clock)
            if reset.value == 1:
                continue
            now = None
            if self.dut.m_atb_atvalid.value == 1:
                now = int(self.dut.m_atb_atid.value), int(self.dut.m_atb_atdata.value)
            assert offered in (None, now), f"{offered} became {now}"
            accepted = now is not None and self.dut.m_atb_atready.value == 1
            if accepted:
                self.got.append(now)
            offered = None if accepted else now
            self.dut.m_atb_atready.value = not self.stalled and draw.random() < 0.7

    def take(self):
        """The words since the last call, and their IDs."""
        got = list(self.got)
        self.got.clear()
        return [word for _, word in got], {number for number, _ in got}


async def settle(dut):
    """Waits until words have crossed to the clock of the port."""
    for _ in range(40):
        await RisingEdge(port_of(dut)[0])


@cocotb.test(timeout_time=1_000_000 * 70, timeout_unit="step")
async def the_trace_leaves_with_its_id(dut):
    cocotb.start_soon(Clock(dut.clock, 70, "step").start())
    if "PERIOD" in os.environ:
        cocotb.start_soon(Clock(dut.port_clock, int(os.environ["PERIOD"]), "step").start())
        dut.port_reset.value = 1
    dut.rvfi_valid_0.value = 0
    dut.rvfi_trap_0.value = 0
    dut.m_atb_afvalid.value = 0
    dut.reset.value = 1
    bus = master(dut)
    tool, bridge, atb = Tool(bus), Component(bus), Receiver(dut)
    cocotb.start_soon(atb.run())
    for _ in range(4):
        await RisingEdge(dut.clock)
        await RisingEdge(port_of(dut)[0])
    dut.reset.value = 0
    if "PERIOD" in os.environ:
        await RisingEdge(dut.port_clock)
        dut.port_reset.value = 0
    await RisingEdge(dut.clock)
    right = [int(w, 16) for w in (FOLDER / "words.hex").read_text().split()]
    assert len(right) > 8

    await bridge.activate()
    assert await bridge.read(IMPL) == 0xE01
    assert await bridge.range(0) == (EMPTY, EMPTY | ACTIVE), "a write to an inactive bridge changes nothing but active"
    for offset in [0x008, 0x00C, 0x010, 0x018, 0x020, 0x040, 0x800, 0xE00, 0xFFC]:
        assert await bridge.range(offset) == (0, 0), f"{offset:#x}"

    for number in [0x2A, 0x6F]:
        await bridge.activate()
        await bridge.write(0, number << ID | ACTIVE)
        assert await bridge.read(0) == number << ID | EMPTY | ACTIVE
        await bridge.write(0, number << ID | ENABLE | ACTIVE)
        assert await bridge.read(0) == number << ID | EMPTY | ENABLE | ACTIVE
        await tool.trace(dut)
        await tool.poll(EMPTY, EMPTY)
        await flushed(dut, atb.got)
        await bridge.write(0, ACTIVE)
        await bridge.poll(ENABLE | EMPTY, EMPTY)
        assert atb.take() == (right, {number})
    assert await tool.read(0) >> 12 & 1 == 0, "trace was lost"

    # disabled, the bridge discards the trace, and the encoder becomes empty
    await tool.trace(dut)
    await tool.poll(EMPTY, EMPTY)
    await settle(dut)
    assert atb.take() == ([], set())

    # a receiver that does not accept: the word that waits leaves later, with its ID, and the words after it are discarded
    await bridge.activate()
    await bridge.write(0, 5 << ID | ACTIVE)
    await bridge.write(0, 5 << ID | ENABLE | ACTIVE)
    atb.stalled = True
    await settle(dut)
    await tool.trace(dut)
    await settle(dut)
    assert await tool.read(0) & EMPTY == 0
    assert await bridge.read(0) == 5 << ID | ENABLE | ACTIVE, "not empty"
    await bridge.write(0, 0)
    assert await bridge.read(0) == 5 << ID | ACTIVE, "active until the word is accepted"
    atb.stalled = False
    await bridge.poll(ACTIVE, 0)
    # the event FIFO is full: it takes a while to become empty
    while await tool.read(0) & EMPTY == 0:
        pass
    await settle(dut)
    count = 5 if "PERIOD" in os.environ else 1
    assert atb.take() == (right[:count], {5})
    assert await bridge.read(0) == EMPTY

"""Tests a generated trace system that writes to memory: an AXI4 subordinate of cocotbext-axi with random waits.

Environment: as `buses.py`, and WHAT: `whole`, one range that is large enough; `wrapped`, one that wraps, with periodic
synchronisation; `stopped`, consecutive ranges, each of which fills or is disabled in the middle of a burst; `error`, a burst
that is refused. The words that the port took go to FOLDER/golden.bin, the contents of memory to FOLDER/memory.bin.
"""

import os

import cocotb
from buses import FOLDER, MAP, OKAY, draw, held, instructions, master, random_accesses
from cocotb.triggers import Lock, RisingEdge
from cocotbext.axi import AxiSlaveWrite, AxiWriteBus

WHAT = os.environ["WHAT"]
ENABLE, STOP, DISCARD = 1, 2, 4
FULL, ERROR = 2, 4


def waits(longest):
    """Random waits, occasionally so long that words accumulate."""
    while True:
        for _ in range(draw.choice([0, 2, 5, longest])):
            yield True
        for _ in range(draw.randrange(1, 30)):
            yield False


class Memory:
    """A memory of bytes; writes outside the range are listed separately, those at `bad` are refused."""

    def __init__(self):
        self.bytes, self.outside, self.bad, self.range, self.bursts = {}, [], None, range(0), []

    async def write(self, address, data):
        if address not in self.range or address + len(data) - 1 not in self.range:
            self.outside.append(address)
        if address == self.bad:
            raise ValueError("refused")
        self.bytes.update(enumerate(data, address))

    def words(self, base, count):
        return [int.from_bytes(bytes(self.bytes[base + 4 * n + k] for k in range(4)), "little") for n in range(count)]


class Port:
    """Access to the registers of the port."""

    def __init__(self, bus, memory):
        self.bus, self.memory, self.lock = bus, memory, Lock()

    async def read(self, name):
        async with self.lock:
            resp, value = await self.bus.read(MAP[name][0])
        assert resp == OKAY, name
        return value

    async def write(self, name, value):
        async with self.lock:
            assert await self.bus.write(MAP[name][0], value) == OKAY, name

    async def enable(self, base, size, control):
        self.memory.range = range(base, base + size)
        for name, value in [("memory_base", base), ("memory_size", size), ("memory_control", ENABLE | control)]:
            await self.write(name, value)
        # while the port is running, only writes of `enable` have an effect
        if draw.random() < 0.5:
            await self.write("memory_base", 0x5550)
            assert await self.read("memory_base") == base

    async def ended(self):
        for _ in range(3000):
            if not await self.read("memory_status") & 1:
                return
        assert False, "it does not end"


async def watch(dut, taken, memory):
    """Records the words that the port takes from the system, and its bursts."""
    while True:
        await RisingEdge(dut.clock)
        if dut.reset.value == 1:
            continue
        if dut.m_axi_awvalid.value == 1 and dut.m_axi_awready.value == 1:
            memory.bursts.append((int(dut.m_axi_awaddr.value), int(dut.m_axi_awlen.value) + 1))
        if dut.words_valid.value == 1 and dut.words_ready.value == 1:
            taken.append(int(dut.words_data.value))


async def idle(port):
    """Ends the trace."""
    await port.write("control", 0)
    for _ in range(30_000):
        if await port.read("status") & 4:
            return
    assert False, "the trace does not end"


async def in_memory(port, count):
    """Waits until the port has written the rest."""
    for _ in range(3000):
        if await port.read("memory_pointer") == count:
            return
    assert False, f"{await port.read('memory_pointer')} bytes are written, {count} are right"


async def whole(dut, port, memory, taken):
    base, size = 0x2000_0FA4, 0x1_0000
    await port.write("memory_watermark", 256)
    await port.enable(base, size, 0)
    yield
    await in_memory(port, 4 * len(taken))
    assert await port.read("memory_interrupt") == 1 and dut.memory_irq.value == 1
    await port.write("memory_interrupt", 1)
    assert await port.read("memory_interrupt") == 0 and dut.memory_irq.value == 0
    assert await port.read("memory_wraps") == 0
    assert max(n for _, n in memory.bursts) == 16 and any((at + 4 * n) % 4096 == 0 for at, n in memory.bursts)
    yield memory.words(base, len(taken))


async def wrapped(dut, port, memory, taken):
    # not a power of two, and across a 4 KiB boundary
    base, size = 0x2000_0FD0, int(os.environ["SIZE"])
    await port.write("sync", 10)
    await port.enable(base, size, 0)
    yield
    await in_memory(port, 4 * len(taken) % size)
    assert await port.read("memory_wraps") == 4 * len(taken) // size > 0
    at, held = await port.read("memory_pointer") // 4, memory.words(base, size // 4)
    held = held[at:] + held[:at]
    assert held == taken[-len(held) :]
    yield held


async def stopped(dut, port, memory, taken):
    found, ranges, ends = [], [], {"full": 0, "disabled": 0}
    busy = True

    async def begin():
        base, size = 0x3000_0000 + 0x2000 * len(ranges) - 4 * draw.randrange(9), 4 * draw.randrange(1, 30)
        ranges.append((base, size))
        await port.enable(base, size, STOP)

    async def run():
        while busy:
            for _ in range(draw.randrange(300)):
                await RisingEdge(dut.clock)
                if not busy or dut.memory_irq.value == 1:
                    break
            # in the middle of a burst, if there is one
            for _ in range(200):
                if not busy or dut.memory_irq.value == 1 or dut.m_axi_wvalid.value == 1:
                    break
                await RisingEdge(dut.clock)
            await port.write("memory_control", 0)
            await gather()
            await begin()

    async def gather():
        await port.ended()
        base, size = ranges[-1]
        full = await port.read("memory_interrupt") == FULL
        await port.write("memory_interrupt", FULL)
        pointer = await port.read("memory_pointer")
        assert await port.read("memory_wraps") == int(full) and not (full and pointer)
        ends["full" if full else "disabled"] += 1
        found.extend(memory.words(base, (size if full else pointer) // 4))

    await begin()
    running = cocotb.start_soon(run())
    yield
    busy = False
    await running
    await port.write("memory_control", 0)
    await gather()
    # words that waited when the last range was full
    if len(found) < len(taken):
        ranges.append((0x1000, 0x1000))
        await port.enable(0x1000, 0x1000, 0)
        await port.write("memory_control", 0)
        await gather()
    assert min(ends.values()) > 3, ends
    yield found


async def error(dut, port, memory, taken):
    base = 0x2000_0FA0
    memory.bad = base + 4 * 90
    await port.enable(base, 0x1_0000, 0)
    yield
    for _ in range(60000):
        await RisingEdge(dut.clock)
        if dut.memory_irq.value == 1:
            break
    assert await port.read("memory_interrupt") == ERROR
    assert await port.read("memory_status") == 2 << 4
    pointer = await port.read("memory_pointer")
    assert pointer <= 4 * 90 < pointer + 64
    good = memory.words(base, pointer // 4)
    assert good == taken[: len(good)]
    # nothing is taken until the port is enabled again, or set to discard
    before = len(taken)
    for _ in range(500):
        await RisingEdge(dut.clock)
    assert len(taken) == before and dut.m_axi_awvalid.value == 0
    await port.write("memory_control", DISCARD)
    yield good


@cocotb.test()
async def words_into_memory(dut):
    held(dut)
    bus = master(dut)
    memory, taken = Memory(), []
    slave = AxiSlaveWrite(AxiWriteBus.from_prefix(dut, "m_axi"), dut.clock, dut.reset, target=memory)
    for channel in [slave.aw_channel, slave.w_channel, slave.b_channel]:
        channel.set_pause_generator(waits(600 if WHAT == "whole" else 300))
    cocotb.start_soon(watch(dut, taken, memory))
    for _ in range(4):
        await RisingEdge(dut.clock)
    dut.reset.value = 0
    await random_accesses(bus)

    port = Port(bus, memory)
    await port.write("memory_control", 0)
    await port.write("memory_watermark", 0)
    case = {"whole": whole, "wrapped": wrapped, "stopped": stopped, "error": error}[WHAT](dut, port, memory, taken)
    traced = cocotb.start_soon(trace(dut, port))
    await case.__anext__()
    if WHAT != "error":
        await traced
    found = await case.__anext__()
    await traced

    right = [int(w, 16) for w in (FOLDER / "words.hex").read_text().split()]
    assert not memory.outside, f"outside of the range: {memory.outside[0]:#x}"
    if WHAT in ["whole", "stopped"]:
        assert found == taken == right, f"{len(found)} of {len(taken)} words, {len(right)} are right"
    for name, words in [("golden", taken), ("memory", found)]:
        (FOLDER / f"{name}.bin").write_bytes(b"".join(w.to_bytes(4, "little") for w in words))


async def trace(dut, port):
    """A whole session, from `enable` to `idle`."""
    # the port is enabled before tracing
    while not await port.read("memory_status") & 1:
        pass
    await port.write("control", 1)
    while not await port.read("status") & 2:
        pass
    await instructions(dut, [1, 2, 5])
    await idle(port)

#!/usr/bin/env python3
"""Turns a Spike log (`spike -l` or `spike --log-commits`) on standard input into an rbt1 on standard output.

A line names hart, pc and the instruction's bits: `core   0: 3 0x80000000 (0x00000297) x5 0x80000000`;
or an exception or interrupt: `core   0: exception trap_machine_ecall, epc 0x80000010`. Everything else is ignored. docs/reference/rbt1.md says what the records mean.
"""
import re
import struct
import sys

LINE = re.compile(r"core\s+(\d+):(?:\s+\d)?\s+0x([0-9a-f]+)\s+\(0x([0-9a-f]+)\)")
EXCEPTION = re.compile(r"core\s+(\d+): exception .*, epc 0x([0-9a-f]+)")
NOT_TAKEN, TAKEN, JUMP, CALL, INDIRECT, INDIRECT_CALL, RETURN, TRAP, TRAP_RETURN = range(9)
CONDITIONAL = -1  # which of the two, the next pc says
LINKS = (1, 5)  # ra and t0: calls and returns by the hints of the ISA manual


def indirect(rd, rs1):
    """jalr: the table of return-address stack hints."""
    if rd in LINKS:
        # rd and rs1 different links: a co-routine swap, for which rbt1 has no kind
        return RETURN if rs1 in LINKS and rs1 != rd else INDIRECT_CALL
    return RETURN if rs1 in LINKS else INDIRECT


def kind(bits, xlen):
    """Kind of an instruction; None where it only goes on."""
    rd = bits >> 7 & 31
    if bits & 3 == 3:
        opcode = bits & 0x7F
        if opcode == 0x63:
            return CONDITIONAL
        if opcode == 0x6F:
            return CALL if rd in LINKS else JUMP
        if opcode == 0x67:
            return indirect(rd, bits >> 15 & 31)
        return TRAP_RETURN if bits in (0x30200073, 0x10200073) else None
    quadrant, funct = bits & 3, bits >> 13 & 7
    if quadrant == 1:
        if funct in (6, 7):
            return CONDITIONAL
        if funct == 5:
            return JUMP
        return CALL if funct == 1 and xlen == 32 else None
    if quadrant == 2 and funct == 4 and bits >> 2 & 31 == 0 and rd:
        # c.jr and c.jalr name rs1 where others name rd; c.jalr links to ra
        return indirect(1 if bits >> 12 & 1 else 0, rd)
    return None


class Hart:
    """An instruction is recorded when the next one of its hart says where it went; bits None is an exception."""

    def __init__(self):
        self.last = None
        self.count = 0

    def step(self, pc, bits, xlen):
        """The record that the step to `pc` makes, or None."""
        last, self.last = self.last, (pc, bits)
        if last is None:
            # where the hart began
            return TRAP, 0, 0, pc, pc
        at, before = last
        if before is None:
            count, self.count = self.count, 0
            return TRAP, 1, count, at, pc
        self.count += 1
        length = 4 if before & 3 == 3 else 2
        what, count = kind(before, xlen), self.count
        if what is None:
            if pc == at + length:
                return None
            # a trap that the log does not tell
            what, length, at = TRAP, 1, at + length
        elif what == CONDITIONAL:
            what = NOT_TAKEN if pc == at + length else TAKEN
        self.count = 0
        return what, length, count, at, pc


    def trap(self, epc, xlen):
        """As `step`, for an exception in front of `epc`, which `-l` lists although it does not retire."""
        if self.last and self.last[0] == epc:
            self.last = (epc, None)
            return None
        return self.step(epc, None, xlen)


def main():
    xlen = 64 if "--xlen=64" in sys.argv[1:] else 32
    harts = {}
    out = sys.stdout.buffer
    out.write(b"RBT1\0\0\0\0")
    for line in sys.stdin:
        found = LINE.match(line) or EXCEPTION.match(line)
        if not found:
            continue
        number, pc = int(found[1]), int(found[2], 16)
        hart = harts.setdefault(number, Hart())
        if found.re is LINE:
            record = hart.step(pc, int(found[3], 16), xlen)
        else:
            record = hart.trap(pc, xlen)
        if record:
            what, length, count, at, target = record
            out.write(struct.pack("<BBHIQQ", what, length, number, count, at, target))
    for number, hart in harts.items():
        # the last instruction retired, and nobody says where it went: the hart stops in front of it
        pc, _ = hart.last
        out.write(struct.pack("<BBHIQQ", TRAP, 0, number, hart.count, pc, pc))


if __name__ == "__main__":
    main()

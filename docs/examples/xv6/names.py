#!/usr/bin/env python3
"""Names of processes: which program runs in each address space of a trace that contains its code.

usage: names.py TRACE KERNEL PROGRAM... >names.txt

Compares the first instructions in user mode of each address space with the code of the programs. Its output is for `--process-names`:
`ID NAME PROGRAM`, with a leading underscore (as in xv6's `_sh`) taken from the name.
"""

import json
import os
import struct
import subprocess
import sys


def code(path):
    """Bytes of an ELF file for 64 bits by address."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:5] != b"\x7fELF\x02":
        sys.exit(f"names.py: {path}: expected an ELF file for 64 bits")
    (offset,) = struct.unpack_from("<Q", data, 32)
    size, number = struct.unpack_from("<HH", data, 54)
    segments = []
    for header in range(offset, offset + size * number, size):
        kind, _, at, address, _, length = struct.unpack_from("<IIQQQQ", data, header)
        if kind == 1:
            segments.append((address, data[at : at + length]))
    return segments


def has(segments, pc, text):
    """Whether an instruction, as `goshawk replay` lists it, is at its address."""
    wanted = bytes.fromhex(text)[::-1]
    return any(data[pc - start : pc - start + len(wanted)] == wanted for start, data in segments if pc >= start)


def goshawk(*words):
    return subprocess.run(["goshawk", *words], check=True, capture_output=True, text=True).stdout


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    trace, kernel, *paths = sys.argv[1:]
    programs = {path: code(path) for path in paths}
    processes = json.loads(goshawk("profile", trace, "--elf", kernel, "--by", "process", "--json"))["processes"]
    for space in sorted(process["space"] for process in processes if process["user"] > 0):
        listed = goshawk("replay", trace, "--process", str(space), "--mode", "u", "--limit", "1000")
        lines = [line.split() for line in listed.splitlines()]
        run = {(int(words[1], 16), words[2]) for words in lines if len(words) == 3 and words[1].startswith("0x")}
        counts = {path: sum(has(segments, pc, text) for pc, text in run) for path, segments in programs.items()}
        best = max(counts, key=counts.get)
        if counts[best] < len(run):
            print(f"# {space}: no program has all of its code; {best} has {counts[best]} of {len(run)} instructions")
        else:
            print(space, os.path.basename(best).lstrip("_"), best)


if __name__ == "__main__":
    main()

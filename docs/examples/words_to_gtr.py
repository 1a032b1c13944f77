"""Makes a trace file of words: python3 words_to_gtr.py WORDS.hex PARAMETERS.json > TRACE.gtr

The form is in docs/reference/gtr.md. Commands take the words themselves, too; a trace file has their parameters in it.
"""

import json
import struct
import sys
import zlib

BLOCK = 16384


def counted(data, count):
    """The bytes behind their count, with their checksum."""
    return struct.pack("<I", count) + data + struct.pack("<I", zlib.crc32(data))


def main():
    words, described = sys.argv[1:]
    with open(described) as file:
        parameters = json.load(file)["parameters"]
    with open(words) as file:
        numbers = [int(word, 16) for word in file.read().split()]
    names = ("timestamps", "cores", "xlen", "align", "count_bits", "cc_bits", "flow")
    about = {
        "tool": "words_to_gtr.py",
        "params": {name: parameters[name] for name in names},
        "set": parameters["set"],
        "build_id": "",
        "program": "",
    }
    text = json.dumps(about).encode()
    out = sys.stdout.buffer
    out.write(b"GSHKTRC\x01" + counted(text, len(text)))
    for i in range(0, len(numbers), BLOCK):
        block = numbers[i : i + BLOCK]
        out.write(counted(struct.pack(f"<{len(block)}I", *block), len(block)))
    out.write(struct.pack("<I", 0))


main()

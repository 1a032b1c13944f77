#!/usr/bin/env python3
"""Decodes a log of `goshawk diag run --log`, or the bytes of a link, and prints a line for each packet.

usage: decode.py FILE

The format is that of docs/reference/diagnosis-link.md. Frames that are sent again are printed once. The exit code is 2
if frames are missing or damaged, or if a log has no end mark.
"""
import json
import sys
import zlib

OPS = ["read", "write", "read-data", "written", "error", "time", "flush", "trace"]
KINDS = {1: "generator", 2: "filter", 3: "count", 4: "pair", 5: "aggregate", 6: "histogram", 7: "machine", 8: "log",
         9: "tick", 10: "trace", 15: "processor"}


def crc16(data):
    """CRC-16/KERMIT: x^16 + x^12 + x^5 + 1, lowest bit first, from 0."""
    crc = 0
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x8408 if crc & 1 else 0)
    return crc


def frames(data):
    """Yields (number, words) of each frame; then (None, bytes outside frames)."""
    at = skipped = 0
    while at + 3 <= len(data):
        words = data[at + 1]
        end = at + 3 + 2 * words
        whole = data[at] == 0xD5 and 2 <= words <= 16
        if whole and end + 2 > len(data):
            break
        if whole and crc16(data[at + 1:end]) == data[end] | data[end + 1] << 8:
            yield data[at + 2], [data[n] | data[n + 1] << 8 for n in range(at + 3, end, 2)]
            at = end + 2
        else:
            at, skipped = at + 1, skipped + 1
    yield None, skipped + len(data) - at


def packet(words):
    """A packet as text; None: the words are none."""
    length, dest, src = words[0] >> 12, words[0] >> 6 & 63, words[0] & 63
    if length + 2 != len(words):
        return None
    text, head, rest = f"{src} -> {dest}", words[1], words[2:]
    if head >> 15:
        op, addr = OPS[head >> 12 & 7], head & 0xFFF
        text += f" {op} {addr:#05x}" + "".join(f" {w:04x}" for w in rest)
        identity = op == "read-data" and addr == 0 and len(rest) == 2
        return text + (f" ({KINDS.get(rest[0], 'unknown')}, capacity {rest[1]})" if identity else "")
    text += f" event {head & 255} core {head >> 8 & 15}"
    if head >> 12 & 1:
        if not rest:
            return None
        text, rest = text + f" lost {rest[0]}" + (", yielded" if head >> 13 & 1 else ""), rest[1:]
    elif head >> 13 & 1:
        return None
    stamp, values = head >> 14 & 1, [low | high << 16 for low, high in zip(rest[::2], rest[1::2])]
    if len(rest) % 2 or (stamp and not values) or len(values) - stamp > 6:
        return None
    if stamp:
        text += f" time {values.pop(0)}"
    return text + "".join(f" {v:#x}" for v in values)


def frames_missing(order, number, words):
    """Frames missing before this one; None: it was received before. `order`: the next number, and whether the chip sent a
    request (the rules: *link* and *line* in the reference)."""
    ahead = (number - order["next"]) % 256
    if words[0] & 0xFFF == 0xFFF and words[1] >> 12 == 12:
        # a request: the chip keeps no frame before this number
        ahead = ahead if ahead < 128 else 0
        order.update(next=(order["next"] + ahead) % 256, requested=True)
    elif order["requested"] and ahead >= 240:
        return None
    else:
        order["next"] = (number + 1) % 256
    return ahead


def split_log(data):
    """Frames of a log, and what is known at its end; None: it has no end mark, or its checksum is wrong."""
    start = 12 + int.from_bytes(data[8:12], "little")
    checksum = zlib.crc32(data[:-12]).to_bytes(4, "little")
    if len(data) < start + 16 or data[-8:] != b"GSHDEND3" or checksum != data[-12:-8]:
        return data[start:], None
    stop = len(data) - 16 - int.from_bytes(data[-16:-12], "little")
    return data[start:stop], json.loads(data[stop:-16])


def main(path):
    with open(path, "rb") as file:
        data = file.read()
    log = data.startswith(b"GSHDLOG3")
    data, end = split_log(data) if log else (data, None)
    (*all_frames, (_, skipped)), order = frames(data), {"next": 0, "requested": False}
    arrived = missing = malformed = again = 0
    for number, words in all_frames:
        gap, text = frames_missing(order, number, words), packet(words)
        if gap is None:
            again += 1
            continue
        if gap:
            print(f"missing {gap}")
        print(text or "malformed")
        arrived, missing, malformed = arrived + 1, missing + gap, malformed + (text is None)
    if end:
        missing += max(0, end["frames"] - arrived - missing)
    state = "" if not log else f", {end['lost']} events lost" if end else ", no end mark"
    state += f", {again} frames again" if again else ""
    print(f"{arrived} frames, {missing} missing, {malformed} malformed, {skipped} bytes outside{state}")
    sys.exit(2 if missing or malformed or skipped or (log and not end) else 0)


if __name__ == "__main__":
    main(sys.argv[1]) if len(sys.argv) == 2 else sys.exit(__doc__)

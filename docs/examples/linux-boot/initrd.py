#!/usr/bin/env python3
"""Writes an initial file system for Linux: a compressed cpio archive with /dev/console, some folders, and executable files.

    initrd.py OUT.gz NAME=FILE...
"""

import gzip
import stat
import sys


def entries(files):
    """Names, modes, contents and device numbers."""
    for folder in ("bin", "dev", "proc", "sys", "tmp"):
        yield folder, stat.S_IFDIR | 0o755, b"", (0, 0)
    yield "dev/console", stat.S_IFCHR | 0o600, b"", (5, 1)
    for name, path in files:
        with open(path, "rb") as file:
            yield name, stat.S_IFREG | 0o755, file.read(), (0, 0)
    yield "TRAILER!!!", 0, b"", (0, 0)


def padded(data):
    return data + bytes(-len(data) % 4)


def main():
    out, files = sys.argv[1], [word.split("=", 1) for word in sys.argv[2:]]
    # no time stamp: the same files give the same archive
    with gzip.GzipFile(out, "wb", mtime=0) as archive:
        for number, (name, mode, data, device) in enumerate(entries(files), 1):
            path = name.encode() + b"\0"
            fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(path), 0)
            header = b"070701" + b"".join(b"%08x" % field for field in fields)
            archive.write(padded(header + path) + padded(data))


main()

"""Two predictors in Python, compared on recordings: python predictors.py RUN.ret..."""

import sys

import goshawk


class Bimodal:
    """Two-bit counters by address; `shift`: bits of an address that are always 0, which is 1 for RISC-V and 0 for x86."""

    def __init__(self, entries=1024, shift=1):
        self.counters = [1] * entries
        self.mask, self.shift = entries - 1, shift

    def index(self, pc):
        return pc >> self.shift & self.mask

    def predict(self, pc):
        return self.counters[self.index(pc)] >= 2

    def update(self, pc, taken):
        at = self.index(pc)
        self.counters[at] = min(self.counters[at] + 1, 3) if taken else max(self.counters[at] - 1, 0)


class Gshare(Bimodal):
    """Two-bit counters by address and history: the outcome predictor of the sets `small` to `large`, 1024 entries as in `medium`.

    Source: S. McFarling, "Combining Branch Predictors", WRL Technical Note TN-36, 1993.
    """

    def __init__(self, entries=1024, shift=1):
        super().__init__(entries, shift)
        self.history = 0

    def index(self, pc):
        return (pc >> self.shift ^ self.history) & self.mask

    def update(self, pc, taken):
        super().update(pc, taken)
        self.history = (self.history << 1 | taken) & self.mask


def main():
    for path in sys.argv[1:]:
        run = goshawk.open(path)
        for predictor in (Bimodal, Gshare):
            found = run.evaluate(predictor)
            print(f"{path}: {predictor.__name__}: {found}, {found.mpki:.2f} per 1000 instructions")
            for pc, executed, missed in found.worst(3):
                print(f"    0x{pc:x}: {missed:,} of {executed:,}")


if __name__ == "__main__":
    main()

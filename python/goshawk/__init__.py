"""Recordings and branch traces of Goshawk as numpy arrays.

    import goshawk
    run = goshawk.open("gcc.ret")
    for batch in run.branches():
        print(batch["pc"], batch["taken"])
    print(run.encode("tr_e:m4")["bits_per_instruction"])
    print(run.evaluate(MyPredictor))
"""

import importlib
import json
import pathlib

import numpy as np

from . import predictors
from ._goshawk import RawRecording

#: Fields of an event. `count`: instructions of the hart since its last event, this one included.
EVENT = np.dtype(
    [("hart", "u1"), ("kind", "u1"), ("len", "u1"), ("cause", "u1"), ("count", "<u4"), ("pc", "<u8"), ("target", "<u8"), ("cycle", "<u8")]
)
#: Fields of a datum. `number`: an address (loads, stores), or the number of a register.
DATUM = np.dtype(
    [("hart", "u1"), ("kind", "u1"), ("size", "u1"), ("", "u1"), ("pc", "<u8"), ("number", "<u8"), ("value", "<u8"), ("cycle", "<u8")]
)
#: Fields of a branch.
BRANCH = np.dtype([("hart", "u1"), ("kind", "u1"), ("taken", "?"), ("pc", "<u8"), ("target", "<u8")])

#: Kinds of events, by number; the first nine are those of `rbt1`.
KINDS = ["not_taken", "taken", "jump", "call", "indirect_jump", "indirect_call", "return", "trap", "trap_return",
         "co_swap", "conditional_indirect", "start", "stop", "context", "gap"]
#: Kinds of data, by number.
DATA = ["load", "store", "csr", "register", "float"]


class Recording:
    """A recorded run: a retire file or a branch trace."""

    def __init__(self, path):
        self.path = str(path)
        self._raw = RawRecording(self.path)
        #: Metadata: tool, harts, xlen, build_id, program, source.
        self.info = json.loads(self._raw.info())

    def _batches(self, data, dtype):
        blocks = self._raw.blocks(data)
        while (block := blocks.next()) is not None:
            yield np.frombuffer(block, dtype)

    def events(self):
        """Batches of events (EVENT), in the order of the run."""
        return self._batches(False, EVENT)

    def accesses(self):
        """Batches of loads, stores and read CSRs (DATUM), if the recording has data."""
        for batch in self._batches(True, DATUM):
            yield batch[batch["kind"] <= 2]

    def data(self):
        """Batches of all data (DATUM): accesses, and written registers."""
        return self._batches(True, DATUM)

    def branches(self, conditional=False):
        """Batches of branches (BRANCH); `conditional`: only conditional ones, for an outcome predictor."""
        for batch in self.events():
            kind = batch["kind"]
            batch = batch[kind <= 1] if conditional else batch[(kind != 7) & (kind <= 10)]
            found = np.empty(len(batch), BRANCH)
            for name in ("hart", "kind", "pc", "target"):
                found[name] = batch[name]
            found["taken"] = (batch["kind"] != 0) & ((batch["kind"] != 10) | (batch["cause"] != 0))
            yield found

    def evaluate(self, make, shared=False, warm_up=0):
        """Evaluates a predictor of outcomes written in Python; `make()` returns a new one (see `goshawk.predictors`)."""
        return predictors.evaluate(self, make, shared, warm_up)

    def encode(self, scheme, verify=False):
        """Sizes and rates of the trace in a scheme, such as `tr_e:m4` or `nexs`; `verify`: decodes it and compares."""
        return json.loads(self._raw.encode(scheme, verify))


def open(path):
    """Opens a recording (`.ret`) or a branch trace (`.rbt1`, `.rbt1.zst`)."""
    return Recording(path)


def sweep(folder, library="pandas"):
    """The table of a sweep (`results.csv`) as a DataFrame of `pandas` or `polars`."""
    path = pathlib.Path(folder) / "results.csv"
    if not path.exists():
        raise ValueError(f"{folder}: is not the folder of a sweep; it has no results.csv")
    return importlib.import_module(library).read_csv(path)


__all__ = ["open", "sweep", "Recording", "EVENT", "DATUM", "BRANCH", "KINDS", "DATA", "predictors"]

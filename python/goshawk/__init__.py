"""Recordings and traces of Goshawk as numpy arrays.

    import goshawk
    run = goshawk.open("gcc.ret")
    for batch in run.branches():
        print(batch["pc"], batch["taken"])
    print(run.encode("tr_e:m4")["bits_per_instruction"])
    print(run.evaluate(MyPredictor))
    for batch in goshawk.open("gcc.gtr", program="gcc").messages():
        print(batch["kind"], batch["bit"])
"""

import importlib
import io
import json
import pathlib

import numpy as np

from . import predictors
from ._goshawk import MESSAGES, RawRecording, RawTrace

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

#: Fields of an instruction. `bits`: up to four of its bytes.
INSTRUCTION = np.dtype([("hart", "u1"), ("len", "u1"), ("", "<u2"), ("bits", "<u4"), ("pc", "<u8")])
#: Fields of a message. `count`: branches, instructions or streams, as the message counts. `number`: an address, or lost
#: instructions, the next core, a word, an index. `cycle` is 0 without time stamps.
MESSAGE = np.dtype(
    [("core", "u1"), ("kind", "u1"), ("", "V6"), ("bit", "<u8"), ("cycle", "<u8"), ("count", "<u8"), ("number", "<u8")]
)

#: Kinds of events, by number; the first nine are those of `rbt1`.
KINDS = ["not_taken", "taken", "jump", "call", "indirect_jump", "indirect_call", "return", "trap", "trap_return",
         "co_swap", "conditional_indirect", "start", "stop", "context", "gap"]
#: Kinds of data, by number.
DATA = ["load", "store", "csr", "register", "float"]


class _Run:
    """What a recording and a trace have in common."""

    def __init__(self, path, raw):
        self.path = str(path)
        self._raw = raw
        #: Metadata: tool, harts, xlen, build_id, program, source.
        self.info = json.loads(raw.info())

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


class Recording(_Run):
    """A recorded run: a retire file or a branch trace."""

    def __init__(self, path, program=None):
        super().__init__(path, RawRecording(str(path)))
        self._program = None if program is None else str(program)

    def events(self):
        """Batches of events (EVENT), in the order of the run."""
        return _batches(self._raw.blocks(False), EVENT)

    def accesses(self):
        """Batches of loads, stores and read CSRs (DATUM), if the recording has data."""
        for batch in _batches(self._raw.blocks(True), DATUM):
            yield batch[batch["kind"] <= 2]

    def data(self):
        """Batches of all data (DATUM): accesses, and written registers."""
        return _batches(self._raw.blocks(True), DATUM)

    def instructions(self):
        """Batches of retired instructions (INSTRUCTION), with the code of the program, or that of the recording."""
        return _batches(self._raw.instructions(self._program), INSTRUCTION)

    def encode(self, scheme, verify=False):
        """Sizes and rates of the trace in a scheme, such as `tr_e:m4` or `nexs`; `verify`: decodes it and compares."""
        return json.loads(self._raw.encode(scheme, verify))


class Trace(_Run):
    """A trace file, decoded with its program."""

    def __init__(self, path, program=None):
        super().__init__(path, RawTrace(str(path), None if program is None else str(program)))

    def events(self):
        """Batches of the events (EVENT) that the trace decodes to, in the order of its messages."""
        return _batches(self._raw.events(), EVENT)

    def instructions(self):
        """Batches of the instructions (INSTRUCTION) that the trace decodes to."""
        return _batches(self._raw.instructions(), INSTRUCTION)

    def messages(self):
        """Batches of messages (MESSAGE), in the order of the stream; MESSAGES has the names of their kinds."""
        return _batches(self._raw.messages(), MESSAGE)


def _batches(blocks, dtype):
    while (block := blocks.next()) is not None:
        yield np.frombuffer(block, dtype)


def open(path, program=None):
    """Opens a recording (`.ret`), a branch trace (`.rbt1`, `.rbt1.zst`) or a trace (`.gtr`).

    `program` has the code: an ELF file or `builtin:NAME`, or for a trace a recording of the run. A trace needs it, and so
    do the instructions of a recording, unless the file has the code, as captured ones have.
    """
    try:
        with io.open(path, "rb") as file:
            magic = file.read(7)
    except OSError:
        magic = b""  # the error is that of a recording
    return (Trace if magic == b"GSHKTRC" else Recording)(path, program)


def arrow(batch):
    """A batch as a `RecordBatch` of pyarrow: `pyarrow.Table.from_batches(map(goshawk.arrow, run.events()))`."""
    pyarrow = importlib.import_module("pyarrow")
    names = [name for name in batch.dtype.names if not name.startswith("f")]
    return pyarrow.RecordBatch.from_arrays([pyarrow.array(np.ascontiguousarray(batch[name])) for name in names], names)


def sweep(folder, library="pandas"):
    """The table of a sweep (`results.csv`) as a DataFrame of `pandas` or `polars`."""
    path = pathlib.Path(folder) / "results.csv"
    if not path.exists():
        raise ValueError(f"{folder}: is not the folder of a sweep; it has no results.csv")
    return importlib.import_module(library).read_csv(path)


__all__ = ["open", "sweep", "arrow", "Recording", "Trace", "EVENT", "DATUM", "BRANCH", "INSTRUCTION", "MESSAGE", "KINDS",
           "DATA", "MESSAGES", "predictors"]

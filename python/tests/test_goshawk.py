"""Recordings as numpy arrays: python -m unittest discover python/tests"""

import contextlib
import importlib.util
import io
import json
import os
import pathlib
import struct
import sys
import tempfile
import unittest

import goshawk
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "examples"))
import predictors as example  # noqa: E402

RECORD = "<BBHIQQ"
# a loop of two instructions that is passed three times, a call, a return
RECORDS = [
    (7, 0, 0, 0, 0x1000, 0x1000),
    (1, 4, 0, 2, 0x1004, 0x1000),
    (1, 4, 0, 2, 0x1004, 0x1000),
    (0, 4, 0, 2, 0x1004, 0x1008),
    (3, 4, 0, 1, 0x1008, 0x2000),
    (6, 4, 0, 3, 0x2008, 0x100C),
    (7, 0, 0, 1, 0x1010, 0x1010),
]


class Recordings(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name) / "loop.rbt1"
        self.path.write_bytes(b"RBT1" + bytes(4) + b"".join(struct.pack(RECORD, *r) for r in RECORDS))

    def tearDown(self):
        self.folder.cleanup()

    def test_events_are_those_of_the_file(self):
        run = goshawk.open(self.path)
        events = np.concatenate(list(run.events()))
        names = [goshawk.KINDS[k] for k in events["kind"]]
        self.assertEqual(names, ["start", "taken", "taken", "not_taken", "call", "return", "stop"])
        self.assertEqual(events["count"].sum(), 11)
        self.assertEqual(events["pc"][1], 0x1004)
        self.assertEqual(events["target"][5], 0x100C)
        self.assertEqual(run.info["harts"], 1)

    def test_branches_have_outcomes(self):
        run = goshawk.open(self.path)
        branches = np.concatenate(list(run.branches()))
        self.assertEqual(branches["taken"].tolist(), [True, True, False, True, True])
        # a predictor written in Python: always the last outcome
        last, missed = {}, 0
        for batch in run.branches(conditional=True):
            for pc, taken in zip(batch["pc"].tolist(), batch["taken"].tolist()):
                missed += last.get(pc, False) != taken
                last[pc] = taken
        self.assertEqual(missed, 2)

    def test_predictors_are_evaluated_by_hart(self):
        class Last:
            def __init__(self):
                self.outcomes = {}

            def predict(self, pc):
                return self.outcomes.get(pc, False)

            def update(self, pc, taken):
                self.outcomes[pc] = taken

        class Always:
            def run(self, pc, taken):
                return np.ones(len(pc), bool)

        found = goshawk.open(self.path).evaluate(Last)
        self.assertEqual((found.branches, found.missed, found.instructions), (3, 2, 11))
        self.assertEqual((found.rate, found.worst()), (2 / 3, [(0x1004, 3, 2)]))
        self.assertEqual(str(found), "2 of 3 branches predicted wrongly, 66.67 %")
        self.assertEqual(goshawk.open(self.path).evaluate(Always).missed, 1)
        warm = goshawk.open(self.path).evaluate(Last, warm_up=2)
        self.assertEqual((warm.warm_up, warm.branches, warm.missed), (2, 1, 1))
        # two harts that take and do not take the same branch: alone always alike, together never
        records = [(7, 0, hart, 0, 0x1000, 0x1000) for hart in (0, 1)]
        records += [(1 - hart, 4, hart, 1, 0x1000, 0x1004 if hart else 0x1000) for _ in range(50) for hart in (0, 1)]
        records += [(7, 0, hart, 0, 0x1000, 0x1000) for hart in (0, 1)]
        both = self.path.with_name("both.rbt1")
        both.write_bytes(b"RBT1" + bytes(4) + b"".join(struct.pack(RECORD, *r) for r in records))
        self.assertEqual(goshawk.open(both).evaluate(Last).missed, 1)
        self.assertEqual(goshawk.open(both).evaluate(Last, shared=True).missed, 100)

    def test_predictions_of_another_number_are_refused(self):
        class Short:
            def run(self, pc, taken):
                return pc[1:]

        with self.assertRaisesRegex(ValueError, "one prediction for each branch"):
            goshawk.open(self.path).evaluate(Short)

    def test_gshare_in_python_misses_as_often_as_the_model(self):
        # a branch with a period of three inside one that is nearly always taken, and a third one by a linear congruence
        records, x = [(7, 0, 0, 0, 0x1000, 0x1000)], 1
        for i in range(3000):
            x = x * 1103515245 + 12345 & 0x7FFFFFFF
            for pc, taken in ((0x1000, i % 3 == 0), (0x1010, i % 100 != 0), (0x1020, x >> 16 & 1 == 1)):
                target = pc + 16 if taken else pc + 4
                records.append((int(taken), 4, 0, 1, pc, target))
                if not taken:
                    records.append((2, 4, 0, 1, pc + 4, pc + 16))
            records.append((2, 4, 0, 1, 0x1030, 0x1000))
        records.append((7, 0, 0, 0, 0x1000, 0x1000))
        path = self.path.with_name("gshare.rbt1")
        path.write_bytes(b"RBT1" + bytes(4) + b"".join(struct.pack(RECORD, *r) for r in records))
        run = goshawk.open(path)
        found = run.evaluate(example.Gshare)
        self.assertEqual(found.branches, 9000)
        self.assertGreater(found.missed, 1000)
        self.assertEqual(found.missed, run.encode("tr_e:medium")["rates"]["outcome_misses"])

    def test_schemes_are_measured_and_decoded(self):
        run = goshawk.open(self.path)
        for scheme in ["tr_e:m4", "nexs", "sc-lsp:rbase-32x4"]:
            found = run.encode(scheme, verify=True)
            self.assertTrue(found["decoded_equal"], scheme)
            self.assertEqual(found["instructions"], 11)
            self.assertAlmostEqual(found["bits_per_instruction"], found["bits"] / 11)

    def test_a_sweep_is_a_data_frame(self):
        with self.assertRaisesRegex(ValueError, "no results.csv"):
            goshawk.sweep(self.folder.name)
        path = pathlib.Path(self.folder.name) / "results.csv"
        path.write_text("trace,harts,scheme,seed,bits,instructions\nfft,2,nx_b,1,300,1000\nfft,2,nx_b,2,500,1000\n")
        for library in ["pandas", "polars"]:
            if importlib.util.find_spec(library) is None:
                continue
            frame = goshawk.sweep(self.folder.name, library)
            self.assertEqual(frame["bits"].sum() / frame["instructions"].sum(), 0.4)
            self.assertEqual(frame["scheme"].to_list() if library == "polars" else list(frame["scheme"]), ["nx_b", "nx_b"])

    def test_errors_are_value_errors(self):
        with self.assertRaisesRegex(ValueError, "missing.ret"):
            goshawk.open(self.path.with_name("missing.ret"))
        with self.assertRaisesRegex(ValueError, "morse"):
            goshawk.open(self.path).encode("morse")
        self.path.write_bytes(self.path.read_bytes()[:-1])
        with self.assertRaisesRegex(ValueError, "loop.rbt1"):
            goshawk.open(self.path)


RUNS = os.environ.get("GOSHAWK_RUNS")


@unittest.skipIf(RUNS is None, "GOSHAWK_RUNS names no folder with recordings of built-in programs")
class Programs(unittest.TestCase):
    """Recordings and a trace of built-in programs, which `python/tests/module.rs` makes."""

    def setUp(self):
        self.runs = pathlib.Path(RUNS)

    def test_instructions_are_the_runs_between_events(self):
        run = goshawk.open(self.runs / "fft.2.ret", program="builtin:fft")
        events = np.concatenate(list(run.events()))
        instructions = np.concatenate(list(run.instructions()))
        self.assertEqual(len(instructions), events["count"].sum())
        for hart in range(2):
            mine, flow = instructions[instructions["hart"] == hart], events[events["hart"] == hart]
            # where the counts end in a branch, its address is that of the instruction
            ends = np.cumsum(flow["count"]) - 1
            branches = (flow["kind"] <= 10) & (flow["kind"] != 7)
            self.assertTrue((mine["pc"][ends[branches]] == flow["pc"][branches]).all())
            self.assertTrue((mine["len"][ends[branches]] == flow["len"][branches]).all())
            # the others are followed by the next one
            inside = np.setdiff1d(np.arange(len(mine) - 1), ends)
            self.assertTrue((mine["pc"][inside] + mine["len"][inside] == mine["pc"][inside + 1]).all())
        with self.assertRaisesRegex(ValueError, "no code is known for instruction 1 of"):
            list(goshawk.open(self.runs / "fft.2.ret").instructions())

    def test_a_trace_has_the_events_of_its_run_and_its_messages(self):
        trace = goshawk.open(self.runs / "fft.2.gtr", program="builtin:fft")
        self.assertEqual((trace.info["harts"], trace.info["timestamps"]), (2, True))
        total, *kinds = map(int, (self.runs / "kinds.txt").read_text().split())
        messages = np.concatenate(list(trace.messages()))
        self.assertEqual(np.bincount(messages["kind"], minlength=len(goshawk.MESSAGES)).tolist(), kinds)
        self.assertTrue((np.diff(messages["bit"].astype(np.int64)) > 0).all())
        self.assertEqual(len(np.concatenate(list(trace.instructions()))), total)
        recorded = np.concatenate(list(goshawk.open(self.runs / "fft.2.ret").events()))
        decoded = np.concatenate(list(trace.events()))
        for hart in range(2):
            for name in ("kind", "count", "pc", "target"):
                a, b = (events[events["hart"] == hart][name] for events in (recorded, decoded))
                self.assertTrue((a == b).all(), name)
        # the addresses in messages are those of the run
        kinds = [goshawk.MESSAGES.index(name) for name in ("target", "exception", "sync")]
        addresses = messages[np.isin(messages["kind"], kinds)]["number"]
        self.assertGreaterEqual(len(addresses), 2)
        self.assertTrue(np.isin(addresses, recorded["target"]).all())
        self.assertGreater(messages["cycle"].max(), 1000)
        # a reader that stops early, and a trace that is cut
        next(trace.messages())
        cut = self.runs / "cut.gtr"
        cut.write_bytes((self.runs / "fft.2.gtr").read_bytes()[:-40])
        with self.assertRaisesRegex(ValueError, "cut.gtr"):
            list(goshawk.open(cut, program="builtin:fft").messages())
        with self.assertRaisesRegex(ValueError, "fft.2.gtr"):
            goshawk.open(self.runs / "fft.2.gtr", program="builtin:lu")

    def test_batches_become_tables_of_arrow(self):
        if importlib.util.find_spec("pyarrow") is None:
            self.skipTest("pyarrow is not installed")
        import pyarrow

        run = goshawk.open(self.runs / "fft.1.ret")
        table = pyarrow.Table.from_batches(map(goshawk.arrow, run.events()))
        events = np.concatenate(list(run.events()))
        self.assertEqual(table.column_names, list(events.dtype.names))
        self.assertEqual(table["target"].to_pylist(), events["target"].tolist())

    def test_the_notebook_draws_what_is_measured(self):
        path = pathlib.Path(__file__).resolve().parents[2] / "docs/examples/figures/figure10.ipynb"
        cells = [c for c in json.loads(path.read_text())["cells"] if c["cell_type"] == "code"]
        printed, before = io.StringIO(), os.getcwd()
        os.chdir(self.runs.parent)
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile("\n".join("".join(c["source"]) for c in cells), str(path), "exec"), {"__name__": "notebook"})
        finally:
            os.chdir(before)
        line = next(line for line in printed.getvalue().splitlines() if line.startswith("tr_e:large "))
        one = [goshawk.open(self.runs / f"{name}.1.ret").encode("tr_e:large") for name in ("fft", "lu")]
        two = goshawk.open(self.runs / "fft.2.ret").encode("tr_e:large")["bits_per_instruction"]
        total = sum(m["bits"] for m in one) / sum(m["instructions"] for m in one)
        mean = (one[0]["bits_per_instruction"] * one[1]["bits_per_instruction"]) ** 0.5
        self.assertEqual(line.split()[1:], [f"{n:.4f}" for n in (total, mean, two, two)])


if __name__ == "__main__":
    unittest.main()

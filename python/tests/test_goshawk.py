"""Recordings as numpy arrays: python -m unittest discover python/tests"""

import importlib.util
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


if __name__ == "__main__":
    unittest.main()

"""Predictors written in Python, evaluated on the branches of a recording.

A predictor of outcomes has `predict(pc)`, which returns whether the branch at `pc` is predicted to be taken, and `update(pc, taken)`,
which is called after it with what happened:

    class Last:
        def __init__(self):
            self.outcomes = {}
        def predict(self, pc):
            return self.outcomes.get(pc, False)
        def update(self, pc, taken):
            self.outcomes[pc] = taken

    print(goshawk.open("gcc.ret").evaluate(Last))

Python takes about a microsecond for each branch. A predictor with `run(pc, taken)` instead gets arrays of addresses and outcomes, and
returns an array of predictions, one for each branch; it must not look at an outcome before it has predicted it. Such a function can be
compiled, for example by numba.
"""

import collections

import numpy as np


class Evaluation:
    """How often a predictor was right."""

    def __init__(self):
        #: Conditional branches that were predicted, and those of them that were predicted wrongly.
        self.branches = self.missed = 0
        #: Instructions of all harts, those before the first counted branch included.
        self.instructions = 0
        #: Branches before the first counted one.
        self.warm_up = 0
        self._executed = collections.Counter()
        self._missed = collections.Counter()

    @property
    def rate(self):
        """Part of the branches that were predicted wrongly."""
        return self.missed / self.branches if self.branches else 0.0

    @property
    def mpki(self):
        """Wrong predictions per 1000 instructions. Not meaningful after a warm-up."""
        return 1000 * self.missed / self.instructions if self.instructions else 0.0

    def worst(self, count=10):
        """The branches with the most wrong predictions: address, executions, wrong predictions."""
        order = sorted(self._missed.items(), key=lambda item: (-item[1], item[0]))
        return [(pc, self._executed[pc], missed) for pc, missed in order[:count]]

    def _add(self, pc, taken, predicted):
        wrong = predicted != taken
        self.branches += len(pc)
        self.missed += int(wrong.sum())
        for counter, addresses in ((self._executed, pc), (self._missed, pc[wrong])):
            for address, times in zip(*(part.tolist() for part in np.unique(addresses, return_counts=True))):
                counter[address] += times

    def __repr__(self):
        return f"{self.missed:,} of {self.branches:,} branches predicted wrongly, {100 * self.rate:.2f} %"


def _predicted(predictor, pc, taken):
    """The predictions of a predictor, which learns from the outcomes."""
    if hasattr(predictor, "run"):
        found = np.asarray(predictor.run(pc, taken))
        if found.shape != pc.shape:
            raise ValueError(f"run(pc, taken) returned an array of shape {found.shape}; expected {pc.shape}, one prediction for each branch")
        return found.astype(bool)
    predict, update = predictor.predict, predictor.update
    found = np.empty(len(pc), bool)
    for at, (address, outcome) in enumerate(zip(pc.tolist(), taken.tolist())):
        found[at] = predict(address)
        update(address, outcome)
    return found


def _pieces(branches, shared):
    """Branches of each hart, or all in the order of the recording as those of hart 0."""
    if shared:
        yield 0, branches
        return
    for hart in np.unique(branches["hart"]).tolist():
        yield hart, branches[branches["hart"] == hart]


def evaluate(recording, make, shared=False, warm_up=0):
    """Evaluates predictors of outcomes on the conditional branches of a recording.

    `make()` returns a new predictor; there is one for each hart, or a single one with `shared`. The first `warm_up` branches of each
    predictor are predicted and learned, and not counted.
    """
    predictors, seen, result = {}, collections.Counter(), Evaluation()
    for events in recording.events():
        result.instructions += int(events["count"].sum())
        # not taken and taken
        branches = events[events["kind"] <= 1]
        for hart, own in _pieces(branches, shared):
            if hart not in predictors:
                predictors[hart] = make()
            pc, taken = np.ascontiguousarray(own["pc"]), own["kind"] == 1
            predicted = _predicted(predictors[hart], pc, taken)
            left_out = min(max(warm_up - seen[hart], 0), len(pc))
            seen[hart] += len(pc)
            result.warm_up += left_out
            result._add(pc[left_out:], taken[left_out:], predicted[left_out:])
    return result

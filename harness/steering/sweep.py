"""`sociolect steer sweep`: strengths and controls of a vector, run, chosen and compared."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sociolect.generators.dialect.folder import Built
from sociolect.generators.errors import ResultsError
from sociolect.generators.locks import only_one
from sociolect.harness.dialect.audits import CONTINUATION
from sociolect.harness.sheets import printable
from sociolect.harness.steering.sweep_against import Against, against
from sociolect.harness.steering.sweep_cells import (
    Cell,
    evaluation_cells,
    listing,
    selection_cells,
)
from sociolect.harness.steering.sweep_choice import Choice, choose
from sociolect.harness.steering.sweep_fit import (
    fit_facts,
    fit_record,
    keep_record,
    pairs_of_fit,
    remarks,
    source,
)
from sociolect.harness.steering.sweep_flips import Flips, flips
from sociolect.harness.steering.sweep_folder import keep_settings, resolved_out
from sociolect.harness.steering.sweep_model import model_facts
from sociolect.harness.steering.sweep_numbers import Numbers, Row, read_numbers, tried
from sociolect.harness.steering.sweep_pairs import Texts, built_pairs, pair_texts
from sociolect.harness.steering.sweep_runs import Runner, asking
from sociolect.harness.steering.sweep_settings import SweepSettings
from sociolect.harness.steering.sweep_vectors import (
    CONTROLS,
    SINGLE,
    VECTOR,
    Fitted,
    fitted,
    kept,
)


@dataclass(frozen=True)
class Sweep:
    """A sweep that has been run.

    Attributes:
        settings: What was asked.
        vectors: By name.
        facts: Hashes of pairs and vectors, what the files of the model hold, and what is known of
            the fit (`fit`, `pairs_of_fit`).
        selection: What the strengths were chosen by.
        evaluation: What they are told by.
        choices: Of the two vectors, by name.
        against: The vector against its controls at the strength at which systems are compared.
        flips: Of the vector at that strength.
    """

    settings: SweepSettings
    vectors: Mapping[str, Fitted]
    facts: Mapping[str, Any]
    selection: Numbers
    evaluation: Numbers
    choices: Mapping[str, Choice]
    against: tuple[Against, ...]
    flips: Flips

    @property
    def choice(self) -> Choice:
        """Of the vector."""
        return self.choices[VECTOR]

    @property
    def steered(self) -> Row:
        """The vector on the evaluation split at the strength at which systems are compared."""
        (row,) = self.evaluation.of(VECTOR, self.choice.compared)
        return row

    @property
    def single(self) -> Row:
        """The single layer on the evaluation split at its own strength."""
        (row,) = self.evaluation.of(SINGLE)
        return row

    @property
    def controls(self) -> list[Row]:
        """The controls at the strength at which systems are compared."""
        return [row for name in CONTROLS for row in self.evaluation.of(name, self.choice.compared)]


def run(settings: SweepSettings) -> Sweep:
    """Run what is not finished of a sweep, choose the strengths, and compute everything.

    Args:
        settings: What is asked.

    Raises:
        InvalidInputError: The folder holds something else, or another sweep.
        ModelError: A vector is missing or of another model; model or vector were changed meanwhile.
        DataError: The pairs are damaged, or in no splits.
        ResultsError: A run is damaged, or the vector was fitted on the pairs of the sweep.
    """
    from sociolect.steering.backends.shared_models import sharing_models

    target = resolved_out(settings.out)
    origin = source(settings)
    vectors = fitted(origin, controls=settings.controls != "none")
    there = [name for name in CONTROLS if name in vectors]
    built, record = built_pairs(settings.pairs), fit_record(origin)
    facts = _facts(settings, vectors, built.manifest)
    of_fit = _of_fit(vectors, record, built)
    with only_one(target):
        keep_settings(settings, facts)
        vectors = kept(vectors, settings.out)
        keep_record(record, settings.out)
        with asking(settings.pairs), sharing_models():
            runner = Runner(settings, vectors, facts["model"], len(listing(settings, there)))
            chosen_by = selection_cells(settings)
            runner.run(chosen_by)
            selection = _read(chosen_by, settings, vectors)
            choices = {
                name: choose(tried(selection, name), settings.tolerance)
                for name in (VECTOR, SINGLE)
            }
            told_by = evaluation_cells(settings, choices, there)
            runner.run(told_by)
        evaluation = _read(told_by, settings, vectors)
    told = {**facts, **of_fit}
    return compute(settings, vectors, told, selection, evaluation, choices, pair_texts(built))


def _read(cells: list[Cell], settings: SweepSettings, vectors: Mapping[str, Fitted]) -> Numbers:
    return read_numbers(cells, settings.out, vectors, settings.method, settings.allow)


def compute(
    settings: SweepSettings,
    vectors: Mapping[str, Fitted],
    facts: Mapping[str, Any],
    selection: Numbers,
    evaluation: Numbers,
    choices: Mapping[str, Choice],
    texts: Mapping[str, Texts],
) -> Sweep:
    """Everything that follows from the numbers of both splits.

    Args:
        settings: What was asked.
        vectors: By name.
        facts: Hashes of pairs and vectors.
        selection: What the strengths were chosen by.
        evaluation: What they are told by.
        choices: Of `VECTOR` and `SINGLE`.
        texts: Of the pairs, by id.

    Raises:
        ResultsError: The continuations are not there any more.
    """
    beta = choices[VECTOR].compared
    (steered,) = evaluation.of(VECTOR, beta)
    controls = [row for name in CONTROLS for row in evaluation.of(name, beta)]
    before = evaluation.base.audited.answers.scores
    after = steered.audited.answers.scores
    if before is None or after is None:
        raise ResultsError(f"{settings.out}: a run of {CONTINUATION} is not there any more")
    return Sweep(
        settings=settings,
        vectors=vectors,
        facts=facts,
        selection=selection,
        evaluation=evaluation,
        choices=choices,
        against=tuple(against(evaluation, steered, controls)) if controls else (),
        flips=flips(before, after, texts),
    )


def _facts(
    settings: SweepSettings, vectors: Mapping[str, Fitted], manifest: Mapping[str, Any]
) -> dict[str, Any]:
    """What a sweep is of."""
    return {
        **{f"{name}_sha256": one.sha256 for name, one in vectors.items()},
        "pairs_sha256": str(manifest["configs"]["pairs"]["sha256"]),
        "model": model_facts(settings),
    }


def _of_fit(
    vectors: Mapping[str, Fitted], record: Mapping[str, Any], built: Built
) -> dict[str, Any]:
    """What the report names of the fit; what must be known of it before is said at once."""
    found = fit_facts(vectors[VECTOR].vector.facts, record)
    pairs = pairs_of_fit(found, record, built)
    for line in remarks(found, pairs):
        print(printable(f"sociolect: note: {line}"), file=sys.stderr, flush=True)
    return {"fit": found, "pairs_of_fit": pairs}

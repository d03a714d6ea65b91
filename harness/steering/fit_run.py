"""`sociolect steer fit` from its arguments to a finished folder."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sociolect.generators.conditions import Condition
from sociolect.generators.dialect.folder import read_manifest
from sociolect.generators.errors import InvalidInputError, ModelError, UnknownNameError
from sociolect.generators.folders import finished_folder
from sociolect.generators.locks import only_one
from sociolect.harness.engine_errors import explained
from sociolect.harness.steering.fit_folder import (
    FIT,
    PLOT,
    REPORT,
    drop_store,
    store_of,
    vacant,
    write_json,
)
from sociolect.harness.steering.fit_model import ADVICE, ModelToFit
from sociolect.harness.steering.fit_plot import draw_layers
from sociolect.harness.steering.fit_report import Report
from sociolect.steering.fitting.fit import Measured, measure
from sociolect.steering.fitting.fit_settings import FitSettings
from sociolect.steering.fitting.fit_vectors import chosen_weights, fitted_vectors
from sociolect.steering.fitting.fit_warnings import counted
from sociolect.steering.fitting.material import BEYOND_LIMIT, Material
from sociolect.steering.fitting.pairs import dialect_material
from sociolect.steering.fitting.prompts import BENCHMARKS, error_material
from sociolect.steering.vector_files import save

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class FitJob:
    """What a vector is fitted on, and how.

    Attributes:
        model: The model.
        settings: How; the longest text and the list of blocks are those of the model.
        pairs: Folder of dialect pairs; None for errors or noise.
        condition: Of errors or noise, its name; empty for dialect.
        benchmark: Whose prompts the errors are in.
        limit: Most pairs for the direction; None for all.
        trace_limit: Most items for the tracing; None for all.

    Raises:
        InvalidInputError: Neither pairs nor a condition, or both; a limit below 1.
    """

    model: ModelToFit
    settings: FitSettings
    pairs: Path | None
    condition: str = ""
    benchmark: str = "winogrande"
    limit: int | None = None
    trace_limit: int | None = None

    def __post_init__(self) -> None:
        if (self.pairs is None) == (not self.condition):
            raise InvalidInputError("give --pairs FOLDER for dialect, or --condition l2-30")
        for name, number in (("limit", self.limit), ("trace-limit", self.trace_limit)):
            if number is not None and number < 1:
                raise InvalidInputError(f"--{name} {number}: give 1 or more")

    def check(self) -> None:
        """Say at once what would be said once the model is loaded.

        Raises:
            DataError: No folder of pairs.
            UnknownNameError: No such condition, or benchmark to fit on.
            InvalidInputError: The clean condition.
        """
        if self.pairs is not None:
            read_manifest(self.pairs)
            return
        if Condition.parse(self.condition).is_clean:
            raise InvalidInputError(
                "--condition clean differs from nothing; name one with errors, such as l2-30"
            )
        if self.benchmark not in BENCHMARKS:
            hint = "What a steered model is evaluated on is nothing to fit it on."
            raise UnknownNameError("benchmark to fit on", self.benchmark, BENCHMARKS, hint)

    def material(self, lm: Any) -> Material:
        """The pairs and items, as the model reads them."""
        limit, trace_limit = self.limit, self.trace_limit
        if self.pairs is not None:
            return dialect_material(lm, self.pairs, limit=limit, trace_limit=trace_limit)
        return error_material(
            lm,
            Condition.parse(self.condition),
            benchmark=self.benchmark,
            seed=self.settings.seed,
            limit=limit,
            trace_limit=trace_limit,
        )


def fit(
    job: FitJob,
    out: Path,
    *,
    overwrite: bool = False,
    progress: bool = False,
    say: Say = lambda line: None,
    show: Callable[[Report], None] = lambda report: None,
) -> Report:
    """Fit a vector; the folder appears whole or not at all.

    A run that was stopped goes on from what it had finished. Of several processes that
    write one folder, one works and the others wait for it.

    Args:
        job: What is fitted.
        out: The folder.
        overwrite: Replace an earlier fit.
        progress: Show bars on standard error.
        say: Told what happens.
        show: Told what was measured, also where no block can be steered.

    Raises:
        InvalidInputError: `out` holds something, or the arguments make no sense.
        DataError: The data cannot be used.
        ModelError: The model cannot be used, or no block has a negative R.
    """
    job.check()
    with only_one(vacant(out, overwrite=overwrite)):
        target = vacant(out, overwrite=overwrite)
        with _kept(target, say):
            report = _chosen(_measured(job, target, progress, say), target, say, show)
            with finished_folder(target, replace=overwrite) as folder:
                _write(report, folder, out, say)
            drop_store(target)
    return report


def _measured(job: FitJob, target: Path, progress: bool, say: Say) -> Measured:
    began = time.monotonic()
    lm, fitted = job.model.load()
    loaded = time.monotonic()
    with explained(job.model.options(), None, ADVICE):
        material = job.material(lm)
        say(_counts(material))
        ready = time.monotonic()
        longest = job.settings.longest or int(lm.max_length)
        settings = replace(job.settings, longest=longest, blocks=job.model.blocks)
        measured = measure(fitted, material, settings, store=store_of(target), progress=progress)
    steps = {"model": loaded - began, "material": ready - loaded, **measured.seconds}
    return replace(measured, seconds=steps)


def _chosen(measured: Measured, target: Path, say: Say, show: Callable[[Report], None]) -> Report:
    """Shown also where no block can be steered: it says why."""
    try:
        report = Report(measured, chosen_weights(measured))
    except ModelError:
        show(Report(measured, {}))
        say(_how_on(measured, target))
        raise
    show(report)
    return report


def _write(report: Report, folder: Path, out: Path, say: Say) -> None:
    for name, vector in fitted_vectors(report.measured, report.chosen).items():
        save(vector, folder / name)
    write_json(report.as_json(), folder / FIT)
    drawn = draw_layers(report, folder / PLOT)
    if not drawn:
        say(f"no {PLOT}: matplotlib is not installed (pip install 'sociolect[plots]')")
    (folder / REPORT).write_text(report.as_markdown(out, drawn=drawn), encoding="utf-8")


def _how_on(measured: Measured, target: Path) -> str:
    """What is kept where no block can be steered: the tracing took long."""
    beyond = measured.material.left.get("tracing", {}).get(BEYOND_LIMIT, 0)
    more = (
        "a larger --trace-limit goes on from there"
        if beyond
        else "no item is left to trace; with other --draws, --alpha or --sites the tracing begins "
        "again, and the directions are read from there"
    )
    return f"what was found is kept in {store_of(target)}: {more}. Else remove that folder"


def _counts(material: Material) -> str:
    used = {"directions": len(material.contrasts), "tracing": len(material.items)}
    return "; ".join(
        f"{step}: {counted(count, 'pair' if step == 'directions' else 'item')}"
        + "".join(f", {reason}: {n:,}" for reason, n in material.left.get(step, {}).items())
        for step, count in used.items()
    )


@contextmanager
def _kept(target: Path, say: Say) -> Iterator[None]:
    """Say how a run goes on that ends early."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        if store_of(target).is_dir():
            say(
                f"stopped; what is finished is kept in {store_of(target)}. The same command goes "
                "on from there"
            )
        raise

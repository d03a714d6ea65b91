"""From the paths of a command line to the runs that are meant."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from sociolect.generators.errors import ResultsError
from sociolect.harness.candidates import Found, found_runs, is_samples, model_of, newest, our_runs
from sociolect.harness.result_files import RunFiles

_ORDER = ("transform", "part", "level", "seed")


class Selection(NamedTuple):
    """The clean run, the runs to compare with it, and what was chosen among several."""

    clean: RunFiles
    others: list[RunFiles]
    notes: list[str]


def select_runs(paths: Sequence[Path]) -> Selection:
    """Find the clean run in the first path and errored runs in the others, of one benchmark.

    A samples file is taken as it is. Of a folder or a results file, the first path gives its one
    clean run, and the others give all their errored runs of the same benchmark, axis and form;
    what is passed over is in the notes. A single path gives both.

    Raises:
        ResultsError: No or several clean runs, or nothing to compare with.
    """
    candidates, notes = found_runs(paths[0])
    return _selection(paths, candidates, _clean_run(paths[0], candidates), notes)


def _selection(
    paths: Sequence[Path], candidates: list[Found], clean: Found, notes: Sequence[str]
) -> Selection:
    """The errored runs for a clean one; `candidates` are the runs of the first path."""
    others: list[RunFiles] = []
    notes = list(notes)
    for path in paths[1:] or paths[:1]:
        found, more = (candidates, []) if path == paths[0] else found_runs(path)
        chosen = found if is_samples(path) else _errored(found, clean)
        passed = [run.files.task for run in found if run not in chosen and not run.is_clean]
        notes += more
        if passed:
            notes.append(f"{path}: not compared, of another kind: {', '.join(passed)}")
        if not chosen:
            tasks = ", ".join(run.files.task for run in found)
            raise ResultsError(
                f"{path}: no errored run to compare with {clean.files.task}; found only {tasks}"
            )
        others += [run.files for run in chosen]
    return Selection(clean.files, others, notes)


def select_sections(paths: Sequence[Path]) -> list[Selection]:
    """As `select_runs`, for every benchmark, axis and form that has a clean run.

    A samples file in the first place is the one clean run, and everything is held against it.
    Samples files after that belong to the clean run of their kind.

    Returns:
        At least one, in the order of the clean tasks. Notes on what is passed over are in the
        first.

    Raises:
        ResultsError: No clean run, several of one kind, or nothing to compare with.
    """
    candidates, notes = found_runs(paths[0])
    clean_runs = [run for run in candidates if run.is_clean]
    subjects = {run.subject for run in clean_runs}
    if is_samples(paths[0]) or len(clean_runs) < 2 or len(subjects) < len(clean_runs):
        return [select_runs(paths)]
    pool = [] if paths[1:] else candidates
    for path in paths[1:]:
        found, more = (candidates, []) if path == paths[0] else found_runs(path)
        if is_samples(path) and found[0].subject not in subjects:
            raise ResultsError(
                f"{path}: {paths[0]} holds no clean run of its kind ({found[0].name})"
            )
        pool = [*pool, *found]
        notes += more
    notes += _without_clean(pool, subjects)
    return _with_notes(_sections(pool, clean_runs, named=len(paths) > 1), notes, paths)


def _sections(
    pool: Sequence[Found], clean_runs: Sequence[Found], *, named: bool
) -> list[Selection]:
    """A selection for every clean run; its others may be none.

    Args:
        pool: Where the errored runs are.
        clean_runs: One a subject.
        named: Whether the pool was named apart from the clean runs, so that a clean run without
            anything in it needs no remark.
    """
    found = []
    for clean in clean_runs:
        files = list({run.files.samples.resolve(): run for run in _errored(pool, clean)}.values())
        alone = [] if files or named else [f"{clean.files.task}: no errored run to compare with it"]
        found.append(Selection(clean.files, [run.files for run in files], alone))
    return found


def _without_clean(pool: Iterable[Found], subjects: Collection[object]) -> list[str]:
    """A sentence on errored runs of which there is no clean one."""
    orphans = [r.files.task for r in pool if r.subject not in subjects and not r.is_clean]
    return [f"not compared, without a clean run: {', '.join(orphans)}"] if orphans else []


def _with_notes(
    sections: Sequence[Selection], notes: Sequence[str], paths: Sequence[Path]
) -> list[Selection]:
    """The sections that have something to compare, all notes in the first."""
    kept = [section for section in sections if section.others]
    notes = [*notes, *(note for section in sections for note in section.notes)]
    if not kept:
        tasks = ", ".join(section.clean.task for section in sections)
        where = ", ".join(map(str, paths))
        raise ResultsError(f"{where}: no errored run to compare with; found only {tasks}")
    return [kept[0]._replace(notes=notes), *(section._replace(notes=[]) for section in kept[1:])]


def select_models(paths: Sequence[Path]) -> list[Selection]:
    """All runs under some folders, by model, benchmark, axis and form.

    Models are told apart by name, arguments and backend, wherever their runs lie.

    Returns:
        At least one, in the order in which the models are found. Notes on what is passed over are
        in the first.

    Raises:
        ResultsError: No clean run, several of one kind, or nothing to compare with.
    """
    runs: dict[Path, Found] = {}
    for path in paths:
        runs |= {run.files.samples.resolve(): run for run in our_runs(path, several=True)}
    by_model: dict[str, list[Found]] = defaultdict(list)
    for run in runs.values():
        by_model[model_of(run)].append(run)
    sections: list[Selection] = []
    notes: list[str] = []
    for group in by_model.values():
        kept, more = newest(group)
        clean_runs = [run for run in kept if run.is_clean]
        notes += more + _without_clean(kept, {run.subject for run in clean_runs})
        sections += _sections(kept, clean_runs, named=False)
    if not sections:
        listed = "".join(f"\n  {path}" for path in runs)
        raise ResultsError(f"{', '.join(map(str, paths))}: no clean run among{listed}")
    return _with_notes(sections, notes, paths)


def _clean_run(path: Path, found: Sequence[Found]) -> Found:
    if is_samples(path):
        return found[0]
    clean = [run for run in found if run.is_clean]
    if len(clean) == 1:
        return clean[0]
    listed = "".join(f"\n  {run.files.samples}" for run in clean or found)
    problem = "several clean runs; name the samples file of one" if clean else "no clean run among"
    raise ResultsError(f"{path}: {problem}{listed}")


def _errored(found: Sequence[Found], clean: Found) -> list[Found]:
    """Errored runs of the same subject, by transform, part and level."""
    chosen = [run for run in found if not run.is_clean and run.subject == clean.subject]
    return sorted(chosen, key=lambda run: [_sortable(run.doc.get(key)) for key in _ORDER])


def _sortable(value: object) -> tuple[int, str]:
    return (value, "") if isinstance(value, int) else (0, str(value))

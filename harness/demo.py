"""The whole chain on a small benchmark and a small model: build, score, compare, look.

Everything is made in a temporary folder that takes its name when all of it is there, so that an
interrupted demonstration leaves nothing behind but what is cached.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from sociolect import __version__
from sociolect.generators.build import build
from sociolect.generators.conditions import Condition
from sociolect.generators.errors import InvalidInputError
from sociolect.generators.folders import finished_folder
from sociolect.harness import demo_model, demo_report, evaluate, exports, tables
from sociolect.harness.compare import Comparison, compare
from sociolect.harness.environment import environment
from sociolect.harness.results import read_run
from sociolect.harness.selection import select_runs
from sociolect.tasks.locate import DATA_VARIABLE

BENCHMARK = "occupations_mini"
ERRORED = Condition("l2", 30)
MARKER = "demo.json"
"""Says that a demonstration made the folder, and lists its files: those may be replaced."""
MARKER_KEYS = {"sociolect_version", "model_args", "pairs", "direct_pairs", "device", "files"}
BATCH_SIZE = 16


@dataclass(frozen=True, slots=True)
class Form:
    """An answer form, and the documents that one pair takes in it."""

    name: str
    docs_per_pair: int


LIKELIHOOD = Form("ll", 2)
DIRECT = Form("direct", 4)


COMPARISONS = tuple(
    f"comparison_{form.name}.{ending}" for form in (LIKELIHOOD, DIRECT) for ending in ("md", "json")
)


@dataclass(frozen=True, slots=True)
class Settings:
    """What the demonstration is run on.

    Attributes:
        out: Folder to make.
        model: Path or Hub name for `transformers`; None for SmolLM2-135M-Instruct.
        pairs: Counterfactual pairs to score, None for all.
        direct_pairs: Pairs to put in the sampled form too, 0 for none.
        device: Device of torch.

    Raises:
        InvalidInputError: A number out of range, or `out` holds something else.
    """

    out: Path
    model: str | None = None
    pairs: int | None = None
    direct_pairs: int = 0
    device: str = "cpu"

    def __post_init__(self) -> None:
        if self.pairs is not None and self.pairs < 2:
            raise InvalidInputError(f"--pairs must be at least 2, not {self.pairs}")
        if self.direct_pairs < 0 or self.direct_pairs == 1:
            raise InvalidInputError(f"--direct must be 0 or at least 2, not {self.direct_pairs}")
        _check_out(self.out)


def run(settings: Settings) -> None:
    """Build, score, compare, and print what came out.

    Progress goes to standard error, the outcome to standard output.

    Raises:
        InvalidInputError: The model cannot be loaded or scored, or `out` was filled meanwhile.
        MissingToolError: Something that the chain needs is not installed.
    """
    forms = {LIKELIHOOD: settings.pairs}
    if settings.direct_pairs:
        forms[DIRECT] = settings.direct_pairs
    stages = _stages(2 + len(forms))
    with finished_folder(settings.out) as folder:
        next(stages)("the model")
        model_args = demo_model.ready_model(settings.model, settings.device)
        next(stages)(f"{BENCHMARK}: clean, and with learner errors at {ERRORED.level} %")
        build(BENCHMARK, [ERRORED], out=folder / "data", progress=True)
        for form, pairs in forms.items():
            next(stages)(f"scoring both with lm-eval, form {form.name}")
            with demo_model.scoring(settings.model):
                _score(folder, form, pairs, model_args, settings.device)
        _write_marker(folder, settings, model_args)
        _check_out(settings.out)  # minutes have passed
    comparisons = [_compared(settings.out, form) for form in forms]
    demo_report.show(
        settings.out,
        comparisons,
        clean=settings.out / "data" / Condition().config_name,
        errored=settings.out / "data" / ERRORED.config_name,
        small_model=settings.model is None,
    )


def results_folder(root: Path, form: Form) -> Path:
    """Where lm-eval's output of one form lies."""
    return root / "results" / form.name


def _check_out(out: Path) -> None:
    """Refuse to replace anything but what a demonstration wrote, down to the single file."""
    if out.exists() and not out.is_dir():
        raise InvalidInputError(f"--out {out} is a file; name a folder")
    if not out.is_dir() or not any(out.iterdir()):
        return
    written = _written(out)
    if written is None:
        raise InvalidInputError(
            f"--out {out} holds something other than a demonstration; name another folder"
        )
    foreign = [name for name in _files(out) if name not in written]
    if foreign:
        more = f" and {len(foreign) - 3} more" if len(foreign) > 3 else ""
        raise InvalidInputError(
            f"--out {out} holds files that the demonstration did not write: "
            f"{', '.join(foreign[:3])}{more}. Move them away, or name another folder"
        )


def _written(out: Path) -> set[str] | None:
    """The files of the demonstration in a folder; None where there is no readable marker."""
    try:
        marker = json.loads((out / MARKER).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(marker, dict) or not marker.keys() >= MARKER_KEYS:
        return None
    files = marker["files"]
    return {MARKER, *COMPARISONS, *map(str, files)} if isinstance(files, list) else None


def _files(folder: Path) -> list[str]:
    """Everything below a folder but folders, by its path in it."""
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_symlink() or not path.is_dir()
    )


def _stages(count: int) -> Iterator[_Say]:
    console = Console(stderr=True, highlight=False)
    for number in range(1, count + 1):
        yield _Say(console, f"[{number}/{count}]")


@dataclass(frozen=True, slots=True)
class _Say:
    console: Console
    prefix: str

    def __call__(self, what: str) -> None:
        self.console.print(f"{self.prefix} {what}", style="bold", markup=False)


def _score(folder: Path, form: Form, pairs: int | None, model_args: str, device: str) -> None:
    names = [f"{BENCHMARK}_{c.task_suffix}_{form.name}" for c in (Condition(), ERRORED)]
    arguments = ["--model", "hf", "--model_args", model_args, "--tasks", *names]
    arguments += ["--device", device, "--batch_size", str(BATCH_SIZE), "--log_samples"]
    arguments += ["--output_path", str(results_folder(folder, form))]
    if pairs is not None:
        arguments += ["--limit", str(pairs * form.docs_per_pair)]
    with (
        environment({DATA_VARIABLE: str(folder / "data"), "LMEVAL_LOG_LEVEL": "ERROR"}),
        redirect_stdout(io.StringIO()),  # lm-eval's table; the comparison says more
    ):
        evaluate.run(arguments)


def _compared(folder: Path, form: Form) -> Comparison:
    """The comparison, written beside the results in two formats (they name its inputs)."""
    selection = select_runs([results_folder(folder, form)])
    comparison = compare(read_run(selection.clean), [read_run(r) for r in selection.others])
    exports.write_text(tables.render_markdown(comparison), folder / f"comparison_{form.name}.md")
    exports.write_text(exports.render_json(comparison), folder / f"comparison_{form.name}.json")
    return comparison


def _write_marker(folder: Path, settings: Settings, model_args: str) -> None:
    content = {
        "sociolect_version": __version__,
        "model_args": model_args,
        "pairs": settings.pairs,
        "direct_pairs": settings.direct_pairs,
        "device": settings.device,
        "files": _files(folder),
    }
    exports.write_text(json.dumps(content, indent=2) + "\n", folder / MARKER)

"""What `sociolect demo` prints when everything is there."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from sociolect.generators.layout import PARQUET
from sociolect.generators.rows import edits_of
from sociolect.harness import tables
from sociolect.harness.compare import Comparison
from sociolect.harness.diff import COLOURS, highlighted
from sociolect.harness.results import Run

EXAMPLES = 3
NAMES = {"det": "determiner", "prep": "preposition", "verb": "verb", "spell": "spelling"}
NO_FINDING = (
    "A model of 135 million parameters on {n} pairs shows that the chain works. The numbers are no "
    "finding, about this model or any other."
)
FEW_PAIRS = (
    "{n} pairs are few: what this comparison can detect stands in its column. Take WinoBias for "
    "more than a first look."
)

Row = Mapping[str, Any]


def show(
    out: Path,
    comparisons: Sequence[Comparison],
    *,
    clean: Path,
    errored: Path,
    small_model: bool,
) -> None:
    """Print tables, examples, files and next steps on standard output.

    Args:
        out: The folder of the demonstration.
        comparisons: At least one; the examples show the answers of the first.
        clean: Folder of the clean config of the data.
        errored: Folder of the config with errors.
        small_model: Whether the model is the small one that is taken by default.
    """
    console = Console(highlight=False)
    for comparison in comparisons:
        print_table(console, comparison)
    count = comparisons[0].rows[0].test
    note = (NO_FINDING if small_model else FEW_PAIRS).format(n=count.n if count else 0)
    console.print(f"\n{note}\n", style="bold", markup=False)
    console.print("Errors in the sentences: [-removed-]{+added+}, ", markup=False, end="")
    console.print(_legend())
    first = comparisons[0]
    for example in examples(_rows(clean), _rows(errored), first.clean, first.others[0]):
        console.print()
        console.print(example)
    console.print(f"\nFiles\n{_files(out)}\nNext\n{_next(out)}", markup=False, soft_wrap=True)


def print_table(console: Console, comparison: Comparison) -> None:
    """The comparison as wide as the terminal, or as its numbers need."""
    colour = console.is_terminal and not console.no_color
    width = console.width if console.is_terminal else None
    console.file.write("\n" + tables.render_table(comparison, width=width, colour=colour))


def examples(
    clean_rows: Sequence[Row], errored_rows: Sequence[Row], clean: Run, errored: Run
) -> list[Padding]:
    """Some scored items with their errors marked, and what the model answered."""
    texts = {row["id"]: row["input"] for row in clean_rows}
    before, after = ({r.id: r.choices[0] for r in run.records} for run in (clean, errored))
    shown = []
    for row in choose([row for row in errored_rows if row["id"] in before]):
        text = Text(f"{_errors(row)}\n", style="")
        text.append_text(highlighted(texts[row["id"]], edits_of(row)))
        text.append(f"\n{row['question']} Clean: {_answer(row, before[row['id']])}; ")
        text.append(f"with errors: {_answer(row, after[row['id']])}")
        shown.append(Padding(text, (0, 0, 0, 2), expand=False))
    return shown


def choose(rows: Sequence[Row], count: int = EXAMPLES) -> list[Row]:
    """Rows of different pairs that together show many kinds of errors; the same every time."""
    chosen: list[Row] = []
    seen: set[tuple[str, str]] = set()
    for _ in range(count):
        pairs = {row["pair_id"] for row in chosen}
        left = [row for row in rows if row["pair_id"] not in pairs]
        if not left:
            break
        best = max(left, key=lambda row: len(_kinds(row) - seen))  # the first of several
        chosen.append(best)
        seen |= _kinds(best)
    return chosen


def _kinds(row: Row) -> set[tuple[str, str]]:
    return {(e.type, e.operation) for e in edits_of(row) if not e.is_repair}


def _errors(row: Row) -> str:
    counts = Counter(e.type for e in edits_of(row) if not e.is_repair)
    listed = ", ".join(f"{counts[kind]} {name}" for kind, name in NAMES.items() if counts[kind])
    return f"{row['id']}: {listed or 'no error'} ({row['error_rate']:.0%} of the words)"


def _answer(row: Row, choice: int) -> str:
    if choice < 0:
        return "no answer"
    verdict = "right" if choice == row["gold"] else "wrong"
    return f"{row['options'][choice]} ({verdict})"


def _legend() -> Text:
    return Text(", ").join(
        Text(NAMES[kind], style=colour) for kind, colour in COLOURS.items() if kind in NAMES
    )


def _rows(folder: Path) -> list[dict[str, Any]]:
    from pyarrow import parquet

    rows: list[dict[str, Any]] = parquet.read_table(folder / PARQUET).to_pylist()
    return rows


def _files(out: Path) -> str:
    listed = {
        "data/": "the sentences: clean and l2-30, with every edit and a manifest",
        "results/": "what lm-eval wrote: scores and every answer",
        "comparison_ll.md, .json": "the table above, with hashes of what went into it",
    }
    return "".join(f"  {out / name}  {what}\n" for name, what in listed.items())


def _next(out: Path) -> str:
    sociolect, lm_eval = program("sociolect"), program("lm_eval")
    tasks = "winobias_clean_ll", "winobias_l2_30_ll"
    return f"""\
  your own model on WinoBias (downloaded once, its errors built once):
    {sociolect} eval --model hf --model_args pretrained=MODEL --tasks {" ".join(tasks)} \\
        --batch_size 16 --output_path results --log_samples
    {sociolect} compare results
  the same through lm_eval itself:
    {lm_eval} --include_path "$({sociolect} tasks-path)" --tasks {",".join(tasks)} \\
        --model hf --model_args pretrained=MODEL --output_path results --log_samples
  answers sampled after reasoning, as in the paper (for a GPU): winobias_clean, winobias_l2_30
  errors in a sentence of yours:
    {sociolect} inject "The manager spoke to the clerk about the report." --level 30
  this table again, or with other settings:
    {sociolect} compare {out / "results" / "ll"}
"""


def program(name: str) -> str:
    """How to call a program of this environment from the working folder."""
    beside = Path(sys.executable).with_name(name)
    found = shutil.which(name)
    if found is not None and Path(found) == beside:
        return name
    if not beside.is_file():
        return name
    return str(beside.relative_to(Path.cwd()) if beside.is_relative_to(Path.cwd()) else beside)

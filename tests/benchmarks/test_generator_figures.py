"""Figures of the generators on the whole WinoBias set; run with `-m benchmark -s` to see them.

Rates and agreement are asserted against the project's targets; times are only printed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.table import Table

from sociolect.generators import nlp
from sociolect.generators.benchmarks import load_benchmark
from sociolect.generators.conditions import LEVELS, RULES, TRANSFORMS, Condition
from sociolect.generators.errors import LevelUnreachableError
from sociolect.generators.items import PART_NAMES
from sociolect.generators.rows import edits_of
from sociolect.generators.text import Edit, invert
from sociolect.generators.variants import Variants

pytestmark = pytest.mark.benchmark

SAMPLE = 400
LEVEL = 10
ERRANT_CLASS = {"l2det": "DET", "l2prep": "PREP", "l2verb": "VERB", "l2spell": "SPELL"}
TARGETS = {"l2det": 97.0, "l2verb": 96.0, "l2prep": 90.0}
ONE_TO_ONE = 99.0


@pytest.fixture(scope="module")
def sources() -> Path:
    folder = os.environ.get("SOCIOLECT_SOURCES")
    if not folder or not (Path(folder) / "winobias").is_dir():
        pytest.skip("SOCIOLECT_SOURCES names no folder of source files")
    return Path(folder)


@pytest.fixture(scope="module")
def variants(sources: Path) -> Callable[[str], Variants]:
    @cache
    def of(rules: str) -> Variants:
        return Variants(load_benchmark("winobias", sources), 0, rules)

    return of


@pytest.fixture
def show(capsys: pytest.CaptureFixture[str]) -> Iterator[Callable[[Table], None]]:
    """Prints a table past the capture, so that it shows without `-s` too."""
    tables: list[Table] = []
    yield tables.append
    with capsys.disabled():
        console = Console(width=120)
        for table in tables:
            # A title of the table itself would be cut to the width of its columns.
            console.print(f"\n{table.caption}", highlight=False)
            table.caption = None
            console.print(table)


def columns(title: str, *names: str) -> Table:
    table = Table(caption=title)
    for i, name in enumerate(names):
        table.add_column(name, justify="left" if i == 0 else "right")
    return table


@pytest.mark.parametrize("rules", RULES)
def test_mean_error_rates_and_ceilings(
    variants: Callable[[str], Variants], show: Callable[[Table], None], rules: str
) -> None:
    levels = [f"{n} %" for n in LEVELS]
    table = columns(f"Mean ε in %, {rules} rules", "condition", "ceiling", *levels)
    for transform, part in product(TRANSFORMS, PART_NAMES):
        ceiling, cells = "", []
        for level in LEVELS:
            try:
                _, entry = variants(rules).config(Condition(transform, level, part))
            except LevelUnreachableError:
                cells.append("–")
                continue
            rate = 100 * entry["mean_error_rate"]
            ceiling = f"{100 * entry['ceiling'][part]:.1f}"
            cells.append(f"{rate:.3f}{'*' if entry['at_ceiling'] else ''}")
            assert abs(rate - level) <= (1 if entry["at_ceiling"] else 0.25)
        table.add_row(f"{transform} {part}", ceiling, *cells)
    show(table)


@pytest.fixture(scope="module")
def annotator() -> Any:
    errant = pytest.importorskip("errant")
    return errant.load("en", nlp=nlp.tagger())


def sample_of(variants: Variants, transform: str) -> list[dict[str, Any]]:
    """Up to 400 errored sentences, one of each pair, in the order of a hash of their ids."""
    rows, _ = variants.config(Condition(transform, LEVEL, "input"))
    errored = [r for r in rows if r["member"] == "pro" and r["n_edits"]]
    return sorted(errored, key=lambda r: sha256(r["id"].encode()).hexdigest())[:SAMPLE]


def errant_types(annotator: Any, errored: str, clean: str) -> list[str]:
    # Without tokenise=True the text is cut at white space, and marks stick to words.
    annotated = annotator.annotate(
        annotator.parse(errored, tokenise=True), annotator.parse(clean, tokenise=True)
    )
    return [e.type for e in annotated if not e.type.endswith(":ORTH")]


class Agreement:
    """Injected errors of one transform against ERRANT's edits, sentence by sentence."""

    def __init__(self, annotator: Any, rows: list[dict[str, Any]]) -> None:
        self.injected = self.found = self.one_to_one = self.sentences = 0
        self.matrix: Counter[tuple[str, str]] = Counter()
        for row in rows:
            edits = edits_of(row, "input")
            clean = invert(row["input"], edits)
            errors = [e for e in edits if not e.is_repair]
            types = errant_types(annotator, row["input"], clean)
            self._count(errors, types)

    def _count(self, errors: list[Edit], types: list[str]) -> None:
        self.sentences += 1
        self.injected += len(errors)
        self.found += len(types)
        self.one_to_one += len(errors) if len(errors) == len(types) else 0
        if len(errors) == len(types):
            # Both are in the order of the text.
            for error, errant_type in zip(errors, types, strict=True):
                kind = error.subtype or error.operation
                self.matrix[kind, errant_type.split(":", 1)[1]] += 1

    def share(self, wanted: str, kind: str = "") -> float:
        """Per cent of the compared errors (of one kind) that ERRANT puts into a class."""
        rows = {k: n for k, n in self.matrix.items() if not kind or k[0] == kind}
        right = sum(n for (_, found), n in rows.items() if found.split(":")[0] == wanted)
        return 100 * right / sum(rows.values())

    @property
    def matched(self) -> float:
        """Per cent of injected errors in sentences where ERRANT sees equally many."""
        return 100 * self.one_to_one / self.injected


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("transform", ERRANT_CLASS)
def test_agreement_with_errant(
    variants: Callable[[str], Variants],
    annotator: Any,
    show: Callable[[Table], None],
    rules: str,
    transform: str,
) -> None:
    rows = sample_of(variants(rules), transform)
    agreement = Agreement(annotator, rows)
    wanted = ERRANT_CLASS[transform]
    title = (
        f"{transform}-{LEVEL}, {rules} rules: {len(rows)} sentences, {agreement.injected} errors, "
        f"{agreement.found} ERRANT edits, {agreement.matched:.1f} % one to one, "
        f"{agreement.share(wanted):.1f} % {wanted}"
    )
    table = columns(title, "intended", "ERRANT", "count")
    for (kind, found), count in sorted(agreement.matrix.items(), key=lambda x: (x[0][0], -x[1])):
        table.add_row(kind, found, str(count))
    show(table)
    if rules == "careful":
        assert len(rows) >= 350
        assert agreement.matched >= ONE_TO_ONE
        if transform == "l2spell":
            assert agreement.share("SPELL", "nonword") >= 97
        else:
            assert agreement.share(wanted) >= TARGETS[transform]


TIMES = """
import json, sys, time
started = time.process_time()
from pathlib import Path
from sociolect.generators.benchmarks import load_benchmark
from sociolect.generators.variants import Variants
from sociolect.generators.conditions import LEVELS, TRANSFORMS, Condition
from sociolect.generators.errors import LevelUnreachableError

def grid(variants):
    before, rows, cutoffs = time.process_time(), 0, {}
    for transform in TRANSFORMS:
        for level in LEVELS:
            condition = Condition(transform, level, sys.argv[2])
            try:
                made, entry = variants.config(condition)
            except LevelUnreachableError:
                continue
            rows += len(made)
            cutoffs[condition.types, entry["cutoff"][sys.argv[2]]] = len(made)
    return time.process_time() - before, rows, cutoffs

imported = time.process_time() - started
benchmark = load_benchmark("winobias", Path(sys.argv[1]))
first, rows, _ = grid(Variants(benchmark))
cold = time.process_time() - started
variants = Variants(benchmark)
fresh, _, _ = grid(variants)
warm, _, cutoffs = grid(variants)
before, rendered = time.process_time(), 0
for types, cutoff in cutoffs:
    rendered += sum(len(m) for _, m in variants.injector(sys.argv[2]).render(types, cutoff))
rendering = time.process_time() - before
print(json.dumps(dict(imports=imported, cold=cold, fresh=fresh, warm=warm, rows=rows,
                      rate=rendered / rendering)))
"""


@pytest.mark.parametrize("part", PART_NAMES)
def test_times(sources: Path, show: Callable[[Table], None], part: str) -> None:
    """CPU seconds of one core, in a process of its own."""
    env = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", TIMES, str(sources), part],
        capture_output=True,
        text=True,
        env=env,
        check=True,
    )
    found = json.loads(done.stdout)
    table = columns(f"Five transforms × levels, {part}: {found['rows']} rows", "what", "figure")
    table.add_row("imports, CPU s", f"{found['imports']:.1f}")
    table.add_row("cold (with imports, models, parsing), CPU s", f"{found['cold']:.1f}")
    table.add_row("again in the same process, everything anew, CPU s", f"{found['fresh']:.1f}")
    table.add_row("again with the choices made, CPU s", f"{found['warm']:.1f}")
    table.add_row("variants rendered a second", f"{found['rate']:,.0f}")
    show(table)
    assert found["rate"] > 0

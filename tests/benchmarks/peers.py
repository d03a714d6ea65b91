"""Other tools and sociolect on the same WinoBias sentences, as a markdown table.

    bash scripts/peers.sh            # makes the environment of the other tools, then prints

All are asked for errors at 10 % of the words. What is measured is the same for all: CPU time, the
token error rate (Levenshtein distance over the tokens of the longer text; tokens of spaCy's bare
English tokenizer that are neither space nor punctuation, protected ones included), words that must
stay (occupations and gendered pronouns) and whether the order of the texts changes the outputs.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from grid_entities import PRONOUNS, whole_words
from grid_texts import tokens
from rapidfuzz.distance import Levenshtein

from sociolect.generators import nlp
from sociolect.generators.benchmarks import load_benchmark
from sociolect.generators.conditions import LEVELS, TRANSFORMS
from sociolect.generators.errors import LevelUnreachableError
from sociolect.generators.inject import Injector
from sociolect.generators.items import Benchmark

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / "build" / "peers-venv"
PYTHON = VENV / "bin" / "python"
READY = VENV / ".setup-complete"
RATE = 0.10
OURS = ("l2spell", "l2")


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of one tool.

    Attributes:
        tool: Its name.
        per_second: Sentences a CPU second for one condition, from nothing.
        together: The same for all 20 conditions of the inputs; other tools keep nothing between
            two runs.
        cached: The same with the parses of the clean texts in the cache.
        realised: Mean error rate over all tokens, in [0, 1].
        unchanged: Sentences without a change.
        lost: Protected words that are no longer there.
        hit: Sentences that have lost a protected word or got one that they did not have.
        reordered: Sentences whose output depends on the order of the sentences.
        repeated: Sentences whose output differs in a second run from the same seed.
        error: Why there are no figures.
    """

    tool: str
    per_second: float = 0.0
    together: float = 0.0
    cached: float = 0.0
    realised: float = 0.0
    unchanged: int = 0
    lost: int = 0
    hit: int = 0
    reordered: int = 0
    repeated: int = 0
    error: str = ""


def protected_words(sources: Path) -> list[str]:
    files = (sources / f"winobias/{g}_occupations.txt" for g in ("male", "female"))
    return [*PRONOUNS, *(line.strip() for file in files for line in file.read_text().splitlines())]


def figures(
    tool: str, sentences: Sequence[str], result: Mapping[str, Any], protected: Iterable[str]
) -> Figures:
    """What came of the sentences; `result` is as peers_run.py describes it."""
    if "error" in result:
        return Figures(tool, error=result["error"])
    pattern = whole_words(protected)
    outputs: list[str] = result["outputs"]
    rates, lost, hit = [], 0, 0
    for clean, output in zip(sentences, outputs, strict=True):
        before, after = tokens(clean, ()), tokens(output, ())
        rates.append(Levenshtein.distance(before, after) / max(len(before), len(after)))
        kept, found = (
            Counter(word.lower() for word in pattern.findall(text)) for text in (clean, output)
        )
        lost += (kept - found).total()
        hit += kept != found
    per_second = len(sentences) / result["seconds"]
    return Figures(
        tool,
        per_second,
        result.get("together", per_second),
        result.get("cached", per_second),
        sum(rates) / len(rates),
        sum(a == b for a, b in zip(sentences, outputs, strict=True)),
        lost,
        hit,
        sum(a != b for a, b in zip(outputs, result["reversed"], strict=True)),
        sum(a != b for a, b in zip(outputs, result["again"], strict=True)),
    )


def of_peers(sentences: Sequence[str], protected: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Results of the tools in the environment of scripts/peers.sh."""
    with tempfile.TemporaryDirectory() as folder:
        job, out = Path(folder) / "job.json", Path(folder) / "results.json"
        job.write_text(
            json.dumps({"sentences": sentences, "protected": protected, "rate": RATE}),
            encoding="utf-8",
        )
        script = Path(__file__).with_name("peers_run.py")
        env = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        command = [str(PYTHON), "-W", "ignore", str(script), str(job), str(out)]
        subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL)
        results: dict[str, dict[str, Any]] = json.loads(out.read_text(encoding="utf-8"))
        return results


def outputs_of(benchmark: Benchmark, transform: str) -> dict[tuple[str, int], str]:
    """The inputs with errors at 10 %, by pair and member."""
    injector = Injector(benchmark, "input", 0, "paper")
    types = TRANSFORMS[transform]
    cutoff = injector.calibrate(types, RATE, transform).cutoff
    return {
        (pair, i): member.text
        for pair, members in injector.render(types, cutoff)
        for i, member in enumerate(members)
    }


@contextmanager
def empty_cache() -> Iterator[None]:
    """A user cache of its own, so that nothing is there from before."""
    before = os.environ.get("XDG_CACHE_HOME")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        try:
            yield
        finally:
            del os.environ["XDG_CACHE_HOME"]
            os.environ.update({"XDG_CACHE_HOME": before} if before else {})


def of_sociolect(benchmark: Benchmark, transform: str) -> dict[str, Any]:
    """Parsing, choosing, calibrating and rendering, with nothing kept from before."""
    list(nlp.parse(["The model is loaded."]))
    with empty_cache():
        before = time.process_time()
        outputs = outputs_of(benchmark, transform)
        seconds = time.process_time() - before
        again = outputs_of(benchmark, transform)
        backwards = outputs_of(replace(benchmark, pairs=benchmark.pairs[::-1]), transform)
    keys = [(pair.id, i) for pair in benchmark.pairs for i in range(len(pair.members))]
    return {
        "seconds": seconds,
        "outputs": [outputs[k] for k in keys],
        "again": [again[k] for k in keys],
        "reversed": [backwards[k] for k in keys],
    }


def all_conditions_a_second(benchmark: Benchmark) -> tuple[float, float]:
    """Sentences a CPU second over every transform and level, without and with cached parses."""
    with empty_cache():
        return _all_conditions(benchmark), _all_conditions(benchmark)


def _all_conditions(benchmark: Benchmark) -> float:
    made, before = 0, time.process_time()
    injector = Injector(benchmark, "input", 0, "paper")
    for types in TRANSFORMS.values():
        for level in LEVELS:
            with suppress(LevelUnreachableError):
                cutoff = injector.calibrate(types, level / 100, benchmark.name).cutoff
                made += sum(len(members) for _, members in injector.render(types, cutoff))
    return made / (time.process_time() - before)


def measure(sources: Path) -> tuple[int, int, list[Figures]]:
    """The number of sentences, of protected words in them, and figures of all tools."""
    benchmark = load_benchmark("winobias", sources)
    sentences = [item.parts["input"].text for item in benchmark.items]
    protected = protected_words(sources)
    total = sum(len(whole_words(protected).findall(s)) for s in sentences)
    results = of_peers(sentences, protected)
    ours = {f"sociolect {name}": of_sociolect(benchmark, name) for name in OURS}
    together, cached = all_conditions_a_second(benchmark)
    speeds = {"together": together, "cached": cached}
    results |= {name: result | speeds for name, result in ours.items()}
    return len(sentences), total, [figures(n, sentences, r, protected) for n, r in results.items()]


COLUMNS = (
    "tool",
    "sentences a second",
    "in 20 conditions",
    "in 20, parses cached",
    "realised rate",
    "unchanged",
    "protected words lost",
    "sentences with one lost or new",
    "outputs that depend on the order",
    "outputs that differ in a second run",
)


def markdown(sentences: int, protected: int, found: Iterable[Figures]) -> str:
    """The table, with a line of explanation."""
    lines = [
        f"{sentences:,} sentences with {protected:,} protected words, asked for "
        f"{100 * RATE:.0f} % of the words; times are CPU seconds of one core.",
        "",
        f"| {' | '.join(COLUMNS)} |",
        f"| --- |{' ---: |' * (len(COLUMNS) - 1)}",
    ]
    for f in found:
        numbers = (f.unchanged, f.lost, f.hit, f.reordered, f.repeated)
        cells = [f"{speed:,.0f}" for speed in (f.per_second, f.together, f.cached)]
        cells += [f"{100 * f.realised:.1f} %"]
        cells += [f"{number:,}" for number in numbers]
        lines.append(f"| {' | '.join((f.tool, *([f.error] if f.error else cells)))} |")
    return "\n".join(lines)


if __name__ == "__main__":
    named = os.environ.get("SOCIOLECT_SOURCES")
    if not named:
        raise SystemExit("SOCIOLECT_SOURCES must name the folder with winobias/")
    print(markdown(*measure(Path(named))))

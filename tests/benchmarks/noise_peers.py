"""Surface noise and nlpaug on the same 3,822 responses, as a markdown table.

bash scripts/noise_peers.sh      # makes nlpaug's environment, then prints
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from noise_rates import N_ITEMS, benchmark, texts

from sociolect.generators.conditions import NOISE_LEVELS, NOISES
from sociolect.generators.noise.inject import NoiseInjector
from sociolect.generators.noise.realised import MeanChange, mean_change, realised

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / "build" / "noise-peers-venv"
PYTHON = VENV / "bin" / "python"
READY = VENV / ".setup-complete"
RATE = 0.30


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of one tool.

    Attributes:
        tool: Its name.
        per_second: Texts a CPU second for one condition, from nothing to the noisy text.
        together: The same when all five probabilities are made; nlpaug keeps nothing between two.
        change: Mean realised change; None if the tool did not run.
        error: Why it did not.
    """

    tool: str
    per_second: float = 0.0
    together: float = 0.0
    change: MeanChange | None = None
    error: str = ""


def of_nlpaug(clean: Sequence[str]) -> list[Figures]:
    """Its augmenters, in their own environment."""
    with tempfile.TemporaryDirectory() as folder:
        job, out = Path(folder) / "job.json", Path(folder) / "results.json"
        job.write_text(json.dumps({"texts": clean, "rate": RATE}), encoding="utf-8")
        script = Path(__file__).with_name("noise_peers_run.py")
        env = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        command = [str(PYTHON), "-W", "ignore", str(script), str(job), str(out)]
        subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL)
        results = json.loads(out.read_text(encoding="utf-8"))
    return [_figures(tool, clean, result) for tool, result in results.items()]


def _figures(tool: str, clean: Sequence[str], result: dict[str, Any]) -> Figures:
    if "error" in result:
        return Figures(tool, error=result["error"])
    change = mean_change(realised(a, b) for a, b in zip(clean, result["outputs"], strict=True))
    per_second = len(clean) / result["seconds"]
    return Figures(tool, per_second, per_second, change)


def of_sociolect(clean: Sequence[str]) -> list[Figures]:
    """Each transform alone from nothing, with slots, realised change and all."""
    made = benchmark(clean)
    found = []
    for transform in NOISES:
        before = time.process_time()
        injector = NoiseInjector(made, 0)
        rendered = injector.render(transform, RATE)
        alone = time.process_time() - before
        for level in set(NOISE_LEVELS) - {round(100 * RATE)}:
            injector.render(transform, level / 100)
        together = (time.process_time() - before) / len(NOISE_LEVELS)
        change = mean_change(noised.change for (noised,) in rendered)
        n = len(clean)
        found.append(Figures(f"sociolect {transform}", n / alone, n / together, change))
    return found


def every_condition(clean: Sequence[str]) -> float:
    """CPU seconds for all transforms at all levels."""
    made = benchmark(clean)
    before = time.process_time()
    injector = NoiseInjector(made, 0)
    for transform in NOISES:
        for level in NOISE_LEVELS:
            injector.render(transform, level / 100)
    return time.process_time() - before


def long_texts(clean: Sequence[str], tokens: int = 60) -> list[str]:
    """As many texts of about the length of the paper's responses, out of several short ones."""
    longer = []
    for i in range(len(clean)):
        words: list[str] = []
        at = i
        while len(words) < tokens:
            words += clean[at % len(clean)].split()
            at += 37
        longer.append(" ".join(words[:tokens]))
    return longer


def markdown(n: int, found: Iterable[Figures]) -> str:
    """The table, with a line of explanation."""
    lines = [
        f"{n:,} responses, each asked for p = {RATE:g} (nlpaug: that share of the words, one "
        "character each); CPU seconds of one core.",
        "",
        "| tool | texts a second | at five p | token change | character distance | length ratio |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for f in found:
        if f.change is None:
            lines.append(f"| {f.tool} | {f.error} |")
            continue
        change, distance, length = f.change
        lines.append(
            f"| {f.tool} | {f.per_second:,.0f} | {f.together:,.0f} | {100 * change:.1f} % | "
            f"{100 * distance:.1f} % | {length:.3f} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    named = os.environ.get("SOCIOLECT_SOURCES")
    if not named:
        raise SystemExit("SOCIOLECT_SOURCES must name the folder with clear_bias/")
    responses = texts(Path(named), N_ITEMS)
    print(markdown(len(responses), [*of_nlpaug(responses), *of_sociolect(responses)]))
    for what, of in (("short", responses), ("long", long_texts(responses))):
        mean = sum(len(t.split()) for t in of) / len(of)
        print(
            f"\n25 conditions, {mean:.0f} tokens a response ({what}): {every_condition(of):.1f} s"
        )

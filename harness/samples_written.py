"""Did lm_eval write all the answers of a run? Of a full disk it only warns, and goes on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sociolect.generators.errors import ResultsError

_BLOCK = 1 << 20


def check_samples(
    results: Mapping[str, Any], results_file: Path, *, keeps_answers: bool = False
) -> None:
    """Look at the samples file of every task that a run asked.

    Args:
        results: lm_eval's results.
        results_file: Where it wrote them.
        keeps_answers: Whether the backend kept the answers elsewhere.

    Raises:
        ResultsError: A file that is not there, ends within a line, or has too few lines.
    """
    time = results_file.stem.rpartition("_")[2]
    wrong = []
    for task, config in results["configs"].items():
        path = results_file.with_name(f"samples_{task}_{time}.jsonl")
        asked = results["n-samples"][task]["effective"]
        filters = len((config or {}).get("filter_list") or [None])
        if problem := _problem(path, asked * filters):
            wrong.append(f"\n  {path}: {problem}")
    if wrong:
        advice = (
            "The answers are kept: free space on the disk and give the same command again."
            if keeps_answers
            else "Free space on the disk and run it again."
        )
        raise ResultsError(
            f"lm_eval could not write the answers of the run:{''.join(wrong)}\n  {advice}"
        )


def _problem(path: Path, expected: int) -> str:
    lines, last = 0, b"\n"
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                lines, last = lines + block.count(b"\n"), block[-1:]
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    if last != b"\n":
        return f"ends within line {lines + 1} of {expected}"
    return "" if lines >= expected else f"{lines} lines of {expected}"

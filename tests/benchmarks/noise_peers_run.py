"""Runs nlpaug on texts, inside the environment that scripts/noise_peers.sh makes.

    build/noise-peers-venv/bin/python tests/benchmarks/noise_peers_run.py JOB.json RESULTS.json

The job holds `texts` and `rate` in [0, 1], the share of the words that are attempted. Results are
`{tool: {seconds, outputs}}` or `{tool: {error}}`; CPU seconds without imports and construction.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

SEED = 1
Limits = dict[str, Any]


def _char(name: str, rate: float, **more: Any) -> Any:
    import nlpaug.augmenter.char as char

    # One character a word, as many words as the rate says, of three letters or more.
    limits = {"aug_word_p": rate, "aug_word_max": None, "aug_char_max": 1, "min_char": 3}
    return getattr(char, name)(**limits, **more)


def _spelling(rate: float) -> Any:
    from nlpaug.augmenter.word import SpellingAug

    return SpellingAug(aug_p=rate, aug_max=None)


TOOLS: dict[str, Callable[[float], Any]] = {
    "nlpaug 1.1.11 KeyboardAug": lambda r: _char(
        "KeyboardAug", r, include_special_char=False, include_numeric=False
    ),
    "nlpaug RandomCharAug, delete": lambda r: _char("RandomCharAug", r, action="delete"),
    "nlpaug RandomCharAug, swap": lambda r: _char("RandomCharAug", r, action="swap"),
    "nlpaug SpellingAug": _spelling,
}


def measure(make: Callable[[float], Any], texts: list[str], rate: float) -> dict[str, Any]:
    """Outputs and CPU seconds of one tool."""
    import numpy

    try:
        tool = make(rate)
        tool.augment(texts[0])  # what is loaded at the first use
        random.seed(SEED)
        numpy.random.seed(SEED)  # noqa: NPY002
        before = time.process_time()
        found = [tool.augment(text) for text in texts]
        seconds = time.process_time() - before
    except Exception as error:  # a tool of others may raise anything; say what
        return {"error": f"{type(error).__name__}: {error}"[:300]}
    outputs = [str(f[0]) if f else t for f, t in zip(found, texts, strict=True)]
    return {"seconds": seconds, "outputs": outputs}


def main(job_path: str, out: str) -> None:
    job = json.loads(Path(job_path).read_text(encoding="utf-8"))
    results = {name: measure(make, job["texts"], job["rate"]) for name, make in TOOLS.items()}
    Path(out).write_text(json.dumps(results), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])

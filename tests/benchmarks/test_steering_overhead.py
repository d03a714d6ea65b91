"""Steering four blocks: what it costs, and the numbers of other tools with the same vector."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("lm_eval")

from random_vectors import saved_vector  # noqa: E402

PEER = "SOCIOLECT_STEERING_VECTORS"
"""Names a Python that has the library of this name."""
RUNS = 7
AIM = 1.05
CLOSE = 1e-4
BETA = 2.0
WEIGHTS = {0: 0.4, 3: 0.3, 7: 0.2, 20: 0.1}
TEXT = (
    "She been told him that the folks at the store finna close early, so he best be getting there "
    "before they lock up, but he ain't never listened to nobody and he not about to start now"
)
GREEDY = {"until": [], "do_sample": False, "max_gen_toks": 12}


@pytest.fixture(scope="module")
def vector(small_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a copy in lm_eval's format beside it."""
    from sociolect.steering.exports import export_lm_eval
    from sociolect.steering.vector_files import load

    path = tmp_path_factory.mktemp("vector") / "v.safetensors"
    saved_vector(small_model, path, weights=WEIGHTS)
    export_lm_eval(load(path), BETA, "residual", path.with_suffix(".pt"))
    return path


@pytest.fixture
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def models(folder: Path, vector: Path) -> dict[str, Any]:
    from sociolect.steering.backends.registry import create_model
    from sociolect.steering.backends.shared_models import sharing_models

    given = {"pretrained": str(folder), "dtype": "float32"}
    steering = {"steering": str(vector), "beta": BETA, "beta_scale": "residual"}
    options = {"batch_size": 8, "device": "cpu"}
    with sharing_models():
        made = {
            "unsteered": create_model("sociolect-hf", given, options),
            "steered": create_model("sociolect-hf", given | steering, options),
        }
    theirs = given | {"steer_path": str(vector.with_suffix(".pt"))}
    return made | {"lm_eval steered": create_model("steered", theirs, options)}


def asked(method: str) -> list[Any]:
    from lm_eval.api.instance import Instance

    words = TEXT.split()
    texts = [(" ".join(words[:at]), " " + " ".join(words[at : at + 4])) for at in range(22, 30)]
    given = texts if method == "loglikelihood" else [(text, GREEDY) for text, _ in texts]
    return [Instance(method, {}, one, 0, ("t", at, 1)) for at, one in enumerate(given)]


def timed(function: Callable[..., Any], requests: list[Any]) -> tuple[float, Any]:
    began = time.process_time()
    found = function(requests, disable_tqdm=True)
    return time.process_time() - began, found


@pytest.mark.benchmark
@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("method", ["loglikelihood", "generate_until"])
def test_overhead(method: str, small_model: Path, vector: Path, show: Any) -> None:
    """CPU seconds of one thread, in turn in one process on the same requests."""
    lms, requests = models(small_model, vector), asked(method)
    seconds: dict[str, list[float]] = {name: [] for name in lms}
    found: dict[str, Any] = {}
    for lm in lms.values():
        getattr(lm, method)(requests[:2])
    for run in range(RUNS):
        for name in list(lms)[:: 1 if run % 2 else -1]:
            spent, found[name] = timed(getattr(lms[name], method), requests)
            seconds[name].append(spent)
    ratio = median(a / b for a, b in zip(seconds["steered"], seconds["unsteered"], strict=True))
    shown = ", ".join(f"{name} {median(own):.2f} s" for name, own in seconds.items())
    show(f"{method} of {len(requests)} texts, median of {RUNS}: {shown}; overhead {ratio:.3f}")
    if method == "loglikelihood":
        ours, theirs = ([s for s, _ in found[k]] for k in ("steered", "lm_eval steered"))
        assert ours == pytest.approx(theirs, abs=CLOSE, rel=0)
    else:
        assert found["steered"] == found["lm_eval steered"]
    assert found["steered"] != found["unsteered"]
    assert ratio <= AIM


@pytest.mark.benchmark
@pytest.mark.usefixtures("one_thread")
def test_the_numbers_of_steering_vectors(
    small_model: Path, vector: Path, tmp_path: Path, show: Any
) -> None:
    if not (python := os.environ.get(PEER)):
        pytest.skip(f"{PEER} names no Python with steering-vectors")
    lm = models(small_model, vector)["steered"]
    pairs = tmp_path / "pairs.json"
    requests = asked("loglikelihood")
    pairs.write_text(json.dumps([lm._encode_pair(*one.args) for one in requests]))
    script = Path(__file__).with_name("steering_vectors_run.py")
    command = [python, script, small_model, vector.with_suffix(".pt"), pairs]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    read = json.loads(ended.stdout.splitlines()[-1])
    pairs_of_scores = zip(lm.loglikelihood(requests), read["scores"], strict=True)
    largest = max(abs(ours - theirs) for (ours, _), theirs in pairs_of_scores)
    ratio = median(steered / plain for steered, plain in read["seconds"])
    show(f"steering-vectors: overhead {ratio:.3f}, largest difference {largest:.1e} nats")
    assert largest <= CLOSE

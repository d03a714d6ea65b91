"""Log-likelihoods steered by the library `steering-vectors`; run with a Python that has it.

Arguments: folder of a model, a file of `sociolect steer export`, and a JSON file with pairs of
token ids. Prints log-likelihoods, and CPU seconds steered and unsteered.
"""

from __future__ import annotations

import json
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch
from steering_vectors import SteeringVector
from transformers import AutoConfig, AutoModelForCausalLM

RUNS = 3


def scores(model: Any, pairs: list[tuple[list[int], list[int]]]) -> list[float]:
    found = []
    for context, own in pairs:
        with torch.no_grad():
            logits = model(torch.tensor([[*context, *own]])).logits[0, len(context) - 1 : -1]
        rows = logits.log_softmax(-1)
        found.append(float(rows.gather(1, torch.tensor(own)[:, None]).sum()))
    return found


def timed(model: Any, asked: Any, context: Any) -> tuple[float, list[float]]:
    began = time.process_time()
    with context:
        found = scores(model, asked)
    return time.process_time() - began, found


def main(folder: str, vector: str, pairs: str) -> None:
    torch.set_num_threads(1)
    config = AutoConfig.from_pretrained(folder)
    # Written by transformers 5; the library needs 4, which looks for the base elsewhere.
    config.rope_theta = json.loads(Path(folder, "config.json").read_text("utf-8"))[
        "rope_parameters"
    ]["rope_theta"]
    model = AutoModelForCausalLM.from_pretrained(folder, config=config, dtype=torch.float32).eval()
    read = torch.load(vector, weights_only=True)
    (beta,) = {one["steering_coefficient"] for one in read.values()}
    steering = SteeringVector(
        {int(name.rpartition(".")[2]): one["steering_vector"] for name, one in read.items()}
    )
    asked = json.loads(Path(pairs).read_text("utf-8"))
    seconds: list[tuple[float, float]] = []
    for _ in range(RUNS):
        steered, found = timed(model, asked, steering.apply(model, multiplier=beta))
        plain, _ = timed(model, asked, nullcontext())
        seconds.append((steered, plain))
    print(json.dumps({"scores": found, "seconds": seconds}))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""A folder of runs as large as a study leaves: real documents, answers drawn by a seeded rule.

    SOCIOLECT_DATA=BUILDS python tests/support/large_store.py OUT --models 5

`BUILDS` holds the builds of a benchmark. Every model answers every document of every condition that
is there five times: more often right with a stereotyped answer, less often as the errors increase.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sociolect.generators.conditions import Condition
from sociolect.tasks.data import documents
from sociolect.tasks.functions import doc_to_text

REPEATS = 5
MODELS = ("org/alpha-7B", "org/beta-8B", "org/gamma-13B", "org/delta-70B", "org/epsilon-3B")
_TIME = "2026-03-04T05-{:02d}-{:02d}.123456"


def conditions_in(folder: Path) -> list[Condition]:
    """The conditions of a build, the clean one first."""
    names = sorted(path.name for path in folder.iterdir() if path.is_dir() and path.name[0] != ".")
    found = [Condition.parse(name) for name in names]
    return sorted(found, key=lambda one: not one.is_clean)


def write_store(
    out: Path, benchmark: str, conditions: Sequence[Condition], models: Sequence[str] = MODELS
) -> None:
    """Write the runs of every model, a results file a condition."""
    for second, condition in enumerate(conditions):
        docs = [dict(doc) for doc in documents(benchmark, condition.config_name, "reason")["test"]]
        for number, model in enumerate(models):
            folder = out / model.replace("/", "__")
            folder.mkdir(parents=True, exist_ok=True)
            time = _TIME.format(*divmod(second, 60))
            rng = np.random.default_rng([number, second])
            _write_run(folder, time, model, condition, docs, rng)


def _write_run(
    folder: Path,
    time: str,
    model: str,
    condition: Condition,
    docs: Sequence[Mapping[str, Any]],
    rng: np.random.Generator,
) -> None:
    task = f"{docs[0]['benchmark']}_{condition.config_name.replace('-', '_')}"
    with (folder / f"samples_{task}_{time}.jsonl").open("w", encoding="utf-8") as file:
        for line in _lines(docs, condition, MODELS.index(model), rng):
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    (folder / f"results_{time}.json").write_text(json.dumps(_results(model, task, len(docs))))


def _lines(
    docs: Sequence[Mapping[str, Any]], condition: Condition, skill: int, rng: np.random.Generator
) -> Iterator[dict[str, Any]]:
    level = condition.level / 100
    for number, doc in enumerate(docs):
        right = 0.55 + 0.05 * skill + (0.06 if doc["member"] == "pro" else -0.06) * (1 + level)
        drawn = rng.random((2, REPEATS))
        answers = []
        for correct, missing in zip(drawn[0] < right, drawn[1] < 0.01 + 0.02 * level, strict=True):
            option = doc["gold"] if correct else 1 - doc["gold"]
            letter = "AB"[option if doc["order"] == 0 else 1 - option]
            boxed = "I cannot tell." if missing else f"so \\boxed{{{letter}}}"
            answers.append(f"The pronoun refers to the one who was just named, {boxed}")
        yield {
            "doc_id": number,
            "doc": doc,
            "target": "A",
            "arguments": {"gen_args_0": {"arg_0": doc_to_text(doc), "arg_1": {"until": []}}},
            "resps": [answers],
            "filtered_resps": [answers],
            "filter": "all",
            "metrics": ["bias"],
            "doc_hash": f"{number:064x}",
            "prompt_hash": f"{number:064x}",
            "target_hash": f"{number:064x}",
        }


def _results(model: str, task: str, prompts: int) -> dict[str, Any]:
    generation = {"until": [], "do_sample": True, "temperature": 0.7, "top_p": 0.9}
    return {
        "results": {task: {"alias": task}},
        "configs": {
            task: {
                "task": task,
                "num_fewshot": 0,
                "repeats": REPEATS,
                "generation_kwargs": generation,
                "metadata": {"version": 1},
            }
        },
        "n-shot": {task: 0},
        "versions": {task: 1},
        "n-samples": {task: {"original": prompts, "effective": prompts}},
        "config": {
            "model": "hf",
            "model_args": {"pretrained": model, "dtype": "bfloat16"},
            "model_dtype": "torch.bfloat16",
            "model_revision": "main",
            "model_sha": "",
            "limit": None,
            "random_seed": 0,
            "numpy_seed": 1234,
            "torch_seed": 1234,
            "fewshot_seed": 1234,
        },
        "lm_eval_version": "0.4.13",
        "model_name": model,
        "chat_template": None,
        "system_instruction": None,
        "fewshot_as_multiturn": None,
    }


def main() -> None:
    """Write a store from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--benchmark", default="winobias")
    parser.add_argument("--models", type=int, default=len(MODELS))
    parser.add_argument("--conditions", type=int, default=60)
    given = parser.parse_args()
    found = conditions_in(Path(os.environ["SOCIOLECT_DATA"]) / given.benchmark)
    write_store(given.out, given.benchmark, found[: given.conditions], MODELS[: given.models])


if __name__ == "__main__":
    main()

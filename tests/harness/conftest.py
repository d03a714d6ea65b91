"""Outputs of lm-eval 0.4.13, written by hand in its format."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from sociolect.tasks.kinds import kind_of
from sociolect.tasks.prompts import orders

TIME = "2026-03-04T05-06-07.123456"
OPTIONS = ("the carpenter", "the nurse")
EDIT = {
    "part": "input",
    "start": 18,
    "end": 22,
    "original": "the ",
    "replacement": "",
    "type": "det",
    "operation": "deletion",
    "subtype": "",
}

Answer = Callable[[int, str, int, int], int | str]
"""(pair, member, order, sample) to an option in row order, -1 for none, or the raw text."""


def always_right(pair: int, member: str, order: int, sample: int) -> int:
    return 0


@dataclass
class FakeRun:
    """One task of one run; the fields are what tests vary."""

    condition: str = "clean"
    benchmark: str = "winobias"
    form: str = "direct"
    pairs: int = 12
    answer: Answer = always_right
    repeats: int = 5
    time: str = TIME
    folder: str = "org__tiny"
    error_seed: int = 0
    invalid: tuple[int, ...] = ()
    drop: int = 0
    doc: Mapping[str, Any] = field(default_factory=dict)
    top: Mapping[str, Any] = field(default_factory=dict)
    config: Mapping[str, Any] = field(default_factory=dict)
    task_config: Mapping[str, Any] = field(default_factory=dict)
    effective: int | None = None
    figures: Mapping[str, Any] = field(default_factory=dict)

    @property
    def task(self) -> str:
        suffix = "" if self.form == "reason" else f"_{self.form}"
        return f"{self.benchmark}_{self.condition.replace('-', '_')}{suffix}"

    @property
    def transform(self) -> tuple[str, int, str]:
        name, level, *part = [*self.condition.split("-"), "0"][:3]
        return name, int(level), part[0] if part and part[0] != "0" else "input"

    def docs(self) -> list[dict[str, Any]]:
        members = ("pro", "anti") if kind_of(self.benchmark) == "coreference" else ("",)
        docs = [
            self._doc(pair, member, order)
            for pair in range(self.pairs)
            for member in members
            for order in orders(self.form, self.benchmark)
        ]
        return docs[: len(docs) - self.drop]

    def _item(self, pair: int, member: str) -> dict[str, Any]:
        kind = kind_of(self.benchmark)
        if kind == "coreference":
            pair_id = f"winobias/type1/{pair:04d}"
            target = 0 if member == "pro" else 1
            return {"id": f"{pair_id}/{member}", "pair_id": pair_id, "target_option": target}
        name = f"{self.benchmark}/q{pair // 4:02d}/{pair:05d}"
        if self.benchmark == "mmlu":
            name = f"mmlu/anatomy/{pair:04d}"
        many = (*OPTIONS, "the clerk", "the cook")
        return {
            "id": name,
            "pair_id": name,
            "target_option": -1 if kind == "accuracy" else 0,
            "gold": -1 if kind in ("stereotype", "preference") else 0,
            "options": list(many if self.benchmark == "mmlu" else OPTIONS),
        }

    def _doc(self, pair: int, member: str, order: int) -> dict[str, Any]:
        transform, level, part = self.transform
        text = "The carpenter met the nurse because he was late."
        errored = {"input": text.replace("the nurse", "nurse"), "n_edits": 1, "edits": [dict(EDIT)]}
        return {
            "pair_valid": pair not in self.invalid,
            "benchmark": self.benchmark,
            "axis": "" if kind_of(self.benchmark) == "accuracy" else "gender",
            "member": member,
            "instruction": r"Answer inside \boxed{}.",
            "input": text,
            "question": "Who does 'he' refer to?",
            "options": list(OPTIONS),
            "gold": 0,
            **self._item(pair, member),
            "transform": transform,
            "level": level,
            "part": part,
            "seed": self.error_seed,
            "n_tokens": 9,
            "n_edits": 0,
            "error_rate": 0.0,
            "edits": [],
            "protected": [],
            "order": order,
            "form": self.form,
            "answer_mode": "lenient",
            "data_version": "1.0.0",
            "data_sha256": f"{self.condition:x<64}",
            "local_data": self.error_seed != 0,
            "task_format": 1,
            **(errored if transform != "clean" else {}),
            **self.doc,
        }

    def responses(self, doc: Mapping[str, Any]) -> list[Any]:
        pair = int(doc["pair_id"].rsplit("/", 1)[1])
        count = len(doc["options"])
        chosen = [
            self.answer(pair, doc["member"], doc["order"], k)
            for k in range(1 if self.form == "ll" else self.repeats)
        ]
        if self.form == "ll":
            # Per byte of " carpenter" and " nurse", the first pair is a tie.
            logs = {-1: ("-20.0", "-12.0"), 0: ("-4.0", "-90.0"), 1: ("-90.0", "-4.0")}
            return [[score, "False"] for score in logs[int(chosen[0])]]
        return [[c if isinstance(c, str) else self._text(c, doc["order"], count) for c in chosen]]

    def _text(self, option: int, order: int, count: int) -> str:
        if option < 0:
            return "I cannot tell." if self.form == "reason" else "}"
        letter = "ABCD"[option if order == 0 else count - 1 - option]
        return f"Both are named. \\boxed{{{letter}}}" if self.form == "reason" else letter

    def samples(self) -> list[dict[str, Any]]:
        lines = []
        for number, doc in enumerate(self.docs()):
            responses = self.responses(doc)
            lines.append(
                {
                    "doc_id": number,
                    "doc": doc,
                    "target": "A",
                    "arguments": {"gen_args_0": {"arg_0": "…", "arg_1": {"until": []}}},
                    "resps": responses,
                    "filtered_resps": responses,
                    "filter": "none" if self.form == "ll" else "all",
                    "metrics": ["bias"],
                    "doc_hash": "0",
                    "prompt_hash": "0",
                    "target_hash": "0",
                    "bias": [doc["pair_id"], doc["member"], 5, 5, 5],
                }
            )
        return lines

    def results(self) -> dict[str, Any]:
        count = len(self.docs())
        generation = {"until": [], "do_sample": True, "temperature": 0.7, "top_p": 0.9}
        task_config: dict[str, Any] = {
            "task": self.task,
            "num_fewshot": 0,
            "repeats": 1 if self.form == "ll" else self.repeats,
            "metadata": {"version": 1, "config_source": "anywhere"},
        }
        if self.form != "ll":
            task_config["generation_kwargs"] = generation
        return {
            "results": {self.task: {"alias": self.task, **self.figures}},
            "configs": {self.task: {**task_config, **self.task_config}},
            "n-shot": {self.task: 0},
            "n-samples": {self.task: {"original": count, "effective": self.effective or count}},
            "config": {
                "model": "hf",
                "model_args": {"pretrained": "org/tiny", "dtype": "float32"},
                "model_dtype": "torch.float32",
                "model_revision": "main",
                "model_sha": "",
                "limit": None,
                "random_seed": 0,
                "numpy_seed": 1234,
                "torch_seed": 1234,
                "fewshot_seed": 1234,
                **self.config,
            },
            "lm_eval_version": "0.4.13",
            "model_name": "org/tiny",
            "chat_template": None,
            "system_instruction": None,
            "fewshot_as_multiturn": None,
            **self.top,
        }


@pytest.fixture
def write_run(tmp_path: Path) -> Callable[..., Path]:
    """Writes a `FakeRun` below `tmp_path` (or `root`) and returns its samples file."""

    def write(root: Path | None = None, **options: Any) -> Path:
        run = FakeRun(**options)
        folder = (root or tmp_path / "out") / run.folder
        folder.mkdir(parents=True, exist_ok=True)
        results = folder / f"results_{run.time}.json"
        content = run.results()
        if results.exists():  # several tasks of one run share their results file
            earlier = json.loads(results.read_text("utf-8"))
            for key in ("results", "configs", "n-shot", "n-samples"):
                content[key] = earlier[key] | content[key]
        results.write_text(json.dumps(content), "utf-8")
        path = folder / f"samples_{run.task}_{run.time}.jsonl"
        lines = [json.dumps(sample, ensure_ascii=False) for sample in run.samples()]
        path.write_text("\n".join(lines) + "\n", "utf-8")
        return path

    return write

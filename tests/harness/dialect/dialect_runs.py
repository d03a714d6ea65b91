"""Outputs of lm-eval 0.4.13 for the tasks of the dialect audit, written by hand in its format."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TIME = "2026-03-04T05-06-07.123456"
SHA = "d" * 64
LABELS = ("negative", "neutral", "positive")
MODEL = "org/tiny"
COMBINATIONS = (("aae", "aae"), ("aae", "sae"), ("sae", "aae"), ("sae", "sae"))


@dataclass
class Pair:
    """A pair; what tests vary."""

    id: str
    back: bool = True
    naturalness: float | None = 1.0
    group: str = ""
    split: str = "evaluation"
    aae: str = "they be working late every night"
    sae: str = "they usually work late every night"

    def row(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "aae": self.aae,
            "sae": self.sae,
            "aae_back": self.aae if self.back else "",
            "naturalness": self.naturalness,
            "split": self.split,
            "group": self.group,
            "aae_boundary": self.aae.index(" ", 5),
            "sae_boundary": self.sae.index(" ", 5),
            "unsegmented": "",
        }


def pairs(count: int, **options: Any) -> list[Pair]:
    return [Pair(f"p{number:03d}", **options) for number in range(count)]


class Writer:
    """Writes runs of one set of pairs below a folder."""

    def __init__(self, root: Path, of: Sequence[Pair], sha256: str = SHA) -> None:
        self.root, self.pairs, self.sha256 = root, list(of), sha256

    def sentiment(
        self, labels: Mapping[str, Sequence[int]], form: str = "reason", **run: Any
    ) -> Path:
        """Labels by version, one a pair; -1 is an answer that names none."""
        lines = []
        for number, pair in enumerate(self.pairs):
            for version in ("aae", "sae", *(("back",) if pair.back else ())):
                label = labels[version][number]
                said = LABELS[label] if label >= 0 else "I could not say."
                scores = [[str(-1.0 - (i != label and label >= 0)), "False"] for i in range(3)]
                lines.append(
                    ({**pair.row(), "version": version}, [said] if form == "reason" else scores)
                )
        task = "aae_sentiment" + ("_ll" if form == "ll" else "")
        return self._write(task, "sentiment", lines, form=form, **run)

    def continuation(
        self,
        log_p: Mapping[tuple[str, str], Sequence[float]],
        tokens: Mapping[tuple[str, str], Sequence[int]] | None = None,
        **run: Any,
    ) -> Path:
        """Log-likelihoods by context and continuation, one a pair."""
        lines = [
            (
                {**pair.row(), "context": context},
                [[str(log_p[context, side][number]), "False"] for side in ("aae", "sae")],
            )
            for number, pair in enumerate(self.pairs)
            for context in ("aae", "sae")
        ]
        path = self._write("aae_continuation", "continuation", lines, **run)
        if tokens is not None:
            counts = {
                pair.id: {
                    context: [tokens[context, side][number] for side in ("aae", "sae")]
                    for context in ("aae", "sae")
                }
                for number, pair in enumerate(self.pairs)
            }
            self._record(path, counts)
        return path

    def choice(
        self, chosen: Mapping[tuple[str, int], str], wording: str = "best", **run: Any
    ) -> Path:
        """A letter a pair, by context and order: `a` AAE, `s` SAE, `=` both, `?` none."""
        lines = []
        for number, pair in enumerate(self.pairs):
            for (context, order), letters in chosen.items():
                shown = "sa" if order else "as"
                letter = letters[number]
                place = shown.find(letter)
                numbers = ["nan" if letter == "?" else str(-2.0 + (i == place)) for i in range(2)]
                scores = [[number, "False"] for number in numbers]
                lines.append(({**pair.row(), "context": context, "order": order}, scores))
        return self._write(f"aae_choice_{wording}", "choice", lines, wording=wording, **run)

    def _write(
        self,
        task: str,
        kind: str,
        lines: Sequence[tuple[Mapping[str, Any], Any]],
        *,
        form: str = "ll",
        wording: str = "",
        prompted: bool = False,
        folder: str = "org__tiny",
        time: str = TIME,
        arguments: Mapping[str, Any] | None = None,
        metadata: Mapping[str, Any] | None = None,
        top: Mapping[str, Any] | None = None,
        config: Mapping[str, Any] | None = None,
        doc: Mapping[str, Any] | None = None,
    ) -> Path:
        common = {
            "benchmark": "aae",
            "kind": kind,
            "form": form,
            "prompted": prompted,
            "wording": wording,
            "version": "",
            "context": "",
            "order": 0,
            "answer_mode": "lenient",
            "data_version": "1.0.0",
            "data_sha256": self.sha256,
            "rules": "",
            "local_data": True,
            "task_format": 1,
        }
        task += "_prompted" * prompted
        samples = [
            {
                "doc_id": number,
                "doc": {**common, **row, **(doc or {})},
                "target": 0,
                "resps": [[one] for one in responses],
                "filtered_resps": responses,
                "filter": "none",
            }
            for number, (row, responses) in enumerate(lines)
        ]
        path = self.root / folder
        path.mkdir(parents=True, exist_ok=True)
        self._results(
            path / f"results_{time}.json",
            task,
            len(samples),
            form,
            arguments,
            metadata,
            top,
            config,
        )
        written = path / f"samples_{task}_{time}.jsonl"
        written.write_text("".join(json.dumps(one) + "\n" for one in samples), "utf-8")
        return written

    def _results(
        self,
        path: Path,
        task: str,
        count: int,
        form: str,
        arguments: Mapping[str, Any] | None,
        metadata: Mapping[str, Any] | None,
        top: Mapping[str, Any] | None,
        config: Mapping[str, Any] | None,
    ) -> None:
        of_task: dict[str, Any] = {"task": task, "num_fewshot": 0, "repeats": 1}
        of_task["metadata"] = {"version": 1, **(metadata or {})}
        if form != "ll":
            of_task["generation_kwargs"] = {"until": ["\n"], "do_sample": False}
        content: dict[str, Any] = {
            "results": {task: {"alias": task}},
            "configs": {task: of_task},
            "n-shot": {task: 0},
            "n-samples": {task: {"original": count, "effective": count}},
            "config": {
                "model": "hf",
                "model_args": {"pretrained": MODEL, "dtype": "float32", **(arguments or {})},
                "model_dtype": "torch.float32",
                "model_revision": "main",
                "model_sha": "",
                "limit": None,
                **(config or {}),
            },
            "lm_eval_version": "0.4.13",
            "model_name": MODEL,
            "chat_template": None,
            "system_instruction": None,
            **(top or {}),
        }
        if path.exists():
            earlier = json.loads(path.read_text("utf-8"))
            for key in ("results", "configs", "n-shot", "n-samples"):
                content[key] = earlier[key] | content[key]
        path.write_text(json.dumps(content), "utf-8")

    def _record(self, samples: Path, counts: Mapping[str, Any]) -> None:
        """The record of `sociolect eval` beside the results."""
        time = samples.stem.rpartition("_")[2]
        task = samples.stem.removeprefix("samples_").removesuffix(f"_{time}")
        path = samples.with_name(f"sociolect_{time}.json")
        record = json.loads(path.read_text("utf-8")) if path.exists() else {}
        record.setdefault("results", f"results_{time}.json")
        record.setdefault("continuation_tokens", {})[task] = counts
        path.write_text(json.dumps(record), "utf-8")

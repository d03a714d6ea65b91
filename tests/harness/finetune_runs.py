"""Runs of Base, FT clean and FT errors, written by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sociolect.generators.conditions import Condition
from sociolect.harness.finetune_report import Report, Wanted, report
from sociolect.harness.finetune_report_models import ROLES, Role, assign
from sociolect.harness.finetune_report_rows import VALUES, Outcome
from sociolect.harness.paired import Method

Write = Callable[..., Path]
Answer = Callable[[int, str, int, int], int]

QUICK = Method(permutations=999, resamples=99)
L2_30 = Wanted(Condition("l2", 30))
BASE = "org/tiny"


def wrong(count: int, member: str = "anti") -> Answer:
    """The first `count` units are answered with the second option (of pairs one member)."""
    return lambda pair, who, order, sample: int(pair < count and who in ("", member))


class Study:
    """Writes the runs of the three models; the adapters lie in `root`."""

    def __init__(self, write: Write, root: Path, backend: str = "hf") -> None:
        self.write, self.root, self.backend = write, root, backend
        self.out = root / "out"

    def adapter(self, role: Role) -> Path:
        """Where the adapter of a role is, or would be."""
        return self.root / "lora" / role.removeprefix("ft_")

    def arguments(self, role: Role) -> dict[str, str]:
        """Model arguments of a role, with the adapter as the backend is given it."""
        key = "peft" if self.backend == "hf" else "lora_local_path"
        adapter = {} if role == "base" else {key: str(self.adapter(role))}
        return {"pretrained": BASE, "dtype": "float32", **adapter}

    def run(self, role: Role, condition: str, **options: Any) -> Path:
        """Write one run of a role."""
        arguments = self.arguments(role) | options.pop("arguments", {})
        config = {"model": self.backend, "model_args": arguments} | options.pop("config", {})
        options = {"folder": role, "root": self.out, **options}
        return self.write(condition=condition, config=config, **options)

    def held(self, role: Role, base: str = "b", weights: str = "", **changes: Any) -> None:
        """Write what `sociolect eval` records of the files of the model, of all runs of a role."""
        files = {"pretrained": {"model.safetensors": [4, base * 64]}}
        if role != "base":
            key = "peft" if self.backend == "hf" else "lora_local_path"
            sha = weights or role.removeprefix("ft_") * 4
            files[key] = {"adapter_model.safetensors": [5, sha]}
        for results in (self.out / role).glob("results_*.json"):
            record = {"results": results.name, "model_files": files, **changes}
            name = results.name.replace("results", "sociolect")
            results.with_name(name).write_text(json.dumps(record), "utf-8")

    def runs(
        self, answers: Mapping[Role, tuple[Answer, Answer]], errored: str = "l2-30", **options: Any
    ) -> None:
        """Write the clean and the errored run of every role, by their answers."""
        for role, (clean, other) in answers.items():
            self.run(role, "clean", answer=clean, **options)
            self.run(role, errored, answer=other, **options)

    def record(self, role: Role, **changes: Any) -> None:
        """Write what training leaves beside an adapter."""
        folder = self.adapter(role)
        folder.mkdir(parents=True, exist_ok=True)
        name = role.removeprefix("ft_")
        content = {
            "prompt_set": name,
            "settings": {"rank": 16, "seed": 0},
            "data": {"targets_sha256": "t" * 64},
            "prompts_sha256": name * 8,
            "initial_weights_sha256": "i" * 64,
            "final_weights_sha256": name * 4,
            **changes,
        }
        (folder / "training.json").write_text(json.dumps(content), "utf-8")

    def report(
        self, method: Method = QUICK, wanted: Wanted = L2_30, *, strict: bool = False
    ) -> Report:
        """The report on everything that was written."""
        models = assign((), {role: [str(self.out / role)] for role in ROLES})
        return report(models, wanted, method, strict=strict)


# Units whose answer changes, of 20: clean and errored.
COUNTS: Mapping[Role, tuple[int, int]] = {"base": (0, 8), "ft_clean": (1, 9), "ft_errors": (2, 3)}


def counted(member: str = "anti") -> dict[Role, tuple[Answer, Answer]]:
    return {r: (wrong(a, member), wrong(b, member)) for r, (a, b) in COUNTS.items()}


def outcome(report: Report, metric: str) -> Outcome:
    (subject,) = report.subjects
    return next(one for one in subject.outcomes if one.metric == metric)


def table(found: Outcome) -> dict[str, tuple[float | None, ...]]:
    return {role: tuple(found.number(role, value) for value in VALUES) for role in ROLES}

"""From items and a model to a training set (learner-error paper, App. C.3).

Items are chosen, both texts of each are made, the clean prompts are asked in both option orders,
and each first correct completion becomes the target of the clean and of the errored prompt.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sociolect import __version__
from sociolect.generators.errors import DataError, InvalidInputError, ModelError, TrainingError
from sociolect.generators.folders import resolved
from sociolect.generators.items import Benchmark
from sociolect.steering.lora.asking import (
    Chat,
    Prompt,
    check_context,
    complete,
    make_prompt,
    seeded,
)
from sociolect.steering.lora.items import Drawn, TrainingItem, draw_items, error_rates
from sociolect.steering.lora.prepare_settings import Settings
from sociolect.steering.lora.targets import KEPT, REASONS, Outcome, make_target
from sociolect.steering.lora.training_set import (
    Example,
    TrainingSet,
    read_set_manifest,
    read_training_set,
    write_training_set,
)
from sociolect.tasks.naming import UNANSWERED
from sociolect.tasks.prompts import orders

_ADVICE: Mapping[str, str] = {
    "no_answer": "raise --max-tokens, ask a chat model (and no other) with --chat-template, or use "
    "--form direct",
    "wrong": "raise --completions, or use a model that knows the task",
    "other_answer_first": "use a model that answers once",
    "not_closed": "raise --max-tokens",
    "too_short": "lower --min-chars",
    "too_long": "raise --max-chars",
    "several_boxes": "ask a chat model (and no other) with --chat-template",
    "repetitive": "raise --max-repeated",
}


@dataclass(frozen=True, slots=True)
class _Asked:
    """A prompt of an item with its errored twin."""

    item: TrainingItem
    clean: Prompt
    errors: Prompt

    def example(self, prompt: Prompt, target: str) -> Example:
        row = prompt.doc
        return Example(
            row["id"], row["order"], prompt.text, target, row["level"], row["error_rate"]
        )


def prepare(
    benchmark: Benchmark,
    settings: Settings,
    *,
    out: Path,
    load_model: Callable[[], Any],
    identity: Mapping[str, Any],
    around_model: Callable[[], AbstractContextManager[None]] = nullcontext,
    progress: bool = False,
) -> tuple[TrainingSet, bool]:
    """Make a training set.

    Several processes may make the same one: each writes it or finds it there.

    Args:
        benchmark: Where the items come from.
        settings: Sizes, sampling, limits.
        out: Folder to make.
        load_model: Gives an lm_eval model; called once the texts are made.
        identity: Of that model, for the manifest.
        around_model: Entered while the model is loaded and asked, to explain what it raises.
        progress: Show progress bars on standard error.

    Returns:
        The set, and whether it was made now (else it was there, with the same settings).

    Raises:
        InvalidInputError: `out` holds something else, or there are fewer items than asked for.
        DataError: The set was there, but is damaged.
        LevelUnreachableError: A level is out of reach.
        MissingToolError: The tagger's model or the speller is not installed.
        ModelError: The model cannot be asked as the settings want it.
        TrainingError: No prompt has a target.
    """
    target = resolved(out)
    job: dict[str, Any] = json.loads(json.dumps(settings.job(benchmark, identity)))
    if there := _existing(target, job):
        return there, False
    drawn = draw_items(benchmark, settings.items, settings.levels, settings.seed, progress=progress)
    with around_model():
        model = load_model()
        asked = _prompts(drawn.items, settings, model)
        outcomes = _ask(model, asked, settings, benchmark.name)
    manifest = _manifest(benchmark, settings, job, drawn, asked, outcomes)
    kept = [(one, o.target) for one, o in zip(asked, outcomes, strict=True) if o.fate == KEPT]
    if not kept:
        raise TrainingError(_nothing_kept(manifest["prompts"]))
    if there := _existing(target, job):
        return there, False
    clean = [one.example(one.clean, text) for one, text in kept]
    errors = [one.example(one.errors, text) for one, text in kept]
    return write_training_set(target, manifest, clean, errors), True


def _prompts(items: Iterable[TrainingItem], settings: Settings, model: Any) -> list[_Asked]:
    if getattr(model, "world_size", 1) > 1:
        raise ModelError("prompts are asked by one process; start the command without a launcher")
    chat: Chat | None = model.apply_chat_template if settings.chat_template else None

    def made(item: TrainingItem, order: int) -> _Asked:
        clean, errors = (
            make_prompt(row, settings.form, order, chat) for row in (item.clean, item.errors)
        )
        return _Asked(item, clean, errors)

    return [
        made(item, order)
        for item in items
        for order in orders(settings.form, item.clean["benchmark"])
    ]


def _ask(model: Any, asked: Sequence[_Asked], settings: Settings, benchmark: str) -> list[Outcome]:
    prompts = [one.clean for one in asked]
    check_context(model, prompts, settings.max_tokens)
    task = f"{benchmark}_clean" + ("" if settings.form == "reason" else f"_{settings.form}")
    with seeded(settings.seed):
        texts = complete(model, prompts, settings.completions, settings.generation, task)
    return [
        make_target(prompt.doc, own, settings.limits)
        for prompt, own in zip(prompts, texts, strict=True)
    ]


def _manifest(
    benchmark: Benchmark,
    settings: Settings,
    job: Mapping[str, Any],
    drawn: Drawn,
    asked: Sequence[_Asked],
    outcomes: Sequence[Outcome],
) -> dict[str, Any]:
    fates = Counter(outcome.fate for outcome in outcomes)
    dropped = {reason: fates[reason] for reason in REASONS}
    assert fates[KEPT] + sum(dropped.values()) == len(asked), "every prompt has one fate"
    return {
        "sociolect_version": __version__,
        "licence": benchmark.licence,
        "form": settings.form,
        "settings": job,
        "source": {"items": len(benchmark.pairs), "filtered_out": len(benchmark.dropped)},
        "calibration": drawn.calibration,
        "error_rates": error_rates(drawn.items),
        "prompts": {"asked": len(asked), "kept": fates[KEPT], "dropped": dropped},
        "completions": _answers(asked, outcomes),
        "kept": _kept(asked, outcomes),
    }


def _answers(asked: Sequence[_Asked], outcomes: Sequence[Outcome]) -> dict[str, int]:
    """How many of all completions were right, wrong, and without an answer."""
    right = sum(o.answers.count(a.item.clean["gold"]) for a, o in zip(asked, outcomes, strict=True))
    silent = sum(outcome.answers.count(UNANSWERED) for outcome in outcomes)
    total = sum(len(outcome.answers) for outcome in outcomes)
    return {
        "sampled": total,
        "correct": right,
        "wrong": total - right - silent,
        "unanswered": silent,
    }


def _kept(asked: Sequence[_Asked], outcomes: Sequence[Outcome]) -> dict[str, Any]:
    kept = [(a, o) for a, o in zip(asked, outcomes, strict=True) if o.fate == KEPT]
    rates = error_rates([a.item for a, _ in kept]) if kept else {"by_level": {}}
    by_level: Mapping[str, Mapping[str, Any]] = rates["by_level"]
    return {
        "items": len({a.item.clean["id"] for a, _ in kept}),
        "mean_error_rate": rates.get("mean_error_rate"),
        "by_level": {
            level: {"examples": own["items"], "mean_error_rate": own["mean_error_rate"]}
            for level, own in by_level.items()
        },
        "by_order": _counted(a.clean.doc["order"] for a, _ in kept),
        "by_completion": _counted(o.taken + 1 for _, o in kept),
        "boxed_another_option_after_the_cut": sum(o.goes_on for _, o in kept),
        # At a low level many short texts draw no error.
        "prompts_without_an_error": sum(a.clean.text == a.errors.text for a, _ in kept),
    }


def _counted(values: Iterable[int]) -> dict[str, int]:
    return {str(value): count for value, count in sorted(Counter(values).items())}


def _nothing_kept(prompts: Mapping[str, Any]) -> str:
    dropped = {reason: n for reason, n in prompts["dropped"].items() if n}
    counts = ", ".join(f"{n} ({REASONS[reason]})" for reason, n in dropped.items())
    most = max(dropped, key=lambda reason: dropped[reason])
    return (
        f"none of the {prompts['asked']} prompts has a target: {counts}. Nothing was written. For "
        f"most of them: {_ADVICE[most]}"
    )


def _existing(target: Path, job: Mapping[str, Any]) -> TrainingSet | None:
    """The set of the same job in a folder, None if the folder is vacant.

    Raises:
        InvalidInputError: It holds something else.
        DataError: It holds that set, damaged.
    """
    if target.exists() and not target.is_dir():
        raise InvalidInputError(f"{target} is a file; name a folder")
    if not target.is_dir() or not any(target.iterdir()):
        return None
    try:
        settings = read_set_manifest(target).get("settings")
    except DataError as error:
        raise InvalidInputError(
            f"{target} is not empty, and what it holds is kept ({error}) Name another folder"
        ) from error
    if settings != job:
        shown = "; ".join(list(_differences(settings, job))[:5])
        raise InvalidInputError(
            f"{target} holds a training set with other settings: {shown}. Name another folder, or "
            "delete this one"
        )
    try:
        return read_training_set(target)
    except DataError as error:
        raise DataError(f"{error} Delete {target} first") from error


def _differences(there: object, here: object, path: str = "") -> Iterator[str]:
    if isinstance(there, dict) and isinstance(here, dict):
        for key in sorted({*there, *here}):
            name = f"{path}.{key}" if path else key
            yield from _differences(there.get(key), here.get(key), name)
    elif there != here:
        yield f"{path or 'settings'} {_short(there)} there, {_short(here)} here"


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:39]}…"

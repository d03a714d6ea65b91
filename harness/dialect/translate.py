"""From texts in AAE to triplets: translated into SAE, and back into AAE (dialect paper, §3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from sociolect import __version__
from sociolect.generators.dialect.pair_files import write_pairs
from sociolect.generators.dialect.pairs import BENCHMARK, DialectPair
from sociolect.generators.dialect.rejection import REASONS
from sociolect.generators.errors import ModelError
from sociolect.generators.locks import only_one
from sociolect.harness.dialect.translate_cost import by_characters, tokenizer_of
from sociolect.harness.dialect.translate_files import TextFile
from sociolect.harness.dialect.translate_prompts import STEPS, Step, prompt
from sociolect.harness.dialect.translate_rounds import (
    BATCH,
    MANY,
    Batches,
    Translations,
    translations,
)
from sociolect.harness.dialect.translate_settings import Settings
from sociolect.harness.fable.asking import Asker
from sociolect.harness.fable.files import finished, items_file, unfinished_folder, write_finished
from sociolect.harness.fable.models import ModelChoice
from sociolect.harness.run_folders import check_writable
from sociolect.steering.backends.registry import SERVED
from sociolect.steering.lora.asking import Prompt, check_context

Manifest = dict[str, Any]
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Translated:
    """The two steps of a run.

    Attributes:
        steps: What became of the texts, by step.
    """

    steps: Mapping[Step, Translations]

    def pairs(self, source: TextFile) -> list[DialectPair]:
        """The texts that have both translations, in the order of their file."""
        sae, back = (self.steps[step].accepted for step in STEPS)
        return [
            DialectPair(text.id, text.aae, sae[text.id], back[text.id], group=text.group)
            for text in source.texts
            if text.id in back
        ]


def translate(
    source: TextFile,
    model: ModelChoice,
    settings: Settings,
    out: Path,
    *,
    progress: bool = False,
    report: Callable[[Manifest], None] = lambda manifest: None,
) -> tuple[Manifest, bool]:
    """Translate texts and translate them back.

    A run that was stopped goes on where it was. Of several processes that write the same file
    one works and the others wait for it.

    Args:
        source: Texts in AAE, at least one.
        model: Who translates.
        settings: Of the run.
        out: The file of pairs, `….jsonl`; its manifest goes beside it.
        progress: Show bars on standard error.
        report: Told what became of the texts before anything is written or refused.

    Returns:
        The manifest, and whether the file was made now (else it was there).

    Raises:
        InvalidInputError: `out` holds something else.
        ModelError: The model cannot be used, or no text has both translations.
        ResultsError: Something cannot be written.
    """
    target = items_file(out)
    folder = unfinished_folder(target)
    check_writable(folder)
    job = settings.job(source, model.identity())
    with only_one(target):
        if there := finished(target, job):
            return there, False
        made = _translated(source, model, settings, folder, progress)
        pairs = made.pairs(source)
        manifest = _manifest(source, made, len(pairs), job, model.name)
        report(manifest)
        if not pairs:
            raise ModelError(_nothing(made, chat=model.chat))
        write = partial(write_pairs, pairs)
        return write_finished(target, write, manifest, complete=manifest["complete"]), True


def _translated(
    source: TextFile, model: ModelChoice, settings: Settings, folder: Path, progress: bool
) -> Translated:
    asker = _sized(model).load(folder / "answers")
    aae = {text.id: text.aae for text in source.texts}
    batches = _batches(model)
    if model.backend not in SERVED:
        _check_context(asker, aae, max(batches.limits(list(aae.values()), settings)))
    sae = translations(asker, aae, "sae", settings, batches, progress=progress)
    back = translations(asker, sae.accepted, "back", settings, batches, progress=progress)
    return Translated({"sae": sae, "back": back})


def _sized(model: ModelChoice) -> ModelChoice:
    """A served model asked in batches as large as ours; that changes no answer."""
    if model.backend not in SERVED:
        return model
    return replace(model, arguments={"chunk": MANY, **model.arguments})


def _batches(model: ModelChoice) -> Batches:
    """Which texts a model is asked together."""
    count = tokenizer_of(model) or by_characters
    if model.backend in SERVED:
        return Batches(count, MANY, alone=True)
    if "vllm" in model.backend:
        return Batches(count, MANY)
    asked = str(model.arguments.get("batch_size", ""))
    return Batches(count, max(BATCH, int(asked)) if asked.isdecimal() else BATCH)


def _check_context(asker: Asker, texts: Mapping[str, str], longest: int) -> None:
    asked = [Prompt({"id": name}, prompt(text, STEPS[0])) for name, text in texts.items()]
    check_context(asker.model, asked, longest)


def _manifest(
    source: TextFile, made: Translated, pairs: int, job: Manifest, model: str
) -> Manifest:
    return {
        "benchmark": BENCHMARK,
        "sociolect_version": __version__,
        "model": model,
        "source": {"name": source.name, "sha256": source.sha256},
        "texts": len(source.texts),
        "pairs": pairs,
        "complete": pairs == len(source.texts),
        "steps": {step: _step(made.steps[step]) for step in STEPS},
        "settings": job,
    }


def _step(made: Translations) -> Manifest:
    assert made.asked == len(made.accepted) + made.rejected.total(), "each has one fate"
    lost = list(made.last.values())
    return {
        "texts": len(made.accepted) + len(made.last),
        "accepted": len(made.accepted),
        "asked": made.asked,
        "accepted_by_attempt": {str(n): count for n, count in sorted(made.by_attempt.items())},
        "rejected": {reason: made.rejected[reason] for reason in REASONS},
        "texts_lost": {reason: n for reason in REASONS if (n := lost.count(reason))},
    }


def _nothing(made: Translated, *, chat: bool) -> str:
    step = next(step for step in STEPS if not made.steps[step].accepted)
    counted = made.steps[step].rejected.most_common(_SHOWN)
    told = ", ".join(f"{n:,} {reason}" for reason, n in counted)
    template = "" if chat else ", or with one --apply-chat-template"
    advice = f"A larger or instruction-tuned model is needed{template}"
    if counted[0][0] == "cut_off":
        advice = (
            "Most were cut off: raise --max-new-tokens, with room for what a model thinks first"
        )
    return (
        f"none of {made.steps[step].asked:,} translations was accepted ({told}), and no file was "
        f"written. {advice}"
    )

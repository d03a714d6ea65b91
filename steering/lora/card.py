"""The model card of an adapter."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sociolect.generators.conditions import LEVELS
from sociolect.generators.templates import environment
from sociolect.steering.lora.adapters import VLLM_RANKS

CARD = "README.md"
LICENCE = "CC BY"
"""Of WinoGrande, as its authors state it."""
SMALL = 1_000_000_000
"""Below this many parameters a card says that the adapter supports no finding."""

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|~#$])")


def adapter_card(
    record: Mapping[str, Any], manifest: Mapping[str, Any], *, base: str, on_hub: bool
) -> str:
    """The text of the card, with metadata for the Hub.

    Args:
        record: As in `training.json`.
        manifest: Of the training set.
        base: Name of the base model; for a local folder its last part alone.
        on_hub: Whether `base` is a name on the Hub.
    """
    import yaml

    head = {
        **({"base_model": base} if on_hub else {}),
        "library_name": "peft",
        "pipeline_tag": "text-generation",
        "language": ["en"],
        "tags": ["lora", "base_model:adapter:" + base if on_hub else "adapter", "sociolect"],
    }
    template = environment("sociolect.steering.lora").get_template("adapter_card.md")
    return template.render(
        front_matter=yaml.safe_dump(head, sort_keys=False, allow_unicode=True).strip(),
        record=record,
        title=escaped(f"{base}, adapter trained on prompts {_with(record['prompt_set'])}"),
        drawn=_drawn(manifest) if record["prompt_set"] == "errors" else (),
        base=escaped(base),
        name=argument(base) if on_hub else "BASE",
        identity=escaped(record["base"]["identity"]),
        vllm_rank=next((r for r in VLLM_RANKS if r >= record["settings"]["rank"]), None),
        device=escaped(record["machine"]["device"]),
        patterns=", ".join(f"`{name}`" for name in record["patterns"]),
        licence=escaped(str(manifest.get("licence") or LICENCE)),
        levels=_levels(manifest.get("settings") or {}),
        chat_template=bool((manifest.get("settings") or {}).get("chat_template")),
        small=record["parameters"] < SMALL,
        parameters=f"{record['parameters']:,}",
    )


def _with(prompt_set: str) -> str:
    return "with errors" if prompt_set == "errors" else "without errors"


def _drawn(manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Rows on the errors of the prompts, as far as the manifest of the set has them."""
    try:
        kept = manifest["kept"]
        rows = [("examples whose prompt drew no error", str(int(kept["prompts_without_an_error"])))]
        for level, own in kept["by_level"].items():
            rate = 100 * float(own["mean_error_rate"])
            text = f"{int(own['examples'])} examples, mean error rate {rate:.1f} %"
            rows.append((f"error level {int(level)} %", text))
    except (AttributeError, KeyError, TypeError, ValueError):
        return []  # a set that was made otherwise
    return rows


def _levels(settings: Mapping[str, Any]) -> str:
    *most, last = [str(level) for level in settings.get("levels") or LEVELS]
    return f"{', '.join(most)} or {last}" if most else last


def escaped(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    plain = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    return _MARKDOWN.sub(r"\\\1", plain)


def argument(name: str) -> str:
    """A name for a command line in a code block, where nothing can be escaped."""
    return name if re.fullmatch(r"[\w./-]+", name) else "BASE"

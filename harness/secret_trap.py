"""Keys and passwords among the arguments of a model, which lm_eval would write down."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sociolect.generators.redaction import has_secrets, is_secret
from sociolect.harness.run_options import Finding, RunOptions, TaskFacts

KEY_VARIABLE = "OPENAI_API_KEY"
_HEADERS = ("authorization", "api-key", "x-api-key", "cookie")


def secret_trap(options: RunOptions, tasks: Sequence[TaskFacts] = ()) -> Iterator[Finding]:
    """Refuse a secret: lm_eval prints the arguments, and writes them into its results."""
    found = next(_named(options.model_args), None)
    if found is None:
        return
    instead = (
        f"put the key into the environment variable {KEY_VARIABLE}: it is sent as "
        "`Authorization: Bearer …`."
        if options.is_served
        else f"put it into the environment variable that is read for it ({KEY_VARIABLE}, HF_TOKEN)."
    )
    yield Finding(
        "refuse",
        f"lm_eval writes --model_args into its results, {found} included. Leave it out and "
        f"{instead}",
    )


def _named(given: Mapping[str, Any]) -> Iterator[str]:
    """Names of the arguments, or what they hold, that are secret."""
    for name, value in given.items():
        if name == "header":
            yield from _of_header(value)
        elif is_secret(name) and not isinstance(value, bool) and value is not None:
            yield name
        elif "://" in str(value) and has_secrets(str(value)):
            yield f"the key or password in {name}"


def _of_header(header: Any) -> Iterator[str]:
    if isinstance(header, Mapping):
        yield from (n for n in map(str, header) if is_secret(n) or n.lower() in _HEADERS)
    elif header is not None:
        yield "header"

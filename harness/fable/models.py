"""The models of a run: named, checked, loaded, and told apart."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from sociolect.generators.errors import InvalidInputError, ModelError, UnknownNameError
from sociolect.harness.engine_errors import (
    TRACEBACK_VARIABLE,
    Command,
    explained,
    first_line,
)
from sociolect.harness.fable.asking import Asker
from sociolect.harness.model_arguments import parsed_arguments
from sociolect.harness.run_options import Finding, RunOptions
from sociolect.steering.backends.answers import AnswerStore
from sociolect.steering.backends.identity import model_identity
from sociolect.steering.backends.registry import BACKENDS, SERVED, create_model

GENERATE = Command("--model_args batch_size", "--max-new-tokens", f"set {TRACEBACK_VARIABLE}=1")
TRANSPORT_ARGUMENTS = frozenset(
    {
        "auth_token",
        "ca_cert_path",
        "header",
        "max_retries",
        "num_concurrent",
        "timeout",
        "verify_certificate",
    }
)
"""Model arguments that say how a server is reached; they change no answer, and may be secret."""


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model as the command line names it.

    Attributes:
        backend: Value of `--model`.
        arguments: Its arguments.
        chat: Ask it with its chat template.
        seed: Of the run.
    """

    backend: str
    arguments: Mapping[str, Any]
    chat: bool
    seed: int

    @property
    def keeps_answers(self) -> bool:
        """Whether its backend is one of ours."""
        return self.backend in BACKENDS or self.backend in SERVED

    @property
    def name(self) -> str:
        """What the items call it: the last part of a path, or a name on the Hub or a server."""
        given = self.arguments.get("model") or self.arguments.get("pretrained") or self.backend
        path = Path(str(given)).expanduser()
        return path.name if path.is_absolute() or path.exists() else str(given)

    def identity(self) -> dict[str, Any]:
        """Everything known before it is loaded that changes its answers, without secrets."""
        told = {k: v for k, v in self.arguments.items() if k not in TRANSPORT_ARGUMENTS}
        return {"model": model_identity(self.backend, told), "chat_template": self.chat}

    def options(self) -> RunOptions:
        """The same as the arguments of a run, for checks and messages."""
        return RunOptions(
            model=self.backend,
            model_args=self.arguments,
            batch_size=self.arguments.get("batch_size", 1),
            device=self.arguments.get("device"),
            environ=os.environ,
        )

    def findings(self) -> list[Finding]:
        """What is wrong with its arguments, or may be.

        Raises:
            InvalidInputError: Something that cannot work.
        """
        from sociolect.harness.backend_traps import (
            adapter_trap,
            own_arguments_trap,
            tokenizer_trap,
        )
        from sociolect.harness.model_arguments import names_trap, values_trap

        traps = (own_arguments_trap, names_trap, values_trap, adapter_trap, tokenizer_trap)
        found = [finding for trap in traps for finding in trap(self.options(), ())]
        if refused := [one.message for one in found if one.severity == "refuse"]:
            raise InvalidInputError("\n  ".join(refused))
        return found

    def load(self, folder: Path) -> Asker:
        """The model, ready to be asked.

        Args:
            folder: Where answers are kept.

        Raises:
            ModelError: It cannot be loaded.
            MissingToolError: A package that it needs is not installed.
        """
        around = partial(_explained, self.options(), folder)
        with around():
            model = create_model(self.backend, self._with_folder(folder))
        if (runner := getattr(model, "runner", None)) is not None:
            runner.hidden = True  # there is one bar for writing and checking
        return Asker(model, self._store(folder), self.seed, self.chat, around)

    def _with_folder(self, folder: Path) -> dict[str, Any]:
        if not self.keeps_answers:
            return dict(self.arguments)
        return {"seed": self.seed, "answers": str(folder), **self.arguments}

    def _store(self, folder: Path) -> AnswerStore | None:
        return None if self.keeps_answers else AnswerStore(folder, self.identity())


def choose(
    backend: str, text: str, *, chat: bool, seed: int, concurrency: int, option: str = "--model"
) -> ModelChoice:
    """A model from the text of its options.

    A chat server is always asked in turns.

    Args:
        backend: Value of `--model`.
        text: Value of `--model_args`.
        chat: Whether the chat template is asked for.
        seed: Of the run.
        concurrency: Requests to a server at a time, unless its arguments say otherwise.
        option: What the option is called, for messages.

    Raises:
        UnknownNameError: No such backend.
        InvalidInputError: Arguments that cannot be read.
    """
    from lm_eval.api.registry import model_registry

    from sociolect.steering.backends.registry import register_backends

    register_backends()
    if backend not in model_registry:
        raise UnknownNameError("model backend", backend, sorted(model_registry.keys()))
    if concurrency < 1:
        raise InvalidInputError(f"--concurrency must be 1 or more, not {concurrency}")
    arguments = parsed_arguments(text, option)
    if backend in SERVED:
        arguments.setdefault("num_concurrent", concurrency)
    return ModelChoice(backend, arguments, chat or "chat-completions" in backend, seed)


@contextmanager
def _explained(options: RunOptions, folder: Path) -> Iterator[None]:
    """Like `explained`; also of what a backend does not do at all."""
    with explained(options, folder, GENERATE):
        try:
            yield
        except NotImplementedError as error:
            raise ModelError(
                f"--model {options.model} does not answer such requests ({first_line(error)}). "
                "If it is the checker, ask it with --checker-form reason"
            ) from error

"""Tokens of the continuations of the dialect audit, split as lm_eval splits them.

lm_eval encodes context and continuation together and takes what is beyond the context, so the
count of a continuation depends on the context. A run of `sociolect eval` counts with the tokenizer
of its model and records the counts; for a run of lm_eval alone a tokenizer can be named.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from sociolect.generators.dialect.pairs import VARIETIES
from sociolect.generators.errors import InvalidInputError, ResultsError
from sociolect.harness.result_files import RunFiles
from sociolect.harness.run_records import record_beside
from sociolect.tasks.dialect.prompts import prompt, scored

if TYPE_CHECKING:
    from sociolect.tasks.dialect.gathered import Tokens

KEY = "continuation_tokens"
"""Of the record of a run."""
PREFIX = "aae_continuation"
"""Begins the names of the tasks whose continuations are counted."""

OfTask = dict[str, dict[str, list[int]]]
"""By pair and context: tokens of the AAE continuation and of the SAE continuation."""


@dataclass(slots=True)
class TokenCounts:
    """What a run counted.

    Attributes:
        found: By task.
        messages: What was said of it.
    """

    found: dict[str, OfTask] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)

    def add(self, lm: Any, requests: Sequence[Any]) -> None:
        """Count what is asked of a model, its own tokenizer doing so."""
        if not _has_tokenizer(lm):
            if requests and not self.messages:
                # Only in a run: it loads torch, which a report of finished runs does without.
                from sociolect.harness.run_reports import say

                self.messages.append(say("note", _NO_TOKENIZER))
            return
        for one in requests:
            pairs = self.found.setdefault(one.task_name, {})
            contexts = pairs.setdefault(str(one.doc["id"]), {})
            counts = contexts.setdefault(str(one.doc["context"]), [0] * len(VARIETIES))
            counts[one.idx] = _tokens(lm, *one.args)

    def gather(self, lm: Any) -> None:
        """Add what the other processes of a run counted; in the first of them, all of it."""
        if getattr(lm, "world_size", 1) < 2:
            return
        for found in lm.gather_object(self.found, dst=0) or ():
            for task, pairs in found.items():
                of_task = self.found.setdefault(task, {})
                for pair, contexts in pairs.items():
                    of_task.setdefault(pair, {}).update(contexts)


_NO_TOKENIZER = (
    "the model has no tokenizer here, so the tokens of the continuations are not counted; a report "
    "of their perplexity needs the name of one (--tokenizer)"
)


def _has_tokenizer(lm: Any) -> bool:
    return hasattr(lm, "_encode_pair") and getattr(lm, "tokenizer", None) is not None


def _tokens(lm: Any, context: str, continuation: str) -> int:
    """Tokens that are scored, as in lm_eval's `loglikelihood`."""
    if context:
        return len(lm._encode_pair(context, continuation)[1])
    alone: list[int] = lm.tok_encode(continuation, add_special_tokens=False)
    return len(alone) - int(alone[:1] == [lm.prefix_token_id])


@contextmanager
def counting(tasks: Collection[str], counts: TokenCounts) -> Iterator[None]:
    """Count the continuations of every model that lm_eval evaluates meanwhile.

    All that is asked is counted, also what has a kept answer. To count what another wrapper of
    `evaluate` leaves out too, enter that one after this.

    Args:
        tasks: Names of the tasks of the run that are ours.
        counts: Is told what was counted.
    """
    from lm_eval import evaluator

    evaluate, own = evaluator.evaluate, {name for name in tasks if name.startswith(PREFIX)}

    def with_counts(*args: Any, **kwargs: Any) -> Any:
        lm = kwargs["lm"] if "lm" in kwargs else args[0]
        model = getattr(lm, "lm", lm)  # lm_eval's cache is around the model
        lm.loglikelihood = _counted(lm.loglikelihood, model, own, counts)
        results = evaluate(*args, **kwargs)
        counts.gather(model)
        return results

    evaluator.evaluate = with_counts if own else evaluate
    try:
        yield
    finally:
        evaluator.evaluate = evaluate


def _counted(
    ask: Callable[..., list[Any]], model: Any, tasks: Collection[str], counts: TokenCounts
) -> Callable[..., list[Any]]:
    def counted(requests: Sequence[Any], **options: Any) -> list[Any]:
        counts.add(model, [one for one in requests if one.task_name in tasks])
        return ask(requests, **options)

    return counted


def recorded_tokens(files: RunFiles) -> Tokens | None:
    """What `sociolect eval` counted in a task of a run.

    Returns:
        By pair and context, the tokens of the AAE and of the SAE continuation; None where nobody
        counted: a run of lm_eval's own command or of an older version, or a model without a
        tokenizer.

    Raises:
        ResultsError: A record that is damaged.
    """
    beside = record_beside(files)
    if beside is None or beside.content.get(KEY) is None:
        return None
    counts = beside.content[KEY]
    of_task = counts.get(files.task, {}) if isinstance(counts, dict) else counts
    if not isinstance(of_task, dict):
        raise ResultsError(f"{beside.path}: {KEY} is no table of counts; it was edited")
    for pair, contexts in of_task.items():
        if not _is_counts(contexts):
            raise ResultsError(
                f"{beside.path}: the {KEY} of pair {pair} are not two counts a context; the "
                "record was edited"
            )
    return of_task or None


def _is_counts(contexts: Any) -> bool:
    return isinstance(contexts, dict) and all(
        context in VARIETIES
        and isinstance(counts, list)
        and len(counts) == len(VARIETIES)
        and all(type(count) is int and count > 0 for count in counts)
        for context, counts in contexts.items()
    )


def count_tokens(tokenizer: str, docs: Iterable[Mapping[str, Any]]) -> Tokens:
    """Counts for a run that recorded none.

    Args:
        tokenizer: Folder or Hub name, for `AutoTokenizer` of transformers.
        docs: Documents of a task `aae_continuation*`, as in its samples.

    Returns:
        As `recorded_tokens` for lm_eval's `hf` with default arguments and no chat template.

    Raises:
        InvalidInputError: The tokenizer cannot be loaded.
    """
    split = _splitter(tokenizer)
    counts: OfTask = {}
    for doc in docs:
        of_pair = counts.setdefault(str(doc["id"]), {})
        of_pair[str(doc["context"])] = [_tokens(split, prompt(doc), text) for text in scored(doc)]
    return counts


def _splitter(tokenizer: str) -> Any:
    """lm_eval's way of splitting with a tokenizer alone."""
    from lm_eval.api.model import TemplateLM
    from lm_eval.models.huggingface import HFLM
    from transformers import AutoTokenizer

    try:
        loaded: Any = AutoTokenizer.from_pretrained(tokenizer)
    except (OSError, ValueError) as error:
        said = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise InvalidInputError(
            f"the tokenizer {tokenizer!r} cannot be loaded: {said} Name a folder or a Hub id"
        ) from error
    begin = loaded.eos_token_id if loaded.bos_token_id is None else loaded.bos_token_id
    if begin is None:
        raise InvalidInputError(
            f"the tokenizer {tokenizer!r} has no token that begins or ends a text, so it is that "
            "of no causal language model; name the tokenizer of the model that was asked"
        )
    own: Any = SimpleNamespace(
        tokenizer=loaded, add_bos_token=None, prefix_token_id=begin, backend="causal"
    )
    own.tok_encode = partial(HFLM.tok_encode, own)
    own._encode_pair = partial(TemplateLM._encode_pair, own)
    return own

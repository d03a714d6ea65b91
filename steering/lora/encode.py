"""Training examples as token ids: what the model reads, and what it is trained to write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from sociolect.generators.errors import DataError, ModelError, TrainingError

if TYPE_CHECKING:
    from sociolect.steering.lora.training_set import Example

SENTINEL = "\n"


@dataclass(frozen=True, slots=True)
class Encoded:
    """A training example.

    Attributes:
        name: Item and order, unique within a prompt set.
        prompt: Token ids of the prompt, as in the evaluation.
        completion: Token ids of the target, the end-of-sequence token last.
    """

    name: str
    prompt: tuple[int, ...]
    completion: tuple[int, ...]

    @property
    def length(self) -> int:
        """Tokens in all."""
        return len(self.prompt) + len(self.completion)


@dataclass(frozen=True, slots=True)
class EncodedSets:
    """The prompt sets of a training set, line by line the same items and targets.

    Attributes:
        sets: The examples that fit, by prompt set.
        longest: Tokens of the longest example that fits.
        too_long: Names of the examples that were left out of all sets.
        not_verbatim: How many targets do not decode to their text (a tokenizer that normalises).
    """

    sets: Mapping[str, tuple[Encoded, ...]]
    longest: int
    too_long: tuple[str, ...]
    not_verbatim: int


def encode_sets(
    tokenizer: Any, sets: Mapping[str, Sequence[Example]], max_length: int | None
) -> EncodedSets:
    """Encode prompt sets that share their targets.

    Nothing is ever cut. An example that is too long in one set is left out of all of them, so
    that they stay parallel.

    Args:
        tokenizer: Of the base model.
        sets: Examples by prompt set.
        max_length: Most tokens of an example, None for no limit.

    Raises:
        DataError: The sets are not parallel, a text cannot be encoded, or a target is empty.
        ModelError: The tokenizer has no end-of-sequence token.
        TrainingError: No example fits, there is none, or the sets have the same prompts.
    """
    for name, examples in sets.items():
        check_texts(f"{name}.jsonl", examples)
    _check_different(sets)
    encoded = {name: encode(tokenizer, examples) for name, examples in sets.items()}
    assert_parallel(encoded)
    rows = list(zip(*encoded.values(), strict=True))
    fits = [all(max_length is None or e.length <= max_length for e in row) for row in rows]
    too_long = tuple(row[0].name for row, fit in zip(rows, fits, strict=True) if not fit)
    kept = {
        name: tuple(e for e, fit in zip(examples, fits, strict=True) if fit)
        for name, examples in encoded.items()
    }
    if not any(fits):
        raise TrainingError(
            f"all {len(rows)} examples are longer than {max_length} tokens; raise --max-length"
            if rows
            else "the training set holds no examples; prepare it again"
        )
    longest = max(e.length for examples in kept.values() for e in examples)
    texts = [example.completion for example in next(iter(sets.values()))]
    first = next(iter(encoded.values()))
    return EncodedSets(kept, longest, too_long, _not_verbatim(tokenizer, first, texts))


def encode(tokenizer: Any, examples: Iterable[Example]) -> tuple[Encoded, ...]:
    """Encode one prompt set.

    The end-of-sequence token follows the target: generations shall end right after the answer.

    Raises:
        ModelError: The tokenizer has no end-of-sequence token.
        DataError: Two examples have the same name.
    """
    end = end_token(tokenizer)
    continuation = continuation_encoder(tokenizer)
    encoded = tuple(
        Encoded(
            f"{example.id}/{example.order}",
            prompt_ids(tokenizer, example.prompt),
            (*continuation(example.completion), end),
        )
        for example in examples
    )
    names = [example.name for example in encoded]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"the training set holds {twice} twice; prepare it again")
    return encoded


def check_texts(file: str, examples: Iterable[Example]) -> None:
    """See that all texts are text and that every target says something.

    Args:
        file: Where the examples are from, for the message.
        examples: One a line.

    Raises:
        DataError: It names the line and the item.
    """
    for line, example in enumerate(examples, start=1):
        where = f"{file}, line {line} ({example.id!r}, order {example.order})"
        for part in ("id", "prompt", "completion"):
            try:
                getattr(example, part).encode()
            except UnicodeEncodeError as error:
                found = f"U+{ord(error.object[error.start]):04X}"
                raise DataError(
                    f"{where}: the {part} holds half a character ({found}, a lone surrogate) at "
                    f"position {error.start}, which no tokenizer can read; prepare the training "
                    "set again without this item"
                ) from None
        if not example.completion.strip():
            raise DataError(
                f"{where}: the completion is empty, so there is nothing to learn; prepare the "
                "training set again"
            )


def _check_different(sets: Mapping[str, Sequence[Example]]) -> None:
    prompts = [[example.prompt for example in examples] for examples in sets.values()]
    if len(prompts) > 1 and prompts[0] and all(other == prompts[0] for other in prompts[1:]):
        raise TrainingError(
            f"the prompts of {' and '.join(sets)} are the same in all {len(prompts[0])} examples, "
            "so both adapters would be the same; prepare the training set again with errors in "
            "its prompts"
        )


def end_token(tokenizer: Any) -> int:
    """Id of the token that ends a generation.

    Raises:
        ModelError: The tokenizer has none.
    """
    end = tokenizer.eos_token_id
    if end is None:
        raise ModelError(
            "the tokenizer has no end-of-sequence token, so the model could not learn to stop "
            "after the answer; set eos_token in its tokenizer_config.json"
        )
    return int(end)


def prompt_ids(tokenizer: Any, prompt: str) -> tuple[int, ...]:
    """Token ids of a prompt, exactly as lm-eval's `hf` and `vllm` models encode it.

    They use the tokenizer's default for special tokens, but add none to a text that begins with
    the text of its beginning-of-sequence token.
    """
    first = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id
    begun = first is not None and prompt.startswith(tokenizer.decode(first))
    options = {"add_special_tokens": False} if begun else {}
    return tuple(tokenizer.encode(prompt, **options))


def continuation_encoder(tokenizer: Any) -> Callable[[str], tuple[int, ...]]:
    r"""How this tokenizer encodes a text that follows another one.

    Some (Llama 2) put a space before every text; what follows `\boxed{` would then begin with a
    space that the text does not have. There the text is encoded behind a line break, whose
    tokens are taken off again.
    """

    def plain(text: str) -> tuple[int, ...]:
        return tuple(tokenizer.encode(text, add_special_tokens=False))

    if " " not in tokenizer.decode([*plain("x"), *plain("y")]):
        return plain
    before = plain(SENTINEL)

    def behind(text: str) -> tuple[int, ...]:
        whole = plain(SENTINEL + text)
        if whole[: len(before)] != before:
            raise ModelError(
                f"the tokenizer cannot encode a target apart from its prompt ({text[:40]!r})"
            )
        return whole[len(before) :]

    return behind


def assert_parallel(sets: Mapping[str, Sequence[Encoded]]) -> None:
    """The prompt sets differ in nothing but the prompts.

    Raises:
        DataError: Another number of examples, another item, or another target; it names the first.
    """
    (first, examples), *others = sets.items()
    for name, other in others:
        if len(other) != len(examples):
            raise DataError(
                f"{first} has {len(examples)} examples and {name} has {len(other)}; the prompt "
                "sets must be parallel: prepare the training set again"
            )
        for line, (a, b) in enumerate(zip(examples, other, strict=True), start=1):
            if (a.name, a.completion) != (b.name, b.completion):
                what = "targets" if a.name == b.name else f"items ({a.name}, {b.name})"
                raise DataError(
                    f"line {line} of {first} and of {name} ({a.name}) has different {what}; they "
                    "may differ in the prompt only: prepare the training set again"
                )


def digest(examples: Iterable[Encoded], part: str) -> str:
    """SHA-256 of the names and one part of the examples, in their order.

    Args:
        examples: In the order that counts.
        part: `name`, `prompt` or `completion`.
    """
    state = sha256()
    for example in examples:
        value = getattr(example, part)
        ids = "" if part == "name" else " ".join(map(str, value))
        state.update(f"{example.name}\t{ids}\n".encode())
    return state.hexdigest()


def _not_verbatim(tokenizer: Any, encoded: Sequence[Encoded], texts: Sequence[str]) -> int:
    """How many targets come out of the tokenizer otherwise than they went in."""
    count = 0
    for example, text in zip(encoded, texts, strict=True):
        ids = [*example.prompt, *example.completion[:-1]]
        count += not tokenizer.decode(ids, clean_up_tokenization_spaces=False).endswith(text)
    return count

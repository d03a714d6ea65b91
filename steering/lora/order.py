"""The order in which examples are seen, the same for every prompt set and number of processes."""

from __future__ import annotations

from collections.abc import Sequence

from sociolect.generators.uniform import Uniforms
from sociolect.steering.lora.encode import Encoded


def training_order(examples: Sequence[Encoded], seed: int, epochs: int) -> tuple[Encoded, ...]:
    """The examples of all epochs in a row, each epoch in an order of its own.

    The place of an example follows from a hash of seed, epoch and name, so it depends neither on
    the prompts nor on a random generator.

    Args:
        examples: One prompt set; names are unique.
        seed: Any integer.
        epochs: 1 or more.
    """
    ordered: list[Encoded] = []
    for epoch in range(epochs):
        number = Uniforms(seed, "training order", str(epoch))
        ordered += sorted(examples, key=lambda example: (number(example.name), example.name))
    return tuple(ordered)


def filled_up(examples: Sequence[Encoded], multiple: int) -> list[dict[str, list[int]]]:
    """Rows for the trainer: token ids, and a mask that is 1 on the target.

    Processes must get the same number of examples. Accelerate would repeat examples from the
    start; instead the last part is filled up with rows without a target, which add nothing to
    the loss or to its denominator.

    Args:
        examples: In the order of training.
        multiple: The number of rows is a multiple of this.
    """
    rows = [
        {
            "input_ids": [*example.prompt, *example.completion],
            "completion_mask": [0] * len(example.prompt) + [1] * len(example.completion),
        }
        for example in examples
    ]
    filler = min(rows, key=lambda row: len(row["input_ids"]))["input_ids"]
    missing = -len(rows) % multiple
    return rows + [{"input_ids": filler, "completion_mask": [0] * len(filler)}] * missing

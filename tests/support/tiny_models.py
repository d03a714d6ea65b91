"""Random models of a few thousand parameters, with a tokenizer, and training sets for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sociolect.steering.lora.settings import Settings
from sociolect.steering.lora.train import train
from sociolect.steering.lora.training_set import Example, TrainingSet, write_training_set

TINY_SETTINGS = Settings(
    rank=4, batch=8, per_device=4, dtype="float32", gradient_checkpointing=False, learning_rate=1e-2
)
HIDDEN = 32
SMALL: dict[str, Any] = {
    "hidden_size": HIDDEN,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 256,
    "bos_token_id": 0,
    "eos_token_id": 1,
    "pad_token_id": None,
}


def byte_tokenizer(**options: Any) -> Any:
    """A token for each byte; `<s>` 0 comes first, `</s>` 1 ends. No padding token."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {piece: i for i, piece in enumerate(["<s>", "</s>", *alphabet])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 0)]
    )
    named = {"bos_token": "<s>", "eos_token": "</s>", **options}
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **named)


def tiny_llama(folder: Path, tokenizer: Any | None = None, **options: Any) -> Path:
    """Save a random Llama with its tokenizer; the same weights every time."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = tokenizer or byte_tokenizer()
    config = LlamaConfig(**{**SMALL, "vocab_size": len(tokenizer), **options})
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def examples(count: int, *, errors: bool) -> tuple[Example, ...]:
    """Prompts and targets of different lengths."""
    made = []
    for i in range(count):
        sentence = f"The trophy number {i} does not fit because it is {'too ' * (i % 5)}big."
        wrong = sentence.replace("does not fit", "do not fits")
        prompt = f"{wrong if errors else sentence} Answer:"
        target = f" It is{' so' * (i % 7)} \\boxed{{{'AB'[i % 2]}}}"
        level, rate = (10, 0.1) if errors else (0, 0.0)
        made.append(Example(f"item-{i // 2}", i % 2, prompt, target, level, rate))
    return tuple(made)


def tiny_training_set(folder: Path, count: int = 22) -> TrainingSet:
    """Write a training set of `count` examples."""
    manifest = {"form": "reason", "licence": "CC BY"}
    return write_training_set(
        folder, manifest, examples(count, errors=False), examples(count, errors=True)
    )


def tiny_place(folder: Path) -> Path:
    """Make `model`, `data`, and the adapters `out/clean` and `out/errors` in a folder."""
    tiny_llama(folder / "model")
    tiny_training_set(folder / "data")
    run(folder, folder / "out")
    return folder


def run(place: Path, out: Path, settings: Settings = TINY_SETTINGS, **options: Any) -> Any:
    """Train with the model and the data of `tiny_place`."""
    return train(place / "data", str(place / "model"), out, settings, **options)


def record(folder: Path) -> dict[str, Any]:
    """The `training.json` of an adapter."""
    read: dict[str, Any] = json.loads((folder / "training.json").read_text())
    return read


def weights(folder: Path) -> bytes:
    """The weights of an adapter."""
    return (folder / "adapter_model.safetensors").read_bytes()

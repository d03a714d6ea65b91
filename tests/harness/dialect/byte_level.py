"""A small RoBERTa with random weights, whose tokenizer is a byte-level BPE made on the fly."""

from __future__ import annotations

from pathlib import Path

PLACES = 22


def save_roberta(folder: Path) -> Path:
    """The model with its tokenizer, in a folder."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast, RobertaConfig, RobertaModel

    spoken = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=spoken,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    made.train_from_iterator(["she is working tonight", "tonight she is working"] * 5, trainer)
    made.post_processor = processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0), add_prefix_space=False
    )
    roles = ("cls_token", "pad_token", "sep_token", "unk_token", "mask_token")
    PreTrainedTokenizerFast(
        tokenizer_object=made, **dict(zip(roles, spoken, strict=True))
    ).save_pretrained(folder)
    torch.manual_seed(0)
    RobertaModel(
        RobertaConfig(
            vocab_size=made.get_vocab_size(),
            hidden_size=16,
            num_hidden_layers=3,
            num_attention_heads=2,
            intermediate_size=16,
            max_position_embeddings=PLACES,
            pad_token_id=1,
        )
    ).save_pretrained(folder)
    return folder

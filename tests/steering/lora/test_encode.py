"""Token ids are those of the evaluation, the target ends with the end token, nothing is cut."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tiny_models import byte_tokenizer, examples, tiny_llama

from sociolect.generators.errors import DataError, ModelError, TrainingError
from sociolect.steering.lora.encode import (
    assert_parallel,
    continuation_encoder,
    digest,
    encode,
    encode_sets,
    prompt_ids,
)
from sociolect.steering.lora.training_set import Example

CLEAN, ERRORS = examples(10, errors=False), examples(10, errors=True)
SETS = {"clean": CLEAN, "errors": ERRORS}


def sentencepiece_like() -> Any:
    """A tokenizer that puts a space before every text, as that of Llama 2 does."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = "▁\n{}\\ABabcdefghijklmnopqrstuvwxyzTI.:0123456789"
    vocabulary = {piece: i for i, piece in enumerate(["<s>", "</s>", "<unk>", *letters])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[], unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always", split=False)
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="always", split=False)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>"
    )


@pytest.mark.parametrize("adds_bos", [True, False])
def test_prompts_are_encoded_as_lm_eval_encodes_them(tmp_path: Any, adds_bos: bool) -> None:
    from lm_eval.models.huggingface import HFLM

    tokenizer = byte_tokenizer()
    if not adds_bos:
        tokenizer.backend_tokenizer.post_processor = None
    model = HFLM(pretrained=str(tiny_llama(tmp_path, tokenizer)), device="cpu", batch_size=1)
    for prompt in ("Who? Answer:", "<s>Who? Answer:", " \\boxed{"):
        batch, _ = model.tok_batch_encode([prompt])
        assert prompt_ids(model.tokenizer, prompt) == tuple(model.tok_encode(prompt))
        assert prompt_ids(model.tokenizer, prompt) == tuple(batch[0].tolist())


def test_a_target_ends_with_the_end_token_and_has_no_other_special_one() -> None:
    tokenizer = byte_tokenizer()
    (one,) = encode(tokenizer, [Example("a", 1, "Who?", " It is \\boxed{A}")])
    assert one.name == "a/1"
    assert one.prompt[0] == tokenizer.bos_token_id
    assert one.completion[-1] == tokenizer.eos_token_id
    assert tokenizer.decode(one.completion[:-1]) == " It is \\boxed{A}"
    assert not {0, 1} & {*one.completion[:-1], *one.prompt[1:]}


@pytest.mark.parametrize("text", ["A}", " It is \\boxed{B}", "  two"])
def test_a_tokenizer_that_adds_spaces_adds_none_to_a_target(text: str) -> None:
    tokenizer = sentencepiece_like()
    assert tokenizer.decode(tokenizer.encode("A}", add_special_tokens=False)) == "A}"
    prompt = "\\boxed{"
    ids = [*tokenizer.encode(prompt), *continuation_encoder(tokenizer)(text)]
    assert tokenizer.decode(ids) == prompt + text
    if not text.startswith(" "):
        plain = [*tokenizer.encode(prompt), *tokenizer.encode(text, add_special_tokens=False)]
        assert tokenizer.decode(plain) == f"{prompt} {text}"


def test_a_target_that_the_tokenizer_changes_is_counted() -> None:
    sets = {"clean": [Example("a", 0, "i: ", "A}"), Example("b", 0, "i: ", "A! }")]}
    assert encode_sets(sentencepiece_like(), sets, None).not_verbatim == 1
    assert encode_sets(byte_tokenizer(), SETS, None).not_verbatim == 0


def test_without_an_end_token_there_is_nothing_to_learn_to_stop_with() -> None:
    with pytest.raises(ModelError, match="no end-of-sequence token"):
        encode(byte_tokenizer(eos_token=None), CLEAN)


def test_what_is_too_long_in_one_set_is_left_out_of_both() -> None:
    encoded = encode_sets(byte_tokenizer(), SETS, None)
    lengths = {name: [e.length for e in kept] for name, kept in encoded.sets.items()}
    assert encoded.longest == max(*lengths["clean"], *lengths["errors"])
    sets = {"clean": CLEAN, "errors": list(ERRORS)}
    sets["errors"][3] = replace(ERRORS[3], prompt=ERRORS[3].prompt + "!" * 200)
    cut = encode_sets(byte_tokenizer(), sets, encoded.longest)
    assert cut.too_long == ("item-1/1",)
    names = {name: [e.name for e in kept] for name, kept in cut.sets.items()}
    assert names["clean"] == names["errors"]
    assert len(names["clean"]) == len(CLEAN) - 1
    # What is kept is whole.
    assert all(e.completion[-1] == 1 for kept in cut.sets.values() for e in kept)


def test_a_limit_that_nothing_meets_is_an_error() -> None:
    with pytest.raises(TrainingError, match="all 10 examples are longer than 5 tokens"):
        encode_sets(byte_tokenizer(), SETS, 5)
    with pytest.raises(TrainingError, match="no examples"):
        encode_sets(byte_tokenizer(), {"clean": [], "errors": []}, None)


def test_sets_that_differ_in_more_than_the_prompts_are_refused() -> None:
    tokenizer = byte_tokenizer()
    clean = encode(tokenizer, CLEAN)
    assert_parallel({"clean": clean, "errors": encode(tokenizer, ERRORS)})
    swapped = (clean[1], clean[0], *clean[2:])
    other_target = (replace(clean[0], completion=clean[0].completion[1:]), *clean[1:])
    for wrong, said in ((clean[:-1], "9"), (swapped, "items"), (other_target, "targets")):
        with pytest.raises(DataError, match=said):
            assert_parallel({"clean": clean, "errors": wrong})


@pytest.mark.parametrize("part", ["id", "prompt", "completion"])
def test_half_a_character_is_named_with_its_line(part: str) -> None:
    """JSON can hold one, as an escape."""
    wrong = list(ERRORS)
    wrong[3] = replace(wrong[3], **{part: "half \ud83d"})
    name = r"'half \\ud83d'" if part == "id" else "'item-1'"
    said = rf"errors\.jsonl, line 4 \({name}, order 1\): the {part} .*\(U\+D83D.*position 5"
    with pytest.raises(DataError, match=said):
        encode_sets(byte_tokenizer(), {"clean": CLEAN, "errors": wrong}, None)


@pytest.mark.parametrize("empty", ["", " \n"])
def test_an_empty_target_is_named_with_its_line(empty: str) -> None:
    sets = {
        name: [replace(examples[0], completion=empty), *examples[1:]]
        for name, examples in SETS.items()
    }
    with pytest.raises(DataError, match=r"clean\.jsonl, line 1 .*completion is empty"):
        encode_sets(byte_tokenizer(), sets, None)


def test_prompt_sets_without_any_difference_are_refused() -> None:
    with pytest.raises(TrainingError, match="clean and errors are the same in all 10 examples"):
        encode_sets(byte_tokenizer(), {"clean": CLEAN, "errors": CLEAN}, None)
    one = (*CLEAN[:-1], ERRORS[-1])  # an item may be left without an error
    assert encode_sets(byte_tokenizer(), {"clean": CLEAN, "errors": one}, None).too_long == ()


def test_an_example_that_is_there_twice_is_refused() -> None:
    with pytest.raises(DataError, match="item-0/0 twice"):
        encode(byte_tokenizer(), [*CLEAN, CLEAN[0]])


def test_hashes_see_order_and_content() -> None:
    clean = encode(byte_tokenizer(), CLEAN)
    errors = encode(byte_tokenizer(), ERRORS)
    assert digest(clean, "completion") == digest(errors, "completion")
    assert digest(clean, "prompt") != digest(errors, "prompt")
    assert digest(clean, "name") != digest(clean[::-1], "name")

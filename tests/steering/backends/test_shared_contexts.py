"""Contexts computed once: the numbers of lm_eval; where that is not known to be exact, its path."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from sociolect.generators.errors import ModelError

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("lm_eval")

CLOSE = 1e-4
CONTEXTS = (
    "She been told him",
    "",
    "They finna leave, so ",
    "Short",
    "She told him a long time ago",
)
OPTIONS = (" to go", " B", " to go home now", " to go", "er")
SIZES: dict[str, Any] = {
    "hidden_size": 16,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "max_position_embeddings": 128,
}


def requests(
    contexts: Sequence[str] = CONTEXTS, options: Sequence[str] = OPTIONS, task: str = "t"
) -> list[Any]:
    from lm_eval.api.instance import Instance

    return [
        Instance("loglikelihood", {}, (context, option), idx, (task, number, 1))
        for number, context in enumerate(contexts)
        for idx, option in enumerate(options)
    ]


def saved(folder: Path, kind: str, **options: Any) -> Path:
    """A random model of any kind, with a tokenizer of bytes."""
    from tiny_models import byte_tokenizer

    tokenizer = byte_tokenizer()
    given = {"vocab_size": len(tokenizer), "bos_token_id": 0, "eos_token_id": 1, **SIZES, **options}
    config = getattr(transformers, f"{kind}Config")(**given)
    classes = transformers.MODEL_FOR_CAUSAL_LM_MAPPING
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        classes[type(config)](config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(tmp_path_factory.mktemp("tiny"), "Llama")


def model(folder: Path, name: str = "sociolect-hf", batch: Any = 4, **arguments: Any) -> Any:
    from sociolect.steering.backends.registry import create_model

    given = {"pretrained": str(folder), "dtype": "float32", **arguments}
    return create_model(name, given, {"batch_size": batch, "device": "cpu"})


def assert_as_lm_eval(folder: Path, asked: Sequence[Any], **arguments: Any) -> Any:
    lm, plain = model(folder, **arguments), model(folder, "hf", **arguments)
    found, wanted = lm.loglikelihood(asked), plain.loglikelihood(asked)
    assert [score for score, _ in found] == pytest.approx([s for s, _ in wanted], abs=CLOSE)
    assert [greedy for _, greedy in found] == [greedy for _, greedy in wanted]
    return lm


def lengths_read(lm: Any) -> list[tuple[int, int]]:
    """Filled with rows and length of every input of the first layer of the model."""
    read: list[tuple[int, int]] = []
    layer = lm.model.get_decoder().layers[0]
    layer.register_forward_pre_hook(lambda _, given: read.append(tuple(given[0].shape[:2])))
    return read


@pytest.mark.parametrize("batch", [1, 3, 64, "auto"])
def test_scores_are_those_of_lm_eval(tiny: Path, batch: Any) -> None:
    assert_as_lm_eval(tiny, requests(), batch=batch)


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("Qwen2", {"tie_word_embeddings": True}),
        ("GPT2", {"n_embd": 16, "n_head": 2, "n_layer": 2, "n_positions": 128}),
        ("GPTNeoX", {}),
        ("OPT", {"ffn_dim": 32, "word_embed_proj_dim": 16}),
    ],
)
def test_with_models_of_other_kinds(tmp_path: Path, kind: str, options: dict[str, Any]) -> None:
    assert_as_lm_eval(saved(tmp_path, kind, **options), requests())


def test_greedy_is_found(tiny: Path) -> None:
    """The likeliest continuations themselves, and one that differs in its last token alone."""
    lm = model(tiny, "hf")
    read, likeliest = lm.tok_encode("She told"), []
    for _ in range(3):
        likeliest.append(int(lm.model(torch.tensor([read + likeliest])).logits[0, -1].argmax()))
    triples = [
        (("", ""), read, likeliest),
        (("", ""), read, [*likeliest[:2], likeliest[2] ^ 1]),
        (("", ""), read, likeliest[:1]),
    ]
    found = model(tiny)._loglikelihood_tokens(triples)
    assert [greedy for _, greedy in found] == [True, False, True]
    wanted = [score for score, _ in lm._loglikelihood_tokens(triples)]
    assert [score for score, _ in found] == pytest.approx(wanted, abs=CLOSE)


def test_every_context_is_read_once(tiny: Path) -> None:
    lm = model(tiny, batch=8)
    read = lengths_read(lm)
    lm.loglikelihood(requests(["one two", "four"], [" abc", " de", " a"]))
    # Bytes, and <s> before a context; the last token of a continuation is not read.
    assert read == [(2, 8), (6, 3)]
    read.clear()
    lm.loglikelihood(requests(["one two", "four"], ["A", "B"], task="letters"))
    assert read == [(2, 8)]


def test_hooks_on_the_layers_take_effect_on_context_and_continuation(tiny: Path) -> None:
    lm, plain = model(tiny), model(tiny, "hf")
    before = lm.loglikelihood(requests())
    for one in (lm, plain):
        one.model.get_decoder().layers[0].register_forward_hook(lambda _, __, out: out * 1.5 + 0.2)
    found = [score for score, _ in lm.loglikelihood(requests())]
    assert found == pytest.approx([s for s, _ in plain.loglikelihood(requests())], abs=CLOSE)
    assert found != pytest.approx([s for s, _ in before], abs=0.01)


def test_what_is_too_long_is_cut_as_in_lm_eval(tiny: Path, caplog: Any) -> None:
    """At the limit, one beyond, and so long that nothing but the last token is context."""
    contexts = ["x" * 120 + "yz", "ab" * 63, "q" * 90]
    with caplog.at_level(logging.WARNING, "lm_eval"):
        assert_as_lm_eval(tiny, requests(contexts, [" abcd", " abcde", " " + "w" * 60]))
    said = [one.getMessage() for one in caplog.records if "runcating" in one.getMessage()]
    assert len(said) % 2 == 0  # both models say so
    assert len(said) >= 8


def test_a_continuation_that_leaves_no_room_for_a_context_is_named(tiny: Path) -> None:
    """128 tokens of it can be scored after one of the context, 129 cannot."""
    asked = requests(["abc"], ["w" * 128])
    assert_as_lm_eval(tiny, asked)
    with pytest.raises(ModelError, match=r"continuation 'oh no …' has 129 tokens.*holds 128"):
        model(tiny).loglikelihood(requests(["abc"], ["oh no " + "w" * 123]))


def test_positions_of_padding_are_held_too(tmp_path: Path) -> None:
    """A long context beside a long continuation, with a table of positions that ends."""
    sizes = {"n_embd": 16, "n_head": 2, "n_layer": 2, "n_positions": 128}
    asked = requests(["x" * 125], [" a", "b"]) + requests(["y" * 60], [" " + "z" * 66, " c"])
    assert_as_lm_eval(saved(tmp_path, "GPT2", **sizes), asked)


def test_with_an_adapter(tiny: Path, tmp_path: Path) -> None:
    peft = pytest.importorskip("peft")
    config = peft.LoraConfig(r=2, target_modules=["q_proj", "v_proj"], init_lora_weights=False)
    base = transformers.AutoModelForCausalLM.from_pretrained(tiny)
    peft.get_peft_model(base, config).save_pretrained(tmp_path)
    lm = assert_as_lm_eval(tiny, requests(), peft=str(tmp_path))
    assert lm._shares_contexts()
    plain = [score for score, _ in model(tiny).loglikelihood(requests())]
    assert plain != pytest.approx([s for s, _ in lm.loglikelihood(requests())], abs=0.01)


def test_learned_prompts_take_the_path_of_lm_eval(tiny: Path, tmp_path: Path) -> None:
    peft = pytest.importorskip("peft")
    config = peft.PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=3)
    base = transformers.AutoModelForCausalLM.from_pretrained(tiny)
    peft.get_peft_model(base, config).save_pretrained(tmp_path)
    lm = assert_as_lm_eval(tiny, requests(), peft=str(tmp_path))
    assert not lm._shares_contexts()


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("Mistral", {"sliding_window": 3}),
        ("Mamba", {"state_size": 4}),
        ("Bloom", {"n_head": 2, "n_layer": 2}),
        ("Llama", {"rope_parameters": {"rope_type": "dynamic", "factor": 2.0, "rope_theta": 1e4}}),
    ],
)
def test_where_it_is_not_known_to_be_exact_lm_eval_scores(
    tmp_path: Path, kind: str, options: dict[str, Any]
) -> None:
    lm = assert_as_lm_eval(saved(tmp_path, kind, **options), requests())
    assert not lm._shares_contexts()
    assert lm._runtime()["scoring"] == "lm_eval"


def test_an_encoder_and_decoder_takes_the_path_of_lm_eval(tmp_path: Path) -> None:
    from tiny_models import byte_tokenizer

    tokenizer = byte_tokenizer(pad_token="</s>")
    config = transformers.T5Config(
        vocab_size=len(tokenizer), d_model=16, d_kv=8, d_ff=32, num_layers=1, num_heads=2,
        decoder_start_token_id=1, pad_token_id=1, eos_token_id=1,
    )  # fmt: skip
    torch.manual_seed(0)
    transformers.T5ForConditionalGeneration(config).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    lm = assert_as_lm_eval(tmp_path, requests(CONTEXTS[:1]), batch=1)
    assert not lm._shares_contexts()


def test_scores_do_not_depend_on_what_was_asked_before(tiny: Path) -> None:
    whole = model(tiny, chunk=10).loglikelihood(requests())
    lm = model(tiny, chunk=10)
    lm.loglikelihood(requests(["something else"], [" entirely", " so"], task="other"))
    assert lm.loglikelihood(requests()) == whole
    assert lm.loglikelihood(requests()[10:20]) == whole[10:20]


def test_a_run_that_was_stopped_ends_byte_for_byte_as_a_whole_one(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = model(tiny, chunk=10).loglikelihood(requests())
    lm = model(tiny, chunk=10, answers=str(tmp_path))
    score, calls = lm._score, []

    def stopping(chunk: Any, bar: Any) -> Any:
        if calls:
            raise KeyboardInterrupt
        calls.append(chunk)
        return score(chunk, bar)

    monkeypatch.setattr(lm, "_score", stopping)
    with pytest.raises(KeyboardInterrupt):
        lm.loglikelihood(requests())
    assert model(tiny, chunk=10, answers=str(tmp_path)).loglikelihood(requests()) == whole


def test_another_way_of_scoring_is_another_set_of_kept_answers(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sociolect.steering.backends import hf

    model(tiny, answers=str(tmp_path)).loglikelihood(requests())
    monkeypatch.setattr(hf, "METHOD", "another")
    model(tiny, answers=str(tmp_path)).loglikelihood(requests())
    assert len(list(tmp_path.iterdir())) == 2


def test_the_cache_of_lm_eval_is_told(tiny: Path, tmp_path: Path) -> None:
    from lm_eval.api.model import CachingLM

    cached = CachingLM(model(tiny), str(tmp_path / "cache.db"))
    first = cached.loglikelihood(requests())
    cached.lm.runner = None  # whatever would answer
    assert [tuple(one) for one in cached.loglikelihood(requests())] == first


def test_half_precision_is_summed_in_single(tiny: Path) -> None:
    """Sums of −100 nats and more are multiples of a half or a whole nat in bfloat16."""
    asked = requests(["She said"], [" that the whole long sentence is to be scored", " that it is"])
    found = [score for score, _ in model(tiny, dtype="bfloat16").loglikelihood(asked)]
    assert any(float(torch.tensor(score).bfloat16()) != score for score in found)
    wanted = [score for score, _ in model(tiny).loglikelihood(asked)]
    assert found == pytest.approx(wanted, rel=1e-3)

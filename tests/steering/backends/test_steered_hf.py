"""`sociolect-hf` steered: what it says is what adding the vectors by hand gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("lm_eval")
transformers = pytest.importorskip("transformers")

from random_vectors import random_vector, saved_vector  # noqa: E402

from sociolect.generators.errors import InvalidInputError, ModelError  # noqa: E402

BETA = 3.0
CLOSE = 1e-4
CONTEXTS = ("She been told him", "They finna leave, so", "Short", "She told him a long time ago")
OPTIONS = (" to go", " B", " to go home now")
GREEDY = {"until": [], "do_sample": False, "max_gen_toks": 6}


def gpt2(folder: Path) -> Path:
    """Positions are absolute: padding that is not counted out would change every number."""
    from tiny_models import byte_tokenizer

    tokenizer = byte_tokenizer()
    config = transformers.GPT2Config(
        vocab_size=len(tokenizer),
        n_embd=32,
        n_layer=2,
        n_head=4,
        n_positions=256,
        bos_token_id=0,
        eos_token_id=1,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(4)
        transformers.GPT2LMHeadModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    from tiny_models import tiny_llama

    root = tmp_path_factory.mktemp("models")
    made = {"llama": tiny_llama(root / "llama"), "gpt2": gpt2(root / "gpt2")}
    for name, folder in made.items():
        saved_vector(folder, root / name / "fit" / "vector.safetensors")
    return made


@pytest.fixture(scope="module")
def llama(folders: dict[str, Path]) -> Path:
    return folders["llama"]


def model(folder: Path, beta: float | None = BETA, **arguments: Any) -> Any:
    from sociolect.steering.backends.registry import create_model

    given = {"pretrained": str(folder), "dtype": "float32", "chunk": 4, **arguments}
    if beta is not None:
        given = {"steering": str(folder / "fit" / "vector.safetensors"), "beta": beta} | given
    return create_model("sociolect-hf", given, {"batch_size": 4, "device": "cpu"})


def requests(kind: str = "loglikelihood") -> list[Any]:
    from lm_eval.api.instance import Instance

    pairs = {
        "loglikelihood": [(a, b) for a in CONTEXTS for b in OPTIONS],
        "loglikelihood_rolling": [(a,) for a in CONTEXTS],
        "generate_until": [(a, GREEDY) for a in CONTEXTS],
    }[kind]
    return [Instance(kind, {}, pair, 0, metadata=("t", n, 1)) for n, pair in enumerate(pairs)]


@contextmanager
def by_hand(lm: Any, folder: Path, beta: float = BETA) -> Iterator[None]:
    """The equation of the paper, attached without any of our functions."""
    vector = random_vector(folder)
    inner = lm.model.get_base_model() if hasattr(lm.model, "get_base_model") else lm.model
    blocks = inner.transformer.h if hasattr(inner, "transformer") else inner.model.layers

    def adding(what: Any) -> Callable[..., Any]:
        def hook(_: Any, __: Any, output: Any) -> Any:
            if isinstance(output, tuple):
                return (output[0] + what.to(output[0].dtype), *output[1:])
            return output + what.to(output.dtype)

        return hook

    handles = [
        blocks[k].register_forward_hook(adding(beta * weight * vector.unit[k]))
        for k, weight in vector.weights.items()
    ]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def log_softmax(lm: Any, tokens: list[int]) -> Any:
    with torch.no_grad():
        return lm.model(torch.tensor([tokens]), use_cache=False).logits[0].float().log_softmax(-1)


def score(lm: Any, context: list[int], continuation: list[int]) -> float:
    """One text alone, no padding, no cache."""
    found = log_softmax(lm, [*context, *continuation])[len(context) - 1 : -1]
    return float(sum(row[token] for row, token in zip(found, continuation, strict=True)))


def scores_by_hand(lm: Any, folder: Path, beta: float = BETA) -> list[float]:
    with by_hand(lm, folder, beta):
        return [score(lm, *lm._encode_pair(*request.args)) for request in requests("loglikelihood")]


def greedy_by_hand(lm: Any, folder: Path) -> list[str]:
    """The whole text is read anew for every token."""
    answers = []
    for request in requests("generate_until"):
        tokens = lm.tok_encode(request.args[0])
        start = len(tokens)
        with by_hand(lm, folder):
            while len(tokens) < start + GREEDY["max_gen_toks"] and tokens[-1] != 1:
                tokens = [*tokens, int(log_softmax(lm, tokens)[-1].argmax())]
        answers.append(lm.tok_decode(tokens[start:], skip_special_tokens=True))
    return answers


def hooks_of(lm: Any) -> int:
    return sum(len(one._forward_hooks) for one in lm.model.modules())


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("kind", ["llama", "gpt2"])
def test_log_likelihoods_of_padded_batches_are_those_by_hand(
    folders: Mapping[str, Path], kind: str, shared: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    lm = model(folders[kind])
    if not shared:  # lm_eval's way: padded on the right
        monkeypatch.setattr(lm, "_shares_contexts", lambda: False)
    found = [one for one, _ in lm.loglikelihood(requests())]
    wanted = scores_by_hand(lm, folders[kind])
    assert found == pytest.approx(wanted, abs=CLOSE)
    assert found != pytest.approx(scores_by_hand(lm, folders[kind], beta=0), abs=0.01)
    assert hooks_of(lm) == 0


@pytest.mark.parametrize("kind", ["llama", "gpt2"])
def test_whole_texts_are_those_by_hand(folders: Mapping[str, Path], kind: str) -> None:
    lm = model(folders[kind], beta=-BETA)
    found = lm.loglikelihood_rolling(requests("loglikelihood_rolling"))
    with by_hand(lm, folders[kind], -BETA):
        wanted = [score(lm, [0], lm.tok_encode(text)) for text in CONTEXTS]
    assert found == pytest.approx(wanted, abs=CLOSE)


@pytest.mark.parametrize("kind", ["llama", "gpt2"])
def test_answers_are_those_of_reading_everything_anew(
    folders: Mapping[str, Path], kind: str
) -> None:
    lm = model(folders[kind])
    found = lm.generate_until(requests("generate_until"))
    assert found == greedy_by_hand(lm, folders[kind])
    assert found != model(folders[kind], beta=None).generate_until(requests("generate_until"))


def test_samples_of_a_prompt_that_is_read_once_are_steered(
    llama: Path, make_request: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sociolect.steering.backends import hf

    asked = [make_request(n) for n in range(3) for _ in range(3)]
    found, reads = model(llama).generate_until(asked), []
    real = hf.shared_prompts
    monkeypatch.setattr(hf, "shared_prompts", lambda *given: reads.append(real(*given)))
    assert model(llama).generate_until(asked) == found
    assert any(read is not None for read in reads)
    assert model(llama, beta=None).generate_until(asked) != found


def test_a_strength_of_0_is_the_unsteered_model_exactly(
    llama: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = model(llama, beta=None)
    monkeypatch.setattr("sociolect.steering.backends.hf.steering", None)  # nothing is attached
    lm = model(llama, beta=0)
    assert lm.loglikelihood(requests()) == plain.loglikelihood(requests())
    assert lm.generate_until(requests("generate_until")) == plain.generate_until(
        requests("generate_until")
    )


@pytest.mark.parametrize("method", ["loglikelihood", "loglikelihood_rolling", "generate_until"])
def test_nothing_stays_attached_after_an_exception(
    llama: Path, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lm, seen = model(llama), []

    def fail(*_: Any, **__: Any) -> None:
        seen.append(hooks_of(lm))
        raise RuntimeError("stopped")

    monkeypatch.setattr(lm.model, "forward", fail)
    with pytest.raises(RuntimeError, match="stopped"):
        getattr(lm, method)(requests(method))
    assert seen == [2]
    assert hooks_of(lm) == 0


def test_a_model_with_an_adapter_is_steered(llama: Path, tmp_path: Path) -> None:
    peft = pytest.importorskip("peft")
    base = transformers.LlamaForCausalLM.from_pretrained(llama)
    config = peft.LoraConfig(r=2, target_modules=["q_proj", "down_proj"], init_lora_weights=False)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(5)
        peft.get_peft_model(base, config).save_pretrained(tmp_path / "adapter")
    lm = model(llama, peft=str(tmp_path / "adapter"))
    found = [one for one, _ in lm.loglikelihood(requests())]
    assert found == pytest.approx(scores_by_hand(lm, llama), abs=CLOSE)
    assert found != pytest.approx(scores_by_hand(model(llama), llama), abs=0.01)
    assert lm.generate_until(requests("generate_until")) == greedy_by_hand(lm, llama)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision(llama: Path, dtype: str) -> None:
    lm = model(llama, dtype=dtype)
    found = [one for one, _ in lm.loglikelihood(requests())]
    assert str(lm.model.dtype) == f"torch.{dtype}"
    assert found == pytest.approx(scores_by_hand(lm, llama), rel=0.01)
    assert found == pytest.approx(scores_by_hand(model(llama), llama), rel=0.02)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_quantised_model_is_steered(llama: Path) -> None:
    """Linear layers in int8, as far as a CPU computes them: dynamic quantisation of torch."""
    lm = model(llama)
    linear = {torch.nn.Linear}
    lm._model = torch.ao.quantization.quantize_dynamic(lm.model, linear, dtype=torch.qint8)
    kinds = {type(one).__module__ for one in lm.model.modules()}
    assert any("quantized" in kind for kind in kinds)
    # One text at a time: scales are those of what is read together.
    found = [lm.loglikelihood([one])[0][0] for one in requests()]
    assert found == pytest.approx(scores_by_hand(lm, llama), rel=0.01)
    assert found != pytest.approx(scores_by_hand(lm, llama, beta=0), rel=0.01)


def test_a_folder_of_a_fit_is_taken(llama: Path) -> None:
    lm = model(llama, steering=str(llama / "fit"))
    assert lm.loglikelihood(requests()) == model(llama).loglikelihood(requests())


@pytest.fixture
def unloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights are not to be read: what is wrong is said before."""
    from lm_eval.models.huggingface import HFLM

    monkeypatch.setattr(HFLM, "_create_model", None)


@pytest.mark.usefixtures("unloaded")
def test_what_cannot_steer_is_refused_before_the_model_is_loaded(
    folders: Mapping[str, Path], llama: Path, tmp_path: Path
) -> None:
    from tiny_models import tiny_llama

    with pytest.raises(ModelError, match="architecture: LlamaForCausalLM"):
        model(folders["gpt2"], steering=str(llama / "fit"))
    deeper = tiny_llama(tmp_path / "deeper", num_hidden_layers=3)
    with pytest.raises(ModelError, match="decoder blocks: 2"):
        model(deeper, steering=str(llama / "fit"), steering_unchecked=True)
    wider = tiny_llama(tmp_path / "wider", hidden_size=48)
    with pytest.raises(ModelError, match="width: 32"):
        model(wider, steering=str(llama / "fit"), steering_unchecked=True)
    with pytest.raises(ModelError, match="can run code when it is opened"):
        model(llama, steering=str(tmp_path / "v.pt"))
    with pytest.raises(ModelError, match="there is no such file"):
        model(llama, steering=str(tmp_path))
    with pytest.raises(InvalidInputError, match="says no strength"):
        model(llama, beta=None, steering=str(llama / "fit"))


@pytest.mark.usefixtures("unloaded")
def test_nan_in_a_vector_is_refused(llama: Path, tmp_path: Path) -> None:
    import json

    from safetensors import safe_open
    from safetensors.torch import save_file

    with safe_open(llama / "fit" / "vector.safetensors", framework="pt") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        head = {"config": json.dumps(json.loads(file.metadata()["config"]))}
    tensors["unit.0"][3] = torch.nan
    save_file(tensors, tmp_path / "nan.safetensors", head)
    with pytest.raises(ModelError, match="NaN"):
        model(llama, steering=str(tmp_path / "nan.safetensors"))


def test_blocks_can_be_named(llama: Path) -> None:
    named = model(llama, steering_blocks="model.layers")
    assert named.loglikelihood(requests()) == model(llama).loglikelihood(requests())
    with pytest.raises(ModelError, match=r"model.layers \(2\)"):
        model(llama, steering_blocks="model.blocks")


def test_a_copy_with_other_weights_needs_a_word(llama: Path, tmp_path: Path) -> None:
    other = transformers.LlamaForCausalLM.from_pretrained(llama)
    torch.nn.init.zeros_(other.lm_head.weight)
    other.save_pretrained(tmp_path)
    transformers.AutoTokenizer.from_pretrained(llama).save_pretrained(tmp_path)
    given = {"steering": str(llama / "fit")}
    with pytest.raises(ModelError, match="steering_unchecked=True"):
        model(tmp_path, **given)
    found = model(tmp_path, **given, steering_unchecked=True).loglikelihood(requests())
    assert [one for one, _ in found][1] == pytest.approx(-2 * 5.55, abs=0.1)  # 2 of 258 tokens


def test_kept_answers_are_not_taken_for_those_of_another_strength(
    llama: Path, tmp_path: Path
) -> None:
    kept = {"answers": str(tmp_path)}
    found = {beta: model(llama, beta, **kept).loglikelihood(requests()) for beta in (None, 1, 2)}
    for beta, scores in found.items():
        assert model(llama, beta, **kept).loglikelihood(requests()) == scores
        assert model(llama, beta).loglikelihood(requests()) == scores
    assert len(list(tmp_path.iterdir())) == len({str(scores) for scores in found.values()}) == 3

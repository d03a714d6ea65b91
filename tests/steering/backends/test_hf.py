"""`sociolect-hf` on a tiny random Llama: resumes, and does not touch the global generator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("lm_eval")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tiny_models import tiny_llama

    return tiny_llama(tmp_path_factory.mktemp("tiny"))


def model(tiny: Path, **arguments: Any) -> Any:
    from sociolect.steering.backends.registry import create_model

    given = {"pretrained": str(tiny), "dtype": "float32", "chunk": 2, **arguments}
    return create_model("sociolect-hf", given, {"batch_size": "4", "device": "cpu"})


def asked(make_request: Any, count: int = 5, repeats: int = 3) -> list[Any]:
    return [make_request(n) for n in range(count) for _ in range(repeats)]


def test_samples_differ_and_come_again(tiny: Path, make_request: Any) -> None:
    lm = model(tiny)
    before = torch.random.get_rng_state()
    first = lm.generate_until(asked(make_request))
    assert torch.equal(torch.random.get_rng_state(), before)
    torch.manual_seed(99)
    assert lm.generate_until(asked(make_request)) == first
    assert len(set(first[:3])) == 3
    assert model(tiny, seed=5).generate_until(asked(make_request)) != first


@pytest.mark.parametrize(
    "decided",
    [{"do_sample": False, "temperature": 0.0}, {"do_sample": False}, {"temperature": 0}, {}],
)
def test_greedy_answers_are_computed_once(
    tiny: Path, make_request: Any, monkeypatch: pytest.MonkeyPatch, decided: dict[str, Any]
) -> None:
    from lm_eval.models.huggingface import HFLM

    greedy = {"until": [], **decided, "max_gen_toks": 4}
    requests = [make_request(n, settings=greedy) for n in range(5) for _ in range(3)]
    expected = HFLM(str(tiny), device="cpu", batch_size=15).generate_until(requests)
    lm, rows = model(tiny), []
    real = lm._model_generate

    def counting(context: Any, *args: Any, **kwargs: Any) -> Any:
        rows.append(len(context))
        return real(context, *args, **kwargs)

    monkeypatch.setattr(lm, "_model_generate", counting)
    assert lm.generate_until(requests) == expected
    assert sum(rows) == 5


def test_an_interrupted_run_ends_with_the_answers_of_a_whole_one(
    tiny: Path, make_request: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = model(tiny).generate_until(asked(make_request))
    lm = model(tiny, answers=str(tmp_path))
    real, calls = lm._generate, []

    def interrupted(chunk: Any, bar: Any) -> Any:
        if calls:
            raise KeyboardInterrupt
        calls.append(chunk)
        return real(chunk, bar)

    monkeypatch.setattr(lm, "_generate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        lm.generate_until(asked(make_request))
    again = model(tiny, answers=str(tmp_path))
    monkeypatch.setattr(again, "_model_generate", _counting(again, calls := []))
    assert again.generate_until(asked(make_request)) == whole
    assert len(calls) == 3  # two chunks of six and three answers, batches of four


def _counting(lm: Any, calls: list[int]) -> Any:
    real = lm._model_generate

    def counting(*args: Any, **kwargs: Any) -> Any:
        calls.append(1)
        return real(*args, **kwargs)

    return counting


def test_log_likelihoods_are_those_of_lm_eval(
    tiny: Path, make_request: Any, tmp_path: Path
) -> None:
    from lm_eval.api.registry import get_model

    pairs = [make_request(n, settings=" a b" if n % 2 else " c") for n in range(5)]
    plain = get_model("hf")(pretrained=str(tiny), dtype="float32", batch_size=4, device="cpu")
    lm = model(tiny, answers=str(tmp_path))
    found = lm.loglikelihood(pairs)
    assert [g for _, g in found] == [g for _, g in plain.loglikelihood(pairs)]
    assert [s for s, _ in found] == pytest.approx([s for s, _ in plain.loglikelihood(pairs)])
    assert all(type(pair) is tuple for pair in found)
    assert model(tiny, answers=str(tmp_path)).loglikelihood(pairs) == found


def test_rolling_log_likelihoods_are_those_of_lm_eval(tiny: Path, tmp_path: Path) -> None:
    from lm_eval.api.instance import Instance
    from lm_eval.api.registry import get_model

    texts = [
        Instance("loglikelihood_rolling", {}, (text,), 0, metadata=("t", n, 1))
        for n, text in enumerate(["a b c", "d e f g h"])
    ]
    plain = get_model("hf")(pretrained=str(tiny), dtype="float32", batch_size=4, device="cpu")
    found = model(tiny, answers=str(tmp_path)).loglikelihood_rolling(texts)
    assert found == pytest.approx(plain.loglikelihood_rolling(texts))


def test_another_batch_size_is_another_set_of_answers(
    tiny: Path, make_request: Any, tmp_path: Path
) -> None:
    from sociolect.steering.backends.registry import create_model

    model(tiny, answers=str(tmp_path)).generate_until(asked(make_request))
    other = {"pretrained": str(tiny), "dtype": "float32", "chunk": 2, "answers": str(tmp_path)}
    create_model("sociolect-hf", other, {"batch_size": 2, "device": "cpu"}).generate_until(
        asked(make_request)
    )
    assert len(list(tmp_path.iterdir())) == 2


def test_a_machine_without_a_gpu_is_no_error(tiny: Path) -> None:
    from sociolect.steering.backends.registry import create_model

    lm = create_model("sociolect-hf", {"pretrained": str(tiny), "dtype": "float32"})
    assert lm.device.type == ("cuda" if torch.cuda.is_available() else "cpu")

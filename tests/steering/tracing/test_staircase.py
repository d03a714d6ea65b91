"""One pass through the model against a run for every site."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from sociolect.steering.hooks import decoder_blocks  # noqa: E402
from sociolect.steering.tracing.items import TracedItem, TraceSettings  # noqa: E402
from sociolect.steering.tracing.noise import features, noise, sigma  # noqa: E402
from sociolect.steering.tracing.reference import reference  # noqa: E402
from sociolect.steering.tracing.scores import Scores, Site  # noqa: E402
from sociolect.steering.tracing.staircase import obstacle, staircase  # noqa: E402

DEPTH = 4
KINDS = [
    *((kind, "sdpa") for kind in ("llama", "qwen2", "mistral", "gpt2", "gpt_neox")),
    *((kind, "eager") for kind in ("llama", "gemma2", "gpt2")),
]
CLOSE = 1e-4


def run(
    score: Callable[..., Scores],
    model: Any,
    item: TracedItem,
    sites: list[Site],
    rows: int = 64,
    alpha: float = 3.0,
) -> list[float]:
    vectors = features(model, item)
    given = noise(item, TraceSettings(), 0, sigma(vectors, alpha), vectors.shape[-1])
    with torch.no_grad():
        found = score(model, decoder_blocks(model), item, given, sites, rows)
    return [found.clean, found.corrupted, *found.restored]


def singles(item: TracedItem, depth: int = DEPTH) -> list[Site]:
    return [Site(layer, (at,)) for layer in range(depth) for at in item.positions]


@pytest.mark.parametrize(("kind", "attention"), KINDS)
def test_the_same_numbers(
    kind: str, attention: str, model_of: Callable[..., Any], item_of: Any
) -> None:
    model = model_of(kind, attn_implementation=attention)
    for number in range(3):
        item = item_of(number)
        assert obstacle(model, item) == ""
        wanted = run(reference, model, item, singles(item))
        assert run(staircase, model, item, singles(item)) == pytest.approx(wanted, abs=CLOSE, rel=0)
        assert max(wanted) - min(wanted) > 0.5


@pytest.mark.parametrize("changes", [{"matched": (5,)}, {"other": (5,)}, {"positions": (0,)}])
def test_short_continuations(llama: Any, item_of: Any, changes: dict[str, Any]) -> None:
    item = item_of(1, **changes)
    wanted = run(reference, llama, item, singles(item))
    assert run(staircase, llama, item, singles(item)) == pytest.approx(wanted, abs=CLOSE, rel=0)


@pytest.mark.parametrize(
    ("matched", "other"),
    [
        ((5, 6, 7, 8), (5, 6, 9)),
        ((5, 6, 7), (5, 6, 8)),
        ((5, 6), (5, 6, 7, 8)),
        ((5, 6, 7), (5,)),
        ((5, 6), (5, 6)),
    ],
)
@pytest.mark.parametrize("kind", ["llama", "gpt2"])
def test_continuations_that_begin_alike(
    kind: str, model_of: Any, item_of: Any, matched: tuple[int, ...], other: tuple[int, ...]
) -> None:
    model, item = model_of(kind), item_of(1, matched=matched, other=other)
    wanted = run(reference, model, item, singles(item))
    assert run(staircase, model, item, singles(item)) == pytest.approx(wanted, abs=CLOSE, rel=0)


def test_all_feature_tokens_at_once(llama: Any, item_of: Any) -> None:
    item = item_of()
    sites = [Site(layer, item.positions) for layer in range(DEPTH)]
    wanted = run(reference, llama, item, sites)
    assert run(staircase, llama, item, sites) == pytest.approx(wanted, abs=CLOSE, rel=0)


@pytest.mark.parametrize("rows", [3, 5, 14])
def test_fewer_rows_are_more_passes(llama: Any, item_of: Any, rows: int) -> None:
    """With no batch of more rows than said."""
    item, most = item_of(), 0

    def count(_module: Any, _given: Any, output: Any) -> None:
        nonlocal most
        most = max(most, len(output))

    hook = llama.lm_head.register_forward_hook(count)
    found = run(staircase, llama, item, singles(item), rows)
    hook.remove()
    assert most <= rows
    assert found == run(staircase, llama, item, singles(item))


def test_known_zeros(llama: Any, item_of: Any) -> None:
    item = item_of()
    last = [Site(DEPTH - 1, (at,)) for at in range(10)]
    _, corrupted, *restored = run(staircase, llama, item, last)
    assert restored[:9] == [corrupted] * 9
    assert restored[9] != corrupted
    before = [Site(layer, (at,)) for layer in range(DEPTH) for at in range(3)]
    _, corrupted, *restored = run(staircase, llama, item, before)
    assert restored == pytest.approx([corrupted] * 12, abs=1e-5, rel=0)
    clean, corrupted, *restored = run(staircase, llama, item, singles(item), alpha=0.0)
    assert [corrupted, *restored] == pytest.approx([clean] * 13, abs=1e-5, rel=0)


def test_all_positions_restored_are_the_clean_run(llama: Any, item_of: Any) -> None:
    item = item_of()
    every = tuple(range(10 + 5 + 3))  # of the continuations too, packed behind the context
    found = run(staircase, llama, item, [Site(layer, every) for layer in range(DEPTH)])
    assert found[2:] == pytest.approx([found[0]] * DEPTH, abs=1e-5, rel=0)
    assert abs(found[1] - found[0]) > 0.1


def test_a_continuation_does_not_see_the_other(llama: Any, item_of: Any) -> None:
    """With the two sides exchanged b changes its sign, whichever comes first."""
    item = item_of()
    exchanged = item_of(matched=item.other, other=item.matched)
    sites = singles(item)
    found = run(staircase, llama, exchanged, sites)
    assert found == pytest.approx([-b for b in run(staircase, llama, item, sites)], abs=1e-4)


@pytest.mark.parametrize(
    ("kind", "options", "reason"),
    [
        ("mistral", {"sliding_window": 14}, "window"),
        ("gemma2", {"sliding_window": 14}, "window"),
        ("mamba", {}, "takes no"),
        ("bloom", {}, "takes no position_ids"),
        ("llama", {"attn_implementation": "flash_attention_2"}, "flash_attention_2"),
    ],
)
def test_models_that_are_run_once_a_site(
    kind: str, options: dict[str, Any], reason: str, model_of: Callable[..., Any], item_of: Any
) -> None:
    if "attn_implementation" in options:  # cannot be made without the package
        model = type("Model", (), {})()
        model.config = model_of("llama").config.__class__()
        model.config._attn_implementation = options["attn_implementation"]
        model.forward = model_of("llama").forward
    else:
        model = model_of(kind, **options)
    assert reason in obstacle(model, item_of())


def test_a_window_as_long_as_the_text_is_no_obstacle(
    model_of: Callable[..., Any], item_of: Any
) -> None:
    model, item = model_of("mistral", sliding_window=15), item_of()
    assert obstacle(model, item) == ""
    wanted = run(reference, model, item, singles(item))
    assert run(staircase, model, item, singles(item)) == pytest.approx(wanted, abs=CLOSE, rel=0)


@pytest.mark.slow
def test_the_same_numbers_of_a_real_model(small_model: Path) -> None:
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(small_model, dtype=torch.float32)
    item = TracedItem("a", (504, 2, 78, 905, 33, 17), (2, 5), (351, 253, 40), (351, 90))
    sites = singles(item, 30)[::4]
    wanted = run(reference, model, item, sites)
    found = run(staircase, model, item, sites)
    assert found == pytest.approx(wanted, abs=CLOSE, rel=0)
    assert found == run(staircase, model, item, sites, rows=9)
    assert len(set(wanted)) > 10

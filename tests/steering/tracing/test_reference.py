"""The plain way, against runs written by hand and against what must be exactly zero."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from sociolect.steering.hooks import decoder_blocks  # noqa: E402
from sociolect.steering.tracing.items import TracedItem, TraceSettings  # noqa: E402
from sociolect.steering.tracing.noise import features, noise, sigma  # noqa: E402
from sociolect.steering.tracing.reference import reference  # noqa: E402
from sociolect.steering.tracing.scores import Scores, Site  # noqa: E402

DEPTH, WIDTH = 4, 32
ALL = tuple(range(10))


def scores(
    model: Any, item: TracedItem, sites: list[Site], *, rows: int = 64, alpha: float = 3.0
) -> Scores:
    settings = TraceSettings(alpha=alpha)
    given = noise(item, settings, 0, sigma(features(model, item), alpha), WIDTH)
    with torch.no_grad():
        return reference(model, decoder_blocks(model), item, given, sites, rows)


def singles(item: TracedItem) -> list[Site]:
    return [Site(layer, (at,)) for layer in range(DEPTH) for at in item.positions]


@pytest.mark.parametrize("kind", ["llama", "gpt2", "gpt_neox", "gemma2"])
def test_rows_of_a_batch_are_runs_of_one_row(
    kind: str, model_of: Callable[..., Any], item_of: Callable[..., TracedItem]
) -> None:
    model, item = model_of(kind), item_of()
    together = scores(model, item, singles(item))
    assert together == scores(model, item, singles(item), rows=1)
    assert together == scores(model, item, singles(item), rows=5)
    assert len(set(together.restored)) > DEPTH


@pytest.mark.parametrize(("layer", "at"), [(0, 3), (1, 4), (2, 9), (3, 9)])
def test_a_run_written_by_hand(
    llama: Any, item_of: Callable[..., Any], layer: int, at: int
) -> None:
    """Plain hooks on the layers of Llama, log-probabilities token by token."""
    item = item_of(2)
    own, spread = llama.model.layers, sigma(features(llama, item), 3.0)
    table = llama.model.embed_tokens
    rows = table.weight.detach()[[item.context[one] for one in item.positions]]
    assert spread == pytest.approx(3 * float(rows.std()))
    added = noise(item, TraceSettings(), 0, spread, WIDTH).added

    def total(continuation: tuple[int, ...], *, noisy: bool, restored: bool) -> float:
        tokens = torch.tensor([item.context + continuation])
        hooks = []
        state = llama(tokens, output_hidden_states=True).hidden_states[layer + 1][0, at]
        if layer == DEPTH - 1:  # the last of them is after the final norm
            kept: list[Any] = []
            once = own[layer].register_forward_hook(lambda _m, _i, out: kept.append(out[0, at]))
            llama(tokens)
            once.remove()
            (state,) = kept

        def corrupt(_module: Any, _given: Any, output: Any) -> Any:
            for one, vector in zip(item.positions, added, strict=True):
                output[0, one] += vector
            return output

        def restore(_module: Any, _given: Any, output: Any) -> Any:
            output[0, at] = state
            return output

        if noisy:
            hooks.append(table.register_forward_hook(corrupt))
        if restored:
            hooks.append(own[layer].register_forward_hook(restore))
        logs = llama(tokens).logits[0].log_softmax(-1)
        for hook in hooks:
            hook.remove()
        start = len(item.context) - 1
        return sum(float(logs[start + i, token]) for i, token in enumerate(continuation))

    with torch.no_grad():
        wanted = [
            total(item.matched, noisy=noisy, restored=restored)
            - total(item.other, noisy=noisy, restored=restored)
            for noisy, restored in ((False, False), (True, False), (True, True))
        ]
    found = scores(llama, item, [Site(layer, (at,))])
    assert [found.clean, found.corrupted, *found.restored] == pytest.approx(wanted, abs=2e-5)
    assert abs(wanted[1] - wanted[0]) > 0.1
    assert abs(wanted[2] - wanted[1]) > 0.01


def test_the_last_block_matters_at_the_last_token_alone(llama: Any, item_of: Any) -> None:
    found = scores(llama, item_of(), [Site(DEPTH - 1, (at,)) for at in ALL])
    assert found.restored[:-1] == [found.corrupted] * 9
    assert found.restored[-1] != found.corrupted


def test_nothing_changes_before_the_first_feature_token(llama: Any, item_of: Any) -> None:
    before = [Site(layer, (at,)) for layer in range(DEPTH) for at in range(3)]
    found = scores(llama, item_of(), before)
    assert found.restored == [found.corrupted] * len(before)


def test_no_noise_no_effect(llama: Any, item_of: Any) -> None:
    item = item_of()
    found = scores(llama, item, singles(item), alpha=0.0)
    assert {found.clean, found.corrupted, *found.restored} == {found.clean}


@pytest.mark.parametrize("kind", ["llama", "gpt2"])
def test_all_positions_restored_are_the_clean_run(
    kind: str, model_of: Callable[..., Any], item_of: Any
) -> None:
    """At every block, though the noise is there; those of the continuations too, which read it."""
    item = item_of(1, other=(5, 9, 2, 60, 31, 8))
    every = tuple(range(len(item.context) + 5))
    found = scores(model_of(kind), item, [Site(layer, every) for layer in range(DEPTH)])
    assert found.restored == [found.clean] * DEPTH
    assert found.corrupted != found.clean


def test_noise_of_an_item_is_its_own(item_of: Callable[..., TracedItem]) -> None:
    def drawn(item: TracedItem, draw: int = 0, **changes: Any) -> Any:
        return noise(item, TraceSettings(**changes), draw, 2.0, 512).added

    first = drawn(item_of())
    assert torch.equal(first, drawn(item_of(), alpha=1.0, sites="joint", max_rows=3))
    others = (drawn(item_of(1)), drawn(item_of(), draw=1), drawn(item_of(), seed=1))
    assert not any(torch.equal(first, one) for one in others)
    assert float(first.std()) == pytest.approx(2.0, rel=0.05)
    assert torch.equal(first, drawn(replace(item_of(), matched=(1,))))


def test_noise_leaves_the_global_state_alone(item_of: Callable[..., TracedItem]) -> None:
    before = torch.random.get_rng_state()
    noise(item_of(), TraceSettings(), 0, 1.0, WIDTH)
    assert torch.equal(before, torch.random.get_rng_state())


def test_embeddings_that_a_model_scales(model_of: Callable[..., Any], item_of: Any) -> None:
    """Gemma multiplies them by the root of the width, and the noise is relative to the product."""
    model, item = model_of("gemma2"), item_of()
    plain = model.model.embed_tokens.weight.detach()[[item.context[at] for at in item.positions]]
    assert sigma(features(model, item), 1.0) == pytest.approx(
        WIDTH**0.5 * float(plain.std()), rel=1e-5
    )


@pytest.mark.slow
def test_rows_of_a_real_model_are_runs_of_one_row(small_model: Path) -> None:
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(small_model, dtype=torch.float32)
    item = TracedItem("a", (504, 2, 78, 905, 33, 17), (2, 5), (351, 253, 40), (351, 90))
    sites = [Site(layer, (at,)) for layer in (0, 11, 28) for at in item.positions]
    settings = TraceSettings()
    given = noise(item, settings, 0, sigma(features(model, item), 3.0), 576)
    with torch.no_grad():
        blocks = decoder_blocks(model)
        together, alone = (reference(model, blocks, item, given, sites, n) for n in (64, 1))
    assert together == alone

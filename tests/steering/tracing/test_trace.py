"""Items traced, kept and read again."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from sociolect.generators.errors import InvalidInputError, ModelError, ResultsError  # noqa: E402
from sociolect.steering.hooks import decoder_blocks  # noqa: E402
from sociolect.steering.tracing import trace as module  # noqa: E402
from sociolect.steering.tracing.items import Traced, TracedItem, TraceSettings  # noqa: E402
from sociolect.steering.tracing.noise import features, noise, sigma  # noqa: E402
from sociolect.steering.tracing.reference import reference  # noqa: E402
from sociolect.steering.tracing.scores import Site  # noqa: E402
from sociolect.steering.tracing.trace import trace_items  # noqa: E402

DEPTH = 4


def trace(model: Any, items: list[TracedItem], **options: Any) -> list[Traced]:
    given = {"model_key": "tiny", "progress": lambda _done: None}
    names = {name: options.pop(name) for name in TraceSettings.__slots__ if name in options}
    return trace_items(model, items, TraceSettings(**names), **{**given, **options})


def numbers(traced: list[Traced]) -> list[tuple[Any, ...]]:
    return [
        (one.id, *one.effects.tolist(), one.clean, one.corrupted, one.positions, one.sigma)
        for one in traced
    ]


@pytest.fixture
def items(item_of: Callable[..., TracedItem]) -> list[TracedItem]:
    return [item_of(0), item_of(1, positions=(2,)), item_of(2, matched=(5, 9))]


@pytest.mark.parametrize("method", ["staircase", "reference"])
def test_effects_are_means_over_positions_and_draws(
    method: str, llama: Any, item_of: Callable[..., TracedItem]
) -> None:
    item, blocks, by_draw = item_of(), decoder_blocks(llama), []
    vectors = features(llama, item)
    spread = sigma(vectors, 3.0)
    with torch.no_grad():
        for draw in (0, 1):
            given = noise(item, TraceSettings(), draw, spread, 32)
            sites = [Site(layer, (at,)) for layer in range(DEPTH) for at in (3, 4, 9)]
            by_draw.append(reference(llama, blocks, item, given, sites, 64))
    wanted = [
        sum(one.corrupted - one.restored[3 * layer + at] for one in by_draw for at in range(3)) / 6
        for layer in range(DEPTH)
    ]
    (found,) = trace(llama, [item], draws=2, method=method)
    assert found.effects.tolist() == pytest.approx(wanted, abs=1e-4)
    assert found.effects.dtype == torch.float64
    assert found.corrupted == pytest.approx(sum(one.corrupted for one in by_draw) / 2, abs=1e-4)
    assert found.clean == pytest.approx(by_draw[0].clean, abs=1e-4)
    assert (found.id, found.positions, found.sigma) == ("item-0", 3, spread)


def test_joint_sites_are_restored_together(llama: Any, item_of: Callable[..., TracedItem]) -> None:
    """All feature tokens at once: with the first token alone in it the same as single sites."""
    item, alone = item_of(), item_of(positions=(4,))
    ways = {kind: trace(llama, [item, item_of(1)], sites=kind) for kind in ("single", "joint")}
    assert not torch.allclose(ways["single"][0].effects, ways["joint"][0].effects)
    ones = [trace(llama, [alone], sites=kind)[0].effects for kind in ("single", "joint")]
    assert torch.allclose(*ones, atol=1e-4)
    plain = trace(llama, [item, item_of(1)], sites="joint", method="reference")
    for one, other in zip(ways["joint"], plain, strict=True):
        assert torch.allclose(one.effects, other.effects, atol=1e-4)


def test_the_last_block_is_zero_without_the_last_token(llama: Any, items: list[TracedItem]) -> None:
    found = trace(llama, items)
    assert found[1].effects[-1] == 0  # its feature is token 2 of 10
    assert found[0].effects[-1] != 0  # one of its features is the last token
    assert all(one.effects[0] != 0 for one in found)


def test_no_noise_no_effect(llama: Any, items: list[TracedItem]) -> None:
    for one in trace(llama, items, alpha=0.0, method="reference"):
        assert one.effects.tolist() == [0.0] * DEPTH
        assert (one.clean, one.sigma) == (one.corrupted, 0.0)


def test_order_and_rows_change_nothing(llama: Any, items: list[TracedItem]) -> None:
    wanted = numbers(trace(llama, items, method="reference"))
    assert numbers(trace(llama, items[::-1], method="reference"))[::-1] == wanted
    assert numbers(trace(llama, items, method="reference", max_rows=3)) == wanted
    whole = numbers(trace(llama, items))
    assert numbers(trace(llama, items[::-1]))[::-1] == whole
    assert numbers(trace(llama, items[:1])) == whole[:1]
    assert numbers(trace(llama, items, max_rows=3)) == whole
    assert numbers(trace(llama, items, max_rows=7)) == whole


def test_progress_counts_items(llama: Any, items: list[TracedItem]) -> None:
    done: list[int] = []
    trace(llama, items, progress=done.append)
    assert done == [1, 1, 1]


def test_finished_items_are_read(
    llama: Any, items: list[TracedItem], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = numbers(trace(llama, items))
    assert numbers(trace(llama, items[:2], store=tmp_path)) == wanted[:2]
    computed: list[str] = []
    plain = module._Tracer.trace
    monkeypatch.setattr(
        module._Tracer, "trace", lambda self, item: (computed.append(item.id), plain(self, item))[1]
    )
    assert numbers(trace(llama, items[::-1], store=tmp_path))[::-1] == wanted
    assert computed == ["item-2"]
    assert numbers(trace(llama, items, store=tmp_path, max_rows=9)) == wanted
    assert computed == ["item-2"]


@pytest.mark.parametrize(
    "changed",
    [
        {"alpha": 2.0},
        {"seed": 1},
        {"draws": 2},
        {"sites": "joint"},
        {"method": "reference"},
        {"model_key": "other"},
        {"blocks": "model.layers"},
    ],
)
def test_what_changes_numbers_changes_the_file(
    llama: Any, item_of: Callable[..., TracedItem], tmp_path: Path, changed: dict[str, Any]
) -> None:
    trace(llama, [item_of()], store=tmp_path)
    trace(llama, [item_of()], store=tmp_path, **changed)
    assert len(list(tmp_path.iterdir())) == 2


def test_other_tokens_are_another_file(
    llama: Any, item_of: Callable[..., TracedItem], tmp_path: Path
) -> None:
    for changes in ({}, {"other": (1,)}, {"positions": (2,)}, {"matched": (1,)}):
        trace(llama, [item_of(**changes)], store=tmp_path)
    assert len(list(tmp_path.iterdir())) == 4


@pytest.mark.parametrize(
    "damage", [lambda t: t[: len(t) // 2], lambda t: t.replace("0x1", "0x2", 1), lambda _: "[]"]
)
def test_a_damaged_file_is_computed_again(
    llama: Any, items: list[TracedItem], tmp_path: Path, caplog: Any, damage: Callable[[str], str]
) -> None:
    wanted = numbers(trace(llama, items, store=tmp_path))
    path = sorted(tmp_path.iterdir())[0]
    whole = path.read_text()
    path.write_text(damage(whole))
    with caplog.at_level(logging.WARNING):
        assert numbers(trace(llama, items, store=tmp_path)) == wanted
    assert f"{path} is damaged" in caplog.text
    assert path.read_text() == whole


def test_a_folder_that_cannot_be_written(
    llama: Any, items: list[TracedItem], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ResultsError, match="cannot be written"):
        trace(llama, items, store=tmp_path / "file" / "store")


def test_wrong_items_and_models(llama: Any, items: list[TracedItem]) -> None:
    with pytest.raises(InvalidInputError, match="'item-0'"):
        trace(llama, [items[0], items[0]])
    try:
        with pytest.raises(ModelError, match=r"model\.eval\(\)"):
            trace(llama.train(), items)
    finally:
        llama.eval()


def test_what_is_no_number_is_refused(
    model_of: Callable[..., Any], items: list[TracedItem], tmp_path: Path
) -> None:
    model = model_of("llama", attention_dropout=0.1)  # not the shared one
    with torch.no_grad():
        model.lm_head.weight[3] = float("nan")
    with pytest.raises(ModelError, match=r"'item-0'.*float32"):
        trace(model, items, store=tmp_path)
    assert not list(tmp_path.iterdir())


def test_windows_are_traced_plainly_and_it_is_said(
    model_of: Callable[..., Any], items: list[TracedItem], caplog: Any
) -> None:
    model = model_of("mistral", sliding_window=5)
    with caplog.at_level(logging.WARNING):
        found = numbers(trace(model, items))
    assert found == numbers(trace(model, items, method="reference"))
    assert caplog.text.count("once for every site") == 1
    assert "window of its attention" in caplog.text


def test_a_model_that_sees_through_the_mask_is_traced_plainly(
    model_of: Callable[..., Any],
    items: list[TracedItem],
    caplog: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever it is that makes the two ways differ."""
    model = model_of("qwen2")
    forward = type(model).forward

    def blind(self: Any, **given: Any) -> Any:
        mask = given.get("attention_mask")
        if mask is not None:
            causal = torch.full_like(mask, torch.finfo(mask.dtype).min).triu(1)
            given["attention_mask"] = causal
        return forward(self, **given)

    # One that would not tell: the model reads nothing of one of its continuations.
    items.append(TracedItem("short", (1, 2), (0,), (3,), (4, 5)))
    plain = numbers(trace(model, items, method="reference"))
    blind.__signature__ = __import__("inspect").signature(forward)  # type: ignore[attr-defined]
    monkeypatch.setattr(type(model), "forward", blind)
    with caplog.at_level(logging.WARNING):
        assert numbers(trace(model, items)) == plain
    assert "differs by" in caplog.text


def test_an_adapter_that_changes_nothing(
    model_of: Callable[..., Any], items: list[TracedItem], caplog: Any
) -> None:
    """Blocks and embeddings are found inside of it."""
    peft = pytest.importorskip("peft")
    wanted = trace(model_of("llama"), items)
    own = model_of("llama", rms_norm_eps=1e-6, tie_word_embeddings=False)  # not the shared one
    adapted = peft.get_peft_model(own, peft.LoraConfig(r=2, target_modules=["q_proj"])).eval()
    with caplog.at_level(logging.WARNING):
        found = trace(adapted, items)
    assert caplog.text == ""
    for one, other in zip(found, wanted, strict=True):
        assert torch.allclose(one.effects, other.effects, atol=1e-4)


def test_half_precision_is_close(
    model_of: Callable[..., Any], items: list[TracedItem], caplog: Any
) -> None:
    """Sums of log-probabilities are in float32; what the model computes is not."""
    own = model_of("llama", use_cache=False)  # not the shared one
    wanted = trace(own, items)
    with caplog.at_level(logging.WARNING):
        found = trace(own.to(torch.bfloat16), items)
    assert caplog.text == ""
    for one, other in zip(found, wanted, strict=True):
        assert one.clean == pytest.approx(other.clean, abs=0.5)
        assert one.clean != round(one.clean)


KILLED = """
import os, signal, sys
from pathlib import Path
import torch
from transformers import LlamaForCausalLM
from sociolect.steering.tracing.items import TracedItem, TraceSettings
from sociolect.steering.tracing.trace import trace_items
model = LlamaForCausalLM.from_pretrained(sys.argv[1], dtype=torch.float32)
items = [TracedItem(f"i{n}", tuple(range(n, n + 9)), (3, 8), (5, 6), (7,)) for n in range(4)]
finished = []
def progress(done):
    finished.append(done)
    if len(finished) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
settings, store = TraceSettings(), Path(sys.argv[2])
trace_items(model, items, settings, model_key="m", store=store, progress=progress)
"""


@pytest.mark.slow
def test_a_killed_run_goes_on_with_the_same_numbers(tmp_path: Path) -> None:
    from tiny_models import tiny_llama
    from transformers import LlamaForCausalLM

    folder, store = tiny_llama(tmp_path / "model"), tmp_path / "store"
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, str(folder), str(store)], env=os.environ, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    assert len(list(store.glob("*.json"))) == 2
    model = LlamaForCausalLM.from_pretrained(folder, dtype=torch.float32)
    ranges = [tuple(range(n, n + 9)) for n in range(4)]
    items = [TracedItem(f"i{n}", ranges[n], (3, 8), (5, 6), (7,)) for n in range(4)]
    assert numbers(trace(model, items, store=store, model_key="m")) == numbers(trace(model, items))

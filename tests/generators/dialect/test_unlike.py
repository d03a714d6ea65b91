"""Pairs whose continuations may hold different content, by counts that are done by hand."""

from __future__ import annotations

import pytest

from sociolect.generators.dialect.manifest_shape import misshapen
from sociolect.generators.dialect.model_names import model_name
from sociolect.generators.dialect.pairs import Boundaries, DialectPair, Segmented
from sociolect.generators.dialect.unlike import unlike, unlike_counts, unlike_said


def cut(aae: tuple[int, int], sae: tuple[int, int]) -> Segmented:
    """A pair whose sides have so many words before and after their boundaries."""
    texts = [("ab " * sum(side)).strip() for side in (aae, sae)]
    return Segmented(DialectPair("p", *texts), Boundaries(3 * aae[0] - 1, 3 * sae[0] - 1))


@pytest.mark.parametrize(
    ("aae", "sae", "places", "lengths"),
    [
        ((5, 5), (5, 5), False, False),
        ((4, 6), (3, 7), False, False),  # 0.4 − 0.3 is 0.1
        ((6, 4), (4, 6), True, False),  # 6 words are 1.5 times 4
        ((7, 3), (4, 6), True, True),
        ((10, 10), (5, 5), False, True),
        ((5, 5), (10, 10), False, True),
    ],
)
def test_what_is_unlike(
    aae: tuple[int, int], sae: tuple[int, int], places: bool, lengths: bool
) -> None:
    assert unlike(cut(aae, sae)) == (places, lengths)


def test_unlike_pairs_are_counted() -> None:
    whole = Segmented(DialectPair("p", "a b c d e f", "a"), None, "why")
    pairs = [cut((6, 4), (4, 6)), cut((7, 3), (4, 6)), cut((10, 10), (5, 5)), whole]
    counts = unlike_counts(pairs)
    assert counts == {"places": 2, "lengths": 2, "either": 3}
    said = unlike_said({"counts": {"segmented": 1234}, "unlike": counts})
    assert said.startswith(
        "Segmented pairs with unlike continuations: 3 of 1,234. Cut at shares of the two texts "
        "more than 0.1 apart: 2; with one continuation of more than 1.5 times the words of the "
        "other: 2. "
    )


def test_nothing_is_said_without_counts() -> None:
    none = {"places": 0, "lengths": 0, "either": 0}
    for said in (None, {"counts": {"segmented": 3}}, {"counts": {}, "unlike": none}):
        assert unlike_said(said) == ""


def test_manifests_may_lack_the_counts() -> None:
    def complained(**unlike_: object) -> bool:
        said = {"segmentation": {"counts": {"segmented": 1}, **unlike_}}
        return "segmentation" in misshapen(said)

    counts = {"places": 0, "lengths": 1, "either": 1}
    assert not complained()
    assert not complained(unlike=counts)
    for wrong in (None, {"places": 1}, {**counts, "either": "1"}):
        assert complained(unlike=wrong)


def test_models_without_a_revision_show_their_weights() -> None:
    files = {"a.bin": "b" * 64, "config.json": "c" * 64, "model.safetensors": "53aa5117" + "0" * 56}
    assert model_name({"name": "model", "revision": "", "files": files}) == "model (53aa5117)"
    assert model_name({"name": "org/m", "revision": "abc", "files": files}) == "org/m"
    bare = {"model.bin": "12345678" + "0" * 56}
    assert model_name({"name": "model", "revision": "", "files": bare}) == "model (12345678)"
    assert model_name({"name": "model", "files": {"config.json": "c" * 64}}) == "model"


def test_weights_in_several_files_are_told_by_all_of_them() -> None:
    parts = {f"model-{n}.safetensors": str(n) * 64 for n in (1, 2)}
    name = model_name({"name": "model", "revision": "", "files": parts})
    # 64 times 1 and 64 times 2 through sha256sum
    assert name == "model (ca903437)"

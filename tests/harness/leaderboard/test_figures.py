"""Figures: what is drawn of which number."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from board_answers import noisy
from plotly.graph_objects import Figure as Plot

from sociolect.generators.conditions import Condition
from sociolect.harness.compare import Method
from sociolect.harness.leaderboard.board import (
    Board,
    Change,
    ConditionOf,
    Model,
    Section,
    Subject,
    Value,
)
from sociolect.harness.leaderboard.figures import Figure, figures_of
from sociolect.harness.leaderboard.figures_look import COLOURS, SHAPES, shown

EVIL = '<b>x</b>&<a href="javascript:1">' + "y" * 60
DELTAS: Mapping[str, Mapping[str, float | None]] = {
    "first": {"l2-10": 1.0, "l2-30": 4.0, "l2-30-instruction": -2.0, "typo-30": 0.5},
    EVIL: {"l2-10": -3.0, "l2-30": 2.5, "l2-30-instruction": 1.0, "typo-30": None},
    "first + adapter": {"l2-10": 0.0, "l2-30": -6.0},
}
SIGNIFICANT = 2.0


def value(number: float | None, unanswered: float = 0.0) -> Value:
    ends = (None, None) if number is None else (number - 1.5, number + 2.5)
    return Value("", number, *ends, number, {}, 12, unanswered, None, "")


def change(condition: str, delta: float | None, seed: int) -> Change:
    row: dict[str, Any] = {}
    if delta is not None:
        big = abs(delta) >= SIGNIFICANT
        row = {"delta": delta, "ci_low": delta - 1, "ci_high": delta + 2, "p": 0.01 if big else 0.4}
        row["significant"] = big
    shown_value = value(None if delta is None else 10 + delta)
    return Change(condition, shown_value, (f"r{seed}",), row, "" if row else "<i>no</i> reason")


def condition(name: str, error_seed: int = 0) -> ConditionOf:
    found = Condition.parse(name.partition(" ")[0])
    return ConditionOf(name, name, found.transform, found.level, found.part, error_seed)


def make(
    deltas: Mapping[str, Mapping[str, float | None]], metric: str = "bias", **seeds: int
) -> tuple[Board, Subject]:
    names = dict.fromkeys(name for found in deltas.values() for name in found)
    conditions = tuple(condition(name, seeds.get(name.partition("#")[2], 0)) for name in names)
    kind = "coreference" if metric == "bias" else "judge"
    subject = Subject("s", "A subject", "winobias", "", "reason", kind, metric, "pair", conditions)
    models, sections = [], []
    for number, (name, found) in enumerate(deltas.items()):
        is_adapter = name.endswith("adapter")
        models.append(
            Model(
                f"m{number}", name, name, "adapter" if is_adapter else "",
                "m0" if is_adapter else "", "hf", {},
            )
        )  # fmt: skip
        changes = tuple(change(one, delta, 0) for one, delta in found.items())
        sections.append(
            Section(
                f"s{number}", f"m{number}", "s", "g", "", "1.0.0", False, False, value(10.0),
                changes, 0, (),
            )
        )  # fmt: skip
    runs: Any = {"r0": SimpleNamespace(rules="paper")}
    board = Board(
        "t", Method(), 10, tuple(models), (subject,), tuple(sections), (), (), runs, (), ()
    )
    return board, subject


@pytest.fixture(scope="module")
def figures() -> dict[str, Figure]:
    return {figure.id: figure for figure in figures_of(*make(DELTAS))}


def traces(figure: Figure, kind: str = "scatter") -> Sequence[Mapping[str, Any]]:
    return [trace for trace in figure.plot["data"] if trace["type"] == kind]


def test_only_what_there_is_to_show(figures: Mapping[str, Figure]) -> None:
    assert list(figures) == ["levels", "forest", "forest-others", "types", "parts"]
    alone = figures_of(*make({"first": {"l2-30": 1.0}}))
    assert [figure.id for figure in alone] == ["levels", "forest"]
    assert figures_of(*make({"first": {}})) == []
    nothing = figures_of(*make({"first": {"l2-30": None}}))
    assert nothing == []


def test_figures_are_plain_json_that_plotly_reads(figures: Mapping[str, Figure]) -> None:
    for figure in figures.values():
        assert json.loads(json.dumps(figure.plot, allow_nan=False)) == figure.plot
        assert figure.plot["layout"]["template"] is None
        assert "title" not in figure.plot["layout"]
        assert "color" not in figure.plot["layout"]["font"]
        assert figure.plot["layout"]["paper_bgcolor"] == "rgba(0,0,0,0)"
        assert len(json.dumps(figure.plot)) < 12_000
        Plot(data=figure.plot["data"])


def test_a_panel_has_a_line_a_model_from_clean_to_the_highest_level(
    figures: Mapping[str, Figure],
) -> None:
    found = traces(figures["levels"])
    titles = [note["text"] for note in figures["levels"].plot["layout"]["annotations"]]
    assert titles == ["l2", "l2 (instruction)", "typo"]
    layout = figures["levels"].plot["layout"]
    assert [key for key in layout if key.startswith("xaxis")] == ["xaxis", "xaxis2", "xaxis3"]
    assert layout["xaxis3"]["tickvals"] == [0, 30]
    assert [trace["xaxis"] for trace in found] == ["x"] * 3 + ["x2"] * 2 + ["x3"]
    first = found[0]
    assert (first["x"], first["y"]) == ([0, 10, 30], [10.0, 11.0, 14.0])
    assert first["marker"]["symbol"] == ["circle-open", "circle-open", "circle"]
    assert first["error_y"]["array"] == [2.5, None, None]
    assert first["error_y"]["arrayminus"] == [1.5, None, None]
    assert [trace["x"] for trace in found] == [[0, 10, 30]] * 3 + [[0, 30]] * 2 + [[0, 30]]
    assert [trace["showlegend"] for trace in found] == [True] * 3 + [False] * 3


def test_a_mitigation_has_the_colour_of_its_base_and_is_dashed(
    figures: Mapping[str, Figure],
) -> None:
    plain, other, adapted = traces(figures["levels"])[:3]
    assert (plain["line"]["dash"], adapted["line"]["dash"]) == ("solid", "dash")
    assert plain["line"]["color"] == adapted["line"]["color"] != other["line"]["color"]
    shapes = {trace["marker"]["symbol"][0] for trace in (plain, other, adapted)}
    assert len(shapes) == 3


def test_lines_are_told_apart_by_colour_and_shape() -> None:
    assert len({(n % len(COLOURS), n % len(SHAPES)) for n in range(70)}) == 70


def forest_rows(figure: Figure) -> list[tuple[str, float | None, bool]]:
    """Texts from the top, with number and whether it is solid."""
    texts = figure.plot["layout"]["yaxis"]["ticktext"]
    points: dict[int, tuple[float, bool]] = {}
    for trace in traces(figure):
        for x, y, symbol in zip(trace["x"], trace["y"], trace["marker"]["symbol"], strict=True):
            points[y] = (x, not symbol.endswith("-open"))
    none = (None, False)
    return [(text, *points.get(number, none)) for number, text in enumerate(texts)]


def test_the_forest_is_sorted_within_conditions(figures: Mapping[str, Figure]) -> None:
    evil = shown(EVIL)
    assert forest_rows(figures["forest"]) == [
        ("<b>l2-30</b>", None, False),
        ("first", 4.0, True),
        (evil, 2.5, True),
        ("first + adapter", -6.0, True),
        ("<b>typo-30</b>", None, False),
        ("first", 0.5, False),
    ]
    others = [row[0] for row in forest_rows(figures["forest-others"]) if row[0].startswith("<b>")]
    assert others == ["<b>l2-10</b>", "<b>l2-30-instruction</b>"]
    bars = traces(figures["forest"])[0]["error_x"]
    assert (bars["array"], bars["arrayminus"]) == ([2.0, 2.0], [1.0, 1.0])


def test_the_heat_map_is_symmetric_and_empty_where_nothing_is(
    figures: Mapping[str, Figure],
) -> None:
    (heat,) = traces(figures["types"], "heatmap")
    assert heat["y"] == ["l2 30 %", "typo 30 %"]
    assert heat["z"] == [[4.0, 2.5, -6.0], [0.5, None, None]]
    assert heat["text"] == [["<b>+4.0</b>", "<b>+2.5</b>", "<b>−6.0</b>"], ["+0.5", "", ""]]
    assert (heat["zmin"], heat["zmax"], heat["zmid"]) == (-6.0, 6.0, 0)


def test_the_heat_map_takes_the_highest_level_that_all_models_have() -> None:
    deltas = {
        "a": {"l2-10": 1.0, "l2-20": 2.0, "typo-10": 1.0},
        "b": {"l2-10": 3.0, "typo-10": 2.0},
    }
    found = {figure.id: figure for figure in figures_of(*make(deltas))}
    (heat,) = traces(found["types"], "heatmap")
    assert (heat["y"], heat["z"][0]) == (["l2 10 %", "typo 10 %"], [1.0, 3.0])


def test_bars_by_part_are_hollow_where_nothing_is_significant(
    figures: Mapping[str, Figure],
) -> None:
    bars = traces(figures["parts"], "bar")
    assert [(bar["name"], bar["x"]) for bar in bars] == [
        ("input", [4.0, 2.5, -6.0]),
        ("instruction", [-2.0, 1.0]),
    ]
    fills = bars[1]["marker"]["color"]
    assert (fills[0] in COLOURS, fills[1]) == (True, "rgba(0,0,0,0)")
    assert len({bar["marker"]["pattern"]["shape"] for bar in bars}) == 2


def test_names_are_no_markup_and_short(figures: Mapping[str, Figure]) -> None:
    for figure in figures.values():
        text = json.dumps(figure.plot)
        assert "<a" not in text
        assert "<b>x" not in text
        assert "<i>" not in text
    trace = traces(figures["levels"])[1]
    assert trace["name"].count("…") == 1
    assert "y" * 60 in trace["hovertext"][0]  # whole
    assert shown("a" * 20 + "b" * 20) == "a" * 12 + "…" + "b" * 13


def test_the_alternative_text_names_the_largest_change(figures: Mapping[str, Figure]) -> None:
    said = "that of first + adapter under l2-30: −6.0 points, significant."
    assert said in figures["levels"].alt
    assert said in figures["forest"].alt
    assert said in figures["types"].alt
    assert f"{EVIL} under l2-10: −3.0 points, significant" in figures["forest-others"].alt
    assert "3 models" in figures["levels"].alt


def test_unanswered_rates_are_drawn_only_where_there_are_some() -> None:
    board, subject = make(DELTAS)
    section = board.sections[0]
    change_ = section.changes[1]
    some = replace(change_, value=replace(change_.value, unanswered=12.5))
    changed = replace(section, changes=(section.changes[0], some, *section.changes[2:]))
    with_some = replace(board, sections=(changed, *board.sections[1:]))
    last = figures_of(with_some, subject)[-1]
    assert last.id == "unanswered"
    assert traces(last)[0]["y"] == [0.0, 0.0, 12.5]
    assert "that of first under l2-30: 12.5 %" in last.alt


def test_the_mean_over_error_seeds_is_drawn_instead_of_each() -> None:
    names = {"l2-30 #0": 1.0, "l2-30 #1": 2.0, "l2-30 #mean": 1.5}
    board, subject = make({"a": names})
    seeds = (0, 1, -1)
    conditions = tuple(
        replace(one, error_seed=seed) for one, seed in zip(subject.conditions, seeds, strict=True)
    )
    subject = replace(subject, conditions=conditions)
    found = {figure.id: figure for figure in figures_of(board, subject)}
    assert traces(found["levels"])[0]["y"] == [10.0, 11.5]
    assert forest_rows(found["forest"])[0][0] == "<b>l2-30 #mean</b>"
    assert len(forest_rows(found["forest-others"])) == 4


def test_accuracy_is_drawn_in_its_own_words() -> None:
    found = figures_of(*make(DELTAS, metric="acc"))
    assert found[0].title == "Accuracy against level"
    assert found[0].plot["layout"]["yaxis"]["title"]["text"] == "accuracy, %"
    assert found[0].alt.startswith("Accuracy of 3 models")


@pytest.mark.parametrize("benchmark", ["winobias", "mmlu", "bbq_gender_disambig", "fable"])
def test_boards_of_every_metric_are_drawn_as_they_are(
    benchmark: str, write_run: Callable[..., Path], board: Callable[..., Board]
) -> None:
    repeats = {"repeats": 1} if benchmark == "fable" else {}
    for name in ("clean", "typo-30", "typo-50"):
        answer = noisy(len(name), 0.8, 0.5)
        write_run(benchmark=benchmark, condition=name, form="reason", answer=answer, **repeats)
    made = board()
    (subject,) = made.subjects
    (section,) = made.sections
    found = {figure.id: figure for figure in figures_of(made, subject)}
    assert section.clean is not None
    values = [section.clean.value, *(one.value.value for one in section.changes)]
    (line,) = traces(found["levels"])
    assert line["y"] == pytest.approx(values, abs=1e-3)
    (changes,) = traces(found["forest"])
    assert changes["x"] == pytest.approx([section.changes[-1].row["delta"]], abs=1e-3)


def test_models_of_one_short_name_keep_lines_of_their_own() -> None:
    deltas = {f"org/{'x' * 30}{n}{'y' * 30}": {"l2-30": float(n), "typo-30": 1.0} for n in range(3)}
    found = {figure.id: figure for figure in figures_of(*make(deltas))}
    (heat,) = traces(found["types"], "heatmap")
    assert len(set(heat["x"])) == 3


def test_both_forests_have_the_range_of_all_changes(figures: Mapping[str, Figure]) -> None:
    ranges = [figures[id_].plot["layout"]["xaxis"]["range"] for id_ in ("forest", "forest-others")]
    # From −6 − 1 to 4 + 2, and a twentieth of that beside.
    assert ranges == [[-7.65, 6.65]] * 2
    (no_change,) = (f for f in figures_of(*make({"a": {"l2-30": 0.0}})) if f.id == "forest")
    assert no_change.plot["layout"]["xaxis"]["range"] == [-1.5, 2.5]


def test_axes_say_what_they_show(figures: Mapping[str, Figure]) -> None:
    assert figures["levels"].plot["layout"]["yaxis"]["title"]["text"] == "bias, %"
    for id_, name in (("forest", "xaxis"), ("parts", "xaxis")):
        title = figures[id_].plot["layout"][name]["title"]["text"]
        assert title == "change of bias, points"


def test_intervals_are_over_templates_where_there_are_some() -> None:
    board, subject = make({"a": {"l2-30": 3.0, "l2-30-instruction": 1.0}})
    (section,) = board.sections
    wide = {"templates": 4, "ci_templates_low": -2.0, "ci_templates_high": 9.0}
    changes = tuple(replace(one, row={**one.row, **wide}) for one in section.changes)
    board = replace(board, sections=(replace(section, changes=changes),))
    found = {one.id: one for one in figures_of(board, replace(subject, clustered=True))}
    bars = traces(found["forest"])[0]["error_x"]
    assert (bars["array"], bars["arrayminus"]) == ([6.0], [5.0])
    assert "[−2.0, +9.0]" in traces(found["forest"])[0]["hovertext"][0]
    assert "with intervals over question templates, for 1 model" in found["forest"].alt
    assert traces(found["parts"], "bar")[0]["error_x"]["array"] == [6.0]


def test_what_steers_a_screen_is_shown_as_a_number() -> None:
    (figure, *_) = figures_of(*make({"red\u202egn<b>\x1b[1m": {"l2-30": 1.0}}))
    assert traces(figure)[0]["name"] == r"red\u202egn&lt;b&gt;\u001b[1m"

"""Tables of texts in three formats."""

from __future__ import annotations

import pytest

from sociolect.harness.sheets import Cell, Column, Sheet, as_markdown, as_tex, as_text, escape_tex

SHEET = Sheet(
    "org/x_1 · A & B",
    (Column("name", left=True), Column("Δ %")),
    (
        (Cell("a_b-1"), Cell("-1.50", "*†", bold=True)),
        (Cell("[c]"), Cell("+2.00")),
    ),
    ("50 % of #1",),
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a_b & c% $d #e {f}", r"a\_b \& c\% \$d \#e \{f\}"),
        ("\\input{x}", r"\textbackslash{}input\{x\}"),
        ("~^<>|", r"\textasciitilde{}\textasciicircum{}\textless{}\textgreater{}\textbar{}"),
        ("l2-30", "l2-30"),
        ("-1.50, +2", "$-$1.50, +2"),
        ("[-35.94, -12]", "{[}$-$35.94, $-$12{]}"),
        ("Δ → – ×", r"$\Delta$ $\to$ -- $\times$"),
        ("a\nb\x1b", "a?b?"),
    ],
)
def test_nothing_from_outside_is_latex(text: str, shown: str) -> None:
    assert escape_tex(text) == shown


def test_latex_is_a_booktabs_table() -> None:
    assert as_tex([SHEET], ["below"]).splitlines() == [
        "% org/x_1 · A & B",
        "% 50 % of #1",
        "% below",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"name & $\Delta$ \% \\",
        r"\midrule",
        r"a\_b-1 & \textbf{$-$1.50}$^{*\dagger}$ \\",
        r"{[}c{]} & +2.00 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_notes_for_all_stand_below_the_last() -> None:
    for show in (as_text, as_markdown):
        text = show([SHEET, SHEET], ["for all"])
        assert text.count("for all") == 1
        assert text.index("for all") > text.rindex("of")


def test_text_leaves_room_for_marks() -> None:
    lines = as_text([SHEET]).splitlines()
    assert lines[0] == "org/x_1 · A & B"
    assert " a_b-1 -1.50*†" in lines
    assert " [c]   +2.00" in lines
    assert " name    Δ %" in lines


def test_a_title_may_be_wider_than_its_table() -> None:
    wide = Sheet("x" * 90, SHEET.columns, SHEET.rows)
    assert as_text([wide]).splitlines()[0] == "x" * 90


def test_markdown_takes_no_name_for_mathematics() -> None:
    sheet = Sheet("$a$", (Column("name", left=True),), ((Cell("b$c$"),),))
    text = as_markdown([sheet])
    assert r"**\$a\$**" in text
    assert r"| b\$c\$ |" in text

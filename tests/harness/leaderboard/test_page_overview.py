"""The overview over benchmarks, in a real browser.

By hand, on WinoBias: condition k of model m changes a clean bias of 10 by (k - 3)(1.5 + m)/2, and p
after Holm is 0.003(1 + k), which is below 0.05 for the first 16 of 24 conditions. So conditions 0
to 2 are better, 4 to 15 worse, and condition 3 is neither.
"""

from __future__ import annotations

from typing import Any

import pytest
from page_in_browser import go, until

pytestmark = pytest.mark.slow

ROWS = "[...document.querySelectorAll('.overview tbody tr')].map(r => r.dataset.model).join()"


def cells(page: Any, model: str) -> list[str]:
    return [
        " ".join(text.split())
        for text in page.locator(f"tr[data-model={model}] td").all_text_contents()
    ]


def test_the_page_opens_on_a_line_a_model_over_all_benchmarks(page: Any, address: str) -> None:
    go(page, address, "")
    assert page.text_content("#views [aria-current]") == "Overview"
    assert page.evaluate(ROWS) == "m1,m2,m3,m4,m5"
    assert page.text_content("tr[data-model=m2] .arrow") == "↳ "
    assert not page.is_visible("#subject")
    assert "no average" in page.text_content("caption")
    first = cells(page, "m1")
    assert len(first) == 6
    assert first[0] == "11.0rank 1 (1–3) of 4"
    assert first[1].startswith("12.0Δ 0.0*†!, significant at 0.05, also after Holm")
    assert first[1].endswith("l2 30 %")
    assert first[2] == "12 of 24 worse, 3 better, 1 turned"
    assert cells(page, "m3")[2] == "12 of 23 worse, 2 better, 1 turned1 not compared"
    assert cells(page, "m2")[3:] == ["– not asked this benchmark"] * 3
    assert page.locator("img").count() == 0
    for where in ("#subject=mmlu-direct", "#cell=s1~clean", "#view=table"):
        page.evaluate(f"location.hash = '{where}'")
        until(page, "document.querySelector('.overview') === null")
        page.evaluate("location.hash = ''")
        until(page, "document.querySelector('.overview') !== null")


def test_it_is_sorted_and_filtered(page: Any, address: str) -> None:
    go(page, address, "")
    page.evaluate("sociolect.all.sections.get('s1').clean.rank.high = 1")
    page.click("[data-key='sort-mmlu-direct~clean']")
    until(page, ROWS, "m3,m1,m2,m4,m5")
    assert cells(page, "m1")[0] == "11.0rank 1 (1–1) of 4"
    page.click("[data-key='sort-mmlu-direct~clean']")
    until(page, ROWS, "m1,m2,m3,m4,m5")
    page.click("[data-key='sort-winobias-direct~clean']")
    until(page, ROWS, "m5,m4,m3,m1,m2")
    assert page.evaluate("document.activeElement.dataset.key") == "sort-winobias-direct~clean"
    page.fill("input[name=q]", "ADAPTER small")
    until(page, ROWS, "m1,m2")
    assert page.evaluate("document.activeElement.name") == "q"
    assert "2 of 5 models" in page.text_content("caption")
    page.click("[data-key=view-table]")
    page.wait_for_selector("th[aria-sort=ascending] [data-key=sort-rank]")


def test_one_benchmark_needs_no_overview(page: Any, address: str) -> None:
    go(page, address, "")
    page.evaluate("sociolect.all.board.subjects.length = 1; location.hash = '#view=about'")
    until(page, "document.querySelector('#views li').textContent", "Table")
    page.evaluate("location.hash = ''")
    page.wait_for_selector("tr[data-section=s1]")


def test_its_cells_lead_to_numbers_and_tables(page: Any, address: str) -> None:
    go(page, address, "")
    page.focus("[data-key='cell-s1~clean']")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_selector("#drawer[open]")
    assert "cell=s1~l2-30" in page.url.replace("%7E", "~")
    page.keyboard.press("Escape")
    until(page, "document.activeElement.dataset.key", "cell-s1~l2-30-worst")
    page.click("[data-key='cell-s3x~count']")
    page.wait_for_selector("tr[data-section=s3x]")
    assert page.input_value("#subject") == "mmlu-direct"


def test_it_fits_a_phone_and_names_stay(page: Any, address: str) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    go(page, address, "")
    page.evaluate("document.querySelector('.scroll.main').scrollLeft = 300")
    assert page.locator("tr[data-model=m1] .model").bounding_box()["x"] >= 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.emulate_media(media="print")
    assert not page.is_visible(".controls")
    assert page.is_visible(".overview")


def test_names_of_axes_are_said_once(page: Any, address: str) -> None:
    go(page, address, "")
    name = "sociolect.format.subject({{label: '{0} ({1}) · ll', axis: '{1}', benchmark: '{0}'}})"
    for benchmark, axis, expected in (
        ("bbq_gender", "gender", "bbq_gender · ll"),
        ("bbq_race_ethnicity", "race_ethnicity", "bbq_race_ethnicity · ll"),
        ("winobias", "gender", "winobias (gender) · ll"),
        ("agendered", "gender", "agendered (gender) · ll"),
    ):
        assert page.evaluate(name.format(benchmark, axis)) == expected

"""The page in a real browser, opened from a file."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import hand_made_board as made
import plotly.offline
import pytest
from page_in_browser import go, until

from sociolect.harness.leaderboard import site

pytestmark = pytest.mark.slow
pytest.importorskip("playwright.sync_api")

FIRST = "tbody tr:first-child .model bdi"
ROWS = "[...document.querySelectorAll('.board tbody tr')].map(r => r.dataset.section)"


def rows(page: Any) -> list[str]:
    found: list[str] = page.evaluate(ROWS)
    return found


def wait_rows(page: Any, expected: list[str]) -> None:
    until(page, ROWS, expected)


def test_the_page_is_usable_within_a_second(page: Any, address: str) -> None:
    taken = []
    for number in range(3):  # the best of three, because others may want the CPU
        page.goto("about:blank")
        began = time.perf_counter()
        page.goto(f"{address}#q={number}")
        page.wait_for_selector("table.board")
        taken.append(time.perf_counter() - began)
    assert min(taken) < 1


def test_lines_stand_by_rank_with_mitigations_under_their_base(page: Any, address: str) -> None:
    go(page, address)
    assert rows(page) == ["s1", "s2", "s3", "s4", "s5"]
    assert page.text_content("tr[data-section=s2] .arrow") == "↳ "
    assert page.get_attribute("th[aria-sort=ascending] button", "data-key") == "sort-rank"


def test_columns_sort_both_ways_and_mitigations_stay(page: Any, address: str) -> None:
    go(page, address)
    page.click("[data-key=sort-clean]")
    wait_rows(page, ["s5", "s4", "s3", "s1", "s2"])
    page.click("[data-key=sort-clean]")
    wait_rows(page, ["s1", "s2", "s3", "s4", "s5"])
    assert page.text_content("th[aria-sort=descending] button").startswith("Bias, clean")
    assert "sort=clean&dir=desc" in page.url


def test_what_is_missing_stands_last_both_ways(page: Any, address: str) -> None:
    go(page, address, "#sort=c%3Al2-10")
    wait_rows(page, ["s5", "s4", "s1", "s2", "s3"])
    page.click("[data-key='sort-c:l2-10']")
    wait_rows(page, ["s1", "s2", "s4", "s5", "s3"])


def test_filters_choose_models_and_conditions(page: Any, address: str) -> None:
    go(page, address)
    assert page.locator("thead tr:nth-child(2) th").count() == 4
    page.fill("input[name=q]", "ADAPTER small")
    wait_rows(page, ["s1", "s2"])
    page.select_option("select[name=transform]", "all")
    page.select_option("select[name=level]", "30")
    page.select_option("select[name=part]", "instruction")
    until(page, "document.querySelectorAll('thead tr:nth-child(2) th').length", 3)
    assert page.text_content("th.group") == "l2 · instruction"
    page.check("input[name=plain]")
    page.fill("input[name=q]", "")
    wait_rows(page, ["s1", "s3", "s4", "s5"])
    page.check("input[name=latest]")
    wait_rows(page, ["s1", "s3", "s5"])


def test_only_what_is_significant_is_left(page: Any, address: str) -> None:
    go(page, address, "#transform=typo&part=instruction&sig=1")
    assert rows(page) == ["s1", "s2", "s3", "s4", "s5"]
    assert page.locator("td.faint").count() == 0
    go(page, address, "#sig=1&level=10&part=input")
    wait_rows(page, ["s1", "s2", "s4", "s5"])


def test_an_address_says_all_and_goes_back(page: Any, address: str) -> None:
    go(page, address, "#transform=l2det&show=both&sort=c%3Al2det-5&dir=desc&q=org")
    assert page.input_value("input[name=q]") == "org"
    assert page.input_value("select[name=show]") == "both"
    assert rows(page)[0] == "s5"
    page.select_option("#subject", "mmlu-direct")
    wait_rows(page, ["s1x"])
    page.fill("input[name=q]", "")
    wait_rows(page, ["s1x", "s3x"])
    page.go_back()
    page.wait_for_selector("tr[data-section=s5]")
    assert page.input_value("select[name=transform]") == "l2det"


def test_an_address_of_nothing_shows_the_first_table(page: Any, address: str) -> None:
    go(page, address, "#subject=__proto__&view=x&cell=s9~l2-30&sort=toString&q=%E0&transform=[")
    page.wait_for_selector("caption")
    assert page.input_value("#subject") == "winobias-direct"
    assert not page.is_visible("#drawer")


def test_keys_alone_open_a_number_and_come_back(page: Any, address: str) -> None:
    go(page, address)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "skip"
    page.keyboard.press("Enter")
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.key") == "cell-s1~l2-5":
            break
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    page.keyboard.press("Enter")
    page.wait_for_selector("#drawer[open]")
    assert page.evaluate("document.getElementById('drawer').contains(document.activeElement)")
    page.keyboard.press("Escape")
    page.wait_for_selector("#drawer", state="hidden")
    assert page.evaluate("document.activeElement.dataset.key") == "cell-s1~l2-5"
    until(page, "location.hash.includes('cell')", False)


def test_arrow_keys_go_from_number_to_number(page: Any, address: str) -> None:
    go(page, address)
    key = "document.activeElement.dataset.key"
    page.focus("[data-key='cell-s3~l2-5']")
    for pressed, expected in (
        ("ArrowRight", "cell-s3~l2-20"),  # over a cell without a number
        ("ArrowUp", "cell-s2~l2-20"),
        ("ArrowUp", "cell-s1~l2-20"),
        ("ArrowUp", "cell-s1~l2-20"),
        ("ArrowLeft", "cell-s1~l2-10"),
        ("ArrowDown", "cell-s2~l2-10"),
    ):
        page.keyboard.press(pressed)
        assert page.evaluate(key) == expected
    page.set_viewport_size({"width": 360, "height": 740})
    page.evaluate("document.querySelector('.scroll.main').scrollLeft = 9999")
    page.focus("[data-key='cell-s2~l2-5']")
    page.focus("[data-key='cell-s2~clean']")
    left, top = (page.locator(one).first.bounding_box() for one in
                 ("[data-key='cell-s2~clean']", "tr[data-section=s2] .model"))  # fmt: skip
    assert left["x"] >= top["x"] + top["width"] - 1, "hidden behind the names"


def test_sorting_keeps_the_focus_on_its_heading(page: Any, address: str) -> None:
    go(page, address)
    page.focus("[data-key=sort-worst]")
    page.keyboard.press("Enter")
    page.wait_for_selector("th[aria-sort=ascending] [data-key=sort-worst]")
    assert page.evaluate("document.activeElement.dataset.key") == "sort-worst"


def test_the_drawer_says_where_a_number_comes_from(page: Any, address: str) -> None:
    go(page, address, "#cell=s1~l2-5")
    page.wait_for_selector("#drawer .command")
    text = page.inner_text("#drawer")
    for part in (made.COMMAND, made.SHA, "p after Holm", "0.0030", "−3.75", "Detectable", "4 unans",
                 "out/older/samples.jsonl", "2 runs", "−5.8 to −1.8", "temperature"):  # fmt: skip
        assert part in text or part in page.text_content("#drawer"), part
    page.click("#drawer a")
    page.wait_for_selector("article.item")
    assert "view=items" in page.url
    assert "condition=l2-5" in page.url


def test_going_back_closes_the_drawer(page: Any, address: str) -> None:
    go(page, address)
    page.click("[data-key='cell-s3~l2-20']")
    page.wait_for_selector("#drawer[open]")
    page.go_back()
    page.wait_for_selector("#drawer", state="hidden")
    page.go_forward()
    page.wait_for_selector("#drawer[open]")


def test_the_table_of_mitigations_says_why_there_is_no_number(page: Any, address: str) -> None:
    go(page, address)
    assert "the base was asked otherwise" in page.inner_html(".versus tbody")
    page.click("[data-key='cell-s2~l2-30~base']")
    page.wait_for_selector("#drawer[open]")
    assert "against its base" in page.inner_text("#drawer h2")
    assert "−4.50" in page.inner_text("#drawer")


def test_names_that_do_harm_are_text(page: Any, address: str) -> None:
    go(page, address)
    for where in ("#view=items", "#view=panels", "#view=about", "#cell=s4~clean",
                  "#subject=mmlu-direct"):  # fmt: skip
        page.evaluate(f"location.hash = '{where}'")
        page.wait_for_timeout(60)
        assert page.locator("img").count() == 0
        assert page.locator("body script:not([src])").count() == 0
    page.evaluate("location.hash = '#view=table'")
    page.wait_for_selector("tr[data-section=s3]")
    assert page.text_content("tr[data-section=s3] bdi") == made.IMAGE
    assert page.text_content("tr[data-section=s4] bdi").startswith(r"org/\u202egnp.exe</script>")
    page.click("#notice summary")
    assert "out/bad</script>.json" in page.inner_text("#notice")


def test_a_phone_scrolls_down_only(page: Any, address: str) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    go(page, address)
    box = "document.querySelector('.scroll.main')"
    assert page.evaluate(f"{box}.scrollWidth > {box}.clientWidth")
    page.evaluate(f"{box}.scrollLeft = 200")
    assert page.locator(FIRST).first.bounding_box()["x"] >= 0
    for where in ("#cell=s1~", "#view=items", "#view=about", "#view=panels"):
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        page.evaluate(f"location.hash = '{where}'")
        page.wait_for_timeout(60)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_dark_is_followed_and_chosen(page: Any, address: str) -> None:
    colour = "getComputedStyle(document.body).backgroundColor"
    go(page, address)
    assert page.evaluate(colour) == "rgb(251, 251, 250)"
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(colour) == "rgb(20, 23, 27)"
    page.click("#theme")
    assert page.evaluate(colour) == "rgb(251, 251, 250)"
    page.click("#theme")
    page.emulate_media(color_scheme="light")
    assert page.evaluate(colour) == "rgb(20, 23, 27)"
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert page.evaluate(colour) == "rgb(20, 23, 27)"
    page.evaluate("localStorage.clear()")


CONTRAST = """() => {
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = (c) => { const [r, g, b] = c.slice(0, 3).map((v) => {
    v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = (node) => { for (let n = node; n; n = n.parentElement) {
    const c = rgb(getComputedStyle(n).backgroundColor); if (c.length < 4 || c[3] > 0) return c; }
    return [255, 255, 255]; };
  const bad = [];
  for (const node of document.querySelectorAll("body *")) {
    const own = [...node.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!own || !node.checkVisibility() || node.matches(".offscreen, script, noscript *")) continue;
    const [a, b] = [light(rgb(getComputedStyle(node).color)), light(ground(node))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) bad.push(`${node.tagName}.${node.className} ${ratio.toFixed(2)}`);
  }
  return bad;
}"""


@pytest.mark.parametrize(
    "where",
    ["#transform=l2&part=all&show=both&sig=1", "#view=items&condition=l2-30", "#cell=s1~l2-5"],
)
def test_texts_stand_out_from_their_ground(where: str, page: Any, address: str) -> None:
    go(page, address, where)
    page.wait_for_selector(".command, .answers, .legend")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate(CONTRAST) == []


def test_paper_shows_all_of_the_table_and_no_controls(page: Any, address: str) -> None:
    go(page, address, "#transform=all")
    page.emulate_media(media="print", color_scheme="dark")
    assert not page.is_visible(".controls")
    assert not page.is_visible(".tools")
    box = "document.querySelector('.scroll.main')"
    assert page.evaluate(f"getComputedStyle({box}).overflow") == "visible"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_figures_are_drawn_when_they_are_looked_at(page: Any, address: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    go(page, address, "#subject=mmlu-direct")
    assert not [url for url in asked if "plotly" in url]
    page.click("[data-key=view-figures]")
    page.wait_for_selector(".plot svg.main-svg", timeout=20_000)
    assert page.get_attribute(".plot", "aria-label")
    assert page.locator("img, .plot image, .plot script").count() == 0
    assert page.locator(".plot a:visible").count() == 0
    heights = """() => [...document.querySelectorAll(".plot:has(svg)")].map((node) =>
      Math.round(node.querySelector("svg").getBoundingClientRect().height) - node.clientHeight)"""
    page.set_viewport_size({"width": 700, "height": 500})
    page.wait_for_timeout(300)
    assert set(page.evaluate(heights)) == {0}
    axis = "getComputedStyle(document.querySelector('.plot .xtick text')).fill"
    page.wait_for_selector(".plot .xtick text")
    before = page.evaluate(axis)
    page.emulate_media(color_scheme="dark")
    until(page, f"{axis} !== '{before}'")


SIDE = "[data-part=input][data-side='{}']"


def test_an_item_marks_what_was_taken_away_and_put_in(page: Any, address: str) -> None:
    go(page, address, f"#view=items&item={made.ITEM}&condition=l2-30")
    clean = page.wait_for_selector(SIDE.format("clean"))
    assert clean.text_content() == made.CLEAN_TEXT
    errored = page.locator(SIDE.format("with errors"))
    html = errored.evaluate("""(node) => [...node.childNodes].map((n) => n.nodeType === 3 ? n.data
      : `<${n.tagName.toLowerCase()}${n.className && '.' + n.className}>`).join('')""")
    assert html == "\N{GRINNING FACE} The carpenter <ins> <del.gap>nurse because he <ins>was late."
    assert errored.locator("ins").all_text_contents() == ["meet", "so "]
    assert page.locator(f"{SIDE.format('clean')} del").all_text_contents() == ["met", "the "]
    assert errored.locator("ins").nth(1).get_attribute("title") == "<b>prep</b> · insertion"
    assert page.locator("[data-part=instruction]").get_attribute("data-side") == "unchanged"


def test_an_item_that_no_edits_lead_to_shows_both_texts(page: Any, address: str) -> None:
    go(page, address, "#view=items&item=winobias/type1/0002/pro&condition=l2-30")
    page.wait_for_selector("article.item")
    assert "Quite another text." in page.inner_text("article.item")


def test_answers_are_counted_in_both_orders(page: Any, address: str) -> None:
    go(page, address, "#view=items&condition=l2-30")
    page.wait_for_selector(".answers tbody tr")
    cells = page.locator(".answers tbody tr").evaluate_all(
        "(rows) => rows.map((r) => [...r.querySelectorAll('.chips')].map((c) => c.innerText))"
    )
    lines = [[cell.replace("\n", "; ") for cell in row] for row in cells]
    carpenter, image = "the carpenter", made.IMAGE
    assert lines[0][0] == f"A {carpenter} ×2; B {image} ◆ ×1"
    assert lines[0][1] == f"no answer ×1; B {carpenter} ×1; A {image} ◆ ×1"
    assert lines[1][0] == f"B {image} ◆ ×3"
    assert "≠" in page.locator(".answers tbody tr").nth(1).inner_text()
    assert "[…]" in page.locator(".answers").text_content()


def test_items_are_found_by_text_and_by_change(page: Any, address: str) -> None:
    go(page, address, "#view=items&condition=l2-30")
    page.wait_for_selector(".itemlist")
    assert page.locator(".itemlist li").count() == 2
    page.check("input[name=changed]")
    until(page, "document.querySelectorAll('.itemlist li').length", 1)
    page.uncheck("input[name=changed]")
    page.fill("input[name=iq]", "another TEXT")
    until(page, "document.querySelectorAll('.itemlist li').length", 1)
    assert "0002" in page.inner_text("article.item h2")
    assert page.evaluate("document.activeElement.name") == "iq"
    assert (
        "2 of 96 pairs are here. Those that changed most. 1 of their 2 texts pass"
        in page.inner_text("#main")
    )


def test_other_analyses_are_tables_of_text(page: Any, address: str) -> None:
    go(page, address, "#view=panels")
    assert page.text_content(".panel tbody b") == "12.5"
    assert page.text_content(".panel tbody bdi") == made.IMAGE
    page.click(".panel details summary")
    page.wait_for_selector(".panel .command")
    assert made.COMMAND in page.text_content(".panel .command")


def test_other_analyses_alone_are_shown(
    page: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plotly.offline, "get_plotlyjs", lambda: "")
    alone = replace(made.hand_made_board(), models=(), subjects=(), sections=(), versus=())
    index = site.write_site(alone, None, tmp_path / "site", progress=False)  # type: ignore[arg-type]
    go(page, index.as_uri())
    assert page.locator("#views li").all_text_contents() == ["Analyses", "About"]
    assert page.text_content(".panel tbody b") == "12.5"
    assert not page.is_visible("#subject")


def test_models_that_were_never_asked_clean_have_no_numbers(
    page: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plotly.offline, "get_plotlyjs", lambda: "")
    monkeypatch.setattr(site, "item_shards", lambda *_, **__: iter(()))
    board = made.hand_made_board()
    bare = [replace(one, clean=None, changes=(), worst=-1) for one in board.sections]
    board = replace(board, sections=tuple(bare), versus=(), panels=(), problems=(), notes=())
    index = site.write_site(board, None, tmp_path / "site", progress=False)  # type: ignore[arg-type]
    go(page, index.as_uri(), "#cell=s1~clean")
    assert "No run on clean prompts." in page.inner_text("#drawer")
    assert page.locator("tbody .cell").count() == 0
    assert "no run under this condition" in page.inner_html("tr[data-section=s1]")
    assert not page.is_visible("#notice")


def test_a_link_is_copied(page: Any, address: str) -> None:
    go(page, address, "#show=both")
    page.click("#copy-link")
    until(page, "document.getElementById('toast').textContent", "Link copied")


def test_a_link_of_other_runs_opens_no_other_number(page: Any, address: str) -> None:
    go(page, address, "#subject=mmlu-direct&cell=s1~l2-5")
    assert not page.locator("#drawer[open]").count()
    assert "not on this page" in page.inner_text("#toast")
    go(page, address, "#view=items&item=nobody")
    page.wait_for_selector("article.item")
    assert "names the item nobody" in page.inner_text("#main .notice")


def test_colour_says_whether_a_change_is_for_the_worse(page: Any, address: str) -> None:
    go(page, address)
    for clean, errored, metric, expected in (
        (-20, 0, "bias", -20),
        (5, -9, "bias", 4),
        (2, 7, "bias", 5),
        (70, 60, "acc", 10),
    ):
        row = f"{{clean: {clean}, errored: {errored}}}"
        assert page.evaluate(f"sociolect.format.worse({row}, '{metric}')") == expected
    assert "further from 0" in page.inner_text(".legend")


def test_ranks_notes_and_reasons_can_be_read_without_a_mouse(page: Any, address: str) -> None:
    go(page, address)
    assert (
        page.evaluate("sociolect.format.rank({place: 1, low: 1, high: 1, of: 3}).interval") == "1–1"
    )
    assert page.locator("ul.notes li").count() > 0
    page.locator("button.missing").first.press("Enter")
    assert page.inner_text("#toast")


def test_options_that_were_scored_are_shown_as_they_were_asked(page: Any, address: str) -> None:
    go(page, address, "#view=items&condition=clean")
    page.wait_for_selector("article.item")
    page.evaluate(
        """sociolect.data.answers("winobias-direct", "clean").then((found) => {
          found.prompts = {};
          for (const [id, models] of Object.entries(found.answers)) {
            found.prompts[id] = { contexts: ["She is the", "She is the"],
              continuations: [" first", " second"] };
            for (const answers of Object.values(models))
              for (const one of answers) one.scores = [-1.25, null];
          }
        })"""
    )
    page.evaluate("location.hash = '#view=items&condition=clean&iq=e'")
    page.wait_for_selector("[data-scored]")
    assert page.inner_text("[data-scored='1']") == "She is the second"
    assert "−1.250" in page.inner_text("table.answers")
    assert "Options reversed" not in page.inner_text("table.answers")


def test_what_is_measured_is_said(page: Any, address: str) -> None:
    go(page, address, "#view=about")
    text = page.inner_text("#main")
    assert "minus the accuracy on sentences that go against it" in text
    assert "learner errors of four types together" in text
    assert "boxed answer" not in text  # nothing here was asked to reason

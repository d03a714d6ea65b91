"""Takes the pictures of the leaderboard that the documentation shows.

python scripts/screenshots.py SITE docs/img [NAME ...]

The overview is of several benchmarks, so that its SITE may be another than that of the others.
"""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Collection
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

SHOTS = {
    "wide": (1400, 800, "light", "#view=table"),
    "narrow": (360, 740, "light", "#view=table"),
    "dark": (1400, 800, "dark", "#view=table"),
    "items": (1400, 800, "light", "#view=items"),
    "overview": (1400, 560, "light", "#view=overview"),
}
COLOURS = 128
"""Of the palette: text on plain grounds has few, and the files stay small."""


def main(site: Path, out: Path, names: Collection[str]) -> None:
    """Write `leaderboard-<name>.png` for every shot that is named."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name in names:
            target = out / f"leaderboard-{name}.png"
            target.write_bytes(_small(_taken(browser, site, *SHOTS[name])))
            print(target, target.stat().st_size)
        browser.close()


def _taken(browser: Browser, site: Path, width: int, height: int, scheme: str, where: str) -> bytes:
    page = browser.new_page(
        viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
    )
    page.goto(f"{(site / 'index.html').resolve().as_uri()}{where}")
    page.wait_for_selector("article.item" if "items" in where else "table.board")
    picture = page.screenshot()
    page.close()
    return picture


def _small(picture: bytes) -> bytes:
    buffer = io.BytesIO()
    quantised = Image.open(io.BytesIO(picture)).convert("RGB").quantize(COLOURS)
    quantised.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:] or SHOTS)

"""What Chromium makes of a page: which of its places are wider than they can be."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path

PROGRAM = shutil.which("chromium")
_SCRIPT = """
    const shown = [...document.querySelectorAll("iframe")].map(frame => frame.contentDocument);
    const inner = seen => [seen.documentElement, ...seen.querySelectorAll("PLACES")];
    const places = shown.flatMap(inner);
    document.title = JSON.stringify(places.map(place => place.scrollWidth - place.clientWidth));
"""


def title_of(document: Path, *options: str) -> str:
    """The title that the scripts of a page have given it in the end."""
    done = subprocess.run(
        [
            *(PROGRAM or "", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"),
            *options,
            *("--virtual-time-budget=10000", document.as_uri()),
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    title = re.search(r"<title>(.*?)</title>", done.stdout, re.DOTALL)
    assert title is not None
    return html.unescape(title[1])


def cut_pixels(page: str, folder: Path, *, places: str, widths: tuple[int, ...]) -> list[int]:
    """How many pixels each place lacks, on screens of these widths.

    Args:
        folder: takes a file.
        places: a selector; the page itself is one of them.
    """
    frames = [
        f'<iframe style="width:{width}px" srcdoc="{html.escape(page)}"></iframe>'
        for width in widths
    ]
    script = f"<script>onload = () => {{{_SCRIPT.replace('PLACES', places)}}}</script>"
    document = folder / "page.html"
    text = f"<!DOCTYPE html><title></title>{''.join(frames)}{script}"
    document.write_text(text, encoding="utf-8")
    pixels: list[int] = json.loads(title_of(document))
    return pixels

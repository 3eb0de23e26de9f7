"""`unlatch report --html`: the page itself, and what browsers make of it."""

import base64
import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import pytest
from tests import chromium
from tests.cli.output.test_documents import check
from tests.cli.overview.test_report import generate
from tests.cli.project import NAME, REASON, Project

from unlatch.cli.render.describe import times

# The extra `report`, and a parser that knows every mistake; `make` installs both.
pytest.importorskip("jinja2", exc_type=ImportError)
html5lib = pytest.importorskip("html5lib")

HOSTILE = '</td><script>alert(1)</script> & "quotes" \' {{ 7 * 7 }} \x1b[31m'
URL = "https://github.com/octo/widgets/issues/4"
# The file axe.min.js of the npm package axe-core.
AXE = os.environ.get("UNLATCH_AXE")
HTML = "{http://www.w3.org/1999/xhtml}"


def page_of(project: Project, *options: str) -> str:
    done = project.run("report", "--html", "report.html", *options).ends(0)
    assert done.out == "✓ report.html\n"
    return (project.root / "report.html").read_text(encoding="utf-8")


def parse(page: str) -> Element:
    """The page as a browser reads it; any mistake in it is an error."""
    root: Element = html5lib.HTMLParser(strict=True).parse(page)
    return root


@pytest.fixture
def page(project: Project) -> str:
    generate(project, 7)
    links = {"github": {"issue": 4, "url": URL}, "jira": {"issueKey": "SCRUM-1", "url": "x:y"}}
    reopen = {
        "id": "01JC0000000000000000000001",
        "reopenedAt": "2025-03-01T00:00:00Z",
        "reason": HOSTILE,
        "category": HOSTILE,
        "previousStatus": "completed",
        "reopenedBy": HOSTILE,
        "syncedTo": {},
    }
    project.increment(NAME, links=links, reopenHistory=[reopen] * 1)
    (project.folder() / "spec.md").write_text(f"# {HOSTILE}\n")
    return page_of(project)


def test_the_page_is_valid_and_loads_nothing(page: str) -> None:
    root = parse(page)

    assert page.startswith("<!DOCTYPE html>\n")
    names = {one.tag.removeprefix(HTML) for one in root.iter()}
    assert names & {"script", "link", "img", "iframe", "object", "image", "use", "form"} == set()
    attributes = [(name, value) for one in root.iter() for name, value in one.attrib.items()]
    assert [name for name, _ in attributes if name.startswith("on") or name == "style"] == []
    places = {value for name, value in attributes if name.rpartition("}")[2] in ("href", "src")}
    assert places == {"#main", URL}
    assert re.search(r"url\(|@import", page) is None
    # The policy allows the page's own style alone.
    (style,) = [one.text or "" for one in root.iter(f"{HTML}style")]
    (policy,) = [
        one.get("content")
        for one in root.iter(f"{HTML}meta")
        if one.get("http-equiv") == "Content-Security-Policy"
    ]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    own = f"style-src 'sha256-{digest}'"
    assert policy == f"default-src 'none'; {own}; base-uri 'none'; form-action 'none'"


def test_what_people_wrote_is_text(page: str) -> None:
    root = parse(page)
    shown = "".join(root.itertext())
    for words in ("</td><script>alert(1)</script>", '"quotes" \'', "{{ 7 * 7 }}"):
        assert words in shown
    assert "\x1b" not in page
    # Links have the names of items.
    links = ["".join(one.itertext()) for one in root.iter(f"{HTML}a") if one.get("rel")]
    assert links
    assert all(" " in one for one in links)


def test_tables_have_captions_bars_and_landmarks(page: str) -> None:
    root = parse(page)
    ids = {one.get("id") for one in root.iter() if one.get("id")}

    # A reader hears the numbers.
    assert {one.get("aria-hidden") for one in root.iter(f"{HTML}meter")} == {"true"}
    tables = list(root.iter(f"{HTML}table"))
    assert len(tables) >= 5
    assert all(one.find(f"{HTML}caption") is not None for one in tables)
    headings = [one.get("scope") for one in root.iter(f"{HTML}th")]
    assert set(headings) == {"row", "col"}
    assert root.get("lang") == "en"
    assert len(list(root.iter(f"{HTML}main"))) == 1
    labels = {one.get("aria-labelledby") for one in root.iter() if one.get("aria-labelledby")}
    assert labels <= ids


def test_the_tables_have_the_numbers_of_the_document(project: Project) -> None:
    generate(project, 8)
    document = check(project, "report", "report")

    root = parse(page_of(project))

    tables = [
        [[("".join(cell.itertext())) for cell in row] for row in table.iter(f"{HTML}tr")]
        for table in root.iter(f"{HTML}table")
    ]
    months = {name: int(count) for name, count, *_ in tables[0][1:]}
    assert months == document["byMonth"]
    trackers = {one["tracker"] or "(none)": one["reopens"] for one in document["byTracker"]}
    assert {name: int(count) for name, count, *_ in tables[2][1:]} == trackers
    often = {one["id"]: one["reopens"] for one in document["mostReopened"]}
    assert {row[0]: int(row[1]) for row in tables[4][1:]} == often


def test_pending_operations_are_linked(completed: Project) -> None:
    assert completed.run("resume", "7", "--yes", "--reason", REASON, "--offline").code == 0
    root = parse(page_of(completed))
    found = {one.get("href") for one in root.iter(f"{HTML}a")}
    assert {*completed.urls.values(), "#main"} == found


def test_a_dash_is_stdout(project: Project) -> None:
    generate(project, 3)
    project.increment("0099-照合", reopenHistory=[])
    done = project.run("report", "--html", "-").ends(0)
    assert parse(done.out).get("lang") == "en"
    assert not (project.root / "-").exists()
    assert project.run("report", "--html", "-", "--json").code == 2


def test_a_page_is_replaced_and_other_places_are_refused(project: Project) -> None:
    (project.root / "report.html").write_text("old")
    assert "old" not in page_of(project)
    (project.root / "folder").mkdir()
    assert project.run("report", "--html", "folder").code == 2
    project.run("report", "--html", "nowhere/report.html").ends(
        2, err="'--html': 'nowhere' is no folder."
    )


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({"2025-01": 2, "2025-02": 0, "2025-03": 8}, ["0.25", "0.0", "1.0"]),
        ({"2025-01": 2}, []),  # a bar alone compares nothing
        ({"2025-01": 0, "2025-02": 0}, []),
    ],
)
def test_bars_compare_the_numbers_of_a_table(
    project: Project, counts: dict[str, int], expected: list[str]
) -> None:
    number = 0
    for month, count in counts.items():
        for _ in range(count):
            number += 1
            reopen = {
                "id": f"01JC{number:022}",
                "reopenedAt": f"{month}-01T12:00:00Z",
                "reason": "More",
                "previousStatus": "completed",
                "reopenedBy": "Ada",
                "syncedTo": {},
            }
            project.increment(f"{number:04}-a", status="active", reopenHistory=[reopen])

    root = parse(project.run("report", "--html", "-").out)

    tables = [[*one.iter(f"{HTML}meter")] for one in root.iter(f"{HTML}table")]
    bars = [one.get("value") for one in (tables or [[]])[0]]
    assert bars == expected


def test_long_numbers_are_grouped() -> None:
    assert "5,000 increments" == times(5000, "increment")


def test_a_cell_of_a_record_names_its_column(page: str) -> None:
    (*_, often) = parse(page).iter(f"{HTML}table")
    head, *rows = often.iter(f"{HTML}tr")
    columns = ["".join(cell.itertext()) for cell in head]
    assert rows
    for row in rows:
        assert columns[1:] == [cell.get("data-heading") for cell in row if cell.tag == f"{HTML}td"]


@pytest.mark.skipif(not chromium.PROGRAM, reason="Chromium is not installed")
def test_nothing_is_cut_at_the_width_of_a_phone(page: str, tmp_path: Path) -> None:
    cut = chromium.cut_pixels(page, tmp_path, places=".scroll", widths=(390, 1280))
    assert len(cut) > 10
    assert [pixels for pixels in cut if pixels > 0] == []


@pytest.mark.skipif(not (AXE and chromium.PROGRAM), reason="UNLATCH_AXE names no axe.min.js")
@pytest.mark.parametrize("scheme", [0, 1], ids=["dark", "light"])
@pytest.mark.parametrize("width", [360, 1280])
def test_a_browser_finds_no_obstacles(page: str, tmp_path: Path, scheme: int, width: int) -> None:
    script = Path(AXE or "").read_text(encoding="utf-8")
    run = "axe.run().then(found => document.title = JSON.stringify(found.violations))"
    open_page = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)
    tested = open_page.replace("</body>", f"<script>{script}</script><script>{run}</script></body>")
    (tmp_path / "page.html").write_text(tested, encoding="utf-8")
    options = (f"--blink-settings=preferredColorScheme={scheme}", f"--window-size={width},1000")
    violations: list[dict[str, Any]] = json.loads(
        chromium.title_of(tmp_path / "page.html", *options)
    )
    assert [one["id"] for one in violations] == []

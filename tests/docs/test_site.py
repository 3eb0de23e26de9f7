"""The site has the sections of docs/index.md; `make docs` checks its links. README is short."""

import re
from typing import Any

import yaml
from tests.docs.pages import ROOT, START, headings, linked_pages

INDEX = ROOT / "docs/index.md"
# Where files beside docs/ are on the site.
_BESIDE = {"CHANGELOG.md": "changelog.md", "SECURITY.md": "report-a-vulnerability.md"}


def test_the_readme_is_short() -> None:
    assert len(START.read_text(encoding="utf-8").splitlines()) <= 80


def test_the_readme_ends_with_agents() -> None:
    assert headings(START)[-1][1] == "Coding agents"


def test_the_site_has_the_sections_and_pages_of_the_index() -> None:
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    sections = {name: pages for part in nav[1:] for name, pages in part.items()}
    assert [text for tag, text in headings(INDEX) if tag == "h2"] == [*sections]
    for name, pages in sections.items():
        assert _linked(name) == {page for page in _flat(pages) if "/0" not in page}  # each decision


def _linked(section: str) -> set[str]:
    """The pages that a section of the index links to, as the site names them."""
    text = INDEX.read_text(encoding="utf-8").partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    found = {target for link, target, _ in linked_pages(INDEX) if f"]({link})" in text}
    names = {target.relative_to(ROOT).as_posix() for target in found}
    return {_BESIDE.get(name) or re.sub("^docs/", "", name) for name in names}


def _flat(pages: list[Any]) -> list[str]:
    return [
        name
        for page in pages
        for name in ([page] if isinstance(page, str) else _flat(next(iter(page.values()))))
    ]

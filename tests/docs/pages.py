"""The project's pages: their blocks, links, tables and headings."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from unlatch.cli.table import all_commands

ROOT = Path(__file__).parents[2]
START = ROOT / "README.md"

_GROUPS = {"agents", "config", "effort", "fleet", "github", "run", "session", "workflow"}
_COMMAND = re.compile(
    rf"^ *(?:\$ |- run: )?unlatch ({'|'.join((*all_commands(), *_GROUPS))})\b ?([\w-]*)",
    re.MULTILINE,
)
_COMMENT = re.compile(r"<!-- stage: (?P<words>.+?) -->\s*")
_DROPPED_FROM_ANCHORS = re.compile(r"[^\w\- ]")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block.

    Args:
        language: the word after the fence.
        text: the text between the fences.
        line: the line of the opening fence.
    """

    language: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Direction:
    """A hidden instruction to the test: `<!-- stage: Jira is down -->`."""

    words: str
    line: int


def pages() -> list[Path]:
    """All pages for people."""
    return [
        START,
        ROOT / "CHANGELOG.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "SECURITY.md",
        *sorted(ROOT.glob("docs/**/*.md")),
    ]


def commands_on(page: Path) -> set[str]:
    """The names of the commands that a page runs, with the command of a group."""
    found = _COMMAND.findall(page.read_text(encoding="utf-8"))
    return {f"{name} {second}" if name in _GROUPS else name for name, second in found}


def pages_of_each_command(pages: Sequence[Path]) -> set[Path]:
    """README and a few pages that together run each command that any of them runs."""
    names = {page: commands_on(page) for page in pages}
    kept = {page: None for page in pages if names[page]}
    for page in sorted(kept.keys() - {START}, key=lambda page: (-page.stat().st_size, page)):
        others = set[str]().union(*(names[other] for other in kept if other != page))
        if names[page] <= others:
            del kept[page]
    return {*kept}


def name_of(page: Path) -> str:
    """A page's path in the repository."""
    return page.relative_to(ROOT).as_posix()


def script(page: Path) -> list[Block | Direction]:
    """A page's blocks and stage directions, in order."""
    found: list[Block | Direction] = []
    for token in _tokens(page):
        line = token.map[0] + 1 if token.map else 0
        if token.type == "fence":
            found.append(Block(token.info.strip(), token.content, line))
        elif token.type == "html_block":
            directions = _COMMENT.finditer(token.content)
            found += [Direction(match["words"], line) for match in directions]
    return found


def links(page: Path) -> list[str]:
    """The targets of a page's links."""
    return [
        str(child.attrs["href"])
        for token in _tokens(page)
        for child in token.children or ()
        if child.type == "link_open"
    ]


def inline_code(page: Path) -> list[str]:
    """The inline code of text and tables."""
    return [
        child.content
        for token in _tokens(page)
        for child in token.children or ()
        if child.type == "code_inline"
    ]


@cache
def anchors(page: Path) -> set[str]:
    """The anchors that GitHub makes from the page's headings."""
    texts = (text.lower() for _, text in headings(page))
    return {_DROPPED_FROM_ANCHORS.sub("", text).replace(" ", "-") for text in texts}


def headings(page: Path) -> list[tuple[str, str]]:
    """The level and the text of each heading, without markup."""
    tokens = _tokens(page)
    return [
        (token.tag, _plain(after))
        for token, after in pairwise(tokens)
        if token.type == "heading_open"
    ]


def tables(page: Path) -> list[list[list[str]]]:
    """The rows of each table, its heading first, without markup."""
    found: list[list[list[str]]] = []
    inside = False
    for token in _tokens(page):
        if token.type in ("table_open", "table_close"):
            inside = token.type == "table_open"
            found += [[]] if inside else []
        elif token.type == "tr_open":
            found[-1].append([])
        elif token.type == "inline" and inside:
            found[-1][-1].append(_plain(token))
    return found


def _plain(token: Token) -> str:
    return "".join(child.content for child in token.children or ())


@cache
def _tokens(page: Path) -> Sequence[Token]:
    return MarkdownIt("gfm-like", {"linkify": False}).parse(page.read_text(encoding="utf-8"))


def linked_pages(page: Path) -> Iterator[tuple[str, Path, str]]:
    """A page's links within the repository: as written, the file, and the anchor."""
    for link in links(page):
        if "://" in link or link.startswith("mailto:"):
            continue
        path, _, part = link.partition("#")
        yield link, (page.parent / path).resolve() if path else page, part

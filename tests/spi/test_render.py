"""People's text arrives unchanged: rendered, parsed, compared."""

import re
from html.parser import HTMLParser
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from unlatch.spi.render import as_html, markdown, plain
from unlatch.spi.text import Check, Checks, Heading, Text, fill, hidden, ops_in, visible
from unlatch.worklog.text.neutral import without_controls
from unlatch_jira.api.rich_text import adf, wiki

OP = "01KA0000000000000000000001"
FULL = "**Reopened**: {reason}\n\nIncrement 0007-x, by {by}, now"
TEMPLATES = (FULL, "{reason}", "**{reason}**", "- {reason}\n{by}", "    {reason}")
HOSTILE = (
    *("*", "**", "_", "__", "~~", "`", "```\n", "~~~\n", "\\", "\\\n", "|", "|-|-|\n", "$", "$$"),
    *(
        "# ",
        "## x",
        "- ",
        "+ ",
        "* ",
        "1. ",
        "2) ",
        "123456789. ",
        "> ",
        "===",
        "---",
        ":-:",
        "    ",
    ),
    *("\t", "\n", "\n\n", " ", "a", "b c", "\r\n", "\r", "\x00", "\x1b[31m", "\u2028", "\u00a0"),
    *(
        "[a](http://x.org)",
        "![a](b)",
        "[a]: http://x.org",
        "[^1]",
        "- [ ] x",
        "<b>",
        "</p>",
        "<!--",
    ),
    *("-->", "<!-- x", hidden(OP), visible(OP), "unlatch\nref ", OP, "&lt;", "&#35;", "&", "&amp"),
    *("@all", "@octo/team", "#5", "GH-5", "octo/widgets#5", "http://x.org/a_b", "www.x.org/a_b"),
    *("a@x.org", "HTTPS://X.ORG", "ftp://x", "{code}", "{{x}}", "[~all]", "h1. ", "bq. ", "||x||"),
    *(
        "!x.png!",
        "??x??",
        "^x^",
        "(x)",
        "C:\\temp",
        "\\\\",
        "$&",
        "::error::",
        "##vso[",
        "{reason}",
    ),
)
texts = st.lists(st.sampled_from(HOSTILE) | st.text(max_size=4), max_size=12).map("".join)
PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def words(text: str) -> str:
    """The visible words: white space folded, without characters of no width."""
    return " ".join(text.replace("\u200b", "").split())


def said(text: Text) -> list[str]:
    paragraphs = (words(without_controls(plain((block,)))) for block in text)
    return [paragraph for paragraph in paragraphs if paragraph]


def filled(template: str, reason: str) -> Text:
    return fill(template, {"reason": reason, "by": reason})


# ---- Markdown ---------------------------------------------------------------------------------


def rendered(source: str) -> tuple[list[str], set[str]]:
    """The text of each paragraph that a renderer sees, and every kind of token it sees."""
    tokens = PARSER.parse(source)
    inline = [token.children or [] for token in tokens if token.type == "inline"]
    kinds = {token.type for token in (*tokens, *(child for line in inline for child in line))}
    return [words(_shown(line)) for line in inline], kinds


def _shown(line: list[Token]) -> str:
    return "".join("\n" if token.type == "hardbreak" else token.content for token in line)


PLAIN = {"paragraph_open", "paragraph_close", "inline", "text", "hardbreak"}
STRONG = {"strong_open", "strong_close"}


@given(texts, st.sampled_from(TEMPLATES))
@example("a\n\n    code", FULL)
@example("    code", "{reason}")
@example("a\nb\n\nc", "**{reason}**")
@example(" ", "**{reason}**")
@example("a\n", "{reason}")
@example("x\n:-:", "{reason}")
def test_markdown_says_what_was_said_and_has_no_other_structure(reason: str, template: str) -> None:
    text = filled(template, reason)
    paragraphs, kinds = rendered(markdown(text))
    assert paragraphs == said(text)
    assert kinds <= (PLAIN | STRONG if "**" in template else PLAIN)


@given(texts, st.sampled_from(TEMPLATES))
@example("@_ #_", TEMPLATES[0])
def test_markdown_notifies_nobody_and_refers_to_nothing(reason: str, template: str) -> None:
    source = markdown(filled(template, reason))
    seen = "\n".join(_shown(block.children or []) for block in PARSER.parse(source))
    assert re.findall(r"[@#][\w-]|\bGH-\w", seen, re.IGNORECASE) == []
    assert re.findall(r"(?:https?|ftp)://|www\.", source, re.IGNORECASE) == []


@given(texts, st.sampled_from(TEMPLATES))
def test_no_format_lets_people_forge_a_marker(reason: str, template: str) -> None:
    text = filled(template, reason)
    told = [markdown(text), as_html(text), wiki(text), _adf_text(adf(text))]
    folded = [" ".join(re.sub(r"<[^<>]*>", " ", one).split()) for one in told]
    assert [ops_in(one) for one in (*told, *folded)] == [frozenset()] * 8


def test_with_mentions_names_and_addresses_take_effect() -> None:
    text = filled("{reason}", "@ada #5 https://x.org")
    assert markdown(text, mentions=True) == "@ada #5 https://x.org"


# ---- HTML -------------------------------------------------------------------------------------


class _Seen(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.paragraphs: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(f"{tag} {attrs}" if attrs else tag)
        if tag == "p":
            self.paragraphs.append("")
        elif tag == "br":
            self.paragraphs[-1] += "\n"

    def handle_data(self, data: str) -> None:
        self.paragraphs[-1] += data

    def handle_comment(self, data: str) -> None:
        self.tags.add(f"<!--{data}")


@given(texts, st.sampled_from(TEMPLATES))
def test_html_gives_the_text_back(reason: str, template: str) -> None:
    text = filled(template, reason)
    seen = _Seen()
    seen.feed(as_html(text))
    seen.close()
    expected = [without_controls(plain((block,))) for block in text]
    assert [_visible(line) for line in seen.paragraphs] == [_visible(line) for line in expected]
    assert seen.tags <= {"p", "br", "b"}


# ---- Jira -------------------------------------------------------------------------------------

# What Jira's renderer takes for an escape, read from its BackslashEscapeRendererComponent.
ESCAPE = re.compile(r"(?<!\\)\\([-#*_+?^~|%{}\[\]()!@])")
ENTITY = re.compile(r"&#(\d+);")


@given(texts, st.sampled_from(("{reason}", "by {by}: {reason}")))
@example("C:\\temp\\new \\\\ x", "{reason}")
@example("h1. Big\nbq. quote\n  h2. y", "{reason}")
@example("&#42; &amp; R&D;", "{reason}")
@example("_h1. no heading", "{reason}")
def test_wiki_text_gives_the_text_back_through_jiras_escapes(reason: str, template: str) -> None:
    text = filled(template, reason)
    source = wiki(text)
    read = ENTITY.sub(lambda found: chr(int(found[1])), ESCAPE.sub(r"\1", source))
    expected = without_controls(plain(text))
    assert _visible(read) == _visible(expected)
    # A sign in place of each escaped one: a space would let a heading begin after it.
    bare = ESCAPE.sub("'", source)
    assert re.findall(r"[\\{}\[\]*_+^~?!|]|&(?!#(?:92|38|46);)#?\w+;", bare) == []
    assert re.findall(r"(?m)^\s*(?:h[1-6]|bq)\.", bare) == []


@given(texts, st.sampled_from(TEMPLATES))
@example("\r", FULL)
def test_a_document_gives_the_text_back(reason: str, template: str) -> None:
    text = filled(template, reason)
    # A carriage return at a block's end must not merge with the blank line after it.
    expected = "\n\n".join(without_controls(plain((block,))) for block in text)
    assert _visible(_adf_text(adf(text))) == _visible(expected)


def _adf_text(document: dict[str, Any]) -> str:
    return "\n\n".join(
        "".join(node.get("text", "\n") for node in block["content"])
        for block in document["content"]
    )


def _visible(text: str) -> str:
    return text.replace("\u200b", "")


# ---- Headings and check boxes -----------------------------------------------------------------

lines = texts.map(lambda text: " ".join(without_controls(text).split())).filter(words)
checks = st.builds(Check, lines, st.sampled_from((True, False, None)), st.just(0))
LISTS = {"bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close"}


@given(lines, st.lists(checks, min_size=1, max_size=4))
def test_markdown_lists_hold_one_line_each_and_nothing_else(
    heading: str, items: list[Check]
) -> None:
    text: Text = (Heading(heading), Checks(tuple(items)))
    shown, kinds = rendered(markdown(text))
    boxes = {True: "[x] ", False: "[ ] ", None: ""}
    assert shown == [words(heading), *(words(boxes[one.done] + one.text) for one in items)]
    assert kinds <= PLAIN | LISTS | {"heading_open", "heading_close"}


@given(lines, st.lists(checks, min_size=1, max_size=4))
def test_lists_say_the_same_in_every_format(heading: str, items: list[Check]) -> None:
    text: Text = (Heading(heading), Checks(tuple(items)))
    seen = _Lines()
    seen.feed(as_html(text))
    seen.close()
    document = adf(text)
    (bullets,) = [block for block in document["content"] if block["type"] == "bulletList"]
    told = [_adf_text({"content": one["content"]}) for one in bullets["content"]]
    expected = [_visible(one.text) for one in items]
    assert [_visible(_unboxed(one)) for one in seen.found["li"]] == expected
    assert [_visible(_unboxed(one)) for one in told] == expected
    assert [_visible(one) for one in seen.found["h3"]] == [_visible(heading)]
    assert len(wiki(text).split("\n")) == len(items) + 2
    assert {ops_in(one) for one in (markdown(text), as_html(text), wiki(text))} == {frozenset()}


def _unboxed(text: str) -> str:
    return text.removeprefix("\u2611 ").removeprefix("\u2610 ")


class _Lines(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, list[str]] = {"li": [], "h3": []}
        self._in = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self.found:
            self.found[tag].append("")
            self._in = tag

    def handle_data(self, data: str) -> None:
        self.found[self._in][-1] += data

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unlatch_jira.making import unescaped

from unlatch.spi.text import Span, Text
from unlatch_jira.api.rendering import adf, wiki
from unlatch_jira.api.rich_text import format_of, plain, wrap_section

ID = "0007-smart-discipline"
BODY: Text = ((Span("First"),), (Span("Second"),))
HOSTILE = "{panel} *bold* [~all] h1. --> $& \"' <b> @all\nsecond line\\"


def words(text: Text) -> list[str]:
    return ["".join(span.text for span in block) for block in text if isinstance(block, tuple)]


def test_a_first_section_is_all_there_is() -> None:
    assert format_of(2).with_kept(None, BODY, ID) == wiki(wrap_section(BODY, ID))
    assert format_of(3).with_kept(None, BODY, ID) == adf(wrap_section(BODY, ID))


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_wiki_text_around_the_section_stays_as_it_is(newline: str) -> None:
    before = f"h1. Mine{newline}{newline}* a list{newline}"
    after = f"{newline}{newline}{{code}}x{{code}}{newline}"
    old = wiki(wrap_section(((Span("Old"),),), ID)).replace("\n", newline)
    found = format_of(2).with_kept(f"{before}{old}{after}", BODY, ID)
    assert found == f"{before}{wiki(wrap_section(BODY, ID))}{after}"


def test_a_document_around_the_section_stays_as_it_is() -> None:
    panel = {"type": "panel", "attrs": {"panelType": "info"}, "content": []}
    media = {"type": "mediaSingle", "content": [{"type": "media", "attrs": {"id": "1"}}]}
    old = adf(wrap_section(((Span("Old"),),), ID))["content"]
    body = {"type": "doc", "version": 1, "content": [panel, *old, media]}
    new = adf(wrap_section(BODY, ID))["content"]
    expected = {"type": "doc", "version": 1, "content": [panel, *new, media]}
    assert format_of(3).with_kept(body, BODY, ID) == expected


@pytest.mark.parametrize("version", [2, 3])
def test_a_section_is_added_after_what_people_wrote(version: int) -> None:
    form = format_of(version)
    mine = form.render(((Span("Mine"),),))
    found = plain(form.with_kept(mine, BODY, ID))
    assert found.startswith("Mine")
    assert found.index("Mine") < found.index("First") < found.index("Second")


@pytest.mark.parametrize("version", [2, 3])
def test_writing_twice_is_writing_once(version: int) -> None:
    form = format_of(version)
    once = form.with_kept(form.render(((Span("Mine"),),)), BODY, ID)
    assert form.with_kept(once, BODY, ID) == once


@pytest.mark.parametrize("version", [2, 3])
def test_sections_of_two_increments_live_side_by_side(version: int) -> None:
    form = format_of(version)
    both = form.with_kept(form.with_kept(None, BODY, ID), ((Span("Else"),),), "0008-other")
    found = plain(form.with_kept(both, ((Span("New"),),), ID))
    assert ("New" in found, "First" in found, "Else" in found) == (True, False, True)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("lost", ["from here", "up to here"])
def test_text_beside_half_a_section_is_not_taken_for_ours(version: int, lost: str) -> None:
    form = format_of(version)
    whole = wrap_section(BODY, ID)
    half = tuple(block for block, said in zip(whole, words(whole), strict=True) if lost not in said)
    torn = form.render((*half, (Span("Mine"),)))
    for _ in range(2):
        torn = form.with_kept(torn, ((Span("New"),),), ID)
    found = plain(torn)
    assert ("Mine" in found, found.count("New")) == (True, 1)


@pytest.mark.parametrize("version", [2, 3])
def test_a_person_who_writes_our_marks_does_not_end_the_section(version: int) -> None:
    form = format_of(version)
    fake = words(wrap_section((), ID))[-1]
    first = form.with_kept(None, ((Span(f"a\n{fake}\nb"),), (Span(fake),), (Span("tail"),)), ID)
    second = form.with_kept(first, BODY, ID)
    assert second == form.with_kept(None, BODY, ID)


@pytest.mark.parametrize("version", [2, 3])
def test_hostile_words_are_words(version: int) -> None:
    found = plain(format_of(version).render(((Span(HOSTILE),),)))
    assert (found if version == 3 else unescaped(found)) == HOSTILE


def test_the_words_of_a_document_are_found_however_deep_they_lie() -> None:
    item = {"type": "listItem", "content": [_paragraph("deep"), _paragraph("er")]}
    body: dict[str, Any] = {
        "type": "doc",
        "version": 1,
        "content": [{"type": "bulletList", "content": [item]}, _paragraph("unlatch ", "ref X")],
    }
    assert plain(body) == "deep\ner\nunlatch ref X"


@pytest.mark.parametrize("body", [None, 3, [], {}, {"content": None}, {"content": ["x", 1]}])
def test_what_is_no_body_has_no_words(body: object) -> None:
    assert plain(body) == ""


@pytest.mark.parametrize("content", [7, "text", {"type": "text"}, None])
def test_a_node_with_another_content_has_no_text(content: Any) -> None:
    paragraph = {"type": "paragraph", "content": content}

    assert plain({"type": "doc", "content": [paragraph]}) == ""
    assert plain({"type": "doc", "content": content}) == ""


def test_the_limit_counts_what_jira_counts() -> None:
    text: Text = ((Span("***"),),)
    assert [len(plain(format_of(v).render(text))) for v in (2, 3)] == [6, 3]


def _paragraph(*texts: str) -> dict[str, Any]:
    return {"type": "paragraph", "content": [{"type": "text", "text": text} for text in texts]}


@given(st.text(), st.text())
def test_whatever_people_write_around_the_section_stays(before: str, after: str) -> None:
    old = f"{before}\n{wiki(wrap_section(((Span('Old'),),), ID))}\n{after}"
    assert (
        format_of(2).with_kept(old, BODY, ID)
        == f"{before}\n{wiki(wrap_section(BODY, ID))}\n{after}"
    )


def test_wiki_text_that_cloud_made_of_a_document_keeps_its_section() -> None:
    theirs = wiki(wrap_section(((Span("Old"),),), ID)).replace("\\-", "-")
    assert format_of(2).with_kept(theirs, BODY, ID) == wiki(wrap_section(BODY, ID))

"""Reading sessions that people and other programs wrote."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from unlatch.errors import StoreError
from unlatch_sessions.changes import add_block, add_call, add_phase, add_prose
from unlatch_sessions.document import read_document
from unlatch_sessions.front_matter import with_values
from unlatch_sessions.heading import read_heading
from unlatch_sessions.markup import call_line, decision
from unlatch_sessions.session_model import CalloutKind, Session

HEAD = "---\ntype: session\nsession_id: a\nstatus: active\n---\n\n# Title\n"


def read(body: str) -> Session:
    return read_document(HEAD + body).session


@pytest.mark.parametrize(
    ("words", "title", "agent", "channel"),
    [
        ("Research @coder@1.0 #dev", "Research", "coder@1.0", "dev"),
        ("Research #dev @coder", "Research", "coder", "dev"),
        ("Fix bug #12", "Fix bug #12", None, None),
        ("Ask @ada about it", "Ask @ada about it", None, None),
        ("Mail ada@example.org", "Mail ada@example.org", None, None),
        ("Use \\#dev", "Use #dev", None, None),
        ("@coder", "", "coder", None),
    ],
)
def test_only_the_last_words_are_agent_and_channel(
    words: str, title: str, agent: str | None, channel: str | None
) -> None:
    found = read_heading(words)
    assert (found.title, found.agent and str(found.agent), found.channel) == (title, agent, channel)


def test_code_quotes_and_lines_are_no_phases() -> None:
    body = (
        "\n## One\n\n---\n\n```\n## code\n```\n\n> ## quote\n\n### Three\n\n- ```\n  ## x\n  ```\n"
        "\n<!--\n## comment\n-->\n\n## Two\n"
    )
    assert [one.title for one in read(body).phases] == ["One", "Two"]


def test_the_last_tasks_block_counts() -> None:
    block = '\n```{}\n[{{"id": "1", "content": "{}", "status": "pending"}}]\n```\n'
    body = "\n## One\n" + block.format("tasks", "old") + block.format("json tasks", "new")
    assert [one["content"] for one in read(body).tasks] == ["new"]
    assert read(f"{body}\n~~~tasks\nnot JSON\n~~~\n").tasks == ()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("# No front matter\n", "no front matter"),
        ("---\na: [\n---\n", "not YAML"),
        ("---\n- a\n---\n", "not a mapping"),
        ("---\nstatus: active\n---\n", "no session_id"),
        ("---\nsession_id: a\nstatus: sleeping\n---\n", "no status"),
        ("---\n" + "k: v\n" * 60_000 + "---\n", "more than 262,144 characters"),
    ],
)
def test_a_file_that_is_no_session_is_an_error(text: str, why: str) -> None:
    with pytest.raises(StoreError, match=why):
        read_document(text)


def test_other_keys_and_their_form_stay() -> None:
    text = (
        "---\n# mine\ntype: session\nsession_id: 'a'   # quoted\nstatus: active # now\n"
        "tags: [a, b]\nparticipants:\n- one\n\n- two\n\naliases:\n  - x\n---\n\nText\n"
    )
    new = with_values(text, {"status": "paused", "participants": ["one", "2"], "new": "a: b"})
    assert new == (
        "---\n# mine\ntype: session\nsession_id: 'a'   # quoted\nstatus: paused\ntags: [a, b]\n"
        'participants:\n  - one\n  - "2"\n\naliases:\n  - x\nnew: "a: b"\n---\n\nText\n'
    )


def test_a_key_that_is_there_twice_is_not_written() -> None:
    text = "---\nsession_id: a\nstatus: active\nstatus: paused\n---\n"
    with pytest.raises(StoreError, match="'status' twice"):
        with_values(text, {"status": "completed"})


def test_line_endings_stay() -> None:
    text = HEAD.replace("\n", "\r\n")
    text = add_phase(["## One", "", "*2026-03-02T09:00:00Z*"])(text)
    for name in ("a", "b"):
        text = add_call(call_line("Read", name, "ok", failed=False))(text)
    assert text.count("\n") == text.count("\r\n")
    assert [one.arguments for one in read_document(text).session.phases[0].calls] == ["a", "b"]


# Texts in which much means something in Markdown.
words = st.lists(
    st.sampled_from(
        (
            *("## x", "```", "~~~", "<!--", "-->", "> [!decision]", "> x", "- a", "  ", "", "---"),
            *("# y", "**Tool calls:**", "- `Read a` -> b", "```json tasks", "[]", "    code", "x"),
            "## Summary",
        )
    )
    | st.text(max_size=5),
    max_size=8,
).map("\n".join)


@given(existing=words, added=words.filter(str.strip))
def test_what_is_added_is_read_back_and_nothing_else_changes(existing: str, added: str) -> None:
    text = f"{HEAD}\n## One\n\n{existing}"
    before = read_document(text).session
    try:
        new = add_block(decision(added))(text)
    except StoreError:
        return  # it would have been read otherwise
    phases = read_document(new).session.phases
    assert len(phases) == len(before.phases)
    decisions = [*phases[-1].callouts(CalloutKind.DECISION)]
    assert len(decisions) == len([*before.phases[-1].callouts(CalloutKind.DECISION)]) + 1
    assert new.startswith(text.rstrip("\r\n")) or before.summary is not None


@given(added=words.filter(str.strip))
def test_nothing_of_a_session_begins_in_a_text(added: str) -> None:
    text = add_prose(added)(f"{HEAD}\n## One\n\n*2026-03-02T09:00:00Z*\n")
    session = read_document(text).session
    assert len(session.phases) == 1
    assert session.phases[0].entries == ()
    assert session.tasks == ()
    assert len(read_document(add_phase(["## Two"])(text)).session.phases) == 2


CONFLICT = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n"


@pytest.mark.parametrize("place", ["status", "\n# T", "\n## One", "\nText"])
def test_a_conflict_of_git_is_an_error_at_its_line(place: str) -> None:
    text = f"{HEAD}\n# T\n\n## One\n\nText\n".replace(place, f"\n{CONFLICT}{place}", 1)
    line = text[: text.index("<<<")].count("\n") + 1
    with pytest.raises(StoreError, match=f"line {line}: the file contains") as caught:
        read_document(text)
    assert caught.value.id == "session-in-conflict"


@pytest.mark.parametrize("before", ["", "```\n", "<!--\n", "- a\n  ", "    ", "<div>\n"])
def test_markers_that_are_logged_as_a_text_are_no_conflict(before: str) -> None:
    text = add_prose(before + CONFLICT)(f"{HEAD}\n## One\n")
    text = add_block(decision(CONFLICT))(text)
    assert len(read_document(text).session.phases) == 1


@given(text=words)
def test_phases_are_where_commonmark_has_them(text: str) -> None:
    """An independent parser finds the same headings, where no fences are nested."""
    if text.count("```") > 1 or text.count("~~~") > 1 or "Summary" in text:
        return
    tokens = MarkdownIt().parse(text)
    expected = [
        two.content
        for one, two in pairwise(tokens)
        if one.type == "heading_open" and one.tag == "h2" and one.markup == "##" and not one.level
    ]
    assert len(read(f"\n{text}\n").phases) == len(expected)

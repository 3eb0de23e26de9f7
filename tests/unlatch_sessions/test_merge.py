"""Merging two versions of a session: by Hypothesis, and with texts by hand."""

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unlatch.errors import StoreError
from unlatch.worklog.text.merge import UnmergeableError
from unlatch_sessions import changes, markup
from unlatch_sessions.changes import Change, apply
from unlatch_sessions.document import read_document
from unlatch_sessions.front_matter import with_values
from unlatch_sessions.heading import Heading, write_heading
from unlatch_sessions.merge.documents import merge_sessions
from unlatch_sessions.model import Agent, Subagent

START = datetime(2026, 11, 22, 10, tzinfo=UTC)
BASE = """---
type: session
session_id: s
started: 2026-11-22T10:00:00Z
ended: null
status: active
channel: dev
participants:
  - coder@1.2
tokens_used: 100
resume_point: null
subagents: []
---

# Login

## Research @coder@1.2 #dev

*2026-11-22T10:00:00Z*

**Tool calls:**
- `Read a.py` → 12 lines
"""
WORDS = st.sampled_from(["a", "b", "> q", "```\ncode", "<!-- open", "x\n\ny", "- `c` → ok", "## z"])


def _phase(minute: int, title: str) -> Change:
    lines = [write_heading(Heading(title, None, None)), "", markup.time_line(_at(minute))]
    return changes.add_phase(lines)


def _at(minute: int) -> datetime:
    return START + timedelta(minutes=minute)


CHANGE = st.one_of(
    st.builds(_phase, st.integers(1, 9), st.sampled_from("PQR")),
    st.builds(lambda w: changes.add_call(markup.call_line("Run", w, w, failed=False)), WORDS),
    st.builds(lambda w: changes.add_block(markup.decision(w)), WORDS),
    st.builds(changes.add_prose, WORDS),
    st.builds(changes.add_tokens, st.integers(0, 50)),
    st.builds(lambda name: changes.add_participant(str(Agent(name))), st.sampled_from("klm")),
    st.builds(lambda name: changes.add_subagent(Subagent(name, "x")), st.sampled_from("uvw")),
)
CHANGES = st.lists(CHANGE, max_size=6)


def _side(base: str, made: list[Change]) -> str:
    try:
        return apply(base, made)
    except Exception:  # noqa: BLE001  (a change that the recorder refuses)
        return base


def merge(base: str, ours: str, theirs: str) -> str:
    done = merge_sessions(base.encode(), ours.encode(), theirs.encode())
    assert () == done.clashes
    return done.content.decode()


def entries(text: str) -> list[str]:
    """Every heading and every line of a phase that says something."""
    return [line for line in text.split("\n") if line.strip()]


@given(CHANGES, CHANGES, CHANGES)
def test_sides_can_be_swapped_and_nothing_of_either_is_lost(
    before: list[Change], here: list[Change], there: list[Change]
) -> None:
    base = _side(BASE, before)
    ours, theirs = _side(base, here), _side(base, there)
    try:
        first = merge_sessions(base.encode(), ours.encode(), theirs.encode())
    except UnmergeableError:
        with pytest.raises(UnmergeableError):
            merge_sessions(base.encode(), theirs.encode(), ours.encode())
        return
    second = merge_sessions(base.encode(), theirs.encode(), ours.encode())
    assert bool(first.clashes) == bool(second.clashes)
    text = first.content.decode()
    body = text[text.index("# Login") :]
    for side in (ours, theirs):
        missing = set(entries(side[side.index("# Login") :])) - set(entries(body))
        assert set() == missing
    if not first.clashes:
        assert text == second.content.decode()
        merged = read_document(text).session
        used = [read_document(one).session.meta.tokens_used for one in (base, ours, theirs)]
        assert used[1] + used[2] - used[0] == merged.meta.tokens_used
        times = [one.at for one in merged.phases[1:] if one.at]
        if sorted(times) != times:
            sides = [read_document(one).session.phases[1:] for one in (ours, theirs)]
            assert any([o.at for o in s] != sorted(o.at for o in s if o.at) for s in sides)


EDITS = st.lists(
    st.tuples(st.floats(0, 1), st.sampled_from(["change", "remove", "add", "empty"])), max_size=3
)


def _edited(text: str, edits: list[tuple[float, str]], name: str) -> str:
    """The text after a person changed lines below the front matter."""
    head, mark, body = text.partition("# Login")
    lines = (mark + body).split("\n")
    for number, (place, kind) in enumerate(edits):
        at = int(place * (len(lines) - 1))
        word = "" if kind == "empty" else f"{name} {number}"
        kept = lines[at : at + 1] if kind in ("add", "empty") else []
        new = [] if kind == "remove" else [lines[at] + word if kind == "change" else word]
        lines[at : at + 1] = [*new, *kept]
    return head + "\n".join(lines)


@given(CHANGES, CHANGES, CHANGES, EDITS, EDITS)
def test_a_line_is_gone_only_if_a_side_removed_it(
    before: list[Change],
    here: list[Change],
    there: list[Change],
    ours_edits: list[tuple[float, str]],
    theirs_edits: list[tuple[float, str]],
) -> None:
    base = _side(BASE, before)
    ours = _edited(_side(base, here), ours_edits, "ada")
    theirs = _edited(_side(base, there), theirs_edits, "bob")
    try:
        done = merge_sessions(base.encode(), ours.encode(), theirs.encode())
    except UnmergeableError:
        return
    old, left, right, merged = (
        Counter(entries(one[one.index("session_id") :]))
        for one in (base, ours, theirs, done.content.decode())
    )
    kept = (left - (old - right)) | (right - (old - left))
    changed = ("tokens_used:", "resume_point:", "status:", "ended:")
    assert set() == {one for one in kept if one not in merged and not one.startswith(changed)}


@given(CHANGES, CHANGES)
def test_one_side_alone_is_taken_as_it_is(before: list[Change], there: list[Change]) -> None:
    base = _side(BASE, before)
    theirs = _side(base, there)
    assert theirs == merge(base, base, theirs) == merge(base, theirs, base)


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_other_line_endings_stay(end: str) -> None:
    base = BASE.replace("\n", end)
    ours = apply(base, [_phase(1, "P")])
    theirs = apply(base, [_phase(2, "Q")])
    text = merge(base, ours, theirs)
    assert end * text.count(end) == "".join(c for c in text if c in "\r\n")
    assert ["Research", "P", "Q"] == [one.title for one in read_document(text).session.phases]


def test_a_side_that_changed_line_endings_and_one_that_logged() -> None:
    ours = BASE.replace("\n", "\r\n")
    theirs = apply(BASE, [_phase(2, "Q")])
    assert theirs.replace("\n", "\r\n") == merge(BASE, ours, theirs)


def test_a_mark_of_the_byte_order_stays() -> None:
    base = "\ufeff" + BASE
    assert merge(base, apply(base, [_phase(1, "P")]), apply(base, [_phase(2, "Q")])).startswith(
        "\ufeff---\n"
    )


def test_text_unknown_to_the_parser_stays_where_it_is() -> None:
    odd = "\n\n\n  odd   \n<div>\n\n\n| a |\n"
    base = BASE.replace("*2026-11-22T10:00:00Z*\n", f"*2026-11-22T10:00:00Z*\n{odd}", 1)
    text = merge(base, apply(base, [_phase(1, "P")]), apply(base, [_phase(2, "Q")]))
    assert base in text.replace("tokens_used: 100", "tokens_used: 100")


@pytest.mark.parametrize(
    ("here", "there", "status"),
    [
        ({"status": "paused", "resume_point": "phase-1"}, {}, "paused"),
        (
            {"status": "completed", "ended": "2026-11-22T10:30:00Z"},
            {"status": "paused", "resume_point": "phase-1"},
            "completed",
        ),
        (
            {"status": "completed", "ended": "2026-11-22T10:30:00Z"},
            {"status": "failed", "ended": "2026-11-22T10:40:00Z"},
            "failed",
        ),
    ],
)
def test_the_status_is_that_of_the_later_end(
    here: dict[str, str], there: dict[str, str], status: str
) -> None:
    ours = with_values(apply(BASE, [changes.add_tokens(1)]), here)
    theirs = with_values(apply(BASE, [changes.add_tokens(1)]), there)
    text = merge(BASE, ours, theirs)
    assert text == merge(BASE, theirs, ours)
    assert status == read_document(text).session.meta.status


def test_work_after_the_end_that_another_clone_recorded_goes_on() -> None:
    ours = with_values(BASE, {"status": "completed", "ended": "2026-11-22T10:05:00Z"})
    theirs = apply(BASE, [_phase(20, "More")])
    meta = read_document(merge(BASE, ours, theirs)).session.meta
    assert ("active", None) == (meta.status.value, meta.ended)


def test_tokens_of_one_subagent_add_up() -> None:
    base = apply(BASE, [changes.add_subagent(Subagent("u", "x", None, 10))])
    sides = (apply(base, [changes.add_subagent(Subagent("u", "x", None, n))]) for n in (13, 15))
    assert (Subagent("u", "x", None, 18),) == read_document(
        merge(base, *sides)
    ).session.meta.subagents


def test_a_heading_that_a_person_corrects_is_the_same_phase() -> None:
    base = with_values(apply(BASE, [_phase(1, "Pln")]), {"resume_point": "phase-2"})
    ours = base.replace("## Pln", "## Plan")
    theirs = apply(base, [changes.add_block(markup.decision("kept")), _phase(2, "Q")])
    text = merge(base, ours, theirs)
    assert text == merge(base, theirs, ours) == theirs.replace("## Pln", "## Plan")


def test_markers_stand_outside_of_code() -> None:
    base = BASE + "\n```\na\nb\n```\n"
    sides = (base.replace("\nb\n", f"\n{name}\n") for name in ("ours", "theirs"))
    done = merge_sessions(base.encode(), *(one.encode() for one in sides))
    assert b"<<<<<<< ours\n\n```\na\nours\n```\n=======\n" in done.content
    with pytest.raises(StoreError, match="conflict markers"):
        read_document(done.content.decode())


def test_many_blocks_that_repeat_are_kept_without_comparing_all() -> None:
    sides = [BASE + "".join(f"\np{n % many}\n" for n in range(1000)) for many in (7, 5)]
    text = merge(BASE, sides[0], sides[1])
    assert 1995 == sum(
        line.startswith("p") for line in text.split("\n")[16:]
    )  # five at the start are common
    assert text == merge(BASE, sides[1], sides[0])


def test_a_phase_that_one_side_removed_and_the_other_added_to_is_a_conflict() -> None:
    base = apply(BASE, [_phase(1, "P")])
    theirs = apply(base, [changes.add_block(markup.decision("kept"))])
    done = merge_sessions(base.encode(), BASE.encode(), theirs.encode())
    assert [("## P",)] == [one.place for one in done.clashes]
    assert b"> kept" in done.content


def test_a_comment_left_open_by_one_side_hides_nothing_of_the_other() -> None:
    ours = BASE + "\n<!-- open\n"
    theirs = apply(BASE, [changes.add_block(markup.decision("seen"))])
    for sides in ((ours, theirs), (theirs, ours)):
        try:
            done = merge_sessions(BASE.encode(), *(one.encode() for one in sides))
        except UnmergeableError:
            continue
        assert "seen" in done.content.decode().partition("<!--")[0]


@given(CHANGES, CHANGES, st.integers(0, 3))
def test_a_session_begun_twice_keeps_all_of_both(
    here: list[Change], there: list[Change], later: int
) -> None:
    ours = _side(BASE, here)
    theirs = _side(BASE.replace("T10:00:00Z", f"T10:0{later}:00Z"), there)
    try:
        first = merge_sessions(b"", ours.encode(), theirs.encode())
    except UnmergeableError:
        with pytest.raises(UnmergeableError):
            merge_sessions(b"", theirs.encode(), ours.encode())
        return
    second = merge_sessions(b"", theirs.encode(), ours.encode())
    text = first.content.decode()
    for side in (ours, theirs):
        body = side[side.index("# Login") :]
        assert set() == set(entries(body)) - set(entries(text))
    assert bool(first.clashes) == bool(second.clashes)
    if not first.clashes:
        assert text == second.content.decode()
        found = read_document(text).session.meta
        assert START == found.started
        used = [read_document(one).session.meta.tokens_used for one in (ours, theirs)]
        assert found.tokens_used == (sum(used) if later else max(used))


def test_a_session_begun_twice_takes_what_one_side_alone_set() -> None:
    empty = with_values(BASE, {"channel": None, "participants": []})
    text = merge("", empty, BASE.replace("T10:00:00Z", "T11:00:00Z"))
    assert "channel: dev\nparticipants:\n  - coder@1.2\n" in text
    done = merge_sessions(b"", BASE.encode(), BASE.replace(" dev", " ops").encode())
    assert [("channel",)] == [one.place for one in done.clashes]


def test_two_sessions_with_one_name_are_left_to_git() -> None:
    with pytest.raises(UnmergeableError, match="different titles"):
        merge_sessions(b"", BASE.encode(), BASE.replace("# Login", "# Login!").encode())


@pytest.mark.parametrize("broken", [b"\xff", b"no front matter\n"])
def test_a_version_that_is_no_session_is_left_to_git(broken: bytes) -> None:
    with pytest.raises(UnmergeableError):
        merge_sessions(broken, BASE.encode(), BASE.encode() + b"x\n")

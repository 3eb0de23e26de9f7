"""git merges sessions as text, and no word is lost while a file is in conflict."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.git.clone import Clone

    Two = tuple[Clone, Clone]

HEAD = """---
type: session
session_id: 2026-11-22-login
started: 2026-11-22T10:00:00Z
ended: null
status: active
participants:
  - coder@1.2
tokens_used: 100
resume_point: null
subagents: []
increment: 0007-search
effort: auth-bug
reviewed_by: nobody
---

# Login

## Research @coder@1.2

*2026-11-22T10:00:00Z*

A text by hand,   with spaces.

**Tool calls:**
- `Read a.py` → 12 lines
"""


# What earlier versions wrote to .gitattributes.
FORMER = "/.unlatch/sessions/*.md merge=unlatch\n"
NAME = "2026-11-22-login"


def path_of(clone: Clone) -> Path:
    return clone.home / ".unlatch" / "sessions" / f"{NAME}.md"


def log(clone: Clone, words: str, tokens: int) -> None:
    clone.unlatch("session", "log", "login", "--decision", words, "--tokens", str(tokens))
    clone.commit(words)


@pytest.fixture(params=["", FORMER], ids=["new", "former"])
def in_conflict(two: Two, request: pytest.FixtureRequest) -> Clone:
    """A clone in the middle of a merge: both sides logged to one session."""
    there, here = two
    path_of(there).parent.mkdir()
    path_of(there).write_text(HEAD)
    attributes = there.root / ".gitattributes"
    attributes.write_text(attributes.read_text() + request.param)
    there.commit("session")
    here.git("pull", "--quiet", "origin", "main")
    log(there, "Ask Ada", 5)
    log(here, "Ask Bob", 7)
    assert 1 == here.clash().code
    return here


@pytest.mark.sample(3)
@pytest.mark.parametrize("named", [(), ("login",), (NAME,)], ids=["alone", "part", "id"])
def test_words_go_to_a_new_session_until_the_conflict_is_resolved(
    in_conflict: Clone, named: tuple[str, ...]
) -> None:
    here, before = in_conflict, path_of(in_conflict).read_text()

    first = here.unlatch("session", "log", *named, "--decision", "Use a cookie")
    here.unlatch("session", "log", *named, "--user", "no, a token")

    assert before == path_of(here).read_text()
    (new,) = (path for path in path_of(here).parent.iterdir() if path != path_of(here))
    told = f"note: {NAME} has git's conflict markers; this is recorded in {new.stem}\n"
    assert told in first.err
    shown = here.unlatch("session", "show", new.stem, "--json").document
    assert (NAME, "active") == (shown["session"]["forkOf"], shown["session"]["status"])
    assert NAME[11:] not in new.stem + shown["session"]["title"]
    assert ("0007-search", "auth-bug") == (
        shown["session"]["increment"],
        shown["session"]["effort"],
    )
    texts = [entry["text"] for phase in shown["phases"] for entry in phase["callouts"]]
    assert ["Use a cookie", '"no, a token"'] == texts

    path_of(here).write_text(HEAD)
    here.unlatch("session", "log", NAME, "--decision", "Done")
    assert "> Done" in path_of(here).read_text()


def tasks(words: str) -> str:
    return f'[{{"id": "1", "content": "{words}", "status": "pending"}}]'


def log_tasks(clone: Clone, words: str) -> None:
    clone.unlatch("session", "log", "login", "--tasks", tasks(words))
    clone.commit(words)


def test_a_conflict_within_the_tasks_is_seen_and_a_quoted_one_is_none(two: Two) -> None:
    there, here = two
    path_of(there).parent.mkdir()
    path_of(there).write_text(f"{HEAD}\n```\n<<<<<<< quoted\n```\n")
    log_tasks(there, "Ask")
    here.git("pull", "--quiet", "origin", "main")
    log_tasks(there, "Ask Ada")
    log_tasks(here, "Ask Bob")
    assert 1 == here.clash().code
    before = path_of(here).read_text()

    done = here.unlatch("session", "log", "login", "--tasks", tasks("Ask Cyd"))

    assert before == path_of(here).read_text()
    assert f"{NAME} has git's conflict markers" in done.err
    (new,) = (path for path in path_of(here).parent.iterdir() if path != path_of(here))
    assert "Ask Cyd" in new.read_text()


def test_a_reading_command_names_the_step_that_helps(in_conflict: Clone) -> None:
    refused = in_conflict.try_unlatch("session", "show", "login")
    merge = in_conflict.try_unlatch("merge", "--resolve", "session:login")

    assert (1, True) == (refused.code, "error[session-in-conflict]" in refused.err)
    assert "next: fix the marked lines, then git add the file\n" in refused.err
    assert (2, True) == (merge.code, "error[unknown-increment]" in merge.err), merge.err
    assert "next: fix the marked lines of session:login, then git add the file\n" in merge.err

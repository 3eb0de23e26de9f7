"""All git commands that merge use the phases of two clones' sessions."""

from __future__ import annotations

import re
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
reviewed_by: nobody
---

# Login

## Research @coder@1.2

*2026-11-22T10:00:00Z*

A text by hand,   with spaces.

**Tool calls:**
- `Read a.py` → 12 lines
"""


def path_of(clone: Clone) -> Path:
    return clone.home / ".unlatch" / "sessions" / "2026-11-22-login.md"


def log(clone: Clone, time: str, *arguments: str, tokens: int = 10) -> None:
    """Log to the session, and commit; a new phase gets this time."""
    clone.unlatch("session", "log", "login", *arguments, "--tokens", str(tokens))
    text = path_of(clone).read_text()
    path_of(clone).write_text(text.replace("*20", "*20", 1))
    if "--phase" in arguments:
        head, mark, tail = text.rpartition("\n*20")
        path_of(clone).write_text(f"{head}\n*{time}*{tail[tail.index('*') + 1 :]}")
        assert mark
    clone.commit(arguments[1])


@pytest.fixture
def both(two: Two) -> Two:
    """Two clones with an active session."""
    there, here = two
    path_of(there).parent.mkdir()
    path_of(there).write_text(HEAD)
    there.commit("session")
    here.git("pull", "--quiet", "origin", "main")
    return there, here


def merged(here: Clone) -> str:
    here.git("fetch", "--quiet", "origin")
    here.git("merge", "--quiet", "--no-edit", "origin/main")
    assert "" == here.git("status", "--porcelain")
    return path_of(here).read_text()


def test_what_each_side_logged_is_kept_in_the_order_of_times(both: Two) -> None:
    there, here = both
    log(there, "", "--call", "Bash npm test", "--result", "3 failed", "--failed")
    log(there, "2026-11-22T11:00:00Z", "--phase", "Plan", "--agent", "scout", tokens=5)
    log(here, "", "--call", "Read b.py", "--result", "7 lines", "--decision", "Use a cookie")
    log(here, "2026-11-22T10:30:00Z", "--phase", "Fix", "--agent", "fixer", tokens=1)

    text = merged(here)

    added = """\
- `Bash npm test` → ✗ 3 failed
- `Read b.py` → 7 lines

> [!decision]
> Use a cookie

## Fix @fixer

*2026-11-22T10:30:00Z*

## Plan @scout

*2026-11-22T11:00:00Z*
"""
    body = HEAD[HEAD.index("# Login") :]
    assert body + added == text[text.index("# Login") :]
    assert "  - coder@1.2\n  - fixer\n  - scout\ntokens_used: 126\n" in text
    shown = here.unlatch("session", "show", "login", "--json").document
    assert ["Research", "Fix", "Plan"] == [one["title"] for one in shown["phases"]]


@pytest.mark.parametrize("way", ["merge", "rebase", "cherry-pick"])
def test_every_way_of_merging_gives_the_same_file(both: Two, way: str) -> None:
    there, here = both
    log(there, "2026-11-22T11:00:00Z", "--phase", "Plan")
    log(here, "2026-11-22T10:30:00Z", "--phase", "Fix")
    for clone in both:
        clone.git("switch", "--quiet", "--create", "mine")
        other = here if clone is there else there
        clone.git("remote", "add", "other", str(other.root))
        clone.git("fetch", "--quiet", "other")

    there.git(way, "other/main")
    here.git(way, "other/main")

    assert path_of(there).read_bytes() == path_of(here).read_bytes()
    titles = [line for line in path_of(here).read_text().split("\n") if line.startswith("## ")]
    assert [f"## {title} @coder@1.2" for title in ("Research", "Fix", "Plan")] == titles


def test_commits_can_be_picked_in_either_order(both: Two) -> None:
    _, here = both
    log(here, "2026-11-22T10:30:00Z", "--phase", "Fix")
    log(here, "2026-11-22T10:40:00Z", "--phase", "Test")
    expected = path_of(here).read_bytes()
    here.git("switch", "--quiet", "--create", "picked", "main~2")

    here.git("cherry-pick", "main", "main~1")

    assert expected == path_of(here).read_bytes()


def test_a_paused_session_continues_at_its_own_phase(both: Two) -> None:
    there, here = both
    log(there, "2026-11-22T10:30:00Z", "--phase", "Fix")
    log(here, "2026-11-22T11:00:00Z", "--phase", "Plan")
    here.unlatch("session", "pause", "login")
    here.commit("pause")
    assert "resume_point: phase-2\n" in path_of(here).read_text()

    text = merged(here)

    assert "status: paused\n" in text
    assert "resume_point: phase-3\n" in text  # Plan, behind the other side's Fix
    assert "Plan" in here.unlatch("session", "resume", "login").out


def test_a_key_that_both_changed_is_an_ordinary_conflict(both: Two) -> None:
    there, here = both
    for clone, name in ((there, "Ada"), (here, "Bob")):
        path_of(clone).write_text(path_of(clone).read_text().replace("nobody", name))
        log(clone, "", "--decision", f"Asked {name}")

    done = here.clash()

    text = path_of(here).read_text()
    assert (1, True) == (done.code, "/reviewed_by  ours: " in done.err)
    assert STEP in done.err
    conflict = "<<<<<<< ours\nreviewed_by: Bob\n=======\nreviewed_by: Ada\n>>>>>>> theirs\n"
    assert conflict in text
    assert ["> Asked Ada", "> Asked Bob"] == [o for o in text.split("\n") if "Asked" in o]
    refused = here.try_unlatch("session", "show", "login")
    assert (1, True) == (refused.code, "error[session-" in refused.err)
    path_of(here).write_text(text.replace(conflict, "reviewed_by: Ada, Bob\n"))
    here.commit("merged")
    here.unlatch("session", "show", "login")


def test_words_that_both_changed_are_an_ordinary_conflict(both: Two) -> None:
    there, here = both
    for clone, name in ((there, "Ada"), (here, "Bob")):
        path_of(clone).write_text(path_of(clone).read_text().replace("by hand", f"by {name}"))
        clone.commit(name)

    here.clash()

    text = path_of(here).read_text()
    assert "A text by Ada,   with spaces." in text
    assert "A text by Bob,   with spaces." in text
    refused = here.try_unlatch("session", "log", "2026-11-22-login", "--decision", "x")
    assert "error[session-in-conflict]" in refused.err


def test_a_clone_that_lacks_the_driver_merges_again_with_it(both: Two) -> None:
    there, here = both
    log(there, "2026-11-22T11:00:00Z", "--phase", "Plan")
    log(here, "2026-11-22T10:30:00Z", "--phase", "Fix")
    here.git("config", "--remove-section", "merge.unlatch")
    here.clash()

    here.unlatch("init", "--git")
    here.git("checkout", "--merge", "--", str(path_of(here)))

    text = path_of(here).read_text()
    assert ("<<<<<<<" not in text, True) == (True, "## Fix" in text and "## Plan" in text)


def test_the_doctor_notes_attributes_without_sessions(both: Two) -> None:
    here = both[1]
    attributes = here.root / ".gitattributes"
    lines = [o for o in attributes.read_text().splitlines(keepends=True) if "sessions" not in o]
    attributes.write_text("".join(lines))

    (found,) = (
        one
        for one in here.try_unlatch("doctor", "--json").document["findings"]
        if one["id"] == "merge-driver-missing"
    )

    assert "git merges sessions as text in this clone" == found["message"]
    here.unlatch("init", "--git")
    assert "merge-driver-missing" not in here.try_unlatch("doctor", "--json").out


def test_a_folder_with_spaces_is_merged_too(both: Two) -> None:
    here = both[1]
    config = here.home / ".unlatch" / "config.toml"
    config.write_text(config.read_text() + '\n[sessions]\npath = "my [old] logs"\n')

    here.unlatch("init", "--git")

    path = "my [old] logs/2026-11-22-login.md"
    assert f"{path}: merge: unlatch\n" == here.git("check-attr", "merge", "--", path)


def test_begun_in_two_clones(two: Two) -> None:
    there, here = two
    for clone, hour, name in ((there, "09", "Ada"), (here, "11", "Bob")):
        clone.unlatch("session", "start", "Login", "--phase", "Plan")
        clone.unlatch("session", "log", "--decision", f"Asked {name}", "--tokens", "5")
        (path,) = (clone.home / ".unlatch" / "sessions").glob("*.md")
        at = re.compile(r"\d{4}-\d\d-\d\dT[\d:]+Z")
        path.write_text(at.sub(f"2026-11-22T{hour}:00:00Z", path.read_text()))
        path.rename(path.with_name("2026-11-22-login.md"))
        text = path_of(clone).read_text()
        new = re.sub("session_id: .*", "session_id: 2026-11-22-login", text)
        path_of(clone).write_text(new)
        clone.commit(name)

    text = merged(here)

    assert "started: 2026-11-22T09:00:00Z\n" in text
    assert "tokens_used: 10\n" in text
    shown = here.unlatch("session", "show", "login", "--json").document
    assert ["Plan", "Plan"] == [one["title"] for one in shown["phases"]]
    assert ["> Asked Ada", "> Asked Bob"] == [o for o in text.split("\n") if "Asked" in o]


@pytest.fixture
def clashing(both: Two) -> Clone:
    """A clone in the middle of a merge: both sides logged, and changed the same sentence."""
    there, here = both
    for clone, word in ((there, "their"), (here, "our")):
        log(clone, "", "--call", f"Bash {word}", "--result", "done")
        path_of(clone).write_text(path_of(clone).read_text().replace("by hand", word))
        clone.commit(word)
    here.git("fetch", "--quiet", "origin")
    return here


STEP = "unlatch merge --resolve session:2026-11-22-login"


@pytest.mark.parametrize("has_driver", [True, False])
@pytest.mark.parametrize("side", ["ours", "theirs"])
def test_a_conflict_is_resolved_with_one_sides_text_and_the_entries_of_both(
    clashing: Clone, side: str, *, has_driver: bool
) -> None:
    here, session = clashing, "session:2026-11-22-login"
    if not has_driver:
        here.git("config", "--remove-section", "merge.unlatch")
    merge = here.try_git("merge", "origin/main")
    assert (1, has_driver) == (merge.code, f"Next: {STEP}\n" in merge.err)
    assert f"next: {STEP}\n" in here.try_unlatch("session", "show", "login").err
    before = path_of(here).read_text()

    asked = here.try_unlatch("merge", "--resolve", "session:login")
    preview = here.unlatch("merge", "--resolve", session, f"--{side}", "--dry-run")
    assert before == path_of(here).read_text()
    here.unlatch("merge", "--resolve", session, f"--{'ours' if side == 'theirs' else 'theirs'}")
    done = here.unlatch("merge", "--resolve", session, f"--{side}", "--add", "--json").document

    assert 5 == asked.code
    assert "Session 2026-11-22-login: both sides changed this, differently:" in asked.out
    assert f"Next: {STEP} --ours\n" in asked.err
    assert "would be merged" in preview.out
    assert (True, True, []) == (done["resolved"], done["added"], done["kept"])
    text = path_of(here).read_text()
    word, other = ("our", "their") if side == "ours" else ("their", "our")
    assert f"A text {word},   with spaces." in text
    assert f"A text {other}," not in text
    assert "`Bash our` → done" in text
    assert "`Bash their` → done" in text
    assert "<<<<<<<" not in text
    here.git("commit", "--quiet", "--no-edit")


def test_a_session_that_was_fixed_by_hand_is_kept(clashing: Clone) -> None:
    here = clashing
    here.try_git("merge", "origin/main")
    path_of(here).write_text(HEAD)

    done = here.unlatch("merge", "--resolve", "session:login", "--ours", "--json").document

    assert (True, done["files"]) == (done["resolved"], done["kept"])
    assert HEAD == path_of(here).read_text()


def test_a_session_without_a_conflict_is_not_touched(both: Two) -> None:
    done = both[1].try_unlatch("merge", "--resolve", "session:login")

    assert (1, True) == (done.code, "error[not-in-conflict]" in done.err), done.err
    assert done.err.endswith(f": git log -- .unlatch/sessions/{path_of(both[1]).name}\n")


def test_lines_like_gits_markers_in_a_session_are_left_to_people(clashing: Clone) -> None:
    here = clashing
    path_of(here).write_text(path_of(here).read_text() + "\n```\n=======\n```\n")
    here.commit("a line")
    here.try_git("merge", "origin/main")

    done = here.try_unlatch("merge", "--resolve", "session:login", "--ours")

    assert (1, True) == (done.code, "error[conflict-unreadable]" in done.err), done.err


@pytest.mark.parametrize("side", ["ours", "theirs"])
def test_a_side_that_was_taken_where_nothing_can_be_merged_is_kept(
    clashing: Clone, side: str
) -> None:
    here = clashing
    path_of(here).write_text(path_of(here).read_text() + "\n```\n=======\n```\n")
    here.commit("a line")
    here.try_git("merge", "origin/main")
    here.git("checkout", f"--{side}", "--", str(path_of(here)))
    taken = path_of(here).read_text()

    done = here.unlatch("merge", "--resolve", "session:login", "--json").document

    assert (True, done["files"]) == (done["resolved"], done["kept"])
    assert taken == path_of(here).read_text() != ""

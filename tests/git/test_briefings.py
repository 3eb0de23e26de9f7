"""Briefings that two branches wrote are merged, by git or by `unlatch merge --resolve`."""

import json

import pytest
from tests.git.clone import NAME, Clone

Two = tuple[Clone, Clone]
PLACE = f".unlatch/increments/{NAME}/briefing.md"
HEAD = "# Briefing: 0007\n\nQuoted from the records of earlier work.\n"
THEIRS = f"{HEAD}Written on 2026-11-02.\n\n## Decided\n\n- Commas (effort:a)\n- Tabs (effort:b)\n"
LEFT = "## Left to do\n\n- Sort (run:c)\n"
OURS = (
    f"{HEAD}Written on 2026-11-03.\n\n## Decided\n\n- Commas (effort:a)\n- UTF-8 (run:c)\n\n{LEFT}"
)


@pytest.fixture
def written(two: Two) -> Clone:
    """A clone with a briefing; the one that it came from has another, and git fetched it."""
    there, here = two
    for clone, text in ((there, THEIRS), (here, OURS)):
        clone.path("briefing.md").write_text(text)
        clone.commit("complete")
    here.git("fetch", "--quiet", "origin")
    return here


def _lines(clone: Clone) -> list[str]:
    return [line for line in clone.path("briefing.md").read_text().split("\n") if line]


def _has_both(clone: Clone) -> None:
    lines = _lines(clone)
    decided = lines.index("## Decided")
    left = lines.index("## Left to do")
    known = {"- Commas (effort:a)", "- Tabs (effort:b)", "- UTF-8 (run:c)"}
    assert (decided, left, known) == (3, 7, set(lines[4:7]))
    assert ("Written on 2026-11-03.", ["- Sort (run:c)"]) == (lines[2], lines[8:])


def test_without_the_driver_the_command_does(written: Clone) -> None:
    written.git("config", "--remove-section", "merge.unlatch")
    written.clash()

    done = written.unlatch("merge", "--resolve", "7", "--add")

    assert f"✓ {PLACE} merged\n" == done.out
    _has_both(written)
    written.git("commit", "--quiet", "--no-edit")


def test_a_briefing_resolved_by_hand_is_not_changed(written: Clone) -> None:
    written.git("config", "--remove-section", "merge.unlatch")
    written.clash()
    written.path("briefing.md").write_text("Mine\n")

    done = written.unlatch("merge", "--resolve", "7")

    assert f"✓ {PLACE} was resolved by hand; not changed\n" == done.out
    assert ["Mine"] == _lines(written)


@pytest.mark.parametrize("side", ["ours", "theirs"])
def test_a_briefing_that_one_side_removed_is_kept(two: Two, side: str) -> None:
    there, here = two
    there.path("briefing.md").write_text(THEIRS)
    there.commit("complete")
    here.git("pull", "--quiet", "origin", "main")
    changes, removes = (here, there) if side == "ours" else (there, here)
    removes.git("rm", "--quiet", PLACE)
    removes.commit("remove")
    changes.path("briefing.md").write_text(OURS)
    changes.commit("change")
    here.clash()

    here.unlatch("merge", "--resolve", "7", "--add")

    assert OURS == here.path("briefing.md").read_text()
    here.git("commit", "--quiet", "--no-edit")


def test_a_side_with_markers_is_for_people(written: Clone) -> None:
    path = written.path("briefing.md")
    path.write_text(f"<<<<<<< a\n{OURS}=======\n{THEIRS}>>>>>>> b\n")
    written.commit("markers")
    assert written.try_git("merge", "origin/main").code == 1

    done = written.try_unlatch("merge", "--resolve", "7")

    assert (1, True) == (done.code, "error[conflict-unreadable]" in done.err)
    assert "a side has git's conflict markers" in done.err


def test_doctor_names_markers_that_were_committed(written: Clone) -> None:
    path = written.path("briefing.md")
    path.write_text(f"<<<<<<< a\n{OURS}=======\n{THEIRS}>>>>>>> b\n")
    written.commit("markers")

    found = json.loads(written.try_unlatch("doctor", "--json").out)["findings"]

    named = [one["where"] for one in found if one["id"] == "document-in-conflict"]
    assert [f"{PLACE}:1"] == named


def test_doctor_says_that_git_merges_briefings_as_text(written: Clone) -> None:
    attributes = written.root / ".gitattributes"
    kept = [line for line in attributes.read_text().split("\n") if "briefing.md" not in line]
    attributes.write_text("\n".join(kept))

    found = json.loads(written.try_unlatch("doctor", "--json").out)["findings"]

    (message,) = [one["message"] for one in found if one["id"] == "merge-driver-missing"]
    assert "git merges briefings as text in this clone" == message

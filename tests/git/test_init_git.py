"""unlatch init --git sets up merging of increments, and keeps existing settings."""

import shlex
from pathlib import Path

import pytest
from tests.git.clone import Clone

METADATA = "/.unlatch/increments/**/metadata.json merge=unlatch\n"
EVENTS = "/.unlatch/increments/**/events.jsonl merge=union\n"
BRIEFINGS = "/.unlatch/increments/**/briefing.md merge=unlatch\n"
ITEMS = "/.unlatch/items/*/metadata.json merge=unlatch\n"
ITEM_EVENTS = "/.unlatch/items/*/events.jsonl merge=union\n"
RESULTS = "/.unlatch/regressions.jsonl merge=union\n"


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    made = Clone(tmp_path / "a clone")
    made.root.mkdir()
    made.git("init", "--quiet", "--initial-branch", "main")
    return made


def test_git_is_told_how_to_merge(clone: Clone) -> None:
    done = clone.unlatch("init", "--git")

    assert (
        "✓ .unlatch\n✓ .unlatch/increments\n✓ .unlatch/config.toml\n"
        f"✓ .gitattributes: {METADATA}✓ .gitattributes: {EVENTS}✓ .gitattributes: {BRIEFINGS}"
        f"✓ .gitattributes: {ITEMS}✓ .gitattributes: {ITEM_EVENTS}"
        f"✓ .gitattributes: {RESULTS}"
        "✓ git config merge.unlatch.driver\n"
    ) == done.out
    assert (
        METADATA + EVENTS + BRIEFINGS + ITEMS + ITEM_EVENTS + RESULTS
        == (clone.root / ".gitattributes").read_text()
    )
    assert "unlatch merge-driver %O %A %B %P" in clone.git("config", "merge.unlatch.driver")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["", "\n"])
def test_only_missing_lines_are_written(clone: Clone, end: str, last: str) -> None:
    known = f"*.png binary\n{METADATA}{BRIEFINGS}{ITEMS}{ITEM_EVENTS}{RESULTS}*.md text"
    (clone.root / ".gitattributes").write_bytes(f"{known}{last}".replace("\n", end).encode())

    done = clone.unlatch("init", "--git", "--json").document

    assert [EVENTS.strip()] == done["git"]["attributes"]
    expected = f"{known}\n{EVENTS}"
    if last or "\r" not in end:
        assert expected.replace("\n", end).encode() == (clone.root / ".gitattributes").read_bytes()


def test_a_driver_of_somebody_else_is_left_alone_and_told(clone: Clone) -> None:
    clone.git("config", "merge.unlatch.driver", "mine %A")

    done = clone.unlatch("init", "--git")

    assert "merge.unlatch.driver has another value, not changed: mine %A" in done.err
    assert "mine %A\n" == clone.git("config", "merge.unlatch.driver")


def test_without_a_repository_nothing_is_made(tmp_path: Path) -> None:
    clone = Clone(tmp_path)

    done = clone.try_unlatch("init", "--git")

    assert (2, True) == (done.code, "error[no-git]" in done.err)
    assert [] == list(tmp_path.iterdir())


def test_a_bare_repository_is_named_as_such(tmp_path: Path) -> None:
    clone = Clone(tmp_path)
    clone.git("init", "--quiet", "--bare")

    done = clone.try_unlatch("init", "--git")

    assert (2, True) == (done.code, "this is a bare repository" in done.err)
    assert "use a clone of it" in done.err
    assert "next: " not in done.err


def test_a_repository_of_another_user_is_named_with_gits_advice(
    clone: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Clone, "environ", clone.environ | {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"})

    done = clone.try_unlatch("init", "--git")

    assert (2, True) == (done.code, "detected dubious ownership" in done.err)
    assert "next: git config --global --add safe.directory" in done.err
    assert "this is not a git repository" not in done.err


def test_a_worktree_that_was_moved_or_pruned_is_named(clone: Clone) -> None:
    clone.git("commit", "--quiet", "--allow-empty", "--message", "first")
    clone.git("worktree", "add", "--quiet", "../before")
    (clone.root.parent / "before").rename(clone.root.parent / "now")
    moved = Clone(clone.root.parent / "now")

    done = moved.try_unlatch("init", "--git")

    assert (1, True) == (
        done.code,
        "next: if you moved this worktree: git worktree repair" in done.err,
    )
    clone.git("worktree", "prune")
    done = moved.try_unlatch("init", "--git")
    assert (2, True) == (done.code, "not a git repository: " in done.err), done.err
    assert "next: " not in done.err


def test_an_empty_git_folder_is_set_up_by_the_next_step(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "a clone")
    (clone.root / ".git").mkdir(parents=True)
    below = Clone(clone.root / "below")
    below.root.mkdir()

    done = below.try_unlatch("init", "--git")
    step = done.err.partition("next: ")[2].partition(", then run the command again")[0]
    git, *words = shlex.split(step)
    below.git(*words)

    assert (2, "git", ["init", str(clone.root)]) == (done.code, git, words)
    assert 0 == below.try_unlatch("init", "--git").code


def test_the_doctor_notes_a_clone_that_lacks_the_driver(clone: Clone) -> None:
    clone.unlatch("init", "--git")
    clone.commit("Begin")
    fresh = clone.clone("a fresh clone", driver=False)

    found = {one["id"]: one for one in fresh.try_unlatch("doctor", "--json").document["findings"]}

    assert ("note", "unlatch init --git") == (
        found["merge-driver-missing"]["severity"],
        found["merge-driver-missing"]["hint"],
    )
    fresh.unlatch("init", "--git")
    again = fresh.try_unlatch("doctor", "--json").document["findings"]
    assert "merge-driver-missing" not in {one["id"] for one in again}

"""A sparse checkout that has no increments, or some of them."""

from pathlib import Path

import pytest
from tests.cli.project import NAME, Project

OTHER = "0009-export-to-csv"
ARCHIVED = "0012-old-search"
ABOVE = "not in this sparse checkout; git sparse-checkout add .unlatch/increments adds them"


@pytest.fixture
def sparse(project: Project) -> Project:
    """A project whose checkout has its configuration and one of three increments."""
    project.increment()
    project.increment(OTHER)
    project.increment(ARCHIVED, archived=True)
    project.commit()
    project.git("reset", "--quiet", "--hard")
    project.git("sparse-checkout", "set", "--no-cone", "/.unlatch/config.toml", f"**/{NAME}/")
    assert [NAME] == [one.name for one in (project.root / ".unlatch/increments").iterdir()]
    return project


def test_new_takes_no_number_of_git(sparse: Project) -> None:
    assert sparse.run("new", "Next one").code == 0
    assert (sparse.root / ".unlatch/increments/0013-next-one").is_dir()


def test_list_and_doctor_name_what_is_left_out(sparse: Project) -> None:
    listed = sparse.run("list")
    assert (0, True, False) == (listed.code, NAME in listed.out, OTHER in listed.out)
    assert f"note: 2 increments are {ABOVE}\n" == listed.err
    found = sparse.run("doctor", "--json").document["findings"]
    assert 1 == [one["id"] for one in found].count("checkout-sparse")

    sparse.git("sparse-checkout", "add", ".unlatch/increments")

    assert "sparse" not in sparse.run("list").said
    assert "sparse" not in sparse.run("doctor").said


def test_a_check_names_what_it_did_not_compare(sparse: Project) -> None:
    note = f"note: 2 increments are {ABOVE.replace(';', ', and not compared;')}\n"

    text = sparse.run("sync", "--check")
    document = sparse.run("sync", "--plan", "--json").document
    some = sparse.run("sync", "--check", "7")

    assert (0, True) == (text.code, note in text.err), text.said
    assert [OTHER, ARCHIVED] == document["leftOut"]
    assert (0, False) == (some.code, "sparse" in some.said), some.said


def test_a_check_of_a_branch_takes_nothing_left_out_for_removed(sparse: Project) -> None:
    done = sparse.run("sync", "--check", "--changed-since", "HEAD")

    assert (0, False) == (done.code, "removed" in done.said), done.said
    assert "note: 2 increments are not in this sparse checkout, and not compared;" in done.err


def test_a_check_in_ci_names_it_in_the_summary(sparse: Project) -> None:
    summary = sparse.home / "summary.md"
    summary.touch()
    sparse.extra = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary)}

    sparse.run("sync", "--check")

    assert (
        "- 2 increments are not in this sparse checkout, and not compared;" in summary.read_text()
    )


def test_an_empty_list_advises_no_new_increment(sparse: Project) -> None:
    sparse.git("sparse-checkout", "set", "--no-cone", "/.unlatch/config.toml")

    listed = sparse.run("list", "--all")

    assert f"note: 3 increments are {ABOVE}\n" == listed.said


def test_a_sparse_worktree_is_seen(sparse: Project) -> None:
    sparse.git("sparse-checkout", "disable")
    sparse.git("worktree", "add", "--quiet", "../tree")
    place = sparse.root.parent / "tree"
    sparse.git("-C", str(place), "sparse-checkout", "set", "--cone", ".unlatch/plugins")

    assert f"note: 3 increments are {ABOVE}\n" == sparse.run("--root", str(place), "list").err
    assert "sparse" not in sparse.run("list").said


def test_a_broken_pointer_to_git_is_no_error(sparse: Project) -> None:
    (sparse.root / ".git").rename(sparse.home / "git")
    for content in ("", "gitdir: ", "gitdir: nowhere\n"):
        Path(sparse.root / ".git").write_text(content)
        assert sparse.run("list").err == ""

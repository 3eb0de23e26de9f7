"""A sparse checkout that has no increments, or some of them."""

import json

import pytest
from tests.cli.output.test_documents import check
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


def test_list_and_doctor_name_what_is_left_out(sparse: Project) -> None:
    listed = sparse.run("list").ends(0, out=NAME, not_out=OTHER)
    assert f"note: 2 increments are {ABOVE}\n" == listed.err
    found = sparse.run("doctor", "--json").document["findings"]
    assert 1 == [one["id"] for one in found].count("checkout-sparse")
    assert sparse.run("new", "Next one").code == 0
    assert (sparse.root / ".unlatch/increments/0013-next-one").is_dir()  # a number of its own
    sparse.git("sparse-checkout", "add", ".unlatch/increments")
    assert "sparse" not in sparse.run("list").said
    assert "sparse" not in sparse.run("doctor").said


def test_a_check_names_what_it_did_not_compare(sparse: Project) -> None:
    left_out = "2 increments are not in this sparse checkout, and not compared;"
    note = f"note: 2 increments are {ABOVE.replace(';', ', and not compared;')}\n"
    sparse.run("sync", "--check").ends(0, err=note)
    document = sparse.run("sync", "--dry-run", "--json").document
    sparse.run("sync", "--check", "7").ends(0, lacks="sparse")
    branch = sparse.run("sync", "--check", "--changed-since", "HEAD")
    assert [OTHER, ARCHIVED] == document["leftOut"]
    # Nothing that is left out is taken for removed.
    assert (0, False) == (branch.code, "removed" in branch.said), branch.said
    assert f"note: {left_out}" in branch.err
    summary, event = sparse.home / "summary.md", sparse.home / "event.json"
    summary.touch()
    issue = {"html_url": sparse.urls["github"], "state": "open"}
    event.write_text(json.dumps({"action": "reopened", "sender": {"login": "a"}, "issue": issue}))
    sparse.run("ingest", "--from", "github-event", str(event)).shows(
        err=(
            f"No increment in this checkout is linked to {sparse.urls['github']}.",
            f"note: {left_out}",
        )
    )
    sparse.extra = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary)}
    sparse.run("sync", "--check")
    assert f"- {left_out}" in summary.read_text()


@pytest.fixture
def changed(sparse: Project) -> Project:
    """The same after a commit that completes an increment that is left out."""
    sparse.git("sparse-checkout", "disable")
    path = sparse.folder(OTHER) / "metadata.json"
    path.write_text(path.read_text().replace("completed", "active"))
    sparse.git("commit", "--quiet", "--all", "--message", "Change")
    sparse.git("sparse-checkout", "set", "--no-cone", "/.unlatch/config.toml", f"**/{NAME}/")
    assert [NAME] == [one.name for one in sparse.increments.iterdir()]
    return sparse


NAMED = (
    f"✗ changed since HEAD~1, but not in this sparse checkout: {OTHER}\n"
    "    git sparse-checkout add .unlatch/increments adds them\n"
)
LEFT = f"note: {ARCHIVED} is {ABOVE.replace(';', ', and not compared;')}\n"


def test_a_changed_increment_that_is_left_out_fails_the_check(changed: Project) -> None:
    for name, *command in (
        ("sync-plan", "sync", "--check"),
        ("sync-plan", "sync", "--dry-run"),
        ("sync", "sync", "--yes"),
    ):
        changed.run(*command, "--changed-since", "HEAD~1").ends(5, whole_out=NAMED, whole_err=LEFT)
        changed.run(*command, "--changed-since", "HEAD").ends(
            0, err="No increments changed since HEAD.\nnote: 2 increments are"
        )
        document = check(changed, name, *command, "--changed-since", "HEAD~1")
        everything = check(changed, name, *command)
        assert (5, [OTHER, ARCHIVED], [OTHER]) == _left_out(document)
        assert (0, [OTHER, ARCHIVED], []) == _left_out(everything)
    # It counts where the configuration changed, too.
    changed.configure_more("# more")
    changed.run("sync", "--check", "--changed-since", "HEAD~1").ends(
        5, out=NAMED, err="syncing all increments"
    )


def test_a_job_reports_it_as_an_error(changed: Project) -> None:
    summary, outputs = changed.home / "summary.md", changed.home / "outputs"
    for path in (summary, outputs):
        path.touch()
    changed.extra = {
        "GITHUB_ACTIONS": "true",
        "GITHUB_STEP_SUMMARY": str(summary),
        "GITHUB_OUTPUT": str(outputs),
    }

    done = changed.run("sync", "--check", "--changed-since", "HEAD~1")

    line = "changed on this branch, but not in this sparse checkout"
    assert f"::error title={OTHER} not compared::{line}" in done.said
    assert f"not compared: {line}" in summary.read_text()
    assert "0 links not in sync, 1 increment not compared" in outputs.read_text()


def _left_out(document: dict[str, object]) -> tuple[object, ...]:
    return tuple(document[key] for key in ("exitCode", "leftOut", "changedLeftOut"))


@pytest.mark.sweep
def test_a_sync_says_what_it_compared(project: Project) -> None:
    project.increment(links=project.items())
    project.increment(OTHER)
    assert 0 == project.run("sync").code
    project.commit()
    project.git("sparse-checkout", "set", "--no-cone", "/.unlatch/config.toml", f"**/{NAME}/")

    checked, synced = project.run("sync", "--check"), project.run("sync")
    project.git("sparse-checkout", "set", "--no-cone", "/.unlatch/config.toml")
    nothing, none = project.run("sync", "--check"), project.run("sync")

    note = ABOVE.replace(";", ", and not compared;")
    end = f"sides are in sync as far as they were compared.\nnote: {OTHER} is {note}\n"
    assert (0, f"Both {end}") == (checked.code, checked.said)
    assert (0, f"Nothing is pending in this checkout; both {end}") == (synced.code, synced.said)
    end = f"o items were compared.\nnote: 2 increments are {note}\n"
    assert (0, f"N{end}") == (nothing.code, nothing.said)
    assert (0, f"Nothing is pending in this checkout; n{end}") == (none.code, none.said)


def test_a_sparse_worktree_is_seen(sparse: Project) -> None:
    sparse.git("sparse-checkout", "set", "--no-cone", "/.unlatch/config.toml")
    assert f"note: 3 increments are {ABOVE}\n" == sparse.run("list", "--all").said

    sparse.git("sparse-checkout", "disable")
    sparse.git("worktree", "add", "--quiet", "../tree")
    place = sparse.root.parent / "tree"
    sparse.git("-C", str(place), "sparse-checkout", "set", "--cone", ".unlatch/plugins")
    assert f"note: 3 increments are {ABOVE}\n" == sparse.run("--root", str(place), "list").err
    assert "sparse" not in sparse.run("list").said

    (sparse.root / ".git").rename(sparse.home / "git")
    for content in ("", "gitdir: ", "gitdir: nowhere\n"):  # no error
        (sparse.root / ".git").write_text(content)
        said = "1 archived increment not shown; --all shows it.\n"
        assert sparse.run("list").err == said

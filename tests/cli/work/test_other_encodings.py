"""spec.md and tasks.md that are not UTF-8 text: each command names the unwritten files."""

import pytest
from tests.cli import scoped
from tests.cli.project import NAME, REASON, Project

SPEC = "---\ntitle: Größe\nstatus: {}\n---\n# Größe\n"
LEFT = (
    "note: spec.md cannot be read as UTF-8 text; its status line still says {}: "
    "save it as UTF-8 text, and write the status there\n"
)
RESUME = ("resume", "7", "--reason", REASON, "--yes", "--offline")


def write(project: Project, encoding: str, status: str) -> bytes:
    raw = SPEC.format(status).encode(encoding)
    (project.folder() / "spec.md").write_bytes(raw)
    return raw


def spec(project: Project) -> bytes:
    return (project.folder() / "spec.md").read_bytes()


@pytest.mark.sample(at=(17,))
@pytest.mark.parametrize(
    ("encoding", "options"), [("latin-1", ()), ("latin-1", ("--json",)), ("utf-16", ())]
)
@pytest.mark.parametrize(
    ("status", "command"),
    [
        ("completed", RESUME),
        ("completed", ("resume", NAME, "8", *RESUME[2:])),
        ("active", ("complete", "7", "--offline", "--force", "--reason", "Done")),
        ("active", ("abandon", "7", "--offline")),
        ("active", ("pause", "7")),
        ("paused", ("start", "7")),
    ],
)
def test_a_change_of_status_says_that_spec_md_keeps_the_old_one(
    project: Project,
    encoding: str,
    options: tuple[str, ...],
    status: str,
    command: tuple[str, ...],
) -> None:
    project.increment(status=status)
    project.increment("0008-other")
    raw = write(project, encoding, status)
    done = project.run(*command, *options)
    assert (0, raw) == (done.code, spec(project)), done.said
    assert status != project.metadata()["status"]
    assert 1 == done.err.count(LEFT.format(status)), done.said


def test_complete_refuses_what_it_cannot_check(project: Project) -> None:
    for number, document in enumerate(("spec.md", "tasks.md"), 7):
        name = project.increment(f"000{number}-work", status="active")
        (project.folder(name) / document).write_bytes("# Größe\n".encode("latin-1"))
        refused = project.run("complete", name)
        forced = project.run("complete", name, "--force", "--reason", "Checked by hand")
        said = f"error[document-unreadable]: {document} cannot be read as UTF-8 text\n"
        assert (1, True) == (refused.code, said in refused.err)
        note = f"note: {document} cannot be read as UTF-8 text [document-unreadable]\n"
        assert (0, 1) == (forced.code, forced.err.count(note)), forced.said


@pytest.mark.sample(at=(1,))
@pytest.mark.parametrize("status", ["completed", "active"])
def test_a_change_of_the_work_is_refused_and_changes_nothing(project: Project, status: str) -> None:
    project.increment(status=status)
    for name in ("spec.md", "tasks.md"):
        scoped.write(project, status=status)
        path = project.folder() / name
        path.write_bytes(path.read_bytes() + "Größe\n".encode("latin-1"))
        before = project.tree()

        for change in (
            ("--task", "T-001"),
            ("--scope", "More", "--task", "Retry"),
            ("--criterion", "AC-US1-01"),
        ):
            done = project.run(*RESUME, *change)

            assert (1, before) == (done.code, project.tree()), change
            assert done.err.endswith(
                f"error[document-unreadable]: {name} cannot be read as UTF-8 text\n"
                f"  at: {path}\n  next: save it as UTF-8 text, or check its permissions\n"
            )

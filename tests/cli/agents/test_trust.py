"""Trust and consent are for one checkout: another one with its path and inode has neither."""

import os
import shutil
from pathlib import Path

import pytest
from tests.cli.agents.events import context, event, fire
from tests.cli.project import REASON, Project
from tests.cli.runs.conftest import PLAN, WORKER
from tests.cli.runs.test_run_commands import run, start, worker


@pytest.fixture
def cloned(project: Project, tmp_path: Path) -> Path:
    """A repository with an active increment, of which the project is a clone."""
    project.bin = _programs(tmp_path)
    project.increment()
    assert project.run("resume", "7", "--reason", REASON, "--yes").code == 0
    (project.root / "plan.md").write_text(PLAN)
    (project.root / "worker.sh").write_text(WORKER)
    (project.root / "check.sh").write_text('echo "$1" >> checked\n')
    project.commit()
    origin = tmp_path / "origin"
    shutil.copytree(project.root, origin)
    _clone_again(project, origin)
    return origin


def _programs(folder: Path) -> Path:
    made = folder / "some-programs"
    made.mkdir()
    for name in ("git", "sh", "cat"):
        (made / name).symlink_to(shutil.which(name) or "")
    return made


def _clone_again(project: Project, origin: Path) -> None:
    """Replace the checkout by a clone, in the same folder: inodes are used again."""
    for path in project.root.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    project.git("clone", "--quiet", str(origin), ".")


def _is_trusted(project: Project) -> bool:
    trusted = project.run("agents", "list", "--json").document["trusted"]
    said = fire(project, event(project, "codex", "SessionStart"))
    assert trusted == (said.out != "" and REASON in context(said))
    return bool(trusted)


def test_trust_ends_with_the_checkout(project: Project, cloned: Path) -> None:
    assert not _is_trusted(project)
    assert project.run("agents", "trust").code == 0
    assert _is_trusted(project)
    _clone_again(project, cloned)
    assert not _is_trusted(project)
    assert project.run("agents", "trust").code == 0
    assert _is_trusted(project)


def test_word_of_the_checkout_is_private_and_never_tracked(project: Project, cloned: Path) -> None:
    assert project.run("agents", "trust").code == 0
    (word,) = (project.root / ".git").glob("unlatch-checkout-*")
    assert word.stat().st_mode & 0o777 == 0o600
    assert project.git("status", "--porcelain") == ""
    assert cloned.exists()


def test_trust_outside_of_git_ends_with_the_folder(project: Project) -> None:
    project.increment()
    assert project.run("resume", "7", "--reason", REASON, "--yes").code == 0
    assert project.run("agents", "trust").code == 0
    assert _is_trusted(project)
    project.git("init", "--quiet")
    project.git("add", "--all")
    assert "local" not in project.git("ls-files")
    shutil.rmtree(project.root / ".git")
    shutil.rmtree(project.root / ".unlatch" / "local")
    assert not _is_trusted(project)


def _again(project: Project, origin: Path) -> None:
    """Replace the checkout by a copy of `origin`, in the same folder, as an archive is unpacked."""
    for path in project.root.iterdir():
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    shutil.copytree(origin, project.root, symlinks=True, dirs_exist_ok=True)


def _word(folder: Path) -> Path:
    return folder / f"unlatch-checkout-{os.getuid()}"


PLACES = (".git", ".unlatch/local")


@pytest.fixture(params=PLACES)
def planted(request: pytest.FixtureRequest, project: Project, cloned: Path) -> Path:
    """An archive with a word of its own; `project` is unpacked from it."""
    if request.param != ".git":
        shutil.rmtree(cloned / ".git")
    (cloned / request.param).mkdir(exist_ok=True)
    word = _word(cloned / request.param)
    word.write_text("0123456789abcdef" * 2)
    word.chmod(0o600)
    _again(project, cloned)
    return cloned


def test_planted_word_carries_no_trust(project: Project, planted: Path) -> None:
    assert project.run("agents", "trust").code == 0
    assert _is_trusted(project)
    _again(project, planted)
    assert not _is_trusted(project)
    assert project.run("agents", "trust").code == 0
    assert _is_trusted(project)


@pytest.mark.parametrize("place", PLACES)
def test_copied_word_carries_no_trust(project: Project, cloned: Path, place: str) -> None:
    if place != ".git":
        shutil.rmtree(cloned / ".git")
        _again(project, cloned)
    assert project.run("agents", "trust").code == 0
    (cloned / place).mkdir(exist_ok=True)
    shutil.copy2(_word(project.root / place), _word(cloned / place))
    _again(project, cloned)
    assert not _is_trusted(project)


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param("link", marks=pytest.mark.sweep),
        "file",
        pytest.param("above", marks=pytest.mark.sweep),
    ],
)
def test_git_folder_outside_of_the_checkout_carries_no_trust(
    project: Project, cloned: Path, kind: str
) -> None:
    (cloned / ".git").rename(cloned.parent / ("elsewhere" if kind != "above" else ".git"))
    if kind == "link":
        (cloned / ".git").symlink_to("../elsewhere")
    elif kind == "file":
        (cloned / ".git").write_text("gitdir: ../elsewhere\n")
    _again(project, cloned)
    for _ in range(2):
        assert not _is_trusted(project)
        assert project.run("agents", "trust").code == 0
        assert _is_trusted(project)
        assert "unlatch-checkout" not in project.git("status", "--porcelain", "-uall")
        _again(project, cloned)


def test_links_on_the_way_to_a_word_are_not_followed(project: Project, cloned: Path) -> None:
    shutil.rmtree(cloned / ".git")
    _again(project, cloned)
    assert project.run("agents", "trust").code == 0
    local = project.root / ".unlatch" / "local"
    local.rename(project.root.parent / "local")
    local.symlink_to("../../local")
    assert not _is_trusted(project)
    assert "error[unsafe-path]" in project.run("agents", "trust").err


def test_consent_for_a_run_ends_with_the_checkout(project: Project, cloned: Path) -> None:
    assert start(project).code == 0
    assert run(project, "agree", "--yes").code == 0
    kept = project.root.parent / "runs"
    shutil.copytree(project.root / ".unlatch" / "runs", kept)
    _clone_again(project, cloned)
    shutil.copytree(kept, project.root / ".unlatch" / "runs")
    refused = run(project, "resume", "--reason", "again")
    assert refused.code == 2
    assert "run-no-consent" in refused.err


def test_consent_to_exports_ends_with_the_checkout(project: Project, cloned: Path) -> None:
    export = ("session", "learn", "--imported", "--export", "jsonl")
    assert project.run(*export).code == 2
    assert project.run(*export, "--consent").code == 0
    assert project.run(*export).code == 0
    _clone_again(project, cloned)
    assert "consent-missing" in project.run(*export).err


def test_without_a_state_folder_a_consent_lasts_for_one_command(
    project: Project, cloned: Path
) -> None:
    project.extra["XDG_STATE_HOME"] = "/proc/none"
    project.process("run", "start", "plan.md", "--worker", worker(), "--yes").ends(
        0, out="is finished"
    )
    project.process("run", "resume", "--reason", "again").shows(err="run-no-consent")
    assert not [*(project.root / ".git").glob("unlatch-checkout-*")]
    assert cloned.exists()


def test_run_is_not_begun_if_its_consent_cannot_be_kept(project: Project, cloned: Path) -> None:
    _word(project.root / ".git").mkdir()
    start(project).ends(1, err="error[not-writable]")
    assert not [*(project.root / ".unlatch").glob("runs/20*")]
    assert cloned.exists()

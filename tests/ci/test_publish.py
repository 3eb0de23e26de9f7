"""`--commit`: the changes of a job reach the others, and nothing else does."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from tests.ci.jobs import AZURE, GITHUB, GITLAB, Job, job, reopen_by_hand
from tests.crash.members import Team
from tests.git.clone import NAME
from tests.pairs import sampled

FOLDER = f".unlatch/increments/{NAME}"
OWN = [f"{FOLDER}/events.jsonl", f"{FOLDER}/metadata.json", f"{FOLDER}/spec.md"]
ONCE_ELSEWHERE = {"github": 0, "ado": 1, "jira": 1}


def sync(job: Job, *options: str, code: int = 0) -> None:
    job.try_unlatch("sync", "--yes", "--commit", "push", *options).ends(code)


def shared(team: Team, branch: str = "main") -> Job:
    """The content of the origin."""
    name = f"look {len(list(team.folder.iterdir()))}"
    team.laptop.git(
        "clone", "-q", "-b", branch, str(team.folder / "origin.git"), str(team.folder / name)
    )
    return Job(team.folder / name, extra=team.laptop.extra)


@pytest.mark.parametrize("system", [GITHUB, AZURE, GITLAB], ids=["github", "azure", "gitlab"])
def test_a_job_pushes_what_it_has_changed(team: Team, system: Mapping[str, str]) -> None:
    reopen_by_hand(team)
    here = job(team, "job", system)
    sync(here)
    there = shared(team)
    assert "active" == there.metadata()["status"]
    assert OWN == sorted(there.git("show", "--name-only", "--format=").split())
    assert (
        f"Sync {NAME} with linked items [skip ci]" == there.git("log", "-1", "--format=%s").strip()
    )
    assert here.git("rev-parse", "HEAD") == there.git("rev-parse", "HEAD")
    assert "" == here.git("status", "--porcelain")


@pytest.mark.parametrize("way", sampled(["push", "pr"], {"push"}))
def test_the_name_of_a_folder_has_no_effect_in_a_message(team: Team, way: str) -> None:
    here = job(team, "job")
    name = f"{NAME} fixes #5 @octo [ci skip] ***NO_CI***"
    here.git("mv", FOLDER, f".unlatch/increments/{name}")
    metadata = here.home / ".unlatch/increments" / name / "metadata.json"
    metadata.write_text(metadata.read_text().replace(NAME, name))
    here.git("-c", "user.name=G", "-c", "user.email=g@example.com", "commit", "-qam", "Rename")
    here.git("push", "-q", "origin", "main")
    reopen_by_hand(team)

    done = here.try_unlatch("sync", "--yes", "--commit", way)

    assert 0 == done.code, done.out + done.err
    branch = "main" if way == "push" else "unlatch/sync-main"
    said = shared(team, branch).git("log", "-1", "--format=%B").strip()
    shown = f"{NAME} fixes # 5 @ octo (ci skip) ___NO_CI___"
    mark = " [skip ci]" if way == "push" else ""
    assert f"Sync {shown} with linked items{mark}\n\n- {shown}" == said


def test_nothing_else_that_lies_about_is_committed(team: Team, here: Job) -> None:
    other = here.home / ".unlatch/increments/0008-other"
    other.mkdir()
    (other / "spec.md").write_text("# Half written\n")
    (here.path("notes.md")).write_text("mine\n")
    (here.root / "staged.txt").write_text("mine\n")
    with (here.home / ".unlatch/config.toml").open("a") as file:
        file.write("# mine\n")
    here.git("add", "staged.txt")
    sync(here, code=5)  # the half-written increment could not be looked at
    assert OWN == sorted(shared(team).git("show", "--name-only", "--format=").split())
    assert "A  staged.txt" in here.git("status", "--porcelain").splitlines()


def test_without_changes_of_increments_nothing_is_pushed(team: Team) -> None:
    before = team.laptop.git("ls-remote", "origin")
    here = job(team, "job")
    sync(here)
    assert before == team.laptop.git("ls-remote", "origin")
    (here.root / "code.py").write_text("print()\n")
    here.git("add", "code.py")
    here.try_unlatch("sync", "--yes", "--commit", "pr").ends(2, err="error[index-not-empty]")
    here.git("-c", "user.name=G", "-c", "user.email=g@example.com", "commit", "-qm", "Code")
    sync(here)
    assert before == team.laptop.git("ls-remote", "origin")
    here.git("remote", "remove", "origin")
    here.try_unlatch("sync", "--yes", "--commit", "push").ends(2, err="error[no-remote]")


def test_without_a_branch_or_a_committer_nothing_is_sent_and_nothing_is_committed_unasked(
    team: Team,
) -> None:
    reopen_by_hand(team)
    team.writes()
    before = team.laptop.git("ls-remote", "origin")
    trial = job(team, "trial", {**GITHUB, "GITHUB_REF": "refs/pull/3/merge"})
    done = trial.try_unlatch("sync", "--yes", "--commit", "push")
    assert (2, []) == (done.code, team.writes())
    assert "error[no-branch]" in done.err
    there = shared(team)
    there.git("config", "user.useConfigOnly", "true")
    nobody = {"GIT_CONFIG_GLOBAL": "/dev/null", "HOME": str(there.root)}
    here = replace(there, extra={**there.extra, **nobody})
    done = here.try_unlatch("sync", "--yes", "--commit", "push").shows(
        err=(
            "error[no-committer]: git does not know who commits: ",
            "next: git config user.name NAME; git config user.email ADDRESS",
        )
    )
    assert (2, []) == (done.code, team.writes())
    done = job(team, "job").try_unlatch("sync", "--yes")
    assert (0, before) == (done.code, team.laptop.git("ls-remote", "origin"))


@pytest.mark.sweep
def test_an_archived_increment_moves_with_all_that_is_in_it(team: Team) -> None:
    increments = team.laptop.home / ".unlatch/increments"
    (increments / NAME / "notes").mkdir()
    (increments / NAME / "notes/one.md").write_text("one\n")
    (increments / "_archive").mkdir()
    (increments / NAME).rename(increments / "_archive" / NAME)
    team.laptop.push("Archive")
    reopen_by_hand(team)
    here = job(team, "job")
    sync(here)

    there = shared(team)
    assert "active" == there.metadata()["status"]
    assert "one\n" == there.path("notes/one.md").read_text()
    assert not (there.home / ".unlatch/increments/_archive").exists()
    assert "" == here.git("status", "--porcelain")


def test_two_reopens_at_once_are_both_kept(team: Team, here: Job) -> None:
    # Of the checkout, the merge driver imports nothing.
    (here.root / "click.py").write_text(f"open({str(team.folder / 'ran')!r}, 'w')\n")
    assert 0 == team.colleague.reopen("Something else", "--offline")
    (team.colleague.root / "code.py").write_text("print()\n")
    team.colleague.push("Reopen, and other work")
    done = here.try_unlatch("sync", "--yes", "--commit", "push", "--json")
    # Nothing was left to do, and the merge has brought more.
    assert (0, [NAME], "at") == (
        done.code,
        done.document["commit"]["brought"],
        done.document["retry"],
    ), done.err
    there = shared(team)
    assert (there.root / "code.py").exists()
    assert (2, False) == (len(there.reasons), (team.folder / "ran").exists())
    assert 0 == there.try_unlatch("sync", "--yes").code
    assert {"Something else": 1} == {"Something else": team.told("Something else")["jira"]}


def test_without_attributes_in_the_repository_it_merges_by_meaning_all_the_same(team: Team) -> None:
    team.laptop.git("rm", "--quiet", ".gitattributes")
    team.laptop.push("Without")
    team.colleague.pull()
    reopen_by_hand(team)
    here = job(team, "job")
    assert 0 == team.colleague.reopen("Something else", "--offline")
    team.colleague.push("Reopen")
    done = here.try_unlatch("sync", "--yes", "--commit", "push")
    assert (0, 2) == (done.code, len(shared(team).reasons))
    assert f"other commits brought pending operations: {NAME}" in done.out + done.err


def test_what_cannot_be_merged_is_left_to_the_next_run(team: Team, here: Job) -> None:
    team.colleague.unlatch("resume", "7", "--reason", "x", "--yes", "--offline")
    team.colleague.unlatch("pause", "7")
    team.colleague.push("Pause")
    before = team.laptop.git("ls-remote", "origin")
    here.try_unlatch("sync", "--yes", "--commit", "push").ends(3, err="error[push-in-conflict]")
    assert before == team.laptop.git("ls-remote", "origin")
    assert "" == here.git("status", "--porcelain")
    again = job(team, "next")
    sync(again)
    assert {"github": 0, "ado": 1, "jira": 1} == team.told("was reopened by mona")


def test_a_pull_that_was_not_pushed_is_continued_by_the_next_job(team: Team) -> None:
    reopen_by_hand(team)
    first = job(team, "first")
    first.git("remote", "set-url", "--push", "origin", "/nonexistent.git")
    sync(first, code=3)
    lost = first.metadata()["reopenHistory"]
    team.writes()
    job(team, "check").try_unlatch("sync", "--check").ends(5)
    sync(job(team, "second"))
    assert (ONCE_ELSEWHERE, []) == (team.told("was reopened by mona"), team.writes())
    history = shared(team).metadata()["reopenHistory"]
    assert [(one["id"], one["reason"]) for one in lost] == [
        (one["id"], one["reason"]) for one in history
    ]
    assert 0 == job(team, "third").try_unlatch("sync", "--check").code


def test_a_commit_that_was_not_pushed_is_pushed_by_the_next_run(team: Team, here: Job) -> None:
    here.git("remote", "set-url", "--push", "origin", "/nonexistent.git")
    sync(here, code=3)
    here.git("remote", "set-url", "--push", "origin", str(team.folder / "origin.git"))
    done = here.try_unlatch("sync", "--yes", "--commit", "push", "--json")
    assert (0, [NAME]) == (done.code, done.document["commit"]["increments"]), done.err
    there = shared(team)
    assert "active" == there.metadata()["status"]
    author = "octocat <583231+octocat@users.noreply.github.com>"  # who began the job
    assert author == there.git("log", "-1", "--format=%an <%ae>").strip()


def test_a_branch_that_takes_no_push(team: Team) -> None:
    hook(team.folder / "origin.git", "pre-receive", "echo protected branch >&2; exit 1")
    reopen_by_hand(team)
    done = job(team, "job").try_unlatch("sync", "--yes", "--commit", "push", "--json").ends(3)
    assert "push-refused" == done.document["commit"]["error"]["id"]
    assert "protected branch" in done.document["commit"]["error"]["message"]


def test_a_push_that_is_overtaken_again_and_again_ends(team: Team, here: Job) -> None:
    other = team.colleague.root
    # Between git's look at the origin and its push, every time.
    who = "-c user.name=Gil -c user.email=gil@example.com"
    pushes = f"git {who} commit -q --allow-empty -m x && git push -q origin main"
    receives = f"(cd '{other}' && {pushes}); git-receive-pack"
    own = {"COUNT": "1", "KEY_0": "remote.origin.receivepack", "VALUE_0": receives}
    settings = {f"GIT_CONFIG_{name}": value for name, value in own.items()}
    here = replace(here, extra={**here.extra, **settings})
    here.try_unlatch("sync", "--yes", "--commit", "push").ends(3, err="error[push-overtaken]")


SECRETS = ["s3cr3t-t0ken", "a/s3cr3t-t0ken", "a@s3cr3t-t0ken", "a/b@s3cr3t-t0ken"]


@pytest.mark.parametrize("secret", sampled(SECRETS, {"a/b@s3cr3t-t0ken"}))
def test_credentials_in_an_address_are_shown_to_nobody(here: Job, secret: str) -> None:
    here.git("remote", "set-url", "origin", f"http://x-token:{secret}@127.0.0.1:9/o.git")
    done = here.try_unlatch("sync", "--yes", "--commit", "push").ends(3)
    assert "s3cr3t" not in done.out + done.err


@pytest.mark.sweep
def test_two_jobs_in_one_checkout_take_turns(team: Team, here: Job) -> None:
    running = [here.start("sync", "--yes", "--commit", "push") for _ in range(2)]
    said = [process.communicate(timeout=60)[0] for process in running]
    assert [0, 0] == [process.returncode for process in running], said
    assert ONCE_ELSEWHERE == team.told("was reopened by mona")
    assert 1 == len(shared(team).reasons)


# A branch for a pull request


def propose(here: Job) -> None:
    here.try_unlatch("sync", "--yes", "--commit", "pr").ends(0)


def test_a_pull_request_leaves_main_as_it_is(team: Team, here: Job) -> None:
    main = team.laptop.git("ls-remote", "origin", "main")
    done = here.unlatch("sync", "--yes", "--commit", "pr", "--json")
    assert main == team.laptop.git("ls-remote", "origin", "main")
    there = shared(team, "unlatch/sync-main")
    assert "active" == there.metadata()["status"]
    assert OWN == sorted(there.git("show", "--name-only", "--format=").split())
    page = "https://github.com/octo/widgets/compare/main...unlatch/sync-main?expand=1"
    assert page == done.document["commit"]["proposal"]
    assert "[skip ci]" not in there.git("log", "-1", "--format=%B")


def test_while_it_waits_nothing_is_told_twice_and_merged_it_waits_no_longer(team: Team) -> None:
    reopen_by_hand(team)
    propose(job(team, "first"))
    (team.colleague.root / "code.py").write_text("print()\n")
    team.colleague.push("Other work")

    for name in ("second", "third"):
        propose(job(team, name))

    assert ONCE_ELSEWHERE == team.told("was reopened by mona")
    there = shared(team, "unlatch/sync-main")
    assert 1 == len(there.reasons)
    assert (there.root / "code.py").exists()

    team.laptop.git("fetch", "--quiet", "origin")
    team.laptop.git("merge", "--quiet", "origin/unlatch/sync-main")
    team.laptop.git("push", "--quiet", "origin", "main")
    before = team.laptop.git("ls-remote", "origin")
    propose(job(team, "fourth"))
    assert before == team.laptop.git("ls-remote", "origin")


def test_one_that_no_longer_fits_stops_the_run_before_anything_is_sent(team: Team) -> None:
    reopen_by_hand(team)
    propose(job(team, "first"))
    team.colleague.unlatch("resume", "7", "--reason", "x", "--yes", "--offline")
    team.colleague.unlatch("pause", "7")
    team.colleague.push("Pause")
    team.writes()
    here = job(team, "second")
    done = here.try_unlatch("sync", "--yes", "--commit", "pr")
    assert (1, []) == (done.code, team.writes()), done.out + done.err
    assert "error[proposal-in-conflict]" in done.err
    assert "" == here.git("status", "--porcelain")


def add_scope(here: Job) -> None:
    here.unlatch("resume", "7", "--update-scope", "--scope", "More", "--reason", "More", "--yes")


def test_a_repeated_job_takes_over_additions_of_another_checkout(team: Team, here: Job) -> None:
    propose(here)
    other = job(team, "other")
    other.git("fetch", "--quiet", "origin", "unlatch/sync-main")
    other.git("checkout", "--quiet", "-b", "unlatch/sync-main", "FETCH_HEAD")
    (other.root / "code.py").write_text("print()\n")
    other.git("add", "code.py")
    other.git(*("-c", "user.name=x", "-c", "user.email=x@example.com"), "commit", "-qm", "Other")
    other.git("push", "--quiet", "origin", "unlatch/sync-main")
    propose(here)
    assert (here.root / "code.py").exists()
    assert (shared(team, "unlatch/sync-main").root / "code.py").exists()


@pytest.mark.parametrize("is_proposed", [pytest.param(False, marks=pytest.mark.sweep), True])
def test_a_repeated_job_publishes_what_an_earlier_one_could_not_push(
    team: Team, here: Job, is_proposed: bool
) -> None:
    if is_proposed:
        propose(here)
        add_scope(here)
    origin = team.folder / "origin.git"
    hook(origin, "pre-receive", "exit 1")
    failed = here.try_unlatch("sync", "--yes", "--commit", "pr")
    (origin / "hooks/pre-receive").unlink()
    propose(here)
    there = shared(team, "unlatch/sync-main")
    assert (3, "active") == (failed.code, there.metadata()["status"]), failed.out + failed.err
    assert is_proposed == ("More" in (there.root / FOLDER / "spec.md").read_text())


def hook(repository: Path, name: str, script: str) -> None:
    path = repository / "hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)

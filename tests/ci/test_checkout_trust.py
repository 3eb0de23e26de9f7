"""What the git configuration of a checkout may start when its changes are published."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tests.ci.checkouts import ALLOW_LOCAL, PUBLISH, archive, program, set_here, set_own, started
from tests.ci.git_server import AUTHORIZATION, serve
from tests.ci.jobs import Job
from tests.crash.members import Team
from tests.pairs import sampled


@pytest.fixture
def requests() -> list[str]:
    return []


@pytest.fixture
def server(team: Team, requests: list[str]) -> Iterator[str]:
    """The address of a server for the origin of the team."""
    with serve(team.folder, requests) as url:
        yield url


@dataclass(frozen=True)
class Ground:
    """What settings of a checkout can name.

    Args:
        server: the address of a git server that asks for a header.
        ran: the folder for a file by each program that ran.
    """

    server: str
    ran: Path


@pytest.fixture
def ground(server: str, ran: Path) -> Ground:
    return Ground(server, ran)


Leave = Callable[[Job, Ground], None]


def leave_header(here: Job, ground: Ground) -> None:
    """As actions/checkout leaves a checkout over https."""
    here.git("remote", "set-url", "origin", f"{ground.server}/origin.git")
    here.git("config", f"http.{ground.server}/.extraheader", f"AUTHORIZATION: {AUTHORIZATION}")


def leave_include(here: Job, ground: Ground) -> None:
    """As its later versions do, with the header in a file of the runner."""
    here.git("remote", "set-url", "origin", f"{ground.server}/origin.git")
    file = ground.ran.parent / "credentials.config"
    file.write_text(f'[http "{ground.server}/"]\n extraheader = AUTHORIZATION: {AUTHORIZATION}\n')
    here.git("config", f"includeIf.gitdir:{here.root}/.git.path", str(file))


def leave_helper(here: Job, ground: Ground) -> None:
    """As GitLab's runner does, with a credential helper."""
    here.git("remote", "set-url", "origin", f"{ground.server}/origin.git")
    helper = program(ground.ran, "helper", "echo username=x; echo password=t0ken")
    here.git("config", f"credential.{ground.server}.helper", str(helper))


def leave_key(here: Job, ground: Ground) -> None:
    """As actions/checkout leaves a checkout with `ssh-key`."""
    origin = Path(here.git("remote", "get-url", "origin").strip().removeprefix("file://"))
    ssh = program(
        ground.ran, "ssh", f"for last; do :; done\ncd '{origin.parent}' && eval \"$last\""
    )
    known = f'-o StrictHostKeyChecking=yes -o "UserKnownHostsFile={ground.ran.parent}/known_hosts"'
    here.git("config", "core.sshCommand", f'"{ssh}" -i "{ground.ran.parent}/key" {known}')
    here.git("remote", "set-url", "origin", "git@git.example.com:origin.git")


LEFT = [leave_header, leave_include, leave_helper, leave_key]


@pytest.mark.parametrize("leave", LEFT)
def test_a_job_pushes_from_its_own_checkout(
    team: Team, here: Job, ground: Ground, leave: Leave
) -> None:
    leave(here, ground)
    here.try_unlatch(*PUBLISH).ends(0)
    team.laptop.pull()
    assert "active" == team.laptop.metadata()["status"]


@pytest.mark.parametrize("leave", LEFT)
def test_a_person_pushes_from_a_checkout_that_they_trust(
    team: Team, here: Job, ground: Ground, leave: Leave
) -> None:
    mine = archive(here)
    leave(mine, ground)
    mine.unlatch("agents", "trust")
    mine.try_unlatch(*PUBLISH).ends(0)
    team.laptop.pull()
    assert "active" == team.laptop.metadata()["status"]


@pytest.mark.parametrize("leave", LEFT)
@pytest.mark.parametrize("is_job", [False, True])
def test_from_an_unpacked_archive_nothing_starts(
    here: Job, ground: Ground, requests: list[str], *, leave: Leave, is_job: bool
) -> None:
    theirs = archive(here)
    leave(theirs, ground)
    if is_job:  # in another folder than the job's own
        theirs = replace(theirs, extra={**here.extra, **theirs.extra})
    done = theirs.try_unlatch(*PUBLISH).ends(
        2, err=("error[git-config-untrusted]", "unlatch agents trust")
    )
    assert "t0ken" not in done.out + done.err
    assert ([], []) == (started(ground.ran), requests)
    assert theirs.try_unlatch("doctor").code in (0, 1, 5)
    assert [] == started(ground.ran)


STARTING = {
    "askpass": "[core]\n askPass = {program}\n",
    "gitproxy": "[core]\n gitProxy = {program}\n",
    "gpg": "[gpg]\n program = {program}\n[commit]\n gpgSign = true\n",
    "gpg-ssh": "[gpg]\n format = ssh\n[commit]\n gpgSign = true\n"
    '[user]\n signingKey = x\n[gpg "ssh"]\n program = {program}\n',
    "default-key": '[gpg]\n format = ssh\n[gpg "ssh"]\n defaultKeyCommand = {program}\n',
    "alternates": "[core]\n alternateRefsCommand = {program}\n",
    "hook": '[hook "x"]\n command = {program}\n event = pre-commit\n',
    "uploadpack": '[remote "origin"]\n uploadpack = {program}\n',
    "receivepack": '[remote "origin"]\n receivepack = {program}\n',
    "vcs": '[remote "origin"]\n vcs = ext\n',
    "ext": '[protocol "ext"]\n allow = always\n[remote "origin"]\n url = "ext::{program} %S"\n',
    "any-protocol": "[protocol]\n allow = always\n",
    "proxy": "[http]\n proxy = http://127.0.0.1:9\n",
    "included": "[include]\n path = {included}\n",
}


@pytest.mark.sample(count=4)
@pytest.mark.parametrize("where", ["laptop", "job"])
@pytest.mark.parametrize("name", STARTING)
def test_a_setting_that_starts_a_program_is_named(
    team: Team, here: Job, ran: Path, name: str, where: str
) -> None:
    if where == "job" and name in ("proxy", "included"):
        pytest.skip("a job uses these to push")
    theirs = here if where == "job" else archive(here)
    included = ran.parent / "included"
    trap = program(ran, name)
    included.write_text(f"[core]\n sshCommand = {trap}\n")
    set_here(theirs, STARTING[name].format(program=trap, included=included))
    team.writes()
    theirs.try_unlatch(*PUBLISH).ends(2, err="error[git-config-untrusted]")
    assert ([], []) == (started(ran), team.writes())


def test_a_remote_on_this_machine_starts_no_hook(team: Team, here: Job, ran: Path) -> None:
    origin = team.folder / "origin.git"
    program(ran, "pre-receive", at=origin / "hooks/pre-receive")
    theirs = archive(here)
    theirs.git("remote", "set-url", "--push", "origin", "../origin.git")
    theirs.try_unlatch(*PUBLISH).ends(2, err="error[remote-untrusted]")
    unseen = started(ran)
    theirs.unlatch("agents", "trust")
    done = theirs.try_unlatch(*PUBLISH)
    assert [] == unseen
    assert (0, ["pre-receive"]) == (done.code, started(ran)), done.err


def test_a_work_tree_elsewhere_is_not_written(here: Job, tmp_path: Path) -> None:
    home = tmp_path / "elsewhere"
    home.mkdir()
    theirs = archive(here)
    theirs.git("config", "core.worktree", str(home))
    set_own(theirs, ALLOW_LOCAL)
    theirs.try_unlatch(*PUBLISH).ends(1, err="error[unsafe-path]")
    assert [] == [*home.iterdir()]


def test_programs_of_the_users_own_configuration_run(
    team: Team, here: Job, server: str, ran: Path
) -> None:
    mine = archive(here)
    mine.git("remote", "set-url", "origin", f"{server}/origin.git")
    helper = program(ran, "helper", "echo username=x; echo password=t0ken")
    armor = "-----BEGIN PGP SIGNATURE-----\\nx\\n-----END PGP SIGNATURE-----\\n"
    signs = f"cat > /dev/null; echo '[GNUPG:] SIG_CREATED ' >&2; printf -- '{armor}'"
    gpg = program(ran, "gpg", signs)
    set_own(mine, f"[credential]\n helper = {helper}\n")
    set_own(mine, f"[gpg]\n program = {gpg}\n[commit]\n gpgSign = true\n")
    mine.try_unlatch(*PUBLISH).ends(0)
    assert ["gpg", "helper"] == started(ran)
    assert "gpgsig" in mine.git("cat-file", "commit", "HEAD")
    team.laptop.pull()
    assert "active" == team.laptop.metadata()["status"]


@pytest.mark.parametrize("by", sampled(["configuration", "environment"], {"environment"}))
def test_the_users_own_ssh_runs(team: Team, here: Job, ground: Ground, by: str) -> None:
    mine = archive(here)
    leave_key(mine, ground)
    command = mine.git("config", "--get", "core.sshCommand").strip()
    mine.git("config", "--unset", "core.sshCommand")
    if by == "configuration":
        quoted = command.replace("\\", "\\\\").replace('"', '\\"')
        set_own(mine, f'[core]\n sshCommand = "{quoted}"\n')
    else:
        mine = replace(mine, extra={**mine.extra, "GIT_SSH_COMMAND": command})

    done = mine.try_unlatch(*PUBLISH)

    assert (0, ["ssh"]) == (done.code, started(ground.ran)), done.out + done.err
    team.laptop.pull()
    assert "active" == team.laptop.metadata()["status"]

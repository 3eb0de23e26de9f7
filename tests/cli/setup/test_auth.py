"""auth: tokens go to the keyring and come from it, and are never shown."""

import json
import os
from pathlib import Path

import pytest
from tests.cli.project import ALL, OPEN, REASON, Project
from tests.cli.setup.foreign_plugin import install
from tests.cli.terminal import Terminal

BACKEND = str(Path(__file__).parent / "backend")
SECRET = "s3cret-t0ken-0f-0ct0"  # opens nothing


@pytest.fixture
def bare(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A machine with a keyring, and no token in the environment."""
    monkeypatch.syspath_prepend(BACKEND)
    project.extra |= dict.fromkeys(
        ("GITHUB_TOKEN", "AZURE_DEVOPS_EXT_PAT", "JIRA_API_TOKEN", "JIRA_EMAIL")
    )
    project.extra["PYTHON_KEYRING_BACKEND"] = "file_keyring.FileKeyring"
    project.extra["PYTHONPATH"] = BACKEND
    project.extra["TEST_KEYRING"] = str(project.home / "keyring.json")
    return project


def host(project: Project, tracker: str) -> str:
    box = project.box
    urls = {"github": box.github.api_url, "ado": box.ado.organization_url, "jira": box.jira.site}
    return urls[tracker].split("/")[2]


def entries(project: Project) -> dict[str, dict[str, str | None]]:
    path = project.home / "keyring.json"
    kept = json.loads(path.read_text()) if path.exists() else {}
    return {key: json.loads(entry) for key, entry in kept.items()}


def test_a_token_from_stdin_is_kept_for_the_trackers_host(bare: Project) -> None:
    done = bare.run("auth", "login", "github", stdin=f"{SECRET}\n").ends(0, whole_out="")
    place = host(bare, "github")
    assert done.err == f"Token for GitHub at {place} stored. Next: unlatch doctor\n"
    assert {f"unlatch github@{place}": {"user": None, "token": SECRET}} == entries(bare)


def test_a_token_that_is_typed_is_not_shown(bare: Project) -> None:
    with Terminal(bare, "auth", "login", "jira", "--user", "octo@example.com") as terminal:
        terminal.answer(f"Token for {host(bare, 'jira')}: ", f"{SECRET}\n")
        assert terminal.end() == 0
    assert SECRET not in terminal.raw
    assert list(entries(bare).values()) == [{"user": "octo@example.com", "token": SECRET}]


def with_redmine(project: Project, scheme: str) -> None:
    """Install and configure a foreign plugin whose token has this scheme."""
    site = project.home / "site"
    install(site, "redmine", file="__init__.py", old='"REDMINE_KEY", Scheme.BEARER', new=scheme)
    project.configure_more(tables='[trackers.redmine]\nurl = "https://redmine.example.com"')
    project.extra["PYTHONPATH"] = f"{project.extra['PYTHONPATH']}{os.pathsep}{site}"


@pytest.mark.parametrize(
    "scheme", ['Scheme.HEADER("X-Redmine-API-Key")', 'Scheme.USER_NAME("x")', "Scheme.BEARER"]
)
def test_a_token_without_a_user_name_is_asked_for_alone(bare: Project, scheme: str) -> None:
    with_redmine(bare, f'"API_KEY", {scheme}')
    with Terminal(bare, "auth", "login", "redmine") as terminal:
        terminal.answer("Token for redmine.example.com: ", f"{SECRET}\n")
        code = terminal.end()
    bare.process("auth", "login", "redmine", "--user", "octo", stdin=f"{SECRET}\n").ends(
        2, err="error[user-not-needed]"
    )
    assert (code, SECRET in terminal.raw, "User name" in terminal.raw) == (0, False, False)
    assert list(entries(bare).values()) == [{"user": None, "token": SECRET}]


def test_a_user_name_is_asked_for_if_every_token_needs_one(bare: Project) -> None:
    with_redmine(bare, '"PASSWORD", Scheme.BASIC, user="LOGIN"')
    with Terminal(bare, "auth", "login", "redmine") as terminal:
        terminal.answer("User name for redmine.example.com (not the token): ", "octo\n")
        terminal.answer("Token for redmine.example.com: ", f"{SECRET}\n")
        code = terminal.end()
    bare.process("auth", "login", "redmine", stdin=f"{SECRET}\n").ends(
        2, err="unlatch auth login redmine --user NAME"
    )
    assert (code, SECRET in terminal.raw) == (0, False)
    assert list(entries(bare).values()) == [{"user": "octo", "token": SECRET}]


def test_tokens_in_the_keyring_do_the_main_job(bare: Project) -> None:
    box = bare.box
    bare.increment(links=bare.items())
    bare.run("auth", "login", "github", stdin=f"{box.github.token}\n")
    bare.run("auth", "login", "ado", stdin=f"{box.ado.token}\n")
    bare.run("auth", "login", "jira", "--user", box.jira.email, stdin=f"{box.jira.token}\n")
    bare.run("resume", "7", "--reason", REASON, "--yes").ends(0)
    assert bare.states() == OPEN


def test_status_says_where_tokens_come_from_and_never_shows_one(bare: Project) -> None:
    bare.run("auth", "login", "github", stdin=f"{SECRET}\n")
    bare.extra["AZURE_DEVOPS_EXT_PAT"] = SECRET

    shown = bare.run("auth", "status")
    document = bare.run("auth", "status", "--json")

    assert SECRET not in shown.said + document.said
    lines = {line.split()[0]: line for line in shown.out.splitlines()}
    assert f"github  {host(bare, 'github')}  from keyring" == lines["github"]
    assert lines["ado"].endswith("from AZURE_DEVOPS_EXT_PAT")
    assert "none; set JIRA_API_TOKEN with JIRA_EMAIL" in lines["jira"]
    assert {row["tracker"]: row["source"] for row in document.document["trackers"]} == {
        "github": "keyring",
        "ado": "AZURE_DEVOPS_EXT_PAT",
        "jira": None,
    }


def test_logout_forgets_the_token(bare: Project) -> None:
    bare.run("auth", "login", "ado", stdin=f"{SECRET}\n")
    first = bare.run("auth", "logout", "ado")
    second = bare.run("auth", "logout", "ado")
    place = host(bare, "ado")
    assert (first.code, first.err) == (0, f"Token for {place} deleted.\n")
    assert (second.code, second.err) == (0, f"No token for {place}.\n")
    assert entries(bare) == {}


def test_what_is_no_token_is_refused(bare: Project) -> None:
    for token in ("\n", "", "two words\n", "bell\x07\n"):
        done = bare.run("auth", "login", "github", stdin=token)
        assert done.code in (2, 4), done.said
        assert done.err.startswith("error[")
    assert entries(bare) == {}


def test_a_tracker_that_is_not_configured_is_refused(bare: Project) -> None:
    bare.configure("")
    for command in ("login", "logout"):
        bare.run("auth", command, "github", stdin=f"{SECRET}\n").ends(
            2, err="error[tracker-not-configured]"
        )
    assert bare.run("auth", "login", "gitlab").code == 2
    # Outside of a project the usual host is meant.
    (bare.root / ".unlatch").rename(bare.home / "elsewhere")
    done = bare.run("auth", "login", "github", stdin=f"{SECRET}\n")
    bare.run("auth", "login", "jira", stdin=f"{SECRET}\n").ends(
        2, err="error[tracker-not-configured]"
    )
    assert (0, ["unlatch github@github.com"]) == (done.code, [*entries(bare)])


def test_without_a_keyring_it_says_what_to_do(bare: Project) -> None:
    bare.extra["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
    bare.run("auth", "login", "github", stdin=f"{SECRET}\n").ends(
        1,
        err=("error[keyring-unavailable]", "put the token into the environment instead"),
        lacks=SECRET,
    )


@pytest.mark.parametrize("tracker", ALL)
def test_a_link_without_a_token_says_where_one_may_come_from(bare: Project, tracker: str) -> None:
    bare.increment(links=bare.items(tracker))
    done = bare.run("resume", "7", "--reason", REASON, "--yes", "--json").ends(3)
    error = done.document["trackers"][0]["error"]
    assert error["id"] == "credential-missing"
    assert f"unlatch auth login {tracker}" in error["hint"]
    assert bare.metadata()["status"] == "active"
    assert len(bare.metadata()["pending"]) == 1
    assert bare.sent() == []

"""A trusted host gets the token of the tracker that the user trusts it for, and no other."""

import pytest
from tests.cli.project import Project
from tests.cli.refusing import assert_refused, assert_unchanged
from tests.transport.faulty import OK, Faulty

_REASON = ("-m", "More work", "--yes", "--by", "Dana")
_HOSTS = "UNLATCH_TRUSTED_HOSTS"
# Each command that records something for an item, or reads one: {url} is that of the issue.
_COMMANDS = (
    ("resume", "7", *_REASON),
    ("resume", "7-8", *_REASON),
    ("resume", "7", "--offline", *_REASON),
    ("reopen", "{url}", *_REASON),
    ("reopen", "{url}", "--item-only", *_REASON),
    ("close", "{url}", "--item-only", *_REASON[:2]),
    ("undo", "7", *_REASON),
    ("complete", "7", *_REASON),
    ("abandon", "7", *_REASON),
    ("new", "--from", "{url}"),
    ("link", "7", "{url}"),
    ("sync", "--yes"),
    ("sync", "7"),
    ("github", "reopen-issue", "7", *_REASON[:2]),
    ("github", "close-issue", "7"),
    ("github", "create-issue", "7", "--another"),
)


def _without_trackers(project: Project) -> str:
    """The entry of the sandbox's hosts as earlier versions had them."""
    return ",".join(one.partition("=")[2] for one in project.box.environ()[_HOSTS].split(","))


@pytest.mark.parametrize("command", _COMMANDS, ids=" ".join)
def test_host_without_a_tracker_is_refused_before_anything_is_recorded(
    completed: Project, command: tuple[str, ...]
) -> None:
    completed.increment("0008-alone", links=completed.metadata()["github"])
    completed.extra[_HOSTS] = _without_trackers(completed)
    words = [word.format(url=completed.urls["github"]) for word in command]
    before = completed.tree()

    done = completed.run(*words)

    assert (4, "") == (done.code, done.out), done.said
    assert "error[host-not-bound]: " in done.err
    host = completed.box.github.web_url.partition("//")[2]
    assert f"set {_HOSTS}=github={host}\n" in done.err
    assert_unchanged(completed, before)
    assert completed.sent() == []


def test_a_repository_cannot_have_the_token_of_one_tracker_sent_to_the_host_of_another(
    completed: Project,
) -> None:
    trusted = completed.box.environ()[_HOSTS]
    with Faulty(otherwise=OK) as server:
        completed.extra[_HOSTS] = f"{trusted},jira={server.url.partition('//')[2]}"
        for url in (completed.box.github.web_url, completed.box.ado.organization_url):
            place = url.removesuffix("/fabrikam")
            for file in (
                completed.root / ".unlatch/config.toml",
                completed.folder() / "metadata.json",
            ):
                file.write_text(file.read_text().replace(place, server.url))

        done = completed.run("sync", "--yes", "--json")

        errors = {one["tracker"]: one["error"] for one in done.document["compared"]}
        assert ["ado", "github"] == sorted(name for name, error in errors.items() if error)
        assert {"host-not-trusted"} == {error["id"] for error in errors.values() if error}
        assert [] == server.requests


def test_the_lines_of_the_errors_bind_the_hosts(single: Project) -> None:
    single.extra[_HOSTS] = _without_trackers(single)

    lines: list[str] = []
    while (done := single.run("resume", "7", *_REASON)).code == 4:
        line = done.err.partition(f"set {_HOSTS}=")[2].strip()
        assert line
        lines.append(line)
        single.extra[_HOSTS] = ",".join([*lines, _without_trackers(single)])

    assert (0, 3) == (done.code, len(lines)), done.said


def test_a_list_in_the_users_file_is_replaced_by_the_lines_of_the_errors(single: Project) -> None:
    single.extra[_HOSTS] = None
    entries = ", ".join(f'"{one}"' for one in _without_trackers(single).split(","))
    file = single.home / ".config/unlatch/config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"trusted_hosts = [{entries}]\n")
    refused = single.run("resume", "7", *_REASON)
    assert_refused(refused, 4, "host-not-bound")
    assert str(file) in refused.err

    lines = []
    for name, host in (one.split("=") for one in single.box.environ()[_HOSTS].split(",")):
        lines.append(f'trusted_hosts.{name} = ["{host}"]\n')
    assert lines[0].strip() in refused.err
    file.write_text("".join(lines))

    assert 0 == single.run("resume", "7", *_REASON).code


def test_what_only_reads_files_needs_no_binding(completed: Project) -> None:
    completed.extra[_HOSTS] = _without_trackers(completed)

    for words in (("list",), ("show", "7", "--offline"), ("history", "7"), ("report",)):
        done = completed.run(*words)
        assert 0 == done.code, done.said

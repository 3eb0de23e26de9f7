"""fleet.toml: all mistakes at once, each with its line; each repository once."""

from __future__ import annotations

from pathlib import Path

import pytest

from unlatch.errors import MistakesError, UnlatchError
from unlatch_fleet.fleet_file import read_fleet
from unlatch_fleet.repository_address import read_address

TRACKERS = ("ado", "github", "jira")
MISTAKES = '''\
# [[repositories]]
events_share = 2
[groups.acme]
variables = {GITHUB_TOKEN = "ghp_1234567890"}
[groups.other]
nope = 1
[[repositories]]
url = "octo/widgets"
group = "gone"
[[repositories]]
url = "git@github.com:Octo/Widgets.git"
[[repositories]]
url = "not a url"
branch = "-x"
every = "4"
targets = {jiro = ["A/B"], jira = ["SCRUM"]}
what = 3
[[repositories]]
root = "../x"
url = """
https://me:secret-word@github.com/a/b
[[repositories]]
"""
'''
LINES = {
    2: "events_share: expected 0.9 or less",
    4: "groups.acme.variables.GITHUB_TOKEN: expected env:NAME, file:/PATH or keyring:SERVICE/USER",
    6: "groups.other.nope: unknown field",
    9: "repositories[0].group: unknown name 'gone'; there are acme, default, other",
    10: "github.com/octo/widgets is the repository of line 7, with other settings",
    13: "repositories[2].url: expected OWNER/NAME",
    14: "repositories[2].branch: '-x' is not the name of a branch",
    15: "repositories[2].every: '4' is not a time such as 30m, 1h or 1d",
    16: "repositories[2].targets",
    17: "repositories[2].what: unknown field",
    19: "repositories[3].root: '../x' is not a folder inside the repository",
    20: "repositories[3].url: the address must not hold a user name or a password",
}
SPELLINGS = (
    "octo/widgets",
    "Octo/Widgets",
    "https://github.com/octo/widgets",
    "https://github.com/octo/widgets.git/",
    "https://GitHub.com:443/octo/widgets",
    "ssh://git@github.com/octo/widgets.git",
    "git@github.com:octo/widgets.git",
)


def test_every_mistake_is_reported_with_its_line_and_no_secret(tmp_path: Path) -> None:
    path = tmp_path / "fleet.toml"
    path.write_text(MISTAKES)
    with pytest.raises(MistakesError) as caught:
        read_fleet(path, TRACKERS)
    problems = caught.value.problems
    for line, words in LINES.items():
        assert any(problem.startswith(f"line {line}: {words}") for problem in problems), line
    assert [problem for problem in problems if "line 16:" in problem] == [
        "line 16: repositories[2].targets.jira.0: 'SCRUM' needs its host: write it as HOST/SCRUM",
        "line 16: repositories[2].targets: unknown name 'jiro'; there are ado, github, jira",
    ]
    assert len(LINES) + 1 == len(problems)
    assert not any(secret in f"{problems}" for secret in ("ghp_", "secret-word"))


@pytest.mark.parametrize(
    ("text", "id"),
    [
        ("", "fleet-invalid"),
        ("repositories = 3", "fleet-invalid"),
        ('repositories = ["octo/widgets"]', "fleet-invalid"),
        ("[[repositories]", "fleet-unreadable"),
        (None, "fleet-unreadable"),
    ],
)
def test_a_file_that_is_no_list_of_repositories_is_refused(
    tmp_path: Path, text: str | None, id: str
) -> None:
    path = tmp_path / "fleet.toml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UnlatchError) as caught:
        read_fleet(path, TRACKERS)
    assert id == caught.value.id


TABLES = """\
events_share = 0.1 # groups
[[repositories]]
url = "octo/widgets"
[repositories.targets]
jira = ["SCRUM"]
[webhooks.octo]
tracker = "gitlab"
secret = "word"
[groups.mobile]
app = {id = "Iv23", installation = 12345, key = "app.pem"}
[webhooks.acme]
tracker = "ado"
secret = "env:ACME"
[groups."of others"]
[groups."of others".variables]
GITHUB_TOKEN = "word"
[[repositories]]
url = "octo/gadgets"
every = "never"
"""


def test_mistakes_in_tables_have_the_lines_of_their_keys(tmp_path: Path) -> None:
    path = tmp_path / "fleet.toml"
    path.write_text(TABLES)
    with pytest.raises(MistakesError) as caught:
        read_fleet(path, TRACKERS)
    places = [problem.split(": ")[:2] for problem in caught.value.problems]
    assert [
        ["line 5", "repositories[0].targets.jira.0"],
        ["line 7", "webhooks.octo.tracker"],
        ["line 8", "webhooks.octo.secret"],
        ["line 10", "groups.mobile.app.key"],
        ["line 11", "webhooks.acme"],
        ["line 16", "groups.of others.variables.GITHUB_TOKEN"],
        ["line 19", "repositories[1].every"],
    ] == places
    assert any("unknown name 'gitlab'; there are ado" in line for line in caught.value.problems)


def test_all_spellings_of_a_repository_are_one(tmp_path: Path) -> None:
    assert {"github.com/octo/widgets"} == {read_address(url).key for url in SPELLINGS}
    path = tmp_path / "fleet.toml"
    path.write_text("".join(f'[[repositories]]\nurl = "{url}"\n' for url in SPELLINGS))
    fleet = read_fleet(path, TRACKERS)
    assert ("octo/widgets" in fleet.repositories[0].address.url, 1) == (
        True,
        len(fleet.repositories),
    )
    line, *_ = fleet.repeated
    assert (len(SPELLINGS) - 1, True) == (len(fleet.repeated), line.startswith("line 3: "))


def test_a_folder_by_two_paths_is_one(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there")
    places = (f"{tmp_path}/there", f"{tmp_path}/link", f"file://{tmp_path}/./there/")
    assert 1 == len({read_address(place).key for place in places})


@pytest.mark.parametrize(
    "given",
    [
        "ext::sh -c id",
        "-oProxyCommand=id:x",
        "https://user@github.com/octo/widgets",
        "ftp://example.com/octo/widgets",
        "https://example.com/",
        "octo",
        "../widgets",
        "",
    ],
)
def test_what_is_no_address_of_a_repository_is_refused(given: str) -> None:
    with pytest.raises(ValueError, match=r"OWNER/NAME|credentials|user name"):
        read_address(given)

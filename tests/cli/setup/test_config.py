"""unlatch config: settings are shown with their sources, and changed without loss."""

import shlex
import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.cli.project import Project
from tests.cli.refusing import assert_refused, assert_unchanged

TEXT = """\
# Our rules
frequent_reopens = 5  # as agreed

[labels]
# Shown on boards
reopened = 'again'

[trackers.github]
repository = "octo/widgets"
"""


@pytest.fixture
def plain(project: Project) -> Project:
    project.configure(TEXT)
    return project


def text_of(project: Project) -> str:
    return (project.root / ".unlatch/config.toml").read_text(encoding="utf-8")


def user_file(project: Project) -> Path:
    return project.home / ".config/unlatch/config.toml"


@pytest.mark.parametrize(
    ("key", "values", "stored"),
    [
        ("frequent_reopens", ["7"], 7),
        ("comment", ["short"], "short"),
        ("mentions", ["true"], True),
        ("labels.completed", ["done {now}"], "done {now}"),
        ("reopen.categories", ["bug", "regression"], ["bug", "regression"]),
        ("limits.per_type", ["{bug = 2}"], {"bug": 2}),
        ("trackers.jira.site", ["https://acme.atlassian.net"], "https://acme.atlassian.net"),
        ("trackers.github.on_reopen.milestone", ["clear"], "clear"),
        ("sync.trackers.github.direction", ["pull"], "pull"),
    ],
)
def test_a_value_is_set_and_everything_else_is_kept(
    plain: Project, key: str, values: list[str], stored: Any
) -> None:
    plain.run("config", "set", key, *values).ends(0)
    *tables, name = key.split(".")
    expected = tomllib.loads(TEXT)
    inner = expected
    for table in tables:
        inner = inner.setdefault(table, {})
    inner[name] = stored
    assert tomllib.loads(text_of(plain)) == expected
    if key == "frequent_reopens":  # its comment stays, too
        assert text_of(plain) == TEXT.replace("= 5  # as", "= 7  # as")
    kept = [line for line in TEXT.splitlines() if line and not line.startswith(f"{name} =")]
    assert [line for line in text_of(plain).splitlines() if line in kept] == kept
    assert plain.run("config", "get", key, "--json").code == 0


def test_a_table_that_a_removal_leaves_empty_goes(plain: Project) -> None:
    limits = "# our limits\n[limits]\nhard_cap = 3\n\n"
    github = "[trackers.github]\n"
    for before, key, after in (
        (f"{limits}[limits.per_type]\nbug = 2\n", "limits.per_type.bug", limits),
        ("[limits.per_type]\nbug = 2\n", "limits.per_type.bug", ""),
        ("[limits] # ours\nhard_cap = 3\n", "limits.hard_cap", "[limits] # ours\n"),
        (
            "[limits.per_type]\nbug = 2\ndocs = 1\n",
            "limits.per_type.bug",
            "[limits.per_type]\ndocs = 1\n",
        ),
        ("[limits]\nper_type = { bug = 2 }\n", "limits.per_type.bug", ""),
        ("[limits]\nper_type.bug = 2\n", "limits.per_type.bug", ""),
        (f"{github}repository = 'o/w'\n", "trackers.github.repository", github),
    ):
        plain.configure(before)
        plain.run("config", "unset", key).ends(0)
        assert text_of(plain) == after, before


MISTAKES = [
    ("set frequent_reopens 0", "expected 1 or more"),
    (
        "set completion.evidence maybe",
        "; to show it as it is: unlatch config get completion.evidence\n",
    ),
    ("set frequent_reopens 1 2", "frequent_reopens"),
    ("set coment full", "next: did you mean comment?"),
    ("set sync.brnch x", "next: did you mean sync.branch?"),
    ("set labels 3", "a table"),
    ("set labels.reopened.x 3", "reopened is not a table"),
    ("set 'a = 1\nb' 3", "is no key"),
    ("set a. 3", "is no key"),
    (f"set {'.'.join('a' * 200)} 3", "unknown setting"),
    ("set trackers.githb.repository o/w", "[trackers.github]"),
    ("set trusted_hosts 'a b'", "next: unlatch config set --user trusted_hosts 'a b'"),
    ("set --user comment full", "next: unlatch config set comment full"),
    ("set --user aliases.resume list", "is a command"),
    ("set --user aliases.jira list", "is a command"),
    ('set --user aliases.r "resume \'x"', "No closing quotation"),
    ("set --user aliases.r ''", "does not begin with a command"),
    (
        "set --user aliases.x resume --yes",
        "next: unlatch config set --user aliases.x 'resume --yes'",
    ),
    ("set aliases.x resume 7", "next: unlatch config set --user aliases.x 'resume 7'"),
    (
        "set --user aliases.n '--no-pager list'",
        "next: unlatch config set --user aliases.n resume",
    ),
    ("set --user aliases.me me", "to itself: me -> me"),
    ("set --user aliases.x '$(id)'", "there is no command '$(id)'"),
    ("set --user aliases.--help list", "small letters, digits"),
    ("set limits.max_active true", "expected a whole number"),
    ("set limits.max_active -1", "expected 1 or more"),
    ("set sync.max_items true", "expected a whole number"),
    ("set sync.max_items 1e9", "expected a whole number"),
    ("set reopen.within_days 1e3", "expected a whole number"),
    ("set limits.per_type.bug 2.0", "expected a whole number"),
    ("set patience true", "expected a number"),
    ("set mentions yes", "expected true or false"),
    (
        "set reopen.categories bug ux a,b",
        "reopen.categories.2: expected a word of at most 60 letters, digits, - and _",
    ),
    ("unset comment", "comment is not set"),
    ("unset sync.branch", "sync is not set"),
    ("get coment", "next: unlatch config get comment"),
]


def test_a_mistake_changes_nothing(plain: Project) -> None:
    before = plain.tree()
    for arguments, shown in MISTAKES:
        done = plain.run("config", *shlex.split(arguments))
        error = "setting-unknown" if arguments.startswith("get") else "setting-invalid"
        assert_refused(done, 2, error)
        assert shown in done.err
    assert_unchanged(plain, before)
    assert not user_file(plain).exists()


def test_a_secret_is_refused_and_not_repeated(plain: Project) -> None:
    before = plain.tree()
    for key, value in (
        ("trackers.github.token", "anything"),
        ("llm.api_key", "anything"),
        ("labels.reopened", "ghp_" + "a1" * 18),
        ("trackers.jira.site", "https://me:s3cret@acme.atlassian.net"),
    ):
        done = plain.run("config", "set", key, value).shows(err="unlatch auth login", lacks=value)
        assert_refused(done, 2, "setting-secret")
    assert_unchanged(plain, before)


def test_the_users_own_file_is_made_private(plain: Project) -> None:
    plain.run("config", "set", "--user", "trusted_hosts.github", "git.example.com")
    plain.run("config", "set", "--user", "llm.model", "small").ends(0)
    content = {"trusted_hosts": {"github": ["git.example.com"]}, "llm": {"model": "small"}}
    assert tomllib.loads(user_file(plain).read_text()) == content
    assert stat.S_IMODE(user_file(plain).stat().st_mode) == 0o600
    sources = plain.run("config", "list", "--json").document["settings"]
    assert {one["key"] for one in sources if one["source"] == str(user_file(plain))} == {
        "trusted_hosts.github",
        "llm.model",
    }


def test_a_users_file_that_is_a_link_stays_one(plain: Project, tmp_path: Path) -> None:
    dotfile = tmp_path / "dotfile"
    dotfile.write_text("# Mine\n")
    user_file(plain).parent.mkdir(parents=True)
    user_file(plain).symlink_to(dotfile)
    plain.run("config", "set", "--user", "aliases.r", "resume").ends(0)
    assert user_file(plain).is_symlink()
    assert dotfile.read_text() == '# Mine\n\n[aliases]\nr = "resume"\n'


def test_without_a_project_the_users_settings_are_shown_and_set(
    plain: Project, tmp_path: Path
) -> None:
    plain.root = tmp_path
    assert plain.run("config", "set", "--user", "aliases.r", "resume").code == 0
    assert plain.run("config", "get", "aliases.r").out == "resume\n"
    assert_refused(plain.run("config", "set", "comment", "full"), 2, "no-project")


def test_a_damaged_file_is_reported_and_kept(plain: Project) -> None:
    plain.configure("comment = \n")
    before = plain.tree()
    for arguments in (("set", "comment", "full"), ("unset", "comment"), ("list",), ("get", "x")):
        assert_refused(plain.run("config", *arguments), 1, "config-invalid")
    assert_unchanged(plain, before)


def test_a_byte_order_mark_is_read_and_kept(plain: Project) -> None:
    plain.configure("\ufeffcomment = 'short'\n")
    assert plain.run("config", "get", "comment").out == "short\n"
    assert plain.run("config", "set", "comment", "full").code == 0
    assert text_of(plain) == '\ufeffcomment = "full"\n'


def test_a_mistake_elsewhere_does_not_prevent_a_repair(plain: Project) -> None:
    plain.configure("coment = 'full'\nfrequent_reopens = 0\n")
    assert plain.run("config", "set", "frequent_reopens", "3").code == 0
    assert plain.run("config", "unset", "coment").code == 0
    assert text_of(plain) == "frequent_reopens = 3\n"

"""A token in the words of a third party's plugin is shown and kept nowhere."""

from base64 import b64encode
from collections.abc import Sequence
from json import dumps
from urllib.parse import quote

import pytest
from tests.cli.project import REASON, Project
from tests.cli.setup.foreign_plugin import install

# Of no known form, so that only its value shows what it is.
TOKEN = 'orchid"sextant\\plum/7'
QUOTED = quote(TOKEN, safe="")
ENCODED = b64encode(f"ada:{TOKEN}".encode()).decode()
LINK = {"redmine": {"issue": 5, "url": "https://redmine.example.com/issues/5"}}
CALLED = 'raise AssertionError("not called")'
NAMES = "SyncPlugin, Snapshot, RemoteItem, Category, Outcome, PlannedRequest"
READ = "return Snapshot(RemoteItem(ref, 'A', 'new', Category.DONE))"


def spoil(
    project: Project, package: str, *methods: str, other: Sequence[tuple[str, str, str]] = ()
) -> None:
    """Install the plugin with these bodies of its methods, from `read` on."""
    plain = 'EnvToken("REDMINE_KEY", Scheme.BEARER)'
    named = 'EnvToken("REDMINE_KEY", Scheme.BASIC, user="REDMINE_USER")'
    more = [
        ("__init__.py", plain, named),
        ("plugin.py", "import SyncPlugin", f"import {NAMES}"),
        *(("plugin.py", CALLED, one) for one in methods),
        *other,
    ]
    install(project.root.parent / "site", package, more=more)
    project.extra |= {"REDMINE_KEY": TOKEN, "REDMINE_USER": "ada"}
    project.increment(links=LINK)


def check_secret(project: Project, *more: tuple[str, ...]) -> str:
    """Everything that commands show and write, which must not have the token."""
    resume = ("resume", "7", "--reason", REASON, "--yes")
    commands = (("--debug", *resume), (*resume, "--json"), ("sync", "--json"), ("show", "7"), *more)
    shown = "".join(project.run(*command).said for command in commands)
    files = [path for top in (project.root, project.home) for path in top.rglob("*")]
    kept = b"".join(path.read_bytes() for path in files if path.is_file())
    for form in (TOKEN, ENCODED, QUOTED, repr(TOKEN)[1:-1], dumps(TOKEN)[1:-1]):
        assert form not in shown
        assert form.encode() not in kept
    return shown


REJECTED = "from unlatch.errors import Rejected; raise Rejected"
BODIES = (
    f"raise KeyError({TOKEN!r})",
    f"raise RuntimeError('sent {ENCODED}')",
    f"raise RuntimeError('GET /?key={QUOTED}')",
    f"error = ValueError('no'); error.add_note({TOKEN!r}); raise error",
    f"{REJECTED}('refused', {TOKEN!r})",
    f"{REJECTED}({TOKEN!r}, 'no', hint={ENCODED!r})",
    f"{REJECTED}('no', 'no') from OSError({TOKEN!r})",
)


@pytest.mark.parametrize(
    "body",
    [*BODIES[:2], *(pytest.param(body, marks=pytest.mark.sweep) for body in BODIES[2:])],
)
def test_no_error_of_a_plugin_shows_a_token(project: Project, package: str, body: str) -> None:
    spoil(project, package, body)
    shown = check_secret(project, ("--debug", "show", "7"))
    assert "***" in shown


def test_no_error_of_settings_shows_a_token_of_the_environment(
    project: Project, package: str
) -> None:
    old, new = 'return ItemRef("redmine"', "import os; raise KeyError(os.environ['REDMINE_KEY'])"
    spoil(project, package, other=[("settings.py", old, f"{new}; {old}")])
    shown = check_secret(project, ("link", "7", "https://redmine.example.com/issues/6"))
    assert "***" in shown


def test_no_note_or_request_of_a_plugin_shows_a_token(project: Project, package: str) -> None:
    noted = f"return Outcome(snapshot.item, notes=({TOKEN!r}, {ENCODED!r}))"
    planned = f"return (PlannedRequest('GET', 'https://x/?key=' + {TOKEN!r}, 'read'),)"
    spoil(project, package, READ, noted, planned)
    shown = check_secret(project, ("resume", "7", "--reason", REASON, "--dry-run"))
    assert "***" in shown

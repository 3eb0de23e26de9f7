"""A third party's plugin that does not work is named with its distribution, never unlatch."""

from pathlib import Path
from typing import NamedTuple

import pytest
from tests.cli.project import OPEN, REASON, Done, Project
from tests.cli.setup.foreign_plugin import DISTRIBUTION, install

from unlatch.cli.commands.overview import list as list_command
from unlatch.lifecycle.lists import known_rows

CULPRIT = f"the plugin redmine ({DISTRIBUTION}) cannot be used: "


class Mistake(NamedTuple):
    file: str
    old: str
    new: str
    said: str  # a part of the message


MANIFESTS = (
    Mistake(
        "__init__.py",
        "from unlatch.spi",
        "import no_such_library\nfrom unlatch.spi",
        "importing PACKAGE failed: ModuleNotFoundError: No module named 'no_such_library'",
    ),
    Mistake("__init__.py", "manifest =", "raise SystemExit\nmanifest =", "SystemExit"),
    Mistake("__init__.py", "manifest =", "manifest = str(", "SyntaxError"),
    Mistake("__init__.py", "manifest = Manifest(", "manifest = dict(", "is not a Manifest"),
    Mistake("__init__.py", "spi_version=2", "spi_version=1", "for interface 1; this is 2"),
    Mistake("__init__.py", '("requests", "unlatch-redmine")', '"requests"', "invalid requires"),
    Mistake("__init__.py", "Scheme.BEARER)", 'Scheme.HEADER("a b"))', "not the name of a header"),
    Mistake("__init__.py", 'EnvToken("REDMINE_KEY", Scheme.BEARER)', "7", "invalid tokens"),
    Mistake(
        "__init__.py",
        "manifest =",
        "from unlatch.errors import UsageError\nraise UsageError('odd', 'no')\nmanifest =",
        "importing PACKAGE failed: UsageError: odd: no",
    ),
)
# Fields that are not what the manifest declares.
FIELDS = (
    ('title="Redmine"', "title=7", "title: it is a line of printable text"),
    ('title="Redmine"', "title='Red\\x1b[31m'", "title: it is a line of printable text"),
    ('noun="issue"', "noun=None", "noun: it is a line of printable text"),
    ('LinkShape(item="issue"', "LinkShape(item=None", "link: it is a LinkShape of texts"),
    ('settings="PACKAGE.settings:Red', 'settings="PACKAGE.settings.Red', "settings: it is"),
    ("capabilities=frozenset({", "capabilities=None and ({", "capabilities: it is"),
    ('hosts=("redmine.example.com",)', 'hosts="*.example.com"', "hosts: it is a tuple of texts"),
    ("spi_version=2", "host_env=None", "host_env: it is a tuple of texts"),
    ("spi_version=2", "deferred=None", "deferred: it is a tuple of texts"),
    ("label_problem=lambda label: None", "label_problem=7", "label_problem: it is a function"),
    ('EnvToken("REDMINE_KEY", Scheme.BEARER)', "EnvToken(None, Scheme.BEARER)", "tokens: it is"),
    ('EnvToken("REDMINE_KEY", Scheme.BEARER)', 'EnvToken("KEY", "bearer")', "tokens: it is"),
    ("spi_version=2", "settle=-1", "settle: it is a number of seconds"),
    ("spi_version=2", "parallel=0", "parallel: it is a number from 1"),
    ("spi_version=2", 'options=("x",)', "options: it is a tuple of Options"),
    ("spi_version=2", 'events={"redmine-event": len}', "events: it is a mapping"),
    ("spi_version=2", "example=None", "example: it is a text"),
    ("spi_version=2", "from_remote='x'", "from_remote: it is a function, or None"),
)
FIELDS_MISTAKEN = tuple(Mistake("__init__.py", *one) for one in FIELDS)
UNREADABLE = (*MANIFESTS, *FIELDS_MISTAKEN)
SETTINGS = (
    Mistake("settings.py", "class Red", "import no_such_library\nclass Red", "ModuleNotFound"),
    Mistake("settings.py", "RedmineSettings", "Other", "has no attribute 'RedmineSettings'"),
    Mistake("settings.py", "RedmineSettings(BaseModel)", "RedmineSettings",
            "PACKAGE.settings:RedmineSettings is not a pydantic model"),
    Mistake("settings.py", "def allows", "def allowed", "lacks the method allows"),
    Mistake("settings.py", "def base_url", "def address", "lacks the property base_url"),
    Mistake("settings.py", ', extra="forbid"', "", "accepts unknown settings"),
    Mistake("settings.py", "return self.url", "return self.host", "AttributeError"),
    Mistake("settings.py", "return self.url", "return 7", "base_url is not a string"),
)  # fmt: skip
PLUGINS = (
    Mistake("plugin.py", "(SyncPlugin)", "", "is not a subclass of unlatch.spi.SyncPlugin"),
    Mistake("plugin.py", "ref, change=None", "ref", "takes other arguments in read"),
    Mistake("plugin.py", "self.settings = settings", "self.settings = settings.none",
            "constructing RedminePlugin failed: AttributeError"),
    Mistake("__init__.py", "Capability.STATUS,", "Capability.CREATE, Capability.EXAMINE,",
            "lacks the method create (for CREATE); lacks the method find_created (for CREATE); "
            "lacks the method examine (for EXAMINE)"),
)  # fmt: skip


def spoil(project: Project, package: str, mistake: Mistake) -> str:
    """Install the plugin with a mistake; the part of the message that tells of it."""
    site = project.root.parent / "site"
    install(site, package, file=mistake.file, old=mistake.old, new=mistake.new)
    return mistake.said.replace("PACKAGE", package)


RESUME = ("resume", "7", "--reason", REASON, "--yes", "--json")
ADDRESS = "https://redmine.example.com/issues/5"
LINK = {"redmine": {"issue": 5, "url": ADDRESS}}


def check_error(error: dict[str, str], said: str) -> None:
    assert error["id"] == "plugin-broken"
    assert error["message"].startswith(CULPRIT)
    assert said in error["message"]
    assert "pip install --upgrade unlatch-redmine;" in error["hint"]


def errors_found(done: Done) -> list[dict[str, str]]:
    """The findings of doctor that are errors."""
    return [one for one in done.document["findings"] if one["severity"] == "error"]


def check_doctor(project: Project, said: str) -> None:
    done = project.run("doctor", "--json").ends(1)
    (broken,) = errors_found(done)
    check_error(broken, said)


def resumed_on_github_alone(project: Project) -> dict[str, str]:
    """Resume an increment with items on GitHub and Redmine; the error of the second."""
    project.increment(links={**project.items("github"), **LINK})
    done = project.run(*RESUME)
    assert (done.code, project.states()["github"]) == (3, OPEN["github"]), done.said
    errors = {one["tracker"]: one["error"] for one in done.document["trackers"]}
    assert errors["github"] is None
    error: dict[str, str] = errors["redmine"]
    return error


def check_no_traceback(done: Done) -> None:
    assert CULPRIT in done.said
    assert ("Traceback" in done.said, "unexpected" in done.said) == (False, False)


# One of each kind of check; the others are in make torture.
CHECKED = (*MANIFESTS[::2], *FIELDS_MISTAKEN[::5], *SETTINGS[1:])


@pytest.mark.parametrize(
    "mistake",
    [
        *CHECKED,
        *(
            pytest.param(one, marks=pytest.mark.sweep)
            for one in (*UNREADABLE, *SETTINGS)
            if one not in CHECKED
        ),
    ],
    ids=lambda one: one.said,
)
def test_a_plugin_that_cannot_be_configured_is_named(
    project: Project, package: str, mistake: Mistake
) -> None:
    check_doctor(project, spoil(project, package, mistake))


@pytest.mark.parametrize("command", ["resume", "abandon", "undo"])
def test_an_increment_whose_links_cannot_be_read_is_refused(
    project: Project, package: str, command: str
) -> None:
    said = spoil(project, package, MANIFESTS[0])
    status = "active" if command == "abandon" else "completed"
    project.increment(links={**project.items("github"), **LINK}, status=status)
    before = project.tree()
    reason = ("--reason", REASON) if command == "resume" else ()

    for more in ([], ["--dry-run"]):
        done = project.run(command, "7", *reason, "--yes", *more, "--json")
        if command == "undo":  # there is nothing to undo, either
            assert done.code in (1, 2)
        else:
            assert (done.code, project.wrote()) == (1, [])
            check_error(done.document["error"], said)
    assert before == project.tree()


def test_links_that_cannot_be_read_fail_the_gate(project: Project, package: str) -> None:
    said = spoil(project, package, MANIFESTS[0])
    project.increment(links={**project.items("github"), **LINK})
    project.run("sync", "--check").ends(
        5, said, out="redmine: 1 item not checked", err="1 of 2 items checked."
    )
    project.run("show", "7", "--offline").shows(err="its items of redmine are not read")


@pytest.mark.parametrize("options", [(), ("--json",), ("--status", "completed")])
@pytest.mark.parametrize("worth_it", [1, 500])
def test_a_list_without_links_that_cannot_be_read_says_so_once(
    project: Project,
    package: str,
    options: tuple[str, ...],
    worth_it: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(list_command, "WORTH_IT", worth_it)
    monkeypatch.setattr(known_rows, "_UNSURE", -(10**12))  # also of files that just changed
    spoil(project, package, MANIFESTS[0])
    project.increment(links={**project.items("github"), **LINK})
    project.increment("0008-there", links=LINK)
    note = "items of redmine are not shown, because that plugin cannot be used"
    for _ in range(2):  # rows of a long list are known the second time
        assert project.run("list", *options).err.count(note) == 1


CALLED = 'raise AssertionError("not called")'
# A result of another type, in `read` or `write`, and what is said of it.
CATEGORIES = "SyncPlugin, Snapshot, RemoteItem, Category, Outcome"
READ = "return Snapshot(RemoteItem(ref, 'A', 'new', Category.DONE))"
# A result of another type, in `read`, and what is said of it.
RESULTS = (
    ("return None", "RedminePlugin.read returned another type: Input should be an instance of"),
    ("return Snapshot(RemoteItem(ref, None, 'new', Category.DONE))", "item.title: Input should be"),
    ("raise SystemExit(0)", "SystemExit: 0"),
    ("return {}['id']", "KeyError: 'id'"),
    ("from unlatch.errors import Rejected; raise Rejected('odd', ValueError('no'))", "no"),
    ("raise type('Mute', (Exception,), {'__str__': lambda self: 1 / 0})()", "Mute"),
)


def install_with(project: Project, package: str, *bodies: str) -> None:
    """Install the plugin with these bodies of `read` and `write`."""
    more = [("plugin.py", "import SyncPlugin", f"import {CATEGORIES}")]
    more += [("plugin.py", CALLED, body) for body in bodies]
    install(project.root.parent / "site", package, more=more)


@pytest.mark.parametrize(("result", "said"), RESULTS)
def test_a_call_that_goes_wrong_is_named_and_others_are_reopened(
    project: Project, package: str, result: str, said: str
) -> None:
    install_with(project, package, result)
    error = resumed_on_github_alone(project)
    assert error["id"] == ("odd" if "odd'," in result else "plugin-broken")
    assert said in error["message"]


def test_an_outcome_of_another_type_is_unknown_and_probed(project: Project, package: str) -> None:
    install_with(project, package, READ, "return Outcome(snapshot.item, notes='done')")
    error = resumed_on_github_alone(project)
    assert "RedminePlugin.write returned another type: notes: " in error["message"]


SHOWN = 'return f"widgets#{ref.id}"'
# A mistake in a method: the file, its code, what replaces it, and where it fails.
LOCATE = 'return ItemRef("redmine"'
# A mistake in a method, and where it fails.
METHODS = (
    Mistake("settings.py", SHOWN, "raise KeyError(ref.id)", ""),
    Mistake("settings.py", LOCATE, f"return None and {LOCATE.removeprefix('return ')}", ""),
    Mistake("settings.py", LOCATE, f"{{}}['id']; {LOCATE}", "settings:19"),
    Mistake("plugin.py", CALLED, "return {}['id']", "plugin:9"),
)


@pytest.mark.sample(count=1)
@pytest.mark.parametrize("mistake", METHODS, ids=lambda one: one.new)
def test_a_mistake_in_a_method_is_the_plugin_s_and_hinders_no_other(
    project: Project, package: str, mistake: Mistake
) -> None:
    place = spoil(project, package, mistake)
    error = resumed_on_github_alone(project)
    project.run("sync").ends(3, lacks="unexpected")
    doctor = project.run("doctor", "--json")
    if place:
        check_failed(error, f"failed at {package}.{place}: KeyError: 'id'")
    assert "findings" in doctor.document
    assert "unexpected" not in doctor.said


def test_an_address_of_a_broken_plugin_names_it_and_those_of_others_do_not(
    project: Project, package: str
) -> None:
    said = spoil(project, package, MANIFESTS[0])
    project.increment()
    wrong = project.run("link", "7", "https://github.com/octo", "--json")
    done = project.run("link", "7", ADDRESS, "--json")
    assert (wrong.code, wrong.document["error"]["id"]) == (2, "url-unknown")
    check_error(done.document["error"], said)


def check_failed(error: dict[str, str], failed: str) -> None:
    assert error["id"] == "plugin-broken"
    assert f"the plugin redmine ({DISTRIBUTION}) {failed}" == error["message"]


def test_items_that_a_plugin_left_out_are_not_checked(project: Project, package: str) -> None:
    method = "def read_many(self, refs, change=None):\n        return {}\n\n    "
    more = [
        ("__init__.py", "Capability.STATUS,", "Capability.STATUS, Capability.STATUS_OF_MANY,"),
        ("plugin.py", "def plan(", f"{method}def plan("),
    ]
    install(project.root.parent / "site", package, more=more)
    project.increment(links={**project.items("github"), **LINK})
    project.run("sync", "--check").ends(5, "RedminePlugin.read_many left items out")


def test_a_label_problem_that_is_no_text_is_the_plugin_s(project: Project, package: str) -> None:
    site = project.root.parent / "site"
    more = [("__init__.py", "Capability.STATUS,", "Capability.STATUS, Capability.LABELS,")]
    old = "label_problem=lambda label: None"
    install(site, package, file="__init__.py", old=old, new="label_problem=len", more=more)
    project.increment(links=project.items("github"))
    check_doctor(project, "label_problem returned no text")
    assert project.run("resume", "7", "--reason", REASON, "--yes").code == 0


def test_no_other_distribution_replaces_a_tracker_of_unlatch(
    project: Project, tmp_path: Path, package: str
) -> None:
    install(tmp_path / "site", package)
    entry = tmp_path / "site" / "unlatch_redmine-1.2.dist-info" / "entry_points.txt"
    entry.write_text(
        f"[unlatch.plugins]\ngithub = {package}:manifest\nredmine = {package}:manifest"
    )
    project.increment(links=project.items("github"))
    assert project.run(*RESUME).code == 0
    assert project.states()["github"] == OPEN["github"]


def install_again(folder: Path, package: str, distribution: str) -> None:
    """Let another distribution register the tracker, too."""
    info = folder / f"{distribution}.dist-info"
    info.mkdir(parents=True)
    (info / "entry_points.txt").write_text(f"[unlatch.plugins]\nredmine = {package}:manifest\n")


def test_a_tracker_of_two_distributions_is_refused_and_both_are_named(
    project: Project, package: str
) -> None:
    site = project.root.parent / "site"
    install(site, package)
    install_again(site, package, "acme_redmine-2.0")
    project.increment(links=project.items("github"))
    project.increment("0008-there", links=LINK)

    doctor = project.run("doctor", "--json")
    plugins = project.run("plugins")
    refused = project.run("resume", "8", "--reason", REASON, "--yes", "--json")
    done = project.run(*RESUME)

    both = "several distributions have a plugin redmine: acme-redmine 2.0, unlatch-redmine 1.2"
    assert [(both, "keep one: pip uninstall acme-redmine, or pip uninstall unlatch-redmine")] == [
        (one["message"], one["hint"]) for one in errors_found(doctor)
    ]
    assert f"broken {both}" in plugins.out
    assert (refused.code, refused.document["error"]["message"]) == (1, both)
    assert (done.code, project.states()["github"]) == (0, OPEN["github"]), done.said


def test_a_distribution_that_is_installed_twice_is_one(
    project: Project, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(project.root.parent / "site", package)
    install_again(project.root.parent / "user", package, "Unlatch.Redmine-1.1")
    monkeypatch.syspath_prepend(project.root.parent / "user")
    assert errors_found(project.run("doctor", "--json")) == []


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("raise KeyError('url')", "KeyError: 'url'"),
        ("return {7: 'x'}", "TypeError"),
        ("raise SystemExit", "SystemExit"),
    ],
)
def test_settings_that_cannot_be_shown_do_not_end_doctor(
    project: Project, package: str, body: str, said: str
) -> None:
    dump = f"def model_dump(self, **options):\n        {body}\n\n    @property\n    def base_url"
    spoil(project, package, Mistake("settings.py", "@property\n    def base_url", dump, ""))
    check_doctor(project, f"showing [trackers.redmine] failed: {said}")
    shown = project.run("config", "list", "--json")
    keys = [one["key"] for one in shown.document["settings"]]
    assert ("trackers.github.web_url" in keys, shown.code) == (True, 0), keys
    assert not [one for one in keys if "redmine" in one]


@pytest.mark.sample(count=2)
@pytest.mark.parametrize("mistake", [*PLUGINS, SETTINGS[-1]], ids=lambda one: one.said)
def test_a_plugin_that_cannot_be_loaded_is_named_and_other_trackers_are_reopened(
    project: Project, package: str, mistake: Mistake
) -> None:
    said = spoil(project, package, mistake)
    check_error(resumed_on_github_alone(project), said)
    assert [one["tracker"] for one in project.metadata()["pending"]] == ["redmine"]
    check_doctor(project, said)


def test_commands_name_the_plugin_without_a_traceback(project: Project, package: str) -> None:
    said = spoil(project, package, SETTINGS[0])
    project.extra["PYTHONPATH"] = str(project.root.parent / "site")
    project.increment(links={"redmine": {"issue": 5}})
    for command in (["doctor"], ["auth", "status"], ["sync"]):
        check_no_traceback(project.run(*command))
    done = project.process("redmine", "status", "7").ends(1, err=said)
    check_no_traceback(done)


def test_the_list_of_plugins_names_a_broken_one(project: Project, package: str) -> None:
    said = spoil(project, package, MANIFESTS[0])
    done = project.run("redmine", "status", "7").ends(1, err=said)
    project.run("plugins").ends(0, out=f"broken {CULPRIT}")
    check_no_traceback(done)

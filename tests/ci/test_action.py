"""action.yml and its kin for other systems: their own steps, run as the systems run them."""

import json
import os
import re
import subprocess
import sys
import sysconfig
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import reduce
from hashlib import sha256
from operator import getitem
from pathlib import Path
from string import Template
from typing import Any
from zipfile import ZipFile

import pytest
import yaml
from tests.ci.git_server import serve
from tests.ci.jobs import AZURE, GITHUB, GITLAB, Job, job, reopen_by_hand
from tests.cli.project import Done
from tests.crash.items import Items
from tests.crash.members import Team
from tests.docs.pages import ROOT

from unlatch.cli.app import app
from unlatch.project.registry import Registry
from unlatch.spi import EnvToken
from unlatch.worklog.times import read_stamp
from unlatch_sandbox import Fault

ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
AZURE_STEPS = yaml.safe_load((ROOT / "ci/azure-pipelines.yml").read_text(encoding="utf-8"))
GITLAB_JOB = yaml.safe_load((ROOT / "ci/gitlab-ci.yml").read_text(encoding="utf-8"))[".unlatch"]
SYSTEMS = {"github": GITHUB, "azure": AZURE, "gitlab": GITLAB}
_INPUT = re.compile(r"\$\{\{ inputs\.([\w-]+) }}")
_AZURE_OUTPUT = re.compile(
    r"^##vso\[task\.setvariable variable=([\w-]+);isoutput=true\](.*)$", re.MULTILINE
)
_OUTPUT = re.compile(r"\$\{\{ steps\.run\.outputs\.([\w-]+) }}")
# `shell: bash` of GitHub Actions; GitLab's runner starts it much alike, and Azure's agent goes on
# after a command that fails.
AZURE_BASH = ("bash", "--noprofile", "--norc", "-c")
BASH = (*AZURE_BASH[:-1], "-eo", "pipefail", "-c")


@dataclass(frozen=True)
class Ran:
    """The result of an action.

    Args:
        outputs: the action's own, as a workflow reads them.
    """

    code: int
    said: str
    outputs: Mapping[str, str]


def act(here: Job, *, runner: Path, environ: Mapping[str, str] | None = None, **inputs: str) -> Ran:
    """Run the action's steps in a checkout, as the runner does: the first that fails ends it."""
    given = {name.replace("_", "-"): value for name, value in inputs.items()}
    assert set() == given.keys() - ACTION["inputs"].keys()
    given = {name: one["default"] for name, one in ACTION["inputs"].items()} | given
    (runner / "path").touch()
    common = {
        "RUNNER_TEMP": str(runner),
        "GITHUB_PATH": str(runner / "path"),
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_WORKSPACE": str(here.root),
        **(environ or {}),
    }
    said, code = "", 0
    for step in ACTION["runs"]["steps"]:
        filled = {n: _INPUT.sub(lambda m: given[m[1]], str(v)) for n, v in step["env"].items()}
        added = (runner / "path").read_text().split()
        path = os.pathsep.join([*reversed(added), here.environ["PATH"]])
        done = bash(here, step["run"], {**common, **filled, "PATH": path})
        said, code = said + done.out + done.err, done.code
        if code:
            break
    outputs = {
        name: here.outputs.get(_named(one["value"]), "") for name, one in ACTION["outputs"].items()
    }
    return Ran(code, said, outputs)


def _named(value: str) -> str:
    match = _OUTPUT.fullmatch(value)
    assert match is not None
    return match[1]


def bash(here: Job, script: str, environ: Mapping[str, str], shell: tuple[str, ...] = BASH) -> Done:
    done = subprocess.run(
        [*shell, script],
        cwd=here.root,
        env={**here.environ, **environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=False,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture
def runner(tmp_path: Path) -> Path:
    place = tmp_path / "runner"
    place.mkdir()
    return place


def test_the_action_syncs_and_pushes(team: Team, here: Job, runner: Path) -> None:
    ran = act(here, runner=runner, version="installed", commit="push")
    assert 0 == ran.code, ran.said
    told = "1 increment changed, 3 operations delivered"
    expected = {"exit-code": "0", "changed": "true", "adrift": "false", "summary": told}
    expected |= {"retry": "none", "retry-at": ""}
    assert {**expected, "branch": "main", "proposal": ""} == ran.outputs
    team.laptop.pull()
    assert "active" == team.laptop.metadata()["status"]
    assert told in here.summary


def test_the_action_fails_where_something_drifts(team: Team, runner: Path) -> None:
    reopen_by_hand(team)
    team.writes()
    ran = act(job(team, "job"), runner=runner, version="installed", command="check")
    assert (5, []) == (ran.code, team.writes()), ran.said
    assert ("5", "true", "false") == tuple(
        ran.outputs[name] for name in ("exit-code", "adrift", "changed")
    )
    assert "::error file=" in ran.said


def test_the_action_shows_a_plan(team: Team, runner: Path) -> None:
    reopen_by_hand(team)
    before = team.comments()
    ran = act(job(team, "job"), runner=runner, version="installed", command="plan")
    assert (0, before) == (ran.code, team.comments()), ran.said
    assert {"github": True, "ado": False, "jira": False} == team.states()
    assert "Nothing was written." in ran.said


def test_the_action_takes_in_the_event(team: Team, runner: Path) -> None:
    reopen_by_hand(team)
    event = runner / "event.json"
    url = f"{team.box.github.web_url}/octo/widgets/issues/{team.ids['github']}"
    event.write_text(
        f'{{"action": "reopened", "issue": {{"html_url": "{url}", "state": "open"}},'
        ' "sender": {"login": "mona"}}'
    )
    here = job(team, "job")
    environ = {"GITHUB_EVENT_PATH": str(event)}
    ran = act(here, runner=runner, environ=environ, version="installed", command="ingest")
    assert (0, "true") == (ran.code, ran.outputs["changed"]), ran.said
    assert ["mona"] == [one["reopenedBy"] for one in here.metadata()["reopenHistory"]]


def test_the_action_reports_deliveries_before_too_many_items(team: Team, runner: Path) -> None:
    other = Items(team.box, "github").make("Another", is_open=False, labels=())
    folder = team.laptop.path().parent.with_name("0090-other")
    folder.mkdir()
    link = Items(team.box, "github").link(other)
    own = {key: one for key, one in team.laptop.metadata().items() if key not in team.ids}
    path = folder / "metadata.json"
    path.write_text(json.dumps({**own, "id": folder.name, "github": link}))
    team.laptop.unlatch("sync", "--yes")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"status": "active"}))
    team.laptop.reopen("More", "--offline")
    team.laptop.push("Pending operations, and a difference")

    inputs = {"version": "installed", "commit": "push", "max_items": "3"}
    ran = act(job(team, "job"), runner=runner, environ=None, **inputs)

    told = "3 operations delivered, 1 link not in sync, too many items"
    expected = {"exit-code": "5", "changed": "true", "adrift": "true", "summary": told}
    expected |= {"retry": "person", "retry-at": ""}
    assert {**expected, "branch": "main", "proposal": ""} == ran.outputs
    team.laptop.pull()
    assert [] == team.laptop.pending
    assert not Items(team.box, "github").view(other).open


def test_the_action_reopens_items_once_for_a_key(team: Team, runner: Path) -> None:
    items = Items(team.box, "github")
    number = items.make("Beside", is_open=False, labels=())
    named = f"\r\n{team.box.github.web_url}/octo/widgets/issues/{number}\r\n"
    given = {"version": "installed", "items": named, "key": "https://example.com/events/1"}

    here = job(team, "one")
    first = act(
        here,
        runner=runner,
        environ=None,
        command="reopen",
        reason="$(id) broke",
        **given,
    )
    again = act(
        job(team, "two"), runner=runner, environ=None, command="reopen", reason="It broke", **given
    )
    seen = items.view(number)
    closed = act(
        job(team, "three"),
        runner=runner,
        command="close",
        reason="Done",
        items=named,
        version="installed",
    )
    empty = act(
        job(team, "four"), runner=runner, command="close", reason="Done", version="installed"
    )

    assert (0, 0, 0, 2) == (first.code, again.code, closed.code, empty.code), (
        first.said + again.said
    )
    assert (True, 1) == (seen.open, len(seen.comments))
    assert ["true", "false"] == [ran.outputs["changed"] for ran in (first, again)]
    assert "### unlatch reopen: 1 operation delivered\n" in here.summary
    assert "$(id) broke" in seen.comments[0].text.replace("\\", "")
    assert not items.view(number).open


@pytest.mark.parametrize(
    "inputs",
    [
        {"command": 'sync"; touch pwned; "'},
        {"increments": "$(touch pwned) `touch pwned`; touch pwned"},
        {"changed_since": "--output=pwned"},
        {"root": "$(touch pwned)"},
        # The script passes these as it passes those.
        pytest.param({"changed_since": "$(touch pwned)"}, marks=pytest.mark.sweep),
        pytest.param({"max_items": "1; touch pwned"}, marks=pytest.mark.sweep),
        pytest.param({"commit": "push; touch pwned"}, marks=pytest.mark.sweep),
        pytest.param({"increments": "--force --max-items=99"}, marks=pytest.mark.sweep),
    ],
)
def test_what_an_input_holds_is_never_run(team: Team, runner: Path, inputs: dict[str, str]) -> None:
    here = job(team, "job")
    ran = act(here, runner=runner, environ=None, version="installed", **inputs)
    assert (2, "2") == (ran.code, ran.outputs["exit-code"]), ran.said
    assert "" == here.git("status", "--porcelain")


def test_the_action_says_when_another_run_can_deliver_the_rest(team: Team, runner: Path) -> None:
    reopen_by_hand(team)
    team.box.faults.add(
        Fault("jira", "rate-limit", method="POST", path="/transitions", form="seconds", seconds=600)
    )
    ran = act(job(team, "job"), runner=runner, version="installed", commit="push")
    assert (3, "at") == (ran.code, ran.outputs["retry"]), ran.said
    moment = read_stamp(ran.outputs["retry-at"])
    assert moment is not None
    assert moment > datetime.now(UTC)


# By project: what `unlatch sync` sets as `retry` and `retry-at`.
RETRIES = {
    "soonest": (("later", "sooner", "person", "done"), ("at", "2026-03-01T08:00:00Z")),
    "person": (("done", "person", "done"), ("person", "")),
    "none": (("done", "done"), ("none", "")),
}
_PROJECTS = {
    "later": ("at", "2026-03-01T09:00:00Z"),
    "sooner": ("at", "2026-03-01T08:00:00Z"),
    "person": ("person", ""),
    "done": ("none", ""),
}


@pytest.mark.parametrize("case", RETRIES)
@pytest.mark.parametrize("system", ["github", "azure"])
def test_the_outputs_say_when_another_run_can_deliver_anything_of_all_projects(
    team: Team, runner: Path, system: str, case: str
) -> None:
    projects, expected = RETRIES[case]
    set_outputs(runner / "unlatch", system)
    here = job(team, "job", {"github": GITHUB, "azure": AZURE}[system])
    here = replace(here, extra={**here.extra, "PATH": f"{runner}:{here.environ['PATH']}"})

    if system == "github":
        ran = act(here, runner=runner, version="installed", root="\n".join(projects))
        found, said = ran.outputs, ran.said
    else:
        done = run_azure(here, runner, root="\n".join(projects))
        # The script's own follow those of the projects, and replace them.
        said = done.err + done.out
        found = dict(_AZURE_OUTPUT.findall(said))

    assert expected == (found["retry"], found["retry-at"]), said


def set_outputs(program: Path, system: str) -> None:
    """A program in place of unlatch that sets the outputs of the project in its --root."""
    azure = "##vso[task.setvariable variable={};isoutput=true]{}"
    form = "{}={}" if system == "github" else azure
    to = '>> "$GITHUB_OUTPUT"' if system == "github" else ">&2"
    cases = ""
    for project, (retry, at) in _PROJECTS.items():
        lines = f"'{form.format('retry', retry)}' '{form.format('retry-at', at)}'"
        cases += f"{project}) printf '%s\\n' {lines} {to};;\n"
    program.write_text(f'#!/bin/sh\ncase "$2" in\n{cases}esac\n')
    program.chmod(0o755)


def test_no_script_holds_an_expression() -> None:
    scripts = [step["run"] for step in ACTION["runs"]["steps"]]
    scripts += [step["bash"] for step in AZURE_STEPS["steps"] if "bash" in step]
    # `$(name)` is Azure's; quoted alone it is what an undefined variable begins with.
    plain = [script.replace("'$('", "") for script in scripts]
    assert [] == [script for script in plain if "${{" in script or "$(" in script]


def test_every_option_that_is_passed_exists() -> None:
    for name in ("sync", "ingest", "reopen"):
        found = app.get_command(None, name)  # type: ignore[arg-type]  # it needs no context
        assert found is not None
        options = {option for param in found.params for option in param.opts}
        script = ACTION["runs"]["steps"][1]["run"]
        start = '"$UNLATCH_COMMAND"' if name == "reopen" else name
        lines = [one for one in script.splitlines() if f"({start} " in one]
        passed = {one for line in lines for one in re.findall(r"--[a-z-]+", line)}
        assert set() == passed - options


@pytest.fixture
def installation(runner: Path) -> dict[str, str]:
    """The variables of an installation without a network, beside the packages of the tests.

    `locked` is the one package of the action's lock, and lies in a folder where pip finds it.
    """
    ours = sysconfig.get_paths()["purelib"]
    # pip is not unpacked into the environment, either: ours is on the path of modules.
    script = f"""#!/bin/sh
'{sys.executable}' "$@" --without-pip
for place; do :; done
for folder in "$place"/lib/*/site-packages; do echo '{ours}' > "$folder/ours.pth"; done
"""
    (runner / "python3").write_text(script)
    (runner / "python3").chmod(0o755)
    action = runner / "action"
    (action / "ci").mkdir(parents=True)
    for path in ROOT.iterdir():
        if path.name not in ("ci", ".git", ".venv"):
            (action / path.name).symlink_to(path)
    wheel = make_wheel(runner / "locked-1.0-py3-none-any.whl")
    digest = sha256(wheel.read_bytes()).hexdigest()
    (action / "ci/requirements.txt").write_text(f"locked==1.0 --hash=sha256:{digest}\n")
    return {
        **ACTION["runs"]["steps"][0]["env"],
        "PATH": f"{runner}:{os.environ['PATH']}",
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(runner),
        "PIP_NO_COMPILE": "1",
        "RUNNER_TEMP": str(runner),
        "GITHUB_PATH": str(runner / "path"),
        "GITHUB_ACTION_PATH": str(action),
        "UNLATCH_VERSION": "",
    }


def make_wheel(path: Path, note: str = "", **requirement: str) -> Path:
    """Write a wheel without modules; its name and version are those of the file."""
    name, version, *_ = path.name.split("-")
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    metadata += "".join(f"Requires-Dist: {one}{how}\n" for one, how in requirement.items())
    files = {
        "METADATA": f"{metadata}\n{note}",
        "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "RECORD": "",
    }
    with ZipFile(path, "w") as archive:
        for file, text in files.items():
            archive.writestr(f"{name}-{version}.dist-info/{file}", text)
    return path


def install(team: Team, environ: Mapping[str, str]) -> Done:
    return bash(job(team, "job"), ACTION["runs"]["steps"][0]["run"], environ)


@pytest.mark.sweep  # it builds a wheel of this tree; `make wheel-check` installs one
def test_the_action_installs_itself_and_its_lock(
    team: Team, runner: Path, installation: dict[str, str]
) -> None:
    install(team, installation).ends(0)
    programs = Path((runner / "path").read_text().strip())
    assert list(programs.parent.glob("lib/*/site-packages/locked-1.0.dist-info"))
    shows = "import unlatch.cli as it; print(it.__file__)"
    for command, start in (
        ([f"{programs}/unlatch", "--version"], "unlatch "),
        ([f"{programs}/python", "-c", shows], str(runner)),
    ):
        shown = subprocess.run(command, capture_output=True, text=True, check=True, cwd=runner)
        assert shown.stdout.startswith(start)


def test_the_action_installs_nothing_that_its_lock_does_not_name(
    team: Team, runner: Path, installation: dict[str, str]
) -> None:
    make_wheel(runner / "locked-1.0-py3-none-any.whl", note="changed")
    install(team, installation).ends(1, err="DO NOT MATCH THE HASHES")
    assert not (runner / "path").exists()


@pytest.mark.sweep  # as the one before, it makes an environment and looks at all packages in it
def test_a_version_that_needs_more_than_the_lock_has_is_refused(
    team: Team, runner: Path, installation: dict[str, str]
) -> None:
    make_wheel(runner / "unlatch-99.0-py3-none-any.whl", locked=">=2")
    done = install(team, {**installation, "UNLATCH_VERSION": "99.0"}).ends(1)
    assert "unlatch 99.0 has requirement locked>=2, but you have locked 1.0" in done.out + done.err
    assert not (runner / "path").exists()


def test_the_template_for_azure(team: Team, runner: Path) -> None:
    reopen_by_hand(team)
    done = run_azure(job(team, "job", AZURE), runner, undefined="JIRA_EMAIL", commit="push").shows(
        err=("##vso[task.logissue type=error;", "credential-incomplete")
    )
    # Without its e-mail address, Jira alone is not served.
    assert 5 == done.code, done.out + done.err
    team.laptop.pull()
    assert "active" == team.laptop.metadata()["status"]
    assert {"github": True, "ado": True, "jira": False} == team.states()


def _camel_case(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def run_azure(here: Job, runner: Path, *, undefined: str | None = None, **inputs: str) -> Done:
    """Run the steps after the checkout, with all variables defined but one."""
    given: dict[str, Any] = {one["name"]: one["default"] for one in AZURE_STEPS["parameters"]}
    given |= {"package": "installed", **inputs}
    done = Done(0, "", "")
    kept = {"AGENT_TEMPDIRECTORY": str(runner), "BUILD_SOURCESDIRECTORY": str(here.root)}
    for step in AZURE_STEPS["steps"][1:]:
        filled = {
            name: re.sub(r"\$\{\{ parameters\.(\w+) }}", lambda m: str(given[m[1]]), value)
            for name, value in step["env"].items()
        }
        # An undefined variable is passed as its own name.
        filled = {
            name: value if name == undefined else here.environ.get(name, value)
            for name, value in filled.items()
        }
        done = bash(here, step["bash"], {**filled, **kept}, AZURE_BASH)
        if done.code:
            break
    return done


def variables() -> dict[str, list[str]]:
    """The variables that hold each tracker's tokens, as its manifest names them."""
    return {
        name: [
            variable
            for place in manifest.tokens
            if isinstance(place, EnvToken) and not place.not_for
            for variable in (place.token, place.user)
            if variable
        ]
        for name, manifest in Registry().manifests.items()
    }


def test_every_workflow_on_the_page_passes_every_trackers_token() -> None:
    jobs = [job for page in workflows() for job in page["jobs"].values()]
    steps = [step for job in jobs for step in job["steps"] if "unlatch" in step.get("uses", "")]
    given = [set(step.get("env", {})) for step in steps]
    commands = [one["with"].get("command", "sync") for one in steps]
    assert ["sync", "check", "ingest", "sync", "reopen"] == commands
    *of_increments, of_an_issue = given
    for names in variables().values():
        assert [True] * 4 == [bool(given_here & set(names)) for given_here in of_increments]
    assert 1 == len({frozenset(names) for names in of_increments})
    assert all({"JIRA_EMAIL", "JIRA_API_TOKEN"} <= names for names in of_increments)
    # It reopens the issue that the event names, and needs no other tracker.
    assert {"GITHUB_TOKEN"} == of_an_issue


def workflows() -> list[dict[str, Any]]:
    page = (ROOT / "docs/ci.md").read_text(encoding="utf-8")
    blocks = map(yaml.safe_load, re.findall(r"^```yaml\n(.*?)^```", page, re.MULTILINE | re.DOTALL))
    return [one for one in blocks if isinstance(one, dict) and "jobs" in one]


_VALUE = re.compile(r"\$\{\{ github\.event\.([\w.]+) \}\}")


def group_of(workflow: dict[str, Any], event: dict[str, Any]) -> str:
    def value(path: re.Match[str]) -> str:
        return str(reduce(getitem, path[1].split("."), event))

    return _VALUE.sub(value, workflow["concurrency"]["group"])


def test_a_run_that_github_drops_leaves_no_event_without_a_later_run() -> None:
    named = {one["name"]: one for one in workflows()}
    events = [("Increments", {}), *(("Issues", {"issue": {"number": n}}) for n in (4, 5, 4))]
    # While the first run of a group goes on, each new one takes the place of the one that waits.
    waiting = {group_of(named[name], event): (name, event) for name, event in events}
    assert all(event in waiting.values() for event in events)
    assert not any(named[name]["concurrency"]["cancel-in-progress"] for name, _ in events)


def test_the_templates_pass_every_trackers_token() -> None:
    passed = AZURE_STEPS["steps"][-1]["env"]
    header = (ROOT / "ci/gitlab-ci.yml").read_text(encoding="utf-8").partition(".unlatch:")[0]
    # GitLab gives a job all variables of its project.
    for names in variables().values():
        assert set(passed) & set(names)
        assert any(name in header for name in names)
    assert {"JIRA_EMAIL", "JIRA_API_TOKEN", "JIRA_PAT"} <= set(passed)


# What a template makes of its inputs: the exit code, and what it says.
INPUTS = {
    "what a branch changed": ({"changed_since": "main"}, 0, "No increments changed since main."),
    "a number of items": ({"command": "sync", "max_items": "1"}, 2, "too-many-items"),
    "no root": ({"root": ""}, 2, "has to name a folder"),
    "roots of spaces": ({"root": " \n"}, 2, "has to name a folder"),
    "no command": ({"command": ""}, 2, "has to be sync, check"),
    "a command in capitals": ({"command": "Check"}, 2, "has to be sync, check"),
    "more than a command": ({"command": "ingested"}, 2, "has to be sync, check"),
    "neither true nor false": ({"allow_missing_tokens": "yes"}, 2, "has to be true or false"),
}


@pytest.mark.sample(count=3)
@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("case", INPUTS)
def test_every_template_takes_these_inputs_alike(
    team: Team, runner: Path, system: str, case: str
) -> None:
    given, code, said = INPUTS[case]
    reopen_by_hand(team)
    team.writes()
    done = run_template(team, runner, system, None, **{"command": "check", **given}).ends(
        code, said
    )
    assert [] == team.writes(), done.said


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize(("allowed", "code"), [("true", 0), ("True", 0), ("", 5)])
def test_every_template_may_allow_missing_tokens(
    team: Team, runner: Path, system: str, allowed: str, code: int
) -> None:
    given = {"command": "check", "allow_missing_tokens": allowed}
    run_template(team, runner, system, {"JIRA_API_TOKEN": ""}, **given).ends(
        code, out="Jira: 1 item not checked"
    )


@pytest.mark.sample(count=1)
@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"increments": "8 \n7"}, 5),
        ({"root": "calm one"}, 0),
        ({"root": "calm one\n\n.\n"}, 5),
    ],
    ids=["increments", "a root with a space", "roots"],
)
def test_every_template_reads_each_line(
    team: Team, runner: Path, system: str, given: dict[str, str], code: int
) -> None:
    calm = team.laptop.path().parent.with_name("0008-calm")
    calm.mkdir()
    metadata = {**team.laptop.metadata(), "id": calm.name}
    for name in team.ids:
        del metadata[name]
    (calm / "metadata.json").write_text(json.dumps(metadata))
    empty = team.laptop.root / "calm one/.unlatch/increments"
    empty.mkdir(parents=True)
    (empty / ".gitkeep").touch()
    team.laptop.push("A calm increment, and a project without increments")
    reopen_by_hand(team)
    run_template(team, runner, system, None, command="check", **given).ends(code)


@pytest.mark.parametrize("system", ["azure", "gitlab"])
def test_only_the_action_ingests_events(team: Team, runner: Path, system: str) -> None:
    run_template(team, runner, system, command="ingest").ends(2)


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_template_reopens_what_broke(team: Team, runner: Path, system: str) -> None:
    with (team.laptop.root / ".unlatch/config.toml").open("a") as config:
        config.write("[regressions]\npolicy = {trailer = 'reopen'}\n")
    team.laptop.push("It is slow again\n\nReopens: 7")
    given = {"command": "regressions", "commit": "push"}
    shallow = job(team, "shallow", SYSTEMS[system])
    run_template_in(shallow, runner, system, **given).ends(5, "history-missing")
    assert [] == team.writes()

    here = job(team, "job", SYSTEMS[system], depth=None)
    run_template_in(here, runner, system, **given).ends(0, "completed -> active")

    team.laptop.pull()
    [entry] = team.laptop.metadata()["reopenHistory"]
    assert "It is slow again" == entry["cause"]["evidence"]
    assert dict.fromkeys(team.ids, True) == team.states()


def run_template(
    team: Team, runner: Path, system: str, environ: Mapping[str, str] | None = None, **given: str
) -> Done:
    """Run a system's template with these inputs, in a job with these variables beside its own."""
    here = job(team, "job", SYSTEMS[system] | dict(environ or {}))
    return run_template_in(here, runner, system, **given)


def run_template_in(here: Job, runner: Path, system: str, **given: str) -> Done:
    """Run a system's template with these inputs in the checkout of a job."""
    if system == "github":
        ran = act(here, runner=runner, environ=None, version="installed", **given)
        return Done(ran.code, ran.said, "")
    if system == "azure":
        inputs = {_camel_case(name): value for name, value in given.items()}
        return run_azure(here, runner, undefined=None, **inputs)
    names = {"root": "UNLATCH_ROOTS"}
    inputs = {names.get(n, f"UNLATCH_{n.upper()}"): one for n, one in given.items()}
    return run_gitlab(here, inputs)


def test_the_job_for_gitlab(team: Team) -> None:
    reopen_by_hand(team)
    here = job(team, "job", GITLAB)
    run_gitlab(here, {"UNLATCH_COMMIT": "push"}).ends(0)
    (kept,) = GITLAB_JOB["artifacts"]["paths"]
    assert (here.root / Template(kept).substitute(CI_JOB_ID="7")).is_file()
    team.laptop.pull()
    assert "active" == team.laptop.metadata()["status"]
    assert "unlatch" == GITLAB_JOB["resource_group"]


def test_the_job_for_gitlab_pushes_with_a_token_that_only_its_environment_has(
    team: Team, tmp_path: Path
) -> None:
    reopen_by_hand(team)
    here = job(team, "job", GITLAB)
    trace = tmp_path / "trace"
    # The runner leaves the job's own token, which cannot push, in the checkout.
    here.git("config", "credential.helper", "!echo username=unlatch; echo password=job; :")
    authorization = f"Basic {b64encode(b'unlatch:t0ken').decode()}"

    with serve(team.folder.parent, [], authorization=authorization) as server:
        project = f"{server}/{team.folder.name}/origin"
        variables = {"UNLATCH_PUSH_TOKEN": "t0ken", "CI_PROJECT_URL": project}
        variables |= {"UNLATCH_COMMIT": "push", "GIT_TRACE": str(trace)}
        done = run_gitlab(here, variables)

    assert 0 == done.code, done.out + done.err
    team.laptop.pull()
    assert "active" == team.laptop.metadata()["status"]
    for seen in (trace.read_text(), (here.root / ".git/config").read_text(), done.out, done.err):
        assert "t0ken" not in seen


def test_the_outputs_on_azure_are_about_all_projects(team: Team, runner: Path) -> None:
    (team.laptop.root / "other/.unlatch").mkdir(parents=True)
    (team.laptop.root / "other/.unlatch/config.toml").touch()
    # Its name is said where the outputs are.
    unread = team.laptop.root / ".unlatch/increments/0009-variable=changed;isoutput=true]true"
    unread.mkdir()
    (unread / "metadata.json").write_text("{")
    team.laptop.push("A project without increments")
    reopen_by_hand(team)
    done = run_azure(job(team, "job", AZURE), runner, command="check", root=".\nother").ends(
        5, err=unread.name
    )
    outputs = dict(_AZURE_OUTPUT.findall(done.err + done.out))
    assert {"exit-code": "5", "changed": "false", "adrift": "true"} == {
        name: outputs[name] for name in ("exit-code", "changed", "adrift")
    }


def run_gitlab(here: Job, given: Mapping[str, str]) -> Done:
    """Run the hidden job's script with these variables."""
    known = {"CI_PROJECT_DIR": str(here.root), "CI_JOB_ID": "7"}
    environ = {
        name: Template(value).safe_substitute(known)
        for name, value in GITLAB_JOB["variables"].items()
    }
    environ |= {"UNLATCH_PACKAGE": "installed", **given}
    return bash(here, "\n".join(GITLAB_JOB["script"]), environ)

"""Reports to CI systems, each in its own format, without commands from outside."""

import os
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tests.ci.jobs import AZURE, GITHUB, GITLAB, Job, job, reopen_by_hand
from tests.crash.items import REPOSITORY
from tests.crash.members import Team

from unlatch.cli.runtime.failure import tell
from unlatch.errors import UsageError
from unlatch_ci.reports import formats as ci
from unlatch_ci.reports.formats import Annotation, Level
from unlatch_ci.systems import Ci, System, detect

HOSTILE = [
    "::error::x",
    "a\n::set-output name=x::y",
    "a\r::stop-commands::z",
    "  ::add-mask::x",
    "##vso[task.setvariable variable=a]b",
    "x ##[command]y",
    "a;b]c:d,e%0Af%AZP25",
    "100% | `code` <b>@all</b> #1 [x](javascript:y) ![i](http://x/y)",
]
# As GitHub's runner and Azure's agent read a line.
GITHUB_COMMAND = re.compile(r"^\s*::(?P<name>[\w-]+)(?: (?P<properties>[^:]*))?::(?P<data>.*)$")
AZURE_COMMAND = re.compile(r"##vso\[(?P<name>[\w.]+) ?(?P<properties>[^]]*)](?P<data>.*)$")


def commands(printed: str) -> list[str]:
    """The lines that one system or the other would act on."""
    lines = re.split(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]", printed)
    return [
        line
        for line in lines
        if line.lstrip().startswith("::") or "##[" in line or "##vso[" in line
    ]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_an_annotation_is_one_command(hostile: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = {}
    for system, level in ((System.GITHUB, Level.ERROR), (System.AZURE, Level.WARNING)):
        ci.annotate(Ci(system, {}), [Annotation(level, hostile, hostile)])
        (lines[system],) = commands(capsys.readouterr().err)

    github = GITHUB_COMMAND.match(lines[System.GITHUB])
    assert github is not None
    # One property, however many commas or equals signs a text has.
    name, _, title = github["properties"].partition("=")
    assert ("error", "title", False) == (github["name"], name, "," in title)
    azure = AZURE_COMMAND.match(lines[System.AZURE])
    assert azure is not None
    assert ("task.logissue", "type=warning;") == (azure["name"], azure["properties"])
    assert "##" not in azure["data"].replace("## ", "")


def test_a_message_arrives_as_it_was_said(capsys: pytest.CaptureFixture[str]) -> None:
    told = Annotation(Level.NOTICE, "0007: a, b", "100% of x: y")
    ci.annotate(Ci(System.GITHUB, {}), [told])
    assert "::notice title=0007%3A a%2C b::100%25 of x: y\n" == capsys.readouterr().err


def test_no_more_annotations_than_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    many = [Annotation(Level.ERROR, str(number), "x") for number in range(50)]
    ci.annotate(Ci(System.GITHUB, {}), [*many, Annotation(Level.NOTICE, "one", "x")])
    assert 11 == len(capsys.readouterr().err.splitlines())


@pytest.mark.parametrize(
    ("environ", "system"),
    [
        (GITHUB, System.GITHUB),
        (AZURE, System.AZURE),
        (GITLAB, System.GITLAB),
        ({"GITHUB_ACTIONS": "false", "CI": "true"}, None),
        ({}, None),
    ],
)
def test_which_system_it_is(environ: Mapping[str, str], system: System | None) -> None:
    found = detect(environ)
    assert system == (found.system if found else None)


@pytest.mark.parametrize(
    ("environ", "branch"),
    [
        (GITHUB, "main"),
        ({**GITHUB, "GITHUB_REF": "refs/tags/v1"}, None),
        ({**GITHUB, "GITHUB_REF": "refs/pull/3/merge"}, None),
        ({**AZURE, "BUILD_SOURCEBRANCH": "refs/heads/release/1"}, "release/1"),
        ({**AZURE, "BUILD_SOURCEBRANCH": "refs/pull/3/merge"}, None),
        ({"GITLAB_CI": "true", "CI_COMMIT_TAG": "v1"}, None),
        (GITLAB, "main"),
    ],
)
def test_which_branch_is_built(environ: Mapping[str, str], branch: str | None) -> None:
    found = detect(environ)
    assert found is not None
    assert branch == found.branch


# A whole run


def test_github_gets_a_summary_annotations_and_outputs(here: Job) -> None:
    done = here.try_unlatch("sync", "--check").ends(5)
    (line,) = commands(done.err)
    place = ".unlatch/increments/0007-smart-discipline/metadata.json"
    assert line.startswith(f"::error file={place},title=0007-smart-discipline and octo/widgets#")
    assert "### Increments and items differ" in here.summary
    assert "| 0007\\-smart-discipline | completed |" in here.summary
    assert {"exit-code": "5", "changed": "false", "adrift": "true"} == {
        name: here.outputs[name] for name in ("exit-code", "changed", "adrift")
    }


@pytest.mark.sample(count=1)
@pytest.mark.parametrize("check", [False, True])
def test_a_question_that_a_sync_leaves_open_is_in_its_summary(team: Team, check: bool) -> None:
    team.laptop.reopen("More")
    team.laptop.push("Reopened")
    number = int(team.ids["github"])
    team.box.github.edit(REPOSITORY, number, state="closed", state_reason="completed")
    here = job(team, "job")

    done = here.try_unlatch("sync", "--check" if check else "--yes")

    assert (5, "1 link not in sync") == (done.code, here.outputs["summary"])
    heading = "Increments and items differ" if check else "unlatch sync: 1 link not in sync"
    assert f"### {heading}" in here.summary
    assert "needs a decision" in here.summary
    text = here.summary.replace("\\", "")
    assert (
        "\nNext for 0007-smart-discipline, one of:\n\n"
        "- unlatch complete 0007-smart-discipline\n"
        "- unlatch github reopen-issue 0007-smart-discipline --reason TEXT\n"
    ) in text
    assert all(line[2:] in done.err for line in text.splitlines() if line.startswith("- unlatch"))


def test_azure_gets_a_file_with_the_summary(team: Team, tmp_path: Path) -> None:
    reopen_by_hand(team)
    here = job(team, "job", {**AZURE, "AGENT_TEMPDIRECTORY": str(tmp_path)})
    done = here.try_unlatch("sync", "--check").shows(
        err=(
            "##vso[task.logissue type=error;sourcepath=",
            "##vso[task.setvariable variable=adrift;isoutput=true]true",
        )
    )
    (uploaded,) = re.findall(r"##vso\[task\.uploadsummary](.+)", done.err)
    with open(uploaded, encoding="utf-8") as file:  # noqa: PTH123  (as the agent does)
        assert "### Increments and items differ" in file.read()
    assert "" == here.git("status", "--porcelain")


@pytest.mark.parametrize("make_link", [Path.symlink_to, Path.hardlink_to])
def test_a_link_in_place_of_that_file_is_not_followed(
    team: Team, tmp_path: Path, make_link: Callable[[Path, Path], None]
) -> None:
    reopen_by_hand(team)
    mine, link = tmp_path / "profile", tmp_path / "summary.md"
    mine.write_text("mine\n")
    make_link(link, mine)
    here = job(team, "job", {**GITLAB, "UNLATCH_SUMMARY": str(link)})
    done = here.try_unlatch("sync", "--check")
    assert "mine\n" == mine.read_text()
    assert "The CI system's file cannot be written" in done.err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_job_does_not_wait_for_a_reader_of_a_pipe_in_its_place(
    team: Team, tmp_path: Path
) -> None:
    reopen_by_hand(team)
    os.mkfifo(tmp_path / "summary.md")
    here = job(team, "job", {**GITLAB, "UNLATCH_SUMMARY": str(tmp_path / "summary.md")})
    assert "it is a pipe that nobody reads" in here.try_unlatch("sync", "--check").err


def test_an_error_that_ends_a_command_is_annotated(team: Team) -> None:
    here = job(team, "job")
    done = here.try_unlatch("sync", "--yes", "99").ends(2)
    (line,) = commands(done.err)
    assert line.startswith("::error title=unlatch unknown-increment::there is no increment '99'")


def test_an_error_is_shown_where_the_package_for_jobs_cannot_be_loaded(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setitem(sys.modules, "unlatch_ci.reports.formats", None)
    code = tell(UsageError("unknown-increment", "there is no increment '99'"), [])
    assert (2, "error[unknown-increment]: there is no increment '99'\n") == (
        code,
        capsys.readouterr().err,
    )


def test_outside_of_ci_nobody_is_told(team: Team) -> None:
    reopen_by_hand(team)
    done = team.laptop.try_unlatch("sync", "--check").ends(5)
    assert [] == commands(done.out + done.err)


@pytest.mark.sample(count=2)
@pytest.mark.parametrize("options", [(), ("--json",), ("--dry-run",), ("--check", "--json")])
@pytest.mark.parametrize("system", [GITHUB, AZURE, GITLAB], ids=["github", "azure", "gitlab"])
def test_peoples_text_never_becomes_a_command(
    team: Team, system: Mapping[str, str], options: tuple[str, ...]
) -> None:
    # In a title, a reason, a name and a file: wherever people write.
    text = " ".join(HOSTILE).replace("\n", " ").replace("\r", " ")
    for where in ("github", "ado", "jira"):
        assert where in team.ids
    team.laptop.path("spec.md").write_text(f"::error::x\n# ::warning::{text}\n")
    team.laptop.unlatch(
        "resume", "7", "--reason", text, "--by", "::x::##vso[task.a]b", "--yes", "--offline"
    )
    team.laptop.push("Hostile")
    here = job(team, "job", system)

    done = here.try_unlatch("sync", "--yes", *options)

    github = ("::error file=", "::error title=", "::warning file=")
    azure = ("logissue type=", "uploadsummary]", "setvariable variable=")
    allowed = (*github, *(f"##vso[task.{one}" for one in azure))
    ours = [line for line in commands(done.out + done.err) if line.startswith(allowed)]
    assert ours == commands(done.out + done.err)
    assert not any("task.a]" in line and "%5D" not in line for line in ours)


def test_where_the_summary_cannot_be_written_the_job_goes_on(team: Team, tmp_path: Path) -> None:
    nowhere = str(tmp_path / "none" / "summary")
    here = job(team, "job", {**GITHUB, "GITHUB_STEP_SUMMARY": nowhere, "GITHUB_OUTPUT": nowhere})
    here.try_unlatch("sync", "--yes").ends(0)


@pytest.mark.parametrize("command", [("sync", "--check"), ("sync", "--yes")])
def test_a_broken_increment_is_in_the_summary_the_outputs_and_the_annotations(
    team: Team, command: tuple[str, ...]
) -> None:
    here = job(team, "job")
    other = here.home / ".unlatch/increments/0008-other"
    other.mkdir()
    (other / "metadata.json").write_text('{"id": ')
    done = here.try_unlatch(*command).ends(5)
    (line,) = commands(done.err)
    place = ".unlatch/increments/0008-other/metadata.json"
    assert line.startswith(f"::error file={place},title=0008-other not read::")
    assert "in sync\n" not in here.summary
    assert "0008\\-other not read" in here.summary
    assert here.outputs["summary"].endswith(", 1 increment not read")


def test_excluded_trackers_are_in_the_summary(here: Job) -> None:
    with (here.home / ".unlatch/config.toml").open("a") as file:
        file.write('\n[sync]\ndirection = "off"\n')
    done = here.try_unlatch("sync", "--check")
    assert (0, "No items were compared.") == (done.code, done.err.splitlines()[-1])
    assert 'Jira: 1 item not compared (direction = "off")' in done.err
    assert "### No items were compared" in here.summary
    assert "- Jira: 1 item not compared" in here.summary
    assert "no items were compared" in here.try_unlatch("sync", "--yes").err


def test_a_summary_says_that_only_some_items_were_compared(team: Team) -> None:
    here = job(team, "job", {**GITHUB, "JIRA_API_TOKEN": ""})
    here.try_unlatch("sync", "--check", "--allow-missing-tokens").ends(0)
    assert "### Increments and items are in sync as far as they were compared" in here.summary


def test_what_a_sync_leaves_as_it_is_is_adrift(here: Job) -> None:
    with (here.home / ".unlatch/config.toml").open("a") as file:
        file.write('\n[sync]\ndirection = "push"\n')
    done = here.try_unlatch("sync", "--yes")
    assert (0, "true") == (done.code, here.outputs["adrift"])


@pytest.mark.parametrize("hostile", HOSTILE)
def test_words_in_a_summary_are_words(hostile: str) -> None:
    shown = ci.words(hostile)
    assert "\n" not in shown
    assert re.search(r"(?<!\\)[|`<\[]", shown) is None
    assert "@all" not in shown

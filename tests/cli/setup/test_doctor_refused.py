"""doctor where a folder is refused or the configuration is wrong: it still says all that it can."""

import json
from pathlib import Path

import pytest
from tests.cli.project import NAME, Done, Project
from tests.cli.setup.own_config import own_config


def behind_a_link(project: Project, place: str) -> Path:
    """Put a folder of the project behind a link; where it is now."""
    target = project.home / "elsewhere"
    (project.root / place).rename(target)
    (project.root / place).symlink_to(target)
    return target


def found(done: Done, *severities: str) -> list[tuple[str, str | None]]:
    wanted = severities or ("error",)
    return [
        (one["id"], one["where"]) for one in done.document["findings"] if one["severity"] in wanted
    ]


@pytest.mark.parametrize("place", [".unlatch", ".unlatch/increments"])
@pytest.mark.parametrize("mistake", ['"/srv/team"', '["team/increments"]', "[1]"])
def test_a_mistake_in_allowed_links_is_told_beside_the_link_that_it_concerns(
    completed: Project, place: str, mistake: str
) -> None:
    behind_a_link(completed, place)
    own = own_config(completed, f"allowed_links = {mistake}\n")
    done = completed.run("doctor", "--json")
    shown = completed.run("doctor").shows(
        out=("allowed_links", "0 increments checked: 2 errors, 0 warnings\n")
    )
    assert [("config-invalid", str(own)), ("unsafe-path", place)] == sorted(found(done))
    assert (1, 1, 2) == (done.code, done.document["exitCode"], done.document["errors"])
    assert {"comment", "trusted_hosts.jira"} & {one["key"] for one in done.document["settings"]}
    assert (1, "", True) == (shown.code, shown.err, shown.out.startswith("error"))


@pytest.mark.parametrize("place", [".unlatch", ".unlatch/increments"])
def test_a_link_is_not_blamed_on_an_entry_that_is_missing_where_the_entry_is_wrong(
    completed: Project, place: str
) -> None:
    target = behind_a_link(completed, place)
    own = own_config(completed, f"allowed_links = {json.dumps(str(target))}\n")
    completed.run("list").shows(err=f"next: correct allowed_links in {own} (unlatch doctor lists")
    own.write_text("")
    completed.run("list").shows(err=f'add to {own}: allowed_links = ["{target}"]')


def test_a_link_to_nothing_is_found_once_and_not_offered(completed: Project) -> None:
    behind_a_link(completed, f".unlatch/increments/{NAME}").rename(completed.home / "gone")
    done = completed.run("doctor", "--json")
    assert [("unsafe-path", f".unlatch/increments/{NAME}")] == found(done)
    (hint,) = (one["hint"] for one in done.document["findings"] if one["severity"] == "error")
    target = completed.home / "elsewhere"
    assert f"replace it with the folder itself, or remove it: {target} is not a folder" == hint


def test_a_folder_of_specweave_that_is_refused_hides_nothing(completed: Project) -> None:
    (completed.home / "theirs" / "increments").mkdir(parents=True)
    (completed.root / ".specweave").symlink_to(completed.home / "theirs")
    done = completed.run("doctor", "--json")
    assert [("unsafe-path", ".specweave")] == found(done, "error", "warning")
    assert (0, 1) == (done.code, done.document["increments"])


def test_nothing_is_mended_behind_a_link_and_the_rest_is_still_told(completed: Project) -> None:
    target = behind_a_link(completed, ".unlatch/increments")
    (target / NAME / "spec.md").write_text("---\nstatus: abandoned\n---\n# It\n")
    done = completed.run("doctor", "--fix", "--yes", "--json")
    assert (1, []) == (done.code, done.document["fixes"])
    assert [("unsafe-path", ".unlatch/increments")] == found(done)
    assert "abandoned" in (target / NAME / "spec.md").read_text()


def test_the_trackers_are_still_asked(completed: Project) -> None:
    behind_a_link(completed, ".unlatch/increments")
    done = completed.run("doctor", "--online", "--json")
    assert (1, ["github", "ado", "jira"]) == (
        done.code,
        [one["tracker"] for one in done.document["access"]],
    )
    assert [("unsafe-path", ".unlatch/increments")] == found(done)


def test_no_place_is_told_twice(completed: Project) -> None:
    completed.configure(f"{completed.box.config()}\n[labels]\nsettle = 0\n")
    (completed.folder() / "spec.md").unlink()
    (completed.folder() / "spec.md").symlink_to(completed.home)
    for name in ("0008-folder", "0009-empty"):
        (completed.folder(completed.increment(name)) / "metadata.json").unlink()
    (completed.folder("0008-folder") / "metadata.json").mkdir()
    (completed.folder("0009-empty") / "metadata.json").touch()
    completed.increment("0010-odd", pending={})

    shown = completed.run("doctor", "--verbose").out

    lines = [line.strip().partition("  ")[2].strip() for line in shown.splitlines()]
    assert "labels.settle" not in "".join(line.partition(": ")[2] for line in lines)
    assert [line for line in lines if line.count("spec.md") + line.count("metadata.json") > 1] == []
    assert "error    .unlatch/config.toml:labels.settle: wrong table: put settle above" in shown
    assert f"error    {NAME}/spec.md: is a symbolic link, which unlatch does not follow" in shown
    assert "error    0008-folder/metadata.json: is a folder, not a file" in shown
    assert "error    0009-empty/metadata.json:1:1: invalid JSON" in shown


def test_without_any_trusted_host_the_setting_is_still_listed(project: Project) -> None:
    project.extra["UNLATCH_TRUSTED_HOSTS"] = None
    project.configure("")
    settings = project.run("doctor", "--json").document["settings"]
    assert {"key": "trusted_hosts", "value": {}, "source": "default"} in settings

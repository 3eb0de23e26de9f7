"""The project's own workflows: pinned actions, few permissions, and the versions that it names."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
_USES = re.compile(r"uses: (?P<action>\S+)@(?P<commit>[0-9a-f]{40}) # (?P<version>v[\d.]+)$")

each = pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda one: one.stem)


def read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return content


@each
def test_every_action_is_pinned_by_commit_with_its_version(workflow: Path) -> None:
    lines = workflow.read_text(encoding="utf-8").splitlines()
    used = [line for line in lines if "uses:" in line]
    assert used
    assert [] == [line for line in used if not _USES.search(line)]


def test_an_action_has_one_version_in_all_workflows() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in WORKFLOWS)
    found = {match.groups() for match in map(_USES.search, text.splitlines()) if match}
    assert len({action for action, *_ in found}) == len(found)


@each
def test_a_workflow_may_only_read_unless_a_job_needs_more(workflow: Path) -> None:
    content = read(workflow)
    jobs = {name: job.get("permissions", {}) for name, job in content["jobs"].items()}
    writing = {name for name, given in jobs.items() if "write" in given.values()}
    assert content["permissions"] in ({}, {"contents": "read"})
    assert writing == ({"attest", "publish"} if workflow.stem == "release" else set())


def test_only_the_publishing_job_may_use_the_environment_of_the_index() -> None:
    jobs = read(ROOT / ".github/workflows/release.yml")["jobs"]
    assert {"publish": "pypi"} == {
        name: job["environment"]["name"] for name, job in jobs.items() if "environment" in job
    }
    assert {"id-token": "write"} == jobs["publish"]["permissions"]
    assert not [step for step in jobs["publish"]["steps"] if "run" in step]


def test_the_job_that_builds_the_release_runs_only_what_is_locked() -> None:
    jobs = read(ROOT / ".github/workflows/release.yml")["jobs"]
    uploads = {
        name: {step["with"]["name"] for step in job["steps"] if "upload" in step.get("uses", "")}
        for name, job in jobs.items()
    }
    target = (ROOT / "Makefile").read_text(encoding="utf-8").split("\ndist:\n")[1].split("\n\n")[0]

    assert {"build": {"dist"}, "check": {"sbom"}} == {n: one for n, one in uploads.items() if one}
    assert ["make dist"] == [step["run"] for step in jobs["build"]["steps"] if "run" in step]
    assert [
        "rm -rf dist",
        "$(call locked,build)",
        "build/build/bin/python -I -m build --no-isolation --outdir dist .",
    ] == [line.strip() for line in target.splitlines()]


def test_what_is_published_is_what_the_job_that_builds_uploaded() -> None:
    jobs = read(ROOT / ".github/workflows/release.yml")["jobs"]
    downloads = {
        (name, *step["with"].values())
        for name, job in jobs.items()
        for step in job["steps"]
        if "download-artifact" in step.get("uses", "")
    }
    built = "${{ needs.build.outputs.dist }}"

    assert {"dist": "${{ steps.upload.outputs.artifact-id }}"} == jobs["build"]["outputs"]
    assert {("attest", "sbom", "sbom")} == downloads - {
        (name, built, "dist") for name in ("check", "attest", "publish")
    }
    assert 4 == len(downloads)
    assert all("build" in [*jobs[name]["needs"]] for name in ("attest", "publish"))


def test_every_version_of_python_that_the_metadata_names_is_tested() -> None:
    matrix = read(ROOT / ".github/workflows/checks.yml")["jobs"]["quick"]["strategy"]["matrix"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {one.rpartition(" ")[2] for one in project["classifiers"] if "Python :: 3." in one}
    assert named <= {*matrix["python"]}
    assert "macos-latest" in {one["os"] for one in matrix["include"]}

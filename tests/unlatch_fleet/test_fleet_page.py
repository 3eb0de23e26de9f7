"""The files on docs/fleet.md have a valid syntax and start known commands; they were not run."""

from __future__ import annotations

import configparser
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from tests.docs.pages import ROOT, Block, script
from tests.docs.test_inline_commands import _problems

from unlatch.project.registry import Registry
from unlatch_fleet.database.address import VARIABLE
from unlatch_fleet.fleet_file import read_fleet

PROGRAM = "/usr/local/bin/unlatch"
ANALYZE = shutil.which("systemd-analyze")


def block(words: str) -> str:
    """The only block of the page with these words."""
    parts = script(ROOT / "docs/fleet.md")
    (text,) = [part.text for part in parts if isinstance(part, Block) and words in part.text]
    return text


def test_the_list_is_valid(tmp_path: Path) -> None:
    file = tmp_path / "fleet.toml"
    file.write_text(block("[groups.mobile]"), encoding="utf-8")

    fleet = read_fleet(file, Registry().targets)

    assert ["default", "mobile"] == [repository.group for repository in fleet.repositories]
    assert ["octo"] == [*fleet.webhooks]
    assert tomllib.loads(file.read_text())["webhooks"]["octo"]["tracker"] == "github"


def test_the_services_of_compose_start_commands_and_use_what_is_declared() -> None:
    compose = yaml.safe_load(block("services:"))

    for name in ("node", "server"):
        service = compose["services"][name]
        program, *words = service["command"]
        assert ("unlatch", []) == (program, [*_problems(words)])
        assert [VARIABLE] == [*service["environment"]]
        assert "always" == service["restart"]
    volumes = [one for service in compose["services"].values() for one in service["volumes"]]
    named = {volume.partition(":")[0] for volume in volumes if not volume.startswith("./")}
    assert named == compose["volumes"].keys()
    assert set(compose["services"]["database"]["secrets"]) == compose["secrets"].keys()


def test_the_unit_of_systemd_starts_a_command() -> None:
    unit = configparser.ConfigParser(interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]  # systemd's names have capitals
    unit.read_string(block("ExecStart="))

    assert ["Unit", "Service", "Install"] == unit.sections()
    program, *words = shlex.split(unit["Service"]["ExecStart"])
    assert (PROGRAM, []) == (program, [*_problems(words)])


@pytest.mark.skipif(not ANALYZE, reason="systemd is not installed")
def test_systemd_finds_no_mistake_in_its_unit(tmp_path: Path) -> None:
    file = tmp_path / "unlatch-fleet.service"
    text = block("ExecStart=").replace(PROGRAM, sys.executable).replace("User=unlatch\n", "")
    file.write_text(text, encoding="utf-8")

    done = subprocess.run(
        [ANALYZE or "", "verify", "--man=no", str(file)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert [] == [line for line in done.stderr.splitlines() if file.name in line]

"""Generated files: drift is found and fixed, schemas are sound, and groff reads the manual."""

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import generate
import pytest
from jsonschema import Draft202012Validator

from unlatch.cli.table import all_commands

ROOT = Path(__file__).parents[1]
SCHEMAS = sorted((ROOT / "schemas").glob("*.schema.json"))


@pytest.fixture(scope="module")
def wanted() -> dict[str, str]:
    """The files as they were generated."""
    pages = (ROOT / "docs/cli.md", ROOT / "docs/settings.md", ROOT / "schemas/mcp-tools.json")
    files = (*SCHEMAS, *pages, *sorted((ROOT / "man").glob("*.1")))
    return {str(file.relative_to(ROOT)): file.read_text(encoding="utf-8") for file in files}


def test_drift_is_told_file_by_file(
    tmp_path: Path, wanted: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in ("schemas", "docs", "man"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    (tmp_path / "schemas/resume.schema.json").write_text("{}\n")
    (tmp_path / "schemas/list.schema.json").unlink()
    (tmp_path / "schemas/gone.schema.json").write_text("{}\n")

    code = generate.check(tmp_path, wanted)

    assert code == 1
    assert capsys.readouterr().err.splitlines() == [
        "schemas/list.schema.json is missing",
        "schemas/resume.schema.json differs",
        "schemas/gone.schema.json is generated from nothing",
        "3 of the generated files have drifted; run: python tools/generate.py",
    ]


def test_generating_fixes_what_has_drifted(tmp_path: Path, wanted: dict[str, str]) -> None:
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas/gone.schema.json").write_text("{}\n")

    generate.write(tmp_path, wanted)

    assert {path.name: path.read_text() for path in SCHEMAS} == {
        path.name: path.read_text() for path in (tmp_path / "schemas").glob("*.schema.json")
    }


def test_each_schema_is_one_and_has_its_file_name_as_id() -> None:
    checked: dict[str, object] = {}
    for path in SCHEMAS:
        schema = json.loads(path.read_text(encoding="utf-8"))
        assert path.name == schema["$id"]
        # Most definitions are in many schemas, and a check takes long: once is enough.
        definitions = schema.get("$defs", {})
        schema["$defs"] = {key: one for key, one in definitions.items() if checked.get(key) != one}
        checked |= definitions
        Draft202012Validator.check_schema(schema)


PAGES = sorted((ROOT / "man").glob("*.1"))
GROFF = shutil.which("groff")


def formatted(*pages: Path, columns: int) -> str:
    command = [
        GROFF or "",
        "-man",
        "-Tutf8",
        "-ww",
        "-P-cbou",
        f"-rLL={columns}n",
        *map(str, pages),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


def test_each_command_has_a_page_that_the_overview_names() -> None:
    names = {*all_commands()} | {"github", "ado", "jira"}
    overview = (ROOT / "man/unlatch.1").read_text(encoding="utf-8").replace("\\-", "-")

    assert {page.name for page in PAGES} == {"unlatch.1", *(f"unlatch-{one}.1" for one in names)}
    assert set(re.findall(r"^\.BR unlatch-(\S+) \(1\)", overview, re.MULTILINE)) == names


def test_the_wheel_installs_them() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]

    assert wheel["shared-data"] == {"man": "share/man/man1"}


@pytest.mark.skipif(GROFF is None, reason="groff is not installed")
@pytest.mark.parametrize("columns", [60, 100, 200])
def test_a_page_fits_the_terminal(columns: int) -> None:
    text = formatted(ROOT / "man/unlatch-resume.1", columns=columns)

    assert max(map(len, text.splitlines())) <= columns
    assert "unlatch-resume - Reopen an increment and its items" in text
    assert "-F, --reason-file FILE" in text


@pytest.mark.skipif(GROFF is None, reason="groff is not installed")
def test_no_page_has_a_warning() -> None:
    names = re.findall("^NAME$", formatted(*PAGES, columns=80), re.MULTILINE)

    assert len(PAGES) == len(names)

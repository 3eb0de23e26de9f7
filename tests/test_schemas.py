"""What is committed in schemas/ and docs/cli.md is what the code generates."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

ROOT = Path(__file__).parents[1]
SCHEMAS = sorted((ROOT / "schemas").glob("*.schema.json"))


def generate(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "tools/generate.py"), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_drift_is_told_file_by_file(tmp_path: Path) -> None:
    for folder in ("schemas", "docs"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    (tmp_path / "schemas/resume.schema.json").write_text("{}\n")
    (tmp_path / "schemas/list.schema.json").unlink()
    (tmp_path / "schemas/gone.schema.json").write_text("{}\n")

    done = generate("--check", "--into", str(tmp_path))

    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "schemas/list.schema.json is missing",
        "schemas/resume.schema.json differs",
        "schemas/gone.schema.json is generated from nothing",
        "3 of the generated files have drifted; run: python tools/generate.py",
    ]


def test_generating_fixes_what_has_drifted(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas/gone.schema.json").write_text("{}\n")

    generate("--into", str(tmp_path))

    assert {path.name: path.read_text() for path in SCHEMAS} == {
        path.name: path.read_text() for path in (tmp_path / "schemas").iterdir()
    }


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: str(path.name))
def test_a_schema_is_one(path: Path) -> None:
    schema = json.loads(path.read_text(encoding="utf-8"))

    Draft202012Validator.check_schema(schema)
    assert path.name == schema["$id"]

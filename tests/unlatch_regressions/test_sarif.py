"""Alerts in SARIF files that real tools wrote; `record_alerts.py` records them."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.unlatch_regressions.record_alerts import ALERTS, FILES

from unlatch_regressions.alerts.sarif import MOST_BYTES, Run, SarifInvalid, read_sarif


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def read(content: bytes, root: Path) -> list[Run]:
    def line_of(file: str, number: int) -> str:
        return dict(enumerate((root / file).read_text().splitlines(), 1)).get(number, "")

    return read_sarif(content, "report.sarif", root=root, line_of=line_of)


@pytest.mark.parametrize(
    ("tool", "expected", "unread"),
    [
        (
            "ruff",
            {
                ("invalid-syntax", "src/broken.py", "def search(:", False),
                ("invalid-syntax", "src/broken.py", "", False),
                ("F401", "src/search.py", "import os", False),
            },
            {"src/broken.py"},
        ),
        ("bandit", {("B307", "src/search.py", "return eval(words)", False)}, {"src/broken.py"}),
        (
            "eslint",
            {
                ("no-unused-vars", "web/search.js", "const unused = 1;", False),
                ("no-eval", "web/search.js", "eval('1');", True),
            },
            {"web/broken.js"},
        ),
    ],
)
def test_recorded_alerts(
    root: Path, tool: str, expected: set[tuple[str, str, str, bool]], unread: set[str]
) -> None:
    # Absolute addresses are those of another machine.
    (run,) = read((ALERTS / f"{tool}.sarif").read_bytes(), root)
    results = {(each.rule, each.file, each.text, each.is_suppressed) for each in run.results}
    assert (expected, unread) == (results, set(run.unread))


def log(*results: dict[str, Any], **run: Any) -> bytes:
    driver = {"tool": {"driver": {"name": "tool"}}}
    return json.dumps(
        {"version": "2.1.0", "runs": [{**driver, **run, "results": results}]}
    ).encode()


def result(uri: str = "src/search.py", line: int = 5, **more: Any) -> dict[str, Any]:
    artifact = {"uri": uri, **more.pop("artifact", {})}
    place = {"artifactLocation": artifact, "region": {"startLine": line}}
    return {"ruleId": "B307", "locations": [{"physicalLocation": place}], **more}


@pytest.mark.parametrize(
    ("uri", "base", "expected"),
    [
        ("src/search.py", None, "src/search.py"),
        ("./src/search.py", None, "src/search.py"),
        ("src/s%65arch.py", None, "src/search.py"),
        ("file:///home/runner/work/widgets/widgets/src/search.py", None, "src/search.py"),
        ("file:///C:/agent/widgets/src/search.py", None, "src/search.py"),
        ("search.py", "SRC", "src/search.py"),
        ("search.py", "%SRCROOT%", "search.py"),
        ("file:///etc/passwd", None, ""),
        ("../../etc/passwd", None, ""),
        ("https://example.com/src/search.py", None, ""),
        ("http://[", None, ""),
        ("\x00", None, "\x00"),
    ],
)
def test_a_file_is_named_from_the_repository(
    root: Path, uri: str, base: str | None, expected: str
) -> None:
    bases = {
        "SRC": {"uri": "src/", "uriBaseId": "TOP"},
        "TOP": {"uri": "file:///home/runner/work/widgets/widgets/"},
    }
    artifact = {"uriBaseId": base} if base else {}
    content = log(result(uri, 0, artifact=artifact), originalUriBaseIds=bases)
    assert [expected] == [each.file for run in read(content, root) for each in run.results]


def test_only_a_fingerprint_of_one_result_tells_alerts_apart(root: Path) -> None:
    shared, own = {"matchBasedId/v1": "requires login"}, {"primary": "4a"}
    results = (result(fingerprints=shared), result(line=4, fingerprints=shared))
    (run,) = read(log(*results, result(line=1, partialFingerprints=own)), root)
    assert ["", "", "primary=4a"] == [each.fingerprint for each in run.results]


def test_results_that_are_no_alerts_are_left_out(root: Path) -> None:
    kinds = ("pass", "notApplicable", "informational", "open", "fail", "review")
    (run,) = read(log(*(result(kind=kind) for kind in kinds)), root)
    assert 2 == len(run.results)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b'{"runs": 4}',
        b'{"runs": [{"tool": {}}]}',
        log({"locations": "src"}),
        log(result(line="five")),  # type: ignore[arg-type]  # what a broken tool writes
        b'{"runs":' + b"[" * 100_000,
        b" " * (MOST_BYTES + 1),
    ],
)
def test_other_content_is_an_error(root: Path, content: bytes) -> None:
    with pytest.raises(SarifInvalid) as caught:
        read(content, root)
    assert ("sarif-invalid", "report.sarif") == (caught.value.id, caught.value.where)

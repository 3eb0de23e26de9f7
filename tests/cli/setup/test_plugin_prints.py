"""What a third party's plugin prints does not get between the lines of unlatch."""

from pathlib import Path

import pytest
from tests.cli.project import OPEN, REASON, Project
from tests.cli.setup.foreign_plugin import install

LINK = {"redmine": {"issue": 5, "url": "https://redmine.example.com/issues/5"}}
RESUME = ("resume", "7", "--reason", REASON, "--yes", "--json")
IMPORTED = 'import logging, sys\nprint("by module")\nlog = logging.StreamHandler(sys.stdout)\n'
READ = """print("by call")
        sys.stdout.write("by write" + chr(10))
        log.emit(logging.makeLogRecord({"msg": "by log"}))
        side_by_side([lambda: print("by thread")])
        raise KeyError(5)"""
PRINTED = ("by module", "by call", "by write", "by log", "by thread", "by settings")


@pytest.fixture
def printing(tmp_path: Path, project: Project, package: str) -> Project:
    """A project with a tracker whose plugin prints wherever it can."""
    install(
        tmp_path / "site",
        package,
        more=[
            ("__init__.py", "from unlatch", 'print("by manifest")\nfrom unlatch'),
            ("settings.py", "prefix, _", 'print("by settings"); prefix, _'),
            ("settings.py", "return ItemRef", 'print("by settings"); return ItemRef'),
            ("plugin.py", "from unlatch", f"{IMPORTED}from unlatch"),
            (
                "plugin.py",
                "from unlatch",
                "from unlatch.transport import side_by_side\nfrom unlatch",
            ),
            ("plugin.py", 'raise AssertionError("not called")', READ),
        ],
    )
    project.extra["PYTHONPATH"] = str(tmp_path / "site")
    project.increment(links={**project.items("github"), **LINK})
    return project


def test_a_document_is_whole_beside_a_plugin_that_prints(printing: Project) -> None:
    done = printing.run(*RESUME)
    assert (done.code, printing.states()["github"]) == (3, OPEN["github"]), done.said
    assert [3] == [done.document["exitCode"]]
    assert [one for one in PRINTED if one not in done.err] == []


@pytest.mark.sweep
def test_a_process_keeps_its_stdout_to_itself(printing: Project) -> None:
    done = printing.process(*RESUME, cold=True)
    assert [3] == [done.document["exitCode"]]
    assert [one for one in PRINTED if one not in done.err] == []


@pytest.mark.sweep
@pytest.mark.parametrize(
    "command",
    [
        ("doctor", "--json"),
        *(
            pytest.param(one, marks=pytest.mark.sweep)
            for one in (("redmine", "--help"), ("plugins", "--json"), ("list",))
        ),
    ],
)
def test_no_command_has_printed_lines_in_its_output(
    printing: Project, command: tuple[str, ...]
) -> None:
    done = printing.process(*command, cold=True)
    assert done.out
    assert [one for one in ("by manifest", *PRINTED) if one in done.out] == []

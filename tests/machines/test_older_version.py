"""An older version and this one over one repository: what either writes, the other reads."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.machines.older_version import VERSION, Turns, meet_older, take_out

from unlatch_sandbox import Sandbox


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("versions")
    if why := take_out(folder / VERSION):
        pytest.skip(why)
    return folder


@pytest.fixture(scope="module")
def box() -> Iterator[Sandbox]:
    with Sandbox() as box:
        yield box


@pytest.mark.sweep
@pytest.mark.parametrize("first", ["older", "newer"])
def test_each_delivers_merges_and_undoes_what_the_other_recorded(
    box: Sandbox, folder: Path, first: str
) -> None:
    team, older = meet_older(box, folder / first)
    labels = team.labels()
    order = (older, team.colleague) if first == "older" else (team.colleague, older)

    assert [] == [*Turns(team, *order).take()]
    assert labels == team.labels()


@pytest.mark.sweep
def test_an_entry_of_the_older_version_keeps_its_text(box: Sandbox, folder: Path) -> None:
    team, older = meet_older(box, folder / "kept")
    for reason in ("First reason", "Second reason"):
        for words in (("resume", "7", "--yes", "--reason", reason), ("complete", "7", "--yes")):
            process = older.start(*words)
            said = process.communicate(timeout=60)[0]
            assert process.returncode == 0, said
    text = older.path().read_text()
    begins, ends = text.index('"reopenHistory"'), text.rindex("\n  ]")
    older.push("Reopen")
    team.colleague.pull()

    assert team.colleague.reopen("Third reason") == 0
    assert text[begins:ends] in team.colleague.path().read_text()
    assert 3 == len(team.colleague.reopens)

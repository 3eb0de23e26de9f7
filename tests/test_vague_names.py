"""tools/vague_names.py: variables and parameters are named by their role."""

from pathlib import Path

import pytest
import vague_names

NAMED_BY_ROLE = "".join(f"link_{number} = {number}\n" for number in range(199))


@pytest.mark.parametrize("folder", vague_names.FOLDERS)
@pytest.mark.parametrize(
    ("line", "vague"),
    [
        ("one = 1", "one"),
        ("for found in (): pass", "found"),
        ("ids = {it.id for it in ()}", "it"),
        ("def add(made): pass", "made"),
        ("add = lambda known: known", "known"),
        ("shown: int", "shown"),
        ("try: pass\nexcept OSError as found: pass", "found"),
        ("match ():\n  case [*some]: pass", "some"),
        ("print(some := 1)", "some"),
    ],
)
def test_too_many_vague_names_are_listed(
    tmp_path: Path, folder: str, line: str, vague: str
) -> None:
    _write(tmp_path / folder / "links.py", f"link = 1\n{line}\n")
    count, *places = vague_names.complaints(tmp_path)
    assert count.startswith("1 of ")
    assert [f"{folder}/links.py:{line.count(chr(10)) + 2}: {vague}"] == places
    assert 1 == vague_names.main([str(tmp_path)])


@pytest.mark.parametrize(("last", "is_allowed"), [("one = 1", True), ("one = found = 1", False)])
def test_five_in_a_thousand_may_stay(tmp_path: Path, last: str, is_allowed: bool) -> None:
    _write(tmp_path / "core" / "links.py", f"{NAMED_BY_ROLE}{last}\n")
    assert is_allowed == (vague_names.complaints(tmp_path) == [])


def test_tests_and_uses_are_not_counted(tmp_path: Path) -> None:
    _write(tmp_path / "tests" / "test_links.py", "one = 1\n")
    _write(tmp_path / "core" / "links.py", "print(one)\n")
    assert [] == vague_names.complaints(tmp_path)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(text)

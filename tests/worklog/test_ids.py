from __future__ import annotations

import pytest

from unlatch.worklog.ids import is_ulid, matches, number_of

ULID = "01KA0000000000000000000001"


@pytest.mark.parametrize(
    ("folder", "number"),
    [
        ("0007-search", 7),
        ("007-search", 7),
        ("12345-search", 12345),
        ("0013-v0.8.0-stabilization", 13),
        ("07-search", None),
        ("0007", None),
        ("0007-", None),
        ("_archive", None),
        ("search-0007", None),
        ("\N{ARABIC-INDIC DIGIT SEVEN}" * 4 + "-search", None),
        (f"{'9' * 200}-search", None),
    ],
)
def test_a_folder_begins_with_its_number(folder: str, number: int | None) -> None:
    assert number_of(folder) == number


@pytest.mark.parametrize(
    ("wanted", "is_meant"),
    [
        ("7", True),
        ("07", True),
        ("0007", True),
        ("0007-search", True),
        ("0007-Search", False),
        ("0007-sear", False),
        ("70", False),
        ("-7", False),
        ("7 ", False),
        ("", False),
        ("9" * 5000, False),
    ],
)
def test_an_increment_goes_by_number_or_name(wanted: str, *, is_meant: bool) -> None:
    assert matches("0007-search", wanted) == is_meant


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ULID, True),
        (ULID.lower(), False),
        (ULID[:-1], False),
        (f"{ULID}1", False),
        (f"{ULID}\n", False),
        (f"8{ULID[1:]}", False),
        (f"{ULID[:-1]}U", False),
        ("", False),
    ],
)
def test_a_ulid_has_one_spelling(text: str, *, expected: bool) -> None:
    assert is_ulid(text) == expected

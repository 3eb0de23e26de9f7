from __future__ import annotations

import pytest

from unlatch.worklog.ids import is_ulid, label_of, matching, number_of, ulid_time

ULID = "01KA0000000000000000000001"


@pytest.mark.parametrize(
    ("folder", "number"),
    [
        ("0007-search", 7),
        ("007-search", 7),
        ("12345-search", 12345),
        ("0013-v0.8.0-stabilization", 13),
        ("0024G-imported", 24),
        ("0402E-imported-", 402),
        ("0024GE-search", None),
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
    assert [*matching({"0007-search"}, wanted)] == (["0007-search"] if is_meant else [])


LETTERED = ("0024-search", "0024G-imported", "0025J-one", "0025E-two", "0026G-alone")


@pytest.mark.parametrize(
    ("wanted", "meant"),
    [
        ("24", {"0024-search"}),
        ("24G", {"0024G-imported"}),
        ("0024g", {"0024G-imported"}),
        ("0024G-imported", {"0024G-imported"}),
        ("24E", set()),
        ("25", {"0025J-one", "0025E-two"}),
        ("25j", {"0025J-one"}),
        ("26", {"0026G-alone"}),
        ("26GG", set()),
    ],
)
def test_a_letter_behind_the_number_tells_increments_apart(wanted: str, meant: set[str]) -> None:
    assert set(matching(LETTERED, wanted)) == meant


def test_a_letter_has_no_case() -> None:
    assert label_of("0024g-imported") == label_of("0024G-imported") == (24, "G")


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


def test_a_ulid_begins_with_its_time_in_milliseconds() -> None:
    # The example of the specification.
    assert ulid_time("01ARYZ6S41TSV4RRFFQ69G5FAV") == 1469918176.385

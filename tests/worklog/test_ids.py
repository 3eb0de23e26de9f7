from __future__ import annotations

import pytest

from unlatch.worklog.ids import is_ulid, label_of, new_ulid, number_of, ulid_time

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


def test_new_ulids_are_valid_differ_and_sort_by_their_time() -> None:
    many = [new_ulid(1469918176.5 + second) for second in range(100)]

    assert all(map(is_ulid, many))
    assert sorted(many) == many
    assert [1469918176.5 + second for second in range(100)] == [*map(ulid_time, many)]
    at_once = [new_ulid(1469918176.5) for _ in range(1000)]
    assert sorted(set(at_once)) == at_once
    assert 100 == len({new_ulid(1469918176.5)[10:] for _ in range(100)})

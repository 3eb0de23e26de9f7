"""Ids, dated names, and words that mean a name by its number or a part of it."""

import os
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unlatch.errors import StoreError, UsageError
from unlatch.worklog.collection import Collection
from unlatch.worklog.disk.file_check import UnsafePath
from unlatch.worklog.ids import (
    derived_ulid,
    following_ulid,
    is_ulid,
    label_of,
    new_ulid,
    number_of,
)
from unlatch.worklog.name_matching import Match, choose, in_range, listed, matching, similar

ULID = "01KA0000000000000000000001"


@pytest.mark.parametrize(
    ("folder", "number"),
    [
        ("0007-search", 7),
        ("12345-search", 12345),
        ("0013-v0.8.0-stabilization", 13),
        ("0024G-imported", 24),
        ("0024GE-search", None),
        ("0007", None),
        ("_archive", None),
        ("search-0007", None),
        ("\N{ARABIC-INDIC DIGIT SEVEN}" * 4 + "-search", None),
        (f"{'9' * 200}-search", None),
    ],
)
def test_a_folder_begins_with_its_number(folder: str, number: int | None) -> None:
    assert number_of(folder) == number


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ULID, True),
        (ULID.lower(), False),
        (f"{ULID}1", False),
        (f"{ULID}\n", False),
        (f"8{ULID[1:]}", False),
        (f"{ULID[:-1]}U", False),
        ("", False),
    ],
)
def test_a_ulid_has_one_spelling(text: str, *, expected: bool) -> None:
    assert is_ulid(text) == expected


def test_a_derived_ulid_follows_from_its_time_and_facts_alone() -> None:
    at = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
    facts: list[object] = ["reopen", "0007-a", "Bug é \ud800", "X"]
    berlin = at.astimezone(timezone(timedelta(hours=1)))

    assert is_ulid(derived_ulid(at, facts))
    assert derived_ulid(at, facts) == derived_ulid(berlin, [*facts])
    others: list[list[object]] = [
        [*facts[:-1]],
        [*facts[:-1], "Y"],
        [facts],
        ["".join(map(str, facts[:3])), facts[3]],
    ]
    every = [[*facts], *others]
    assert len(every) == len({derived_ulid(at, some)[10:] for some in every})
    later = derived_ulid(at + timedelta(seconds=1), facts)
    assert derived_ulid(at, facts)[10:] == later[10:]
    assert derived_ulid(at, facts) < later


def test_a_ulid_begins_with_its_time_in_milliseconds_and_a_following_one_keeps_it() -> None:
    first = derived_ulid(datetime(2026, 3, 4, tzinfo=UTC), ["reopen"])

    assert first[:10] == following_ulid(first, ["undo"])[:10]
    assert 3 == len({first, following_ulid(first, ["undo"]), following_ulid(first, ["undo", "R"])})
    assert new_ulid(1469918176.385).startswith("01ARYZ6S41")
    assert derived_ulid(datetime.fromtimestamp(1469918176.385, UTC), []).startswith("01ARYZ6S41")


def test_new_ulids_are_valid_differ_and_sort_by_their_time() -> None:
    many = [new_ulid(1469918176.5 + second) for second in range(100)]

    assert all(map(is_ulid, many))
    assert sorted(many) == many
    at_once = [new_ulid(1469918176.5) for _ in range(1000)]
    assert sorted(set(at_once)) == at_once
    assert 100 == len({new_ulid(1469918176.5)[10:] for _ in range(100)})


NAMES = (
    "0007-smart-discipline",
    "0024-search",
    "0024G-imported",
    "0025J-one",
    "0025E-two",
    "0026G-alone",
    "0070-Search_Again",
    "001-photo-albums",
    "2026-01-24-add-login",
    "20260124-101500-take-photos",
    "add-login-form",
    "phase-2",
)


@pytest.mark.parametrize(
    ("wanted", "how", "meant"),
    [
        ("0007-smart-discipline", Match.NAME, "0007-smart-discipline"),
        ("0007-smart-discipline/", Match.NAME, "0007-smart-discipline"),
        ("phase-2", Match.NAME, "phase-2"),
        ("7", Match.NUMBER, "0007-smart-discipline"),
        ("1", Match.NUMBER, "001-photo-albums"),
        ("24G", Match.NUMBER, "0024G-imported"),
        ("25j", Match.NUMBER, "0025J-one"),
        ("25", Match.NUMBER_OF_LETTERED, "0025J-one 0025E-two"),
        ("26", Match.NUMBER_OF_LETTERED, "0026G-alone"),
        ("0007-SMART-discipline", Match.OTHER_CASE, "0007-smart-discipline"),
        ("smart-discipline", Match.TITLE, "0007-smart-discipline"),
        ("add-login", Match.TITLE, "2026-01-24-add-login"),
        ("0007-sm", Match.BEGINNING, "0007-smart-discipline"),
        ("Smart Disc", Match.BEGINNING, "0007-smart-discipline"),
        ("0070-search-a", Match.BEGINNING, "0070-Search_Again"),
        ("add", Match.BEGINNING, "2026-01-24-add-login add-login-form"),
        ("20260124-10", Match.BEGINNING, "20260124-101500-take-photos"),
        ("discipline", Match.WORDS, "0007-smart-discipline"),
        ("AGAIN", Match.WORDS, "0070-Search_Again"),
        ("login", Match.WORDS, "2026-01-24-add-login add-login-form"),
    ],
)
def test_the_first_rule_that_fits_counts(wanted: str, how: Match, meant: str) -> None:
    assert (how, meant.split()) == matching(NAMES, wanted)


@pytest.mark.parametrize(
    "wanted",
    ["", " ", "/", "-7", "7 ", "#7", "7-", "0007-", "70G", "24E", "26GG", "9" * 5000, "2026", "2",
     "01-24", "1-24", "s", "iscipline", "discip-", "smart/discipline", "../0007-smart-discipline",
     ".", "0007-smart-discipline\n", "octo/widgets#7", "https://smart"],
)  # fmt: skip
def test_nothing_else_is_meant(wanted: str) -> None:
    assert (None, ()) == matching([*NAMES[:3], *NAMES[5:]], wanted)


@pytest.mark.parametrize(
    ("wanted", "meant"),
    [
        ("1-12", "001-photo-albums 0007-smart-discipline"),
        ("0007-24", "0007-smart-discipline 0024-search 0024G-imported"),
        ("26-999999999", "0026G-alone 0070-Search_Again"),
        ("12-1", ""),
        ("2020-2030", ""),
        ("7-", ""),
        ("\u0667-\u0669", ""),
        ("phase-2", ""),
    ],
)
def test_a_range_means_the_numbers_in_it(wanted: str, meant: str) -> None:
    assert meant.split() == [*in_range(NAMES, wanted)]


def test_a_range_a_number_and_a_rule_mean_no_more_than_they_say() -> None:
    assert () == in_range(["001-002", "0001-one"], "001-002")
    names = ["0070-x", "2026-01-24-x", "0008-phase-7", "7-7", "x-7"]
    assert (None, ()) == matching(names, "7")
    assert (None, ()) == matching(["0003-a-24g-modem"], "24g")
    assert label_of("0024g-imported") == label_of("0024G-imported") == (24, "G")
    for wanted in ("0007-SMART-discipline", "smart-discipline", "smart", "discipline"):
        assert not matching(NAMES, wanted, up_to=Match.NUMBER_OF_LETTERED)[1]


COMPOSED, APART = "0009-caf\u00e9-menu", "0010-cafe\u0301-bar"


@pytest.mark.parametrize(
    ("wanted", "meant"),
    [
        ("0009-cafe\u0301-menu", COMPOSED),
        ("cafe\u0301-menu", COMPOSED),
        ("0010-caf\u00e9-bar", APART),
        ("caf\u00e9-bar", APART),
        ("cafe\u0301-bar", APART),
        ("0010-CAFE\u0301-BAR", APART),
    ],
)
def test_a_letter_with_an_accent_has_two_spellings(wanted: str, meant: str) -> None:
    assert [meant] == [*matching([COMPOSED, APART, "0011-cafe"], wanted)[1]]


NAME = st.from_regex(
    r"(?:[0-9]{1,6}[A-Za-z]?-)?[A-Za-z0-9\u00e9\u0436]+(?:[-_.][a-z0-9]+){0,3}", fullmatch=True
)
SOME = st.lists(NAME, max_size=8, unique=True)


def _word(name: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in name.casefold()).split())


@given(NAME, SOME)
def test_a_whole_name_finds_itself_alone(name: str, others: list[str]) -> None:
    assert [name] == [*matching([*others, name], name)[1]] or name in others


def _choose(wanted: str) -> str:
    unknown = UsageError("thing-unknown", "there is none")
    return choose(NAMES, wanted, unknown=unknown, ambiguous=UsageError("thing-ambiguous", "many"))


def test_one_name_is_chosen_or_an_error_lists_names() -> None:
    assert "0007-smart-discipline" == _choose("smart")
    with pytest.raises(UsageError) as several:
        _choose("login")
    assert ("thing-ambiguous", ("2026-01-24-add-login", "add-login-form")) == (
        several.value.id,
        several.value.problems,
    )
    with pytest.raises(UsageError) as none:
        _choose("smrt-disciplin")
    assert ("thing-unknown", ("0007-smart-discipline",)) == (none.value.id, none.value.problems)


def test_ten_candidates_are_listed_and_none_for_a_number() -> None:
    assert () == similar(NAMES, "8")
    assert () == similar(["0004-\U0001f389"], "8")
    names = [f"{number:04}-x" for number in range(12)]
    assert (*names[:10], "and 2 more") == listed(names)
    assert tuple(names[:10]) == listed(names[:10])


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The folder of a kind that has no code of its own."""
    folder = tmp_path / ".unlatch" / "voyages"
    folder.mkdir(parents=True)
    return folder


def add(place: Path, *names: str) -> None:
    for name in names:
        (place / name).mkdir(parents=True)
    # Long ago, so that a later change is not in the same tick of the clock.
    os.utime(place, ns=(0, 0))


def found(collection: Collection, wanted: str) -> list[str]:
    return [str(one.path.relative_to(collection.path)) for one in collection.find(wanted)]


def test_folders_come_by_name_and_those_of_the_archives_last(place: Path) -> None:
    add(place, "0010-b", "0002-a", "_archive/0001-z", "_abandoned/0003-y", "notes")
    (place / "0011-file").write_text("no folder")
    assert [(one.name, one.archived) for one in Collection(place).folders()] == [
        ("0002-a", False),
        ("0010-b", False),
        ("0003-y", True),
        ("0001-z", True),
    ]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("7", ["0007-search", "_archive/0007-find"]),
        ("0007-find", ["_archive/0007-find"]),
        ("0008-both", ["0008-both", "_archive/0008-both"]),
        ("_archive", []),
        ("../voyages", []),
    ],
)
def test_a_number_or_a_name_finds_all_folders_that_it_may_mean(
    place: Path, wanted: str, expected: list[str]
) -> None:
    add(place, "0007-search", "0008-both", "_archive/0007-find", "_archive/0008-both")
    assert found(Collection(place), wanted) == expected


def test_a_folder_is_found_though_the_time_of_the_listing_did_not_change(place: Path) -> None:
    add(place, "0007-search")
    listed_at = place.stat().st_mtime_ns
    collection = Collection(place)
    assert found(collection, "8") == []
    add(place, "0008-later")
    os.utime(place, ns=(listed_at, listed_at))
    assert found(collection, "8") == ["0008-later"]


def test_a_folder_that_was_found_before_has_vanished(place: Path) -> None:
    add(place, "0007-search")
    collection = Collection(place)
    collection.find("7")
    (place / "0007-search").rmdir()
    with pytest.raises(StoreError) as caught:
        collection.find("0007-search")
    assert (caught.value.id, caught.value.where) == ("folder-vanished", str(place / "0007-search"))


def test_a_kind_without_a_folder_has_no_work_and_a_file_in_its_place_is_an_error(
    tmp_path: Path,
) -> None:
    collection = Collection(tmp_path / ".unlatch" / "voyages")
    assert ([*collection.folders()], [*collection.archives()], found(collection, "7")) == (
        [],
        [],
        [],
    )

    (tmp_path / ".unlatch").mkdir()
    place = tmp_path / ".unlatch" / "voyages"
    place.write_text("a file")
    with pytest.raises(StoreError, match="a file is in place of the folder") as caught:
        Collection(place).find("7")
    assert (caught.value.id, caught.value.where) == ("folder-unreadable", str(place))
    with pytest.raises(StoreError, match="a file is in place of the folder"):
        [*Collection(place).folders()]


@pytest.mark.parametrize("target", ["../elsewhere", "_archive", "missing"])
def test_an_archive_behind_a_link_is_not_searched_and_hides_no_other_folder(
    place: Path, target: str
) -> None:
    add(place, "0007-search", "../elsewhere/0007-find")
    (place / "_archive").symlink_to(target)
    assert found(Collection(place), "7") == ["0007-search"]
    assert next(Collection(place).folders()).name == "0007-search"


def test_a_folder_that_a_link_replaces_is_not_searched_any_more(
    place: Path, tmp_path: Path
) -> None:
    add(place, "0007-search", "_archive/0008-find")
    collection = Collection(place)
    assert found(collection, "8") == ["_archive/0008-find"]
    (place / "_archive").rename(tmp_path / "elsewhere")
    add(tmp_path / "elsewhere", "0009-later")
    (place / "_archive").symlink_to(tmp_path / "elsewhere")
    assert found(collection, "9") == []


def test_a_collection_behind_a_link_is_not_listed(tmp_path: Path) -> None:
    add(tmp_path / "elsewhere", "0007-search")
    (tmp_path / ".unlatch").mkdir()
    place = tmp_path / ".unlatch" / "voyages"
    place.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UnsafePath):
        [*Collection(place).folders()]

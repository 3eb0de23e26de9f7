"""Check boxes that were rendered are read back, whatever their words, and as people left them."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.spi.test_render import HOSTILE

from unlatch.increments.model.check_boxes import (
    boxes_of,
    checks_in,
    key_of,
    ticked_by_people,
    with_states,
)
from unlatch.increments.model.link import Boxes
from unlatch.spi import (
    Check,
    Checks,
    Draft,
    Heading,
    KeptPart,
    Span,
    Text,
    fit_text,
    markdown,
    plain,
    read_checks,
    with_kept_part,
)
from unlatch.worklog.text.neutral import without_controls
from unlatch_ado import description as ado
from unlatch_github.api import models as github
from unlatch_jira.api import rich_text as jira
from unlatch_jira.api.rich_text import adf, wiki, wrap_section

INCREMENT = "0007-smart-discipline"
Kept = tuple["KeptPart", ...]


def in_github(text: Text) -> Kept:
    return github.kept_parts(with_kept_part("", INCREMENT, markdown(text)))


def in_ado(text: Text) -> Kept:
    made = Draft(INCREMENT, "T", None, text)
    return ado.kept_parts(ado.render_description(made, "01KA0000000000000000000001"))


def in_adf(text: Text) -> Kept:
    return jira.kept_parts(adf(wrap_section(text, INCREMENT)))


def in_wiki(text: Text) -> Kept:
    return jira.kept_parts(wiki(wrap_section(text, INCREMENT)).replace("\n", "\r\n"))


WAYS = (in_github, in_ado, in_adf, in_wiki)
LINE = st.lists(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=5)), max_size=8).map("".join)
CHECK = st.builds(Check, LINE.map("T-001: {}".format), st.booleans(), st.integers(0, 2))


def words(text: str) -> str:
    shown = without_controls(" ".join(text.split()))
    return " ".join(shown.replace("\u200b", "").split())


@pytest.mark.sample
@pytest.mark.parametrize("way", WAYS)
@given(checks=st.lists(CHECK, min_size=1, max_size=3))
@example([Check("T-001: [x] \u2611 \\- [ ] &#91; <b>", True)])
def test_rendered_boxes_are_read_back(way: Callable[[Text], Kept], checks: list[Check]) -> None:
    lines = (Check("US-001: no box"), *checks, Check("and 3 more in the increment's files"))

    (part,) = way(((Span("Head"),), Heading("Tasks"), Checks(lines)))

    assert INCREMENT == part.increment
    assert [(words(one.text), one.done) for one in checks] == [
        (one.text, one.done) for one in part.checks
    ]


@pytest.mark.parametrize(
    ("line", "done"),
    [
        ("- [ ] T-1: a", False),
        ("  * [X] T-1: a", True),
        ("1. [x] T-1: a", True),
        ("\u2610 T-1: a", False),
        ("\u00a0\u00a0\u2611T-1: a", True),
        ("** \u2714\ufe0f T-1: a", True),
        ("+ \u2705 T-1: a", True),
    ],
)
def test_boxes_in_any_spelling(line: str, done: bool) -> None:
    assert (Check("T-1: a", done),) == read_checks([line])


SPARE = st.builds(Check, st.text("ab", max_size=9), st.booleans(), spare=st.booleans())


@given(lists=st.lists(st.lists(SPARE, max_size=8), max_size=3), most=st.integers(0, 400))
def test_what_does_not_fit_loses_ticked_spare_boxes_first_and_keeps_its_order(
    lists: list[list[Check]], most: int
) -> None:
    text: Text = ((Span("Head"),), *(Checks(tuple(lines)) for lines in lists))
    fitted = fit_text(text, lambda part: part, lambda part: len(plain(part)) <= most)

    before, after = (
        [one for one in checks_in(part) if one.done is not None] for part in (text, fitted)
    )
    left = iter(before)
    assert all(any(one is other for other in left) for one in after), "the order"
    gone = [one for one in before if not any(one is other for other in after)]
    if any(not (one.spare and one.done) for one in gone):
        assert not [one for one in after if one.spare and one.done]
    if len(plain(text)) <= most:
        assert fitted == text
    counts = [int(one.text.split()[1]) for one in checks_in(fitted) if one.done is None]
    assert len(gone) == sum(counts)


def test_an_action_item_of_jira_counts_by_its_state() -> None:
    def item(state: str, text: str) -> dict[str, Any]:
        content = [{"type": "text", "text": text}]
        return {"type": "taskItem", "attrs": {"localId": "1", "state": state}, "content": content}

    body = adf(wrap_section((), INCREMENT))
    items = [item("DONE", "\u2610 T-001: a"), item("TODO", "T-002: b")]
    body["content"].insert(1, {"type": "taskList", "content": items})

    (part,) = jira.kept_parts(body)

    assert (Check("T-001: a", True), Check("T-002: b", False)) == part.checks


def test_html_that_an_editor_has_rewritten() -> None:
    body = ado.render_description(
        Draft(INCREMENT, "T", None, (Checks((Check("T-001: a", False),)),)), "01"
    )
    body = body.replace("<li>\u2610 ", '<LI style="x"><div>\u2611&nbsp;<b></b>').replace(
        "[unlatch begin ", "[unlatch&nbsp;begin&nbsp;"
    )

    (part,) = ado.kept_parts(body)

    assert (Check("T-001: a", True),) == part.checks


def test_each_increment_has_a_part_of_its_own() -> None:
    body = with_kept_part("Mine", "0001-a", "- [ ] T-001: a")
    body = with_kept_part(body, "0002-b c", "- [x] T-001: b")
    body = with_kept_part(body, "0001-a", "- [x] T-001: c")

    parts = [(one.increment, [c.text for c in one.checks]) for one in github.kept_parts(body)]

    assert [("0001-a", ["T-001: c"]), ("0002-b c", ["T-001: b"])] == parts


@pytest.mark.parametrize("hostile", ["[unlatch begin {}]", "[unlatch begin ", "[unlatch "])
def test_many_marks_are_read_in_time(hostile: str) -> None:
    body = "".join(hostile.format(number) for number in range(10_000))

    assert () == ado.kept_parts(body)


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("T-001: Draw", "T-001"),
        ("AC-US1-01: It is round", "AC-US1-01"),
        ("t-001: Draw", "T-001"),
        ("P3-T-002a: Draw", "P3-T-002A"),
        ("T001 [P] [US1] Create a model", "T001"),
        ("FR-001 The system", "FR-001"),
        ("1.2 Add a test", "1.2"),
        ("1.2. Add a test", "1.2"),
        ("3. Add a test", "3"),
        ("3 items in  the Cart", "3 items in the cart"),
        ("OAuth2 login", "oauth2 login"),
        ("Note: none", "note: none"),
        ("", ""),
    ],
)
def test_a_box_is_known_by_its_id_or_its_words(line: str, key: str) -> None:
    assert key == key_of(line)


def test_states_are_set_in_all_lists_of_a_text() -> None:
    text: Text = (
        Heading("A"),
        Checks((Check("T-001: a", False), Check("T-001: no box"))),
        (Span("b"),),
        Checks((Check("T-001: c", False), Check("T-002: d", True))),
    )

    after = with_states(text, {"T-001#2": True, "T-009": True})

    assert [False, None, True, True] == [one.done for one in checks_in(after)]
    assert boxes_of(checks_in(text)).lines == boxes_of(checks_in(after)).lines


@given(*(st.dictionaries(st.sampled_from("abc"), st.booleans()) for _ in range(3)))
def test_only_what_changed_on_the_item_alone_counts_as_ticked_by_people(
    here: dict[str, bool], base: dict[str, bool], there: dict[str, bool]
) -> None:
    known = Boxes(
        tuple(key for key in base if base[key]), tuple(key for key in base if not base[key])
    )

    found = ticked_by_people(here, known, there)

    for key in "abc":
        is_known = key in here and key in base and key in there
        assert (key in found) is (is_known and here[key] is base[key] is not there[key])

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unlatch_ado.making import MARKER, OP, draft

from unlatch.spi import Draft, as_html
from unlatch.spi.text import Check, Checks, Heading
from unlatch_ado.description import render_description, title_of, update_description

BEGIN = "<p>[unlatch begin 0007-smart]</p>"
END = "<p>[unlatch end 0007-smart]</p>"


def test_a_new_description_holds_the_text_between_signs_and_the_marker_last() -> None:
    assert render_description(draft("Text"), OP) == f"{BEGIN}<p>Text</p>{END}{MARKER}"


def test_only_what_is_between_the_signs_is_replaced() -> None:
    before = f"<p>Above</p>{BEGIN}<p>Old</p>{END}<p>Below</p>{MARKER}"
    after = f"<p>Above</p>{BEGIN}<p>New</p>{END}<p>Below</p>{MARKER}"
    assert update_description(before, draft("New")) == after


def test_a_description_without_the_signs_gets_them_at_its_end() -> None:
    assert update_description("<p>Mine</p>", draft("New")) == f"<p>Mine</p>{BEGIN}<p>New</p>{END}"


def test_the_part_of_another_increment_stays() -> None:
    other = BEGIN.replace("0007", "0008") + "<p>Other</p>" + END.replace("0007", "0008")
    assert update_description(other, draft("New")) == f"{other}{BEGIN}<p>New</p>{END}"


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        (
            '<div style="x"><b>[unlatch begin 0007-smart]</b></div>',
            "<div><i>[unlatch end 0007-smart]",
        ),
        ("[unlatch&nbsp;begin 0007-smart]", "<br>[unlatch end&nbsp;0007-smart]"),
    ],
)
def test_finds_its_part_after_an_editor_has_rewritten_the_tags(begin: str, end: str) -> None:
    assert (
        update_description(f"{begin}<div>Old</div>{end}", draft("New")) == f"{begin}<p>New</p>{end}"
    )


EDITED = (
    '<div><span style="font-size:10pt">[unlatch&nbsp;begin 0007-smart]</span></div>'
    "<h3><b>Tasks</b></h3><ul><li><span>\N{BALLOT BOX WITH CHECK} Done &amp; dusted</span></li>"
    "<li>&nbsp;&nbsp;\N{BALLOT BOX} Next<br></li></ul>"
    "<div>[unlatch end 0007-smart]<br></div><div>Ours <b>too</b></div>"
)


def tasks(*, done: bool) -> Draft:
    checks = (Check("Done & dusted", done=True), Check("Next", done=done, depth=1))
    return replace(draft(), body=(Heading("Tasks"), Checks(checks)))


def test_check_boxes_are_kept_in_the_section() -> None:
    text = render_description(tasks(done=False), OP)
    ticked = text.replace("\N{BALLOT BOX} Next", "\N{BALLOT BOX WITH CHECK} Next")
    assert update_description(text, tasks(done=True)) == ticked
    assert text != ticked


def test_what_the_editor_has_only_written_in_its_own_way_stays() -> None:
    assert update_description(EDITED, tasks(done=False)) == EDITED


def test_a_box_that_is_ticked_is_replaced_within_what_the_editor_made_of_it() -> None:
    after = update_description(EDITED, tasks(done=True))
    begin, middle = "[unlatch&nbsp;begin 0007-smart]</span></div>", as_html(tasks(done=True).body)
    assert after.partition(begin)[0] == EDITED.partition(begin)[0]
    assert after.partition(begin)[2] == middle + EDITED[EDITED.index("<div>[unlatch end") :]


def test_a_lost_sign_makes_a_new_part_and_loses_nothing() -> None:
    before = f"{BEGIN}<p>Old</p>"
    assert update_description(before, draft("New")) == f"{before}{BEGIN}<p>New</p>{END}"


def test_replacing_twice_is_replacing_once() -> None:
    hostile = draft(
        "a [unlatch end 0007-smart] [Unlatch END 0007-smart] b"
        " </p><p>[unlatch begin 0007-smart] \\1 $& --> c"
    )
    once = update_description("<p>Mine</p>", hostile)
    assert update_description(once, hostile) == once
    assert update_description(once, draft("New")) == f"<p>Mine</p>{BEGIN}<p>New</p>{END}"


@pytest.mark.parametrize("count", [2_000, pytest.param(200_000, marks=pytest.mark.sweep)])
@pytest.mark.parametrize("noise", ["<", "<p>", " ", "&nbsp;", "[unlatch ", "</p"])
def test_a_long_description_takes_no_long_time(noise: str, count: int) -> None:
    # Quadratic work on the longest would outlast any patience.
    before = f"{BEGIN}{noise * count}{END}"
    assert update_description(before, draft("New")).startswith(f"{BEGIN}<p>New</p>")


def test_a_title_is_cut_so_that_it_fits() -> None:
    assert len(title_of(draft(title="x" * 300))) == 255

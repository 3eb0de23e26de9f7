"""The effect of a reopen on an item, in one line."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unlatch.increments.model.reopens import SyncedItem
from unlatch.increments.records.reopens import read_effect, spelled_out, write_effect
from unlatch.spi.operation import Category, SeenItem

ITEM = SyncedItem("github", "4", "https://github.com/octo/widgets/issues/4")
TEXTS = st.text(min_size=1).filter(lambda text: "\0" not in text)
SEEN = st.builds(
    SeenItem,
    state=TEXTS,
    category=st.none() | st.sampled_from(Category),
    labels=st.lists(TEXTS, unique=True).map(tuple),
    resolved=st.booleans(),
)


def read_back(item: SyncedItem) -> SyncedItem:
    return replace(ITEM, **read_effect(write_effect(item)))


@given(st.none() | SEEN, st.none() | SEEN, st.data())
def test_a_line_has_the_states_and_all_labels(
    before: SeenItem | None, after: SeenItem | None, data: st.DataObject
) -> None:
    old, new = (set(seen.labels) if seen else set[str]() for seen in (before, after))
    removed = data.draw(st.lists(st.sampled_from(sorted(old - new) or [""]), unique=True))
    added = data.draw(st.lists(st.sampled_from(sorted(new - old) or [""]), unique=True))
    gone, new_ones = tuple(filter(None, removed)), tuple(filter(None, added))
    item = replace(ITEM, before=before, after=after, labels_removed=gone, labels_added=new_ones)

    made = read_back(item)

    assert write_effect(item) == write_effect(made)
    for seen, of in ((before, made.before), (after, made.after)):
        facts = [
            (s.state, s.category, s.resolved, set(s.labels)) if s else None for s in (seen, of)
        ]
        assert facts[0] == facts[1]
    assert (set(gone), set(new_ones)) == (set(made.labels_removed), set(made.labels_added))


def test_people_can_read_a_line() -> None:
    before = SeenItem("In Review", Category.DOING, ("bug", "completed", "mine"), resolved=True)
    after = SeenItem("Active", Category.DOING, ("bug", "reopened", "good first issue"))
    item = replace(
        ITEM, before=before, after=after, labels_added=("reopened",), labels_removed=("completed",)
    )
    assert write_effect(item) == (
        "'In Review:doing+resolved' Active:doing =bug -completed '<mine' +reopened "
        "'>good first issue'"
    )
    assert read_back(item).before == before


@pytest.mark.parametrize("line", [None, 7, "", "closed:done", "'closed:done open:todo", "a b"])
def test_a_line_that_cannot_be_read_says_nothing(line: object) -> None:
    made = replace(ITEM, **read_effect(line))
    assert (made.before, made.after, made.labels_added, made.labels_removed) == (None, None, (), ())


def test_a_line_of_another_program_stays_as_it_is() -> None:
    entry = {"effect": {"size": "large"}, "items": [{"effect": "closed:done open:todo =bug"}]}
    labels = {"labels": ["bug"]}
    states = {"before": {"state": "closed", "category": "done", **labels}}
    states["after"] = {"state": "open", "category": "todo", **labels}
    assert spelled_out(entry) == {"effect": {"size": "large"}, "items": [states]}

"""Each installed layout passes the conformance kit; its folders, and the items it names."""

import os
from pathlib import Path
from shutil import copytree

import pytest

from unlatch.increments.layouts.mentions import mentions
from unlatch.increments.layouts.native import UNLATCH, Native
from unlatch.testing.layouts import check_layout
from unlatch_specweave.layout import SPECWEAVE

CORPUS = os.environ.get("UNLATCH_CORPUS")
EXAMPLES = {
    "0001-search/spec.md": (
        "# Search\n\n## User Stories\n\n### US-001: Find\n\n- [x] **AC-US1-01**: found\n"
        "- [ ] **AC-US1-02**: empty\n"
    ),
    "0001-search/tasks.md": (
        "# Tasks\n\n### T-001: Index\n\n**User Story**: US-001\n**Status**: [x] completed\n\n"
        "### T-002: Query\n\n**Status**: [ ] pending\n"
    ),
    "0002-list/tasks.md": "# Tasks\n\n- [x] T-001: One\n- [ ] T-002: Two\n- [~] T-003: Three\n",
    "_archive/0003-old/spec.md": "# Old\n",
}


@pytest.mark.sample
@pytest.mark.parametrize("layout", [UNLATCH, SPECWEAVE], ids=lambda layout: layout.name)
def test_the_layout_of_increments_conforms(layout: Native, tmp_path: Path) -> None:
    root = tmp_path / "root"
    for name, text in EXAMPLES.items():
        path = root / layout.increments / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    check_layout(layout, root, tmp_path)


@pytest.mark.sweep
@pytest.mark.skipif(not CORPUS, reason="UNLATCH_CORPUS names no real increments")
def test_real_increments_conform(tmp_path: Path) -> None:
    real, root = Path(CORPUS or "") / "specweave", tmp_path / "root"
    for unit in SPECWEAVE.units(real):
        copytree(unit.place, root / unit.place.relative_to(real))
    check_layout(SPECWEAVE, root, tmp_path, most_tasks=2)


ISSUE = "https://github.com/octo/widgets/issues/7"
ITEM = "https://dev.azure.com/octo/My%20Project/_workitems/edit/101"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tracking issue: #392 (blocks #391)", ("#392", "#391")),
        ("**Input**: Issue #89", ("#89",)),
        ("octo/widgets#7, then octo/widgets#7", ("octo/widgets#7",)),
        (f"Fixes [#7]({ISSUE}).", (ISSUE,)),
        (f"{ISSUE}#issuecomment-1", (ISSUE,)),
        (f"See <{ITEM}>.", (ITEM,)),
        (
            "https://octo.atlassian.net/browse/SCRUM-28?focus=1",
            ("https://octo.atlassian.net/browse/SCRUM-28",),
        ),
        ("Jira ticket: SCRUM-28", ("SCRUM-28",)),
        ("- **FR-001**: UTF-8 and SHA-256", ()),
        ("SCRUM-28 is an issue", ()),
        ("[#1206](https://github.com/octo/widgets/discussions/1206)", ()),
        ("https://github.com/octo/widgets/pull/3 and /pull/4#5", ()),
        ("# 7 headings, C#9, &#8217;, a#5, #5a, #ff0000", ()),
        ("```\n#5\n```\n<!-- #6 -->\n\n    #7\n", ()),
    ],
)
def test_mentions_are_items_outside_of_code(text: str, expected: tuple[str, ...]) -> None:
    assert expected == mentions([text])


@pytest.mark.parametrize("text", ["[" * 50_000, "a/" * 25_000, "https://" * 10_000, "A-" * 25_000])
def test_any_text_is_read(text: str) -> None:
    assert () == mentions([text])

"""Properties of specs of any shape."""

from hypothesis import example, given
from hypothesis import strategies as st
from tests.increments.layouts.kiro.specs import UNIT, texts

from unlatch.testing.layouts import check_texts
from unlatch_layouts.kiro import KIRO

NUMBERS = st.sampled_from(
    ["1. ", "2. ", "1.1 ", "1.2* ", "* 1.3 ", "2.1. ", "**3.** ", "Task 4: ", "T005 ", "", "(P) "]
)
TITLES = st.sampled_from(
    ["Set it up", "_Requirements: 1.1_", "**bold** text", "", "\u5b9f\u88c5 (P)", "2 files", "*"]
)
BOXES = st.builds(
    "{}{} [{}] {}{}".format,
    st.sampled_from(["", "  ", "    ", "\t"]),
    st.sampled_from(["-", "*", "-  ", "1."]),
    st.sampled_from([" ", "x", "-", "~"]),
    NUMBERS,
    TITLES,
)
LINES = st.one_of(
    BOXES,
    st.sampled_from(
        [
            "",
            "  - a detail",
            "  - _Requirements: 1.1, 2_",
            "    - **Validates: Requirements 1.2-1.4**",
            "## Notes",
            "# Implementation Plan: Login",
            "```",
            "  ```json",
            "<!--",
            "-->",
            "---",
            "> quoted",
            "text",
            "### Requirement 1: Find",
            "### Requirement 2",
            "#### Acceptance Criteria",
            "1. WHEN a",
            "1.2 WHEN b",
            "\ufeff",
        ]
    ),
)
DOCUMENTS = st.builds(
    lambda lines, end, last: end.join(lines) + last,
    st.lists(LINES, max_size=12),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["", "\n"]),
)


@example("- [ ] 1. Set it up\n```\n  - _Requirements: 1.1, 2_", "")
@given(DOCUMENTS, DOCUMENTS)
def test_any_documents_conform(tasks: str, requirements: str) -> None:
    check_texts(KIRO, UNIT, texts(tasks, requirements=requirements))

from pathlib import Path

from tests.increments.layouts.todo import TODO

from unlatch.testing.layouts import check_layout

EXAMPLES = Path(__file__).parent / "todo_examples"


def test_the_layout_conforms(tmp_path: Path) -> None:
    check_layout(TODO, EXAMPLES, tmp_path)

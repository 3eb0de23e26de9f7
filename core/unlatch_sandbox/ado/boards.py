"""The data of Azure DevOps, and the automatic changes of a new revision."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from unlatch_sandbox.ado.processes import PROCESSES, WorkItemType
from unlatch_sandbox.ado.records import CommentRecord, ProjectRecord, UpdateRecord, WorkItemRecord
from unlatch_sandbox.clock import Clock, ado_time, stored
from unlatch_sandbox.store import Store, Table

if TYPE_CHECKING:
    from collections.abc import Mapping

STATE, REASON = "System.State", "System.Reason"
TITLE, DESCRIPTION = "System.Title", "System.Description"
TAGS, HISTORY, ASSIGNED = "System.Tags", "System.History", "System.AssignedTo"
COMMENT_COUNT = "System.CommentCount"
STATE_CHANGED = "Microsoft.VSTS.Common.StateChangeDate"
CLOSED, CLOSED_BY = "Microsoft.VSTS.Common.ClosedDate", "Microsoft.VSTS.Common.ClosedBy"
AREA, ITERATION = "System.AreaPath", "System.IterationPath"
PARENT, RELATED_COUNT = "System.Parent", "System.RelatedLinkCount"
CHANGED, CHANGED_BY = "System.ChangedDate", "System.ChangedBy"

_NAMESPACE = uuid.UUID("6f1f7bd5-2a0c-4d52-9a60-3d0f1a4c2b11")


def stable_uuid(text: str) -> str:
    return str(uuid.uuid5(_NAMESPACE, text))


def split_tags(text: str) -> list[str]:
    """Tags are equal in any case; the first spelling stays."""
    tags: dict[str, str] = {}
    for tag in (part.strip() for part in text.split(";")):
        if tag:
            tags.setdefault(tag.casefold(), tag)
    return list(tags.values())


def join_tags(tags: list[str]) -> str:
    return "; ".join(tags)


class Boards:
    def __init__(self, store: Store, clock: Clock) -> None:
        self.store = store
        self._clock = clock
        self.projects = Table(store, "ado.project", ProjectRecord)
        self.items = Table(store, "ado.item", WorkItemRecord)
        self.update_table = Table(store, "ado.update", UpdateRecord)
        self.comment_table = Table(store, "ado.comment", CommentRecord)

    def now(self) -> str:
        return ado_time(stored(self._clock()))

    def project(self, name_or_id: str) -> ProjectRecord | None:
        named = self.projects.get(name_or_id.casefold())
        if named is not None:
            return named
        return next((p for p in self.projects.under() if p.id == name_or_id.casefold()), None)

    def keep_project(self, project: ProjectRecord) -> None:
        self.projects.put(project.name.casefold(), project)

    def learn_tags(self, item: WorkItemRecord) -> None:
        project = self.project(item.project)
        if project is not None:
            own = split_tags(item.fields.get(TAGS, ""))
            project.tags = split_tags(join_tags([*project.tags, *own]))
            self.keep_project(project)

    def types(self, project: ProjectRecord) -> Mapping[str, WorkItemType]:
        return PROCESSES[project.process]

    def item(self, item_id: int) -> WorkItemRecord | None:
        return self.items.get(str(item_id))

    def type_of(self, item: WorkItemRecord) -> WorkItemType:
        project = self.project(item.project)
        if project is None:
            raise LookupError(f"no project {item.project}")
        return self.types(project)[item.type]

    def next_id(self) -> int:
        return max((item.id for item in self.items.under()), default=100) + 1

    def comments_of(self, item: WorkItemRecord) -> list[CommentRecord]:
        return self.comment_table.under(f"{item.id}/")

    def updates_of(self, item: WorkItemRecord) -> list[UpdateRecord]:
        return self.update_table.under(f"{item.id}/")

    def revision_fields(self, item: WorkItemRecord, rev: int) -> dict[str, Any]:
        """The fields of a work item after one of its updates."""
        fields: dict[str, Any] = {}
        for update in self.updates_of(item):
            if update.rev > rev:
                break
            fields.pop(HISTORY, None)
            for name, change in update.changes.items():
                if "newValue" in change:
                    fields[name] = change["newValue"]
                else:
                    fields.pop(name, None)
        return fields

    def new_item(self, project: ProjectRecord, kind: WorkItemType, item_id: int) -> WorkItemRecord:
        item = WorkItemRecord(item_id, project.name, kind.name)
        item.fields = {
            AREA: project.name,
            "System.TeamProject": project.name,
            ITERATION: project.name,
            "System.WorkItemType": kind.name,
            COMMENT_COUNT: 0,
            "Microsoft.VSTS.Common.Priority": 2,
        }
        return item

    def revise(self, item: WorkItemRecord, changes: Mapping[str, Any], by: str) -> bool:
        """Make one revision of the changes; None removes a field. False if nothing differs."""
        old = item.fields
        new = {name: value for name, value in {**old, **changes}.items() if value is not None}
        if changes.get(HISTORY) is None:
            # A revision's history is its own comment, not the last one's.
            new.pop(HISTORY, None)
            before = {name: value for name, value in old.items() if name != HISTORY}
            if item.rev and new == before:
                return False
        self._follow(item, old, new, by)
        item.rev += 1
        item.fields = new
        self._record(item, old, new, by)
        return True

    def _follow(
        self, item: WorkItemRecord, old: dict[str, Any], new: dict[str, Any], by: str
    ) -> None:
        now = self.now()
        new |= {CHANGED: now, CHANGED_BY: by}
        if not item.rev:
            new |= {"System.CreatedDate": now, "System.CreatedBy": by}
        if new.get(STATE) != old.get(STATE):
            self._follow_state(item, old, new, by)
        if HISTORY in new:
            self._add_comment(item, new, by)

    def _follow_state(
        self, item: WorkItemRecord, old: dict[str, Any], new: dict[str, Any], by: str
    ) -> None:
        new[STATE_CHANGED] = new[CHANGED]
        if new.get(REASON) == old.get(REASON):
            new[REASON] = f"Moved to state {new[STATE]}"
        state = self.type_of(item).state(new[STATE])
        if state is not None and state.category == "Completed":
            new |= {CLOSED: new[CHANGED], CLOSED_BY: by}
        else:
            new.pop(CLOSED, None)
            new.pop(CLOSED_BY, None)

    def _add_comment(self, item: WorkItemRecord, new: dict[str, Any], by: str) -> None:
        number = self.store.next("ado.comment", first=5001)
        comment = CommentRecord(number, item.id, new[HISTORY], by, new[CHANGED], item.rev + 1)
        self.comment_table.put(f"{item.id}/{number}", comment)
        new[COMMENT_COUNT] = new.get(COMMENT_COUNT, 0) + 1

    def _record(
        self, item: WorkItemRecord, old: dict[str, Any], new: dict[str, Any], by: str
    ) -> None:
        changes: dict[str, dict[str, Any]] = {}
        for name in {**old, **new}:
            if name == HISTORY or old.get(name) != new.get(name):
                changes[name] = {
                    **({"oldValue": old[name]} if name in old else {}),
                    **({"newValue": new[name]} if name in new else {}),
                }
        if HISTORY not in new:
            changes.pop(HISTORY, None)
        changes["System.Rev"] = {"newValue": item.rev}
        update = UpdateRecord(item.rev, item.id, by, self.now(), changes)
        self.update_table.put(f"{item.id}/{item.rev}", update)
        self.items.put(str(item.id), item)

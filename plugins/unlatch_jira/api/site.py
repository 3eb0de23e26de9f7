"""Requests about a site, its projects and its people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from unlatch.errors import Forbidden, NotFound, Rejected
from unlatch_jira.api.comments import Person
from unlatch_jira.api.json_model import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from unlatch_jira.api.connection import JiraConnection
    from unlatch_jira.api.site_models import Permissions, Preview, Sprint, TypeStatuses
    from unlatch_jira.settings import JiraSettings

# Jira Software's keys of its fields; the names differ by site.
_SPRINT = "com.pyxis.greenhopper.jira:gh-sprint"
_EPIC_LINK = "com.pyxis.greenhopper.jira:gh-epic-link"
_ADMINISTER = ("ADMINISTER", "ADMINISTER_PROJECTS")
_TRANSITION = "TRANSITION_ISSUES"
_NOBODY: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())
_T = TypeVar("_T")


class JiraSite:
    """Requests about projects, people and fields; threads may share it."""

    def __init__(self, settings: JiraSettings, wire: JiraConnection) -> None:
        self.settings = settings
        self.wire = wire
        self._myself: Person | None = None
        self._open_statuses: dict[str, Mapping[str, bool]] = {}
        self._may_silence: dict[str, bool] = {}

    @property
    def sprint_field(self) -> str | None:
        """The id of the sprint field, if known without a request."""
        return self.settings.sprint_field or self._kept("sprint")

    def find_sprint_field(self) -> str | None:
        """The same, with a request if needed; None if the site has none."""
        return self.sprint_field or self.find_fields().get("sprint")

    def find_epic_field(self) -> str | None:
        """The id of the epic field; None if `parent` is used."""
        if self.settings.is_cloud:
            return None
        return self._kept("epic") or self.find_fields().get("epic")

    def find_fields(self) -> dict[str, Any]:
        """Ask the site for its fields, and cache the used ones."""
        from unlatch_jira.api.site_models import FieldInfo  # noqa: PLC0415  (rarely needed)

        wanted = {_SPRINT: "sprint", _EPIC_LINK: "epic"}
        fields = (parse(FieldInfo, raw) for raw in self.wire.get_list("field"))
        ids = {wanted[field.custom]: field.id for field in fields if field.custom in wanted}
        self.wire.cache("fields", ids)
        return ids

    def _kept(self, name: str) -> str | None:
        value: str | None = (self.wire.cached("fields") or {}).get(name)
        return value

    def myself(self) -> Person:
        """The account of the credential."""
        return self.wire.get(Person, "myself")

    def find_myself(self) -> Person:
        """The account of the credential, read once; empty for a token that may not read it."""
        if self._myself is None:
            try:
                self._myself = self.myself()
            except Forbidden:
                self._myself = Person({})
        return self._myself

    def permissions(self, project: str, names: Sequence[str]) -> Permissions:
        """The credential's permissions in a project."""
        from unlatch_jira.api.site_models import Permissions  # noqa: PLC0415  (rarely needed)

        query = {"projectKey": project, "permissions": ",".join(names)}
        return self.wire.get(Permissions, "mypermissions", query)

    def may_silence(self, project: str) -> bool:
        """Whether the credential may edit issues of a project without mail; asked once.

        https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issues (Edit issue)
        """
        if project not in self._may_silence:
            try:
                permissions = self.permissions(project, _ADMINISTER)
                may = any(permissions.has(name) for name in _ADMINISTER)
            except (Forbidden, NotFound, Rejected):
                may = False
            self._may_silence[project] = may
        return self._may_silence[project]

    def project_key(self, key: str) -> str:
        """The present key of a project, also by a former one, which Jira keeps for it.

        https://confluence.atlassian.com/adminjiraserver0917/editing-a-project-key-1431246064.html
        """
        from unlatch_jira.api.site_models import Project  # noqa: PLC0415  (rarely needed)

        return self.wire.get(Project, f"project/{key}").key

    def groups_of(self, person: Person) -> frozenset[str]:
        """The groups of an account; none if the credential may not browse users.

        https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-users (Get user)
        """
        from unlatch_jira.api.site_models import Member  # noqa: PLC0415  (rarely needed)

        query = {**_who(person), "expand": "groups"}
        return self._or_nothing(frozenset(), lambda: self.wire.get(Member, "user", query).groups)

    def actors_of(self, project: str, role: str) -> tuple[frozenset[str], frozenset[str]]:
        """The accounts and the groups in a role; none if the credential may not see them.

        It needs the permission Administer Projects:
        https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-project-roles
        """
        from unlatch_jira.api.site_models import Role, Roles  # noqa: PLC0415  (rarely needed)

        def ask() -> tuple[frozenset[str], frozenset[str]]:
            path = f"project/{project}/role"
            number = self.wire.get(Roles, path).numbers.get(role)
            if number is None:
                return _NOBODY
            actors = self.wire.get(Role, f"{path}/{number}")
            return actors.accounts, actors.groups

        return self._or_nothing(_NOBODY, ask)

    def may_transition(self, person: Person, key: str) -> bool:
        """Whether an account certainly may transition an issue.

        Administrators of the project may ask for others:
        https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-user-search
        """
        query = {**_who(person), "permissions": _TRANSITION, "issueKey": key}

        def ask() -> bool:
            people = self.wire.get_list("user/permission/search", query)
            return any(parse(Person, raw).is_same_as(person) for raw in people)

        return self._or_nothing(False, ask)

    def _or_nothing(self, nothing: _T, ask: Callable[[], _T]) -> _T:
        try:
            return ask()
        except (Forbidden, NotFound, Rejected):
            return nothing

    def statuses(self, project: str) -> tuple[TypeStatuses, ...]:
        """The issue types of a project, with their statuses."""
        from unlatch_jira.api.site_models import TypeStatuses  # noqa: PLC0415  (rarely needed)

        rows = self.wire.get_list(f"project/{project}/statuses")
        return tuple(parse(TypeStatuses, raw) for raw in rows)

    def open_statuses(self, project: str) -> Mapping[str, bool]:
        """Whether a status of a project counts as open, by its name; read once.

        A name with several meanings, or with none, is left out; every one if the account may not
        browse the project.
        """
        if project not in self._open_statuses:
            self._open_statuses[project] = self._read_open_statuses(project)
        return self._open_statuses[project]

    def _read_open_statuses(self, project: str) -> Mapping[str, bool]:
        try:
            kinds = self.statuses(project)
        except (Forbidden, NotFound):
            return {}
        meanings: dict[str, set[bool | None]] = {}
        for status in (status for kind in kinds for status in kind.statuses):
            meaning = None if status.category is None else status.means.is_open
            meanings.setdefault(status.name, set()).add(meaning)
        return {
            name: True in values for name, values in meanings.items() if values in ({True}, {False})
        }

    def preview(self, project_id: str, type_id: str) -> Preview:
        """The workflow of an issue type in a project (Cloud only).

        It requires the permission Administer Projects or View (read-only) Workflow.
        """
        from unlatch_jira.api.site_models import Preview  # noqa: PLC0415  (rarely needed)

        body = {"projectId": project_id, "issueTypeIds": [type_id]}
        return self.wire.query(Preview, "workflows/preview", body)

    def active_sprints(self, board: str) -> tuple[Sprint, ...]:
        """The active sprints of a board."""
        from unlatch_jira.api.site_models import Sprints  # noqa: PLC0415  (rarely needed)

        return self.wire.get_agile(Sprints, f"board/{board}/sprint", {"state": "active"}).values


def _who(person: Person) -> dict[str, str]:
    """The parameter that names an account."""
    if person.account_id is not None:
        return {"accountId": person.account_id}
    return {"username": person.name or ""}

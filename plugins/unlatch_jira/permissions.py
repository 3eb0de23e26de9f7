"""Check the credential's permissions, and the configuration against the workflows; read-only."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from unlatch.errors import NotFound, Rejected, TrackerError, Unauthorised
from unlatch.spi import Access, Examination, Goal, Remark
from unlatch.transport import side_by_side

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from unlatch.spi import ItemRef
    from unlatch_jira.api.client import JiraClient
    from unlatch_jira.api.models import Issue
    from unlatch_jira.api.site import JiraSite
    from unlatch_jira.api.site_models import TypeStatuses
    from unlatch_jira.settings import JiraSettings

_RIGHTS = {
    "read": ("BROWSE_PROJECTS", "Browse Projects"),
    "reopen": ("TRANSITION_ISSUES", "Transition Issues"),
    "label": ("EDIT_ISSUES", "Edit Issues"),
    "comment": ("ADD_COMMENTS", "Add Comments"),
    "create": ("CREATE_ISSUES", "Create Issues"),
    "retract": ("DELETE_OWN_COMMENTS", "Delete Own Comments"),
}
_REFUSALS = (NotFound, Unauthorised, Rejected)


class PermissionCheck:
    """Checks a site with the given credential."""

    def __init__(self, settings: JiraSettings, client: JiraClient, site: JiraSite) -> None:
        self._settings = settings
        self._client = client
        self._site = site

    def examine(self, refs: Sequence[ItemRef]) -> Examination:
        """Check the permissions.

        Raises:
            TrackerError: the credential is refused, or the site does not answer.
        """
        me = self._site.myself()
        projects = self._projects()
        places = tuple(self._access(project) for project in projects)
        self._learn_fields()
        issues = side_by_side([partial(self._read, ref) for ref in refs])
        remarks = (
            *self._project_remarks(projects, issues),
            *_resolved_remarks(issue for issue in issues if not isinstance(issue, TrackerError)),
        )
        return Examination(me.shown or me.name, places, tuple(remarks))

    def _projects(self) -> tuple[str, ...]:
        named = (self._settings.project, *self._settings.projects)
        return tuple(dict.fromkeys(project for project in named if project))

    def _read(self, ref: ItemRef) -> Issue:
        return self._client.issue(ref.id, moves=True)

    def _learn_fields(self) -> None:
        # Cached for the next reopen, to report a closed sprint without a request.
        try:
            self._site.find_fields()
        except _REFUSALS:
            return

    def _access(self, project: str) -> Access:
        try:
            permissions = self._site.permissions(project, [key for key, _ in _RIGHTS.values()])
        except (NotFound, Rejected):
            # For a hidden project Jira answers that it does not exist.
            unseen = f"check the key {project}, or ask for Browse Projects in it"
            return Access(project, dict.fromkeys(_RIGHTS, False), unseen)
        rights = {right: permissions.has(key) for right, (key, _) in _RIGHTS.items()}
        lacking = [_RIGHTS[right][1] for right, has in rights.items() if has is False]
        hint = f"ask for {', '.join(lacking)} in the project {project}" if lacking else None
        return Access(project, rights, hint)

    def _project_remarks(
        self, projects: Iterable[str], issues: Iterable[Issue | TrackerError]
    ) -> Iterator[Remark]:
        seen = [issue for issue in issues if not isinstance(issue, TrackerError)]
        for project in projects:
            try:
                types = self._site.statuses(project)
            except _REFUSALS:
                continue
            if project == self._settings.project:
                yield from self._type_remarks(project, types)
            yield from self._transition_remarks(project, types, seen)
            yield from self._path_remarks(project, types)

    def _type_remarks(self, project: str, types: Sequence[TypeStatuses]) -> Iterator[Remark]:
        names = {kind.name.casefold() for kind in types}
        for name in dict.fromkeys((self._settings.issue_type, *self._settings.types.values())):
            if name.casefold() not in names:
                yield Remark(
                    "issue-type-unknown",
                    f"the project {project} has no issue type {name!r}; there are "
                    f"{', '.join(kind.name for kind in types)}",
                    where="trackers.jira.issue_type or trackers.jira.types",
                    hint="name one of them",
                    is_error=True,
                )

    def _transition_remarks(
        self, project: str, types: Sequence[TypeStatuses], issues: Sequence[Issue]
    ) -> Iterator[Remark]:
        """Configured names that match neither a status nor an offered transition.

        Other transitions are visible only on issues in other statuses.
        """
        offered = {
            word.casefold()
            for issue in issues
            for move in issue.answer.transitions or ()
            for word in (move.id, move.name)
        }
        reported = set()
        for kind in types:
            statuses = {word.casefold() for s in kind.statuses for word in (s.name, s.id or "")}
            table = self._settings.transitions_at(project, kind.name)
            for wanted in map(table.towards, Goal):
                if wanted is None or wanted.casefold() in statuses | offered or wanted in reported:
                    continue
                reported.add(wanted)
                yield Remark(
                    "transition-unknown",
                    f"{wanted!r} is not a status of {kind.name} in {project}, and no linked issue "
                    f"offers a transition of this name; the statuses are "
                    f"{', '.join(s.name for s in kind.statuses)}",
                    where="trackers.jira.transitions",
                    hint="correct it, unless it is a transition that only other statuses offer",
                )

    def _path_remarks(self, project: str, types: Sequence[TypeStatuses]) -> Iterator[Remark]:
        names = {status.name.casefold() for kind in types for status in kind.statuses}
        paths = self._settings.paths
        for start in dict.fromkeys((*paths.reopen, *paths.complete, *paths.drop)):
            if start.casefold() not in names:
                yield Remark(
                    "path-unknown",
                    f"a path begins in {start!r}, and {project} has no such status",
                    where="trackers.jira.paths",
                    hint="name the status as Jira shows it to this account",
                )


def _resolved_remarks(issues: Iterable[Issue]) -> Iterator[Remark]:
    for issue in issues:
        if issue.item.category.is_open and issue.resolution is not None:
            yield Remark(
                "open-but-resolved",
                f"{issue.key} is in {issue.item.state!r} and still has the resolution "
                f"{issue.resolution.name!r}, so that Jira counts it as resolved",
                where=issue.item.ref.url,
                hint="clear the resolution in Jira; a post function that does so belongs on the "
                "workflow's transition",
            )

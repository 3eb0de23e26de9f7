"""Requests about types, iterations and people."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING, Any

from unlatch.errors import Conflict, NotFound, Rejected, Unauthorised
from unlatch_ado.api.iterations import Iteration, as_json, from_json, read_tree
from unlatch_ado.api.workflow import Workflow
from unlatch_ado.api.workflow import as_json as workflow_as_json
from unlatch_ado.api.workflow import from_json as workflow_from_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch_ado.api.sdk import WorkItems
    from unlatch_ado.api.setup_models import Account, Type

# The maximum depth of iterations to read.
_DEPTH = 10
_NO = (Conflict, NotFound, Rejected, Unauthorised)


class Projects:
    """The setup of an organization's projects; threads may share it."""

    def __init__(self, api: WorkItems) -> None:
        self._api = api
        self._cache = api.cache
        self._workflows: dict[tuple[str, ...], Workflow] = {}
        self._iterations: dict[str, tuple[Iteration, ...]] = {}
        self._account: Account | None = None
        self._account_is_hidden = False
        self._asking = threading.Lock()

    def workflow(self, project: str, type: str, *, anew: bool = False) -> Workflow:
        """A work item type's states and transitions, read once a day; `anew` skips the cache."""
        organization = self._api.organization
        name = ("workflow", organization, project.casefold(), type.casefold())
        # One thread asks; the others wait for its answer.
        with self._asking:
            workflow = None if anew else self._workflows.get(name)
            if workflow is None and not anew:
                workflow = workflow_from_json(self._cache.get(*name))
            if workflow is None:
                workflow = self._read_workflow(project, type)
                self._cache.put(*name, value=workflow_as_json(workflow))
            self._workflows[name] = workflow
        return workflow

    def _read_workflow(self, project: str, type: str) -> Workflow:
        from unlatch_ado.api import setup_models as answers  # noqa: PLC0415  (rarely needed)

        with self._api.understood():
            answer = self._api.get_work_item_type(project, type)
            return answers.workflow(answer, self._states_in(project))

    def types(self, project: str) -> dict[str, Type]:
        """All work item types of a project, by their names without regard to case."""
        from unlatch_ado.api import setup_models as answers  # noqa: PLC0415  (rarely needed)

        with self._api.understood():
            kinds = answers.types(self._api.get_work_item_types(project), self._states_in(project))
        return {kind.workflow.type.casefold(): kind for kind in kinds}

    def _states_in(self, project: str) -> Callable[[str], Any]:
        return partial(self._api.get_work_item_type_states, project)

    def iterations(self, project: str) -> tuple[Iteration, ...]:
        """A project's iterations with their dates, read once a day."""
        with self._asking:
            iterations = self.known_iterations(project)
            if iterations is None:
                with self._api.understood():
                    tree = self._api.get_classification_node(project, "iterations", depth=_DEPTH)
                    iterations = read_tree(tree)
                name = ("iterations", self._api.organization, project.casefold())
                self._cache.put(*name, value=as_json(iterations))
            self._iterations[project.casefold()] = iterations
        return iterations

    def known_iterations(self, project: str) -> tuple[Iteration, ...] | None:
        """The same, if cached."""
        if project.casefold() in self._iterations:
            return self._iterations[project.casefold()]
        name = ("iterations", self._api.organization, project.casefold())
        return from_json(self._cache.get(*name))

    def account(self) -> Account:
        """The token's account; not cached on disk, because the next run may use another token."""
        from unlatch_ado.api import setup_models as answers  # noqa: PLC0415  (rarely needed)

        with self._asking:
            if self._account is None:
                with self._api.understood():
                    self._account = answers.account(self._api.connection_data())
        return self._account

    def find_account(self) -> Account | None:
        """The token's account; None if the token may not ask."""
        if self._account_is_hidden:
            return None
        try:
            return self.account()
        except _NO:
            # Tokens with a small scope.
            self._account_is_hidden = True
            return None

    def may_create_tags(self, project_id: str) -> bool | None:
        """Whether the token may create tags in a project; None if unknown."""
        from unlatch_ado.api import setup_models as answers  # noqa: PLC0415  (rarely needed)

        try:
            with self._api.understood():
                return answers.permission(self._api.may_create_tags(project_id))
        except _NO:
            # Tokens with a small scope may not ask.
            return None

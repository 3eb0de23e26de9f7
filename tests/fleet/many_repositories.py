"""Many repositories and items, made fast: by copying one of each kind."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tests.unlatch_fleet.repositories import Fleet

from unlatch_sandbox.github.admin import OWNER

if TYPE_CHECKING:
    from pathlib import Path

HOOK = "load"
SECRET = "FLEET_LOAD_SECRET"


@dataclass
class ManyRepositories(Fleet):
    """A fleet whose repositories use several accounts of GitHub, one after the other.

    Args:
        tokens: how many accounts.
        secret: of the webhook.
    """

    tokens: int = 1
    secret: str = "0123456789abcdef" * 2
    _first: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self._names():
            self.box.github.users[name] = OWNER

    @property
    def environ(self) -> dict[str, str]:
        given = {f"LOAD_{name.upper().replace('-', '_')}": name for name in self._names()}
        return {**super().environ, **given, SECRET: self.secret}

    def write_all(self) -> None:
        """Write fleet.toml, with the groups and a webhook."""
        others = [name for name in self.box.environ() if name != "UNLATCH_TRUSTED_HOSTS"]
        tables = [f'[webhooks.{HOOK}]\ntracker = "github"\nsecret = "env:{SECRET}"']
        hosts = json.dumps(self.box.environ()["UNLATCH_TRUSTED_HOSTS"].split(","))
        for name in self._names():
            variables = {other: f"env:{other}" for other in others}
            variables["GITHUB_TOKEN"] = f"env:LOAD_{name.upper().replace('-', '_')}"
            lines = [f"{key} = {json.dumps(value)}" for key, value in variables.items()]
            table = f"[groups.{name}]\ntrusted_hosts = {hosts}\n[groups.{name}.variables]"
            tables += [table, *lines]
        self.write("\n".join(tables))

    def _names(self) -> list[str]:
        return [f"token-{number + 1}" for number in range(self.tokens)]

    def _group(self, number: int) -> str:
        return self._names()[number % self.tokens]

    def _init(self, path: Path) -> None:
        template = self.folder / "template.git"
        if not template.exists():
            super()._init(template)
            shutil.rmtree(template / "hooks", ignore_errors=True)
            with (template / "config").open("a", encoding="utf-8") as config:
                config.write("[core]\n\tlogAllRefUpdates = always\n")
        shutil.copytree(template, path)

    def _make_item(self, tracker: str, name: str) -> str:
        if tracker == "github":
            return super()._make_item(tracker, name)
        if (first := self._first.get(tracker)) is None:
            first = self._first[tracker] = super()._make_item(tracker, name)
            return first
        return self._copy_work_item(first) if tracker == "ado" else self._copy_issue(first)

    def _copy_work_item(self, first: str) -> str:
        boards = self.box.ado.boards
        item = boards.item(int(first))
        assert item is not None
        with boards.store.transaction():
            number = int(first) + boards.store.next("load.ado")
            for update in boards.updates_of(item):
                copied = replace(update, work_item=number)
                boards.update_table.put(f"{number}/{update.rev}", copied)
            boards.items.put(str(number), replace(item, id=number))
        return str(number)

    def _copy_issue(self, first: str) -> str:
        tracks = self.box.jira.tracks
        issue = tracks.issue(first)
        assert issue is not None
        project, _, number = first.rpartition("-")
        with tracks.store.transaction():
            key = f"{project}-{int(number) + tracks.store.next('load.jira')}"
            tracks.keep(replace(issue, id=str(tracks.store.next("jira.id")), key=key))
        return key

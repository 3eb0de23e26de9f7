"""node.toml: what one node of a fleet needs. It holds secrets, so its owner alone may read it.

Both it and fleet.toml lie outside of synced repositories.
"""

import json
import os
import secrets
import socket
import stat
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from unlatch.config.value_types import AbsolutePath
from unlatch.errors import MistakesError, UsageError
from unlatch.spi.validation import validation_message
from unlatch.values import dataclass
from unlatch.worklog.disk.user_files import read_user_file, user_config_file
from unlatch.worklog.text.parsing import load_toml
from unlatch_fleet.offer import Offer

# Seconds in which a request takes effect or never does (`Manifest.settle`), and until its answer is
# complete (`TransportOptions.deadline`).
SETTLE, DEADLINE = 10.0, 60.0


def lease_of(settle: float) -> float:
    """Seconds after which a silent node counts as dead.

    Its programs are killed after two thirds of it, and what they sent may take effect for the
    settle time. What was cut off begins again no sooner than after that and a whole request.
    """
    return max(30.0, 3 * settle, settle + DEADLINE)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a node.

    Args:
        name: for people; two nodes may have the same.
        jobs: units at a time.
        lease: seconds after which the node counts as dead if it is silent.
        pause: seconds until a unit that was cut off begins again.
        kept: the part of each limit that only units for events may use.
        keep_days: after which rows are removed.
    """

    name: str
    jobs: int = 4
    lease: float = lease_of(SETTLE)
    pause: float = SETTLE + DEADLINE
    kept: float = 0.2
    keep_days: float = 30.0

    @property
    def tick(self) -> float:
        """Seconds between two signs of life."""
        return min(2.0, self.lease / 6)


_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_HINT = "see `unlatch fleet init --help`, which writes the file"


class NodeFile(BaseModel):
    """The settings of one node."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    database: Annotated[
        str | None,
        Field(description="Address of the database; UNLATCH_FLEET_DATABASE comes first"),
    ] = None
    fleet: Annotated[
        AbsolutePath | None,
        Field(description="Absolute path of fleet.toml: the node syncs what it lists, no more"),
    ] = None
    key: Annotated[
        str | None,
        Field(
            min_length=32,
            description="Secret that hides accounts in the database, the same on all nodes",
        ),
    ] = None
    name: Annotated[
        str, Field(min_length=1, max_length=100, description="Name; by default the machine's")
    ] = Field(default_factory=socket.gethostname)
    jobs: Annotated[int, Field(ge=1, le=64, description="Number of repositories at a time")] = 4
    clones: Annotated[
        AbsolutePath | None,
        Field(description="Folder for the clones; by default in your folder for local state"),
    ] = None
    settle: Annotated[
        float,
        Field(ge=0, le=60, description="Seconds in which a tracker carries out a request"),
    ] = SETTLE
    lease: Annotated[
        float | None,
        Field(gt=0, description="Seconds after which a silent node counts as dead; 70 by default"),
    ] = None
    runs: Annotated[
        Offer | None, Field(description="What tasks of runs may use here; by default none is taken")
    ] = None
    keep_days: Annotated[
        float, Field(gt=0, description="Days after which rows of the database are removed")
    ] = 30.0

    @model_validator(mode="after")
    def _takes_over_late(self) -> Self:
        """Until a node counts as dead, what its programs sent has to have taken effect."""
        if self.lease is not None and self.lease < 3 * self.settle:
            raise ValueError("lease must be at least three times settle")
        return self

    def settings(self, kept: float) -> Settings:
        """The settings of the node; `kept` is the part of each limit for events."""
        least = lease_of(self.settle)
        lease = least if self.lease is None else self.lease
        pause = min(lease, least)
        return Settings(self.name, self.jobs, lease, pause, kept, self.keep_days)


def default_file() -> Path:
    """The node.toml of this user."""
    return user_config_file().with_name("node.toml")


def read_node(path: Path, *, is_named: bool = True) -> NodeFile:
    """Read node.toml.

    Args:
        is_named: whether it has to exist.

    Raises:
        UsageError: `node-file-unreadable`, `node-file-open`: others can read it.
        MistakesError: `node-file-invalid`.
    """
    if not is_named and not path.exists():
        return NodeFile()
    try:
        mode = path.stat().st_mode
        raw = load_toml(read_user_file(path).decode("utf-8-sig"))
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        message = f"the file cannot be read: {why}"
        raise UsageError("node-file-unreadable", message, where=str(path), hint=_HINT) from error
    if mode & _OTHERS:
        message = f"other users can use the file (mode {stat.S_IMODE(mode):o})"
        hint = "let its owner alone read it: chmod 600"
        raise UsageError("node-file-open", message, where=str(path), hint=hint)
    try:
        return NodeFile.model_validate(raw)
    except ValidationError as error:
        problems = tuple(
            ": ".join([*map(str, detail["loc"]), validation_message(detail, a_table="a table")])
            for detail in error.errors(include_url=False, include_input=False)
        )
        message = "the settings of the node have mistakes"
        where = str(path)
        raise MistakesError(
            "node-file-invalid", message, where=where, hint=_HINT, problems=problems
        ) from None


def write_node(path: Path, fleet: Path) -> None:
    """Write a first node.toml, with a new key; its owner alone can read it.

    Raises:
        OSError: also if it exists.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    text = _FIRST.format(
        key=secrets.token_hex(32), fleet=json.dumps(str(fleet), ensure_ascii=False)
    )
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)


_FIRST = """\
# A node of a fleet. Copy the file to the other nodes: the key has to be the same on all of them.
key = "{key}"
fleet = {fleet}
# The address of the database; its password may stand in ~/.pgpass.
# database = "postgresql://USER@HOST/NAME"
"""

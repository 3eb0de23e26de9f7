"""What the operator of a node lets runs do there: `[runs]` of node.toml.

The rows of the database name programs, repositories and variables. A node takes a task only if
this file lists all that it names.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from unlatch_fleet.repository_address import read_address

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

# As the last word of a program: any arguments.
_ANY = "*"


def _program(value: str) -> str:
    words = shlex.split(value)
    if not words or words[0] == _ANY:
        raise ValueError(f"{value!r} names no program")
    return value


def _address(value: str) -> str:
    read_address(value)
    return value


class Offer(BaseModel):
    """What runs may do on a node."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    repositories: Annotated[
        tuple[Annotated[str, AfterValidator(_address)], ...],
        Field(description="Repositories whose tasks are taken: OWNER/NAME, a git URL or a path"),
    ]
    programs: Annotated[
        tuple[Annotated[str, AfterValidator(_program)], ...],
        Field(
            description="Programs that may start, as workers, auditors and acceptance commands; "
            "a last word * allows any arguments"
        ),
    ]
    variables: Annotated[
        tuple[str, ...],
        Field(description="Variables of the node that a run may name with --pass-env"),
    ] = ()
    jobs: Annotated[int, Field(ge=1, le=64, description="Tasks side by side")] = 2

    def url(self, key: str) -> str | None:
        """The address by which the node reaches a repository, if it is listed."""
        addresses = (read_address(given) for given in self.repositories)
        return next((address.url for address in addresses if address.key == key), None)

    def refusals(
        self,
        repository: str,
        programs: Collection[Sequence[str]],
        variables: Collection[str],
    ) -> Iterator[str]:
        """What is not listed, of what a task names."""
        if self.url(repository) is None:
            yield f"the repository {repository}"
        listed = [shlex.split(program) for program in self.programs]
        for argv in programs:
            if not any(_allows(words, argv) for words in listed):
                yield f"the program {shlex.join(argv)!r}"
        for name in sorted({*variables} - {*self.variables}):
            yield f"the variable {name}"


def _allows(words: Sequence[str], argv: Sequence[str]) -> bool:
    if words[-1] == _ANY:
        return list(argv[: len(words) - 1]) == words[:-1]
    return list(argv) == words

"""The scripts that complete command lines in shells, and what they read.

click's own for bash shows no titles, and that for fish cuts a title at its first comma. Each prints
a completion a line: its kind, its value, and what is shown, separated by tabs.
"""

from __future__ import annotations

from shutil import get_terminal_size
from typing import TYPE_CHECKING, ClassVar

from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    add_completion_class,
)

from unlatch.cli.runtime.aliases import PLAIN
from unlatch.cli.runtime.passing import context_of
from unlatch.cli.terminal.columns import cells, wrap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import click

    from unlatch.project.workspace import Workspace

    Items = Sequence[CompletionItem[str]]


# Readline puts two spaces between columns, and breaks a line that fills the terminal.
_MARGIN = 4
_LEAST = 10

_BASH = """\
_unlatch_completion() {
    local IFS=$'\\n' type value shown
    local -a values=() lines=()
    COMPREPLY=()
    while IFS=$'\\t' read -r type value shown; do
        case $type in
            dir) compopt -o dirnames 2>/dev/null ;;
            file) compopt -o default 2>/dev/null ;;
            plain) values+=("$value"); lines+=("$shown") ;;
        esac
    done < <(env COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD="$COMP_CWORD" \\
        COLUMNS="${COLUMNS:-80}" _UNLATCH_COMPLETE=bash_complete unlatch 2>/dev/null)
    # Only lists show titles (COMP_TYPE ?, ! and @), so that none is inserted.
    case $COMP_TYPE in
        63 | 33 | 64) [ "${#values[@]}" -gt 1 ] && values=("${lines[@]}") ;;
    esac
    COMPREPLY=("${values[@]}")
}
complete -o nosort -F _unlatch_completion unlatch 2>/dev/null ||
    complete -F _unlatch_completion unlatch
"""
_FISH = """\
function _unlatch_completion
    set -l response (env _UNLATCH_COMPLETE=fish_complete COMP_WORDS=(commandline -cp) \\
        COMP_CWORD=(commandline -t) unlatch 2>/dev/null)
    for completion in $response
        set -l parts (string split -m 2 \\t -- $completion)
        switch $parts[1]
            case dir
                __fish_complete_directories $parts[2]
            case file
                __fish_complete_path $parts[2]
            case plain
                printf '%s\\t%s\\n' $parts[2] "$parts[3]"
        end
    end
end
complete --no-files --keep-order --command unlatch --arguments '(_unlatch_completion)'
"""


class Bash(BashComplete):
    """Completion for bash, which lists completions with their titles."""

    source_template: ClassVar[str] = _BASH

    def source(self) -> str:
        return self.source_template

    def complete(self) -> str:
        completions = self.get_completions(*self.get_completion_args())
        width = max((cells(completion.value) for completion in completions), default=0)
        room = get_terminal_size().columns - width - _MARGIN
        return "\n".join(
            _line(completion, _shown(completion, width, room)) for completion in completions
        )


class Fish(FishComplete):
    """Completion for fish."""

    source_template: ClassVar[str] = _FISH

    def source(self) -> str:
        return self.source_template

    def format_completion(self, item: CompletionItem[str]) -> str:
        return _line(item, " ".join((item.help or "").split()))


def _line(item: CompletionItem[str], description: str) -> str:
    return f"{item.type}\t{item.value}\t{description}"


def _shown(item: CompletionItem[str], width: int, room: int) -> str:
    """A value and its title on one line of the terminal."""
    title = " ".join((item.help or "").split())
    if not title or room < _LEAST:
        return item.value
    first = wrap(title, room)[0]
    return f"{item.value}{' ' * (width - cells(item.value))}  {first}"


def register() -> None:
    """Use these in place of click's."""
    classes: tuple[type[ShellComplete], ...] = (Bash, Fish)
    for shell in classes:
        add_completion_class(shell)


def complete_work(
    ctx: click.Context, begun: str, find: Callable[[Workspace], Iterable[tuple[str, str | None]]]
) -> list[CompletionItem[str]]:
    """The work whose ids begin so, with the status where `find` has one."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415

    try:
        statuses = dict(sorted(find(context_of(ctx).workspace)))
    except Exception:  # noqa: BLE001  # a message would break the line that is being typed
        return []
    return [
        CompletionItem(name, help=status)
        for name, status in statuses.items()
        if name.startswith(begun) and PLAIN.fullmatch(name)
    ]

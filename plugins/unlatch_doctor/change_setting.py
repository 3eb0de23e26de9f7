"""Change a setting in a configuration file, whose comments and order are kept."""

from __future__ import annotations

import codecs
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import suppress
from copy import deepcopy
from functools import reduce
from operator import getitem
from typing import TYPE_CHECKING, Any

from unlatch.config.config import WRONG_FILE, UserConfig, merge_config, parse, validate
from unlatch.errors import UsageError
from unlatch.project.check_trackers import check_trackers
from unlatch.transport.trace import Redactor
from unlatch.values import dataclass
from unlatch.worklog.disk.atomic import PRIVATE, replace_file, writing
from unlatch.worklog.disk.safe_open import make_folders, read_file
from unlatch.worklog.disk.user_files import read_user_file
from unlatch_doctor.configuration import described, hint_for, known_settings

if TYPE_CHECKING:
    from pathlib import Path

    from tomlkit import TOMLDocument

    from unlatch.project.workspace import Workspace

_MODE = 0o666
_LONGEST_KEY = 500
_MORE_THAN_KEY = re.compile(r"[=#\n\r]")
_SECRET_NAME = re.compile(r"(?:.*_)?(?:token|password|passwd|secret|pat|(?:api|access)_?key)")


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A configuration file.

    Args:
        problems: every mistake in a content of the file.
        known: the meaning of each setting.
        mode: of a new file.
    """

    path: Path
    read: Callable[[Path], bytes]
    problems: Callable[[dict[str, Any]], Sequence[str]]
    known: Mapping[str, str]
    mode: int


def project_file(workspace: Workspace) -> ConfigFile:
    paths = workspace.paths

    def problems(content: dict[str, Any]) -> Sequence[str]:
        return check_trackers(merge_config(paths, content), workspace.registry).problems

    return ConfigFile(paths.config, read_file, problems, known_settings(workspace), _MODE)


def user_file(path: Path) -> ConfigFile:
    def problems(content: dict[str, Any]) -> Sequence[str]:
        return validate(UserConfig, content, prefix="")[1]

    # It may be a link, as dotfiles are.
    return ConfigFile(path.resolve(), read_user_file, problems, described(UserConfig), PRIVATE)


def set_value(file: ConfigFile, key: str, words: Sequence[str]) -> Any:
    """Set a value: the words in TOML or as they are, or a list of them; returns it.

    Raises:
        UsageError: `setting-invalid` or `setting-secret`; nothing was changed.
        UnlatchError: the file cannot be read or written.
    """
    parts = _parts(key)
    _refuse_secret(parts, words)
    first: Sequence[str] = ()
    for value in _values(words):
        mistakes = _change(file, parts, value)
        if not mistakes:
            return value
        first = first or mistakes
    raise _invalid(file, first, "set", shlex.join([key, *words]))


def unset_value(file: ConfigFile, key: str) -> None:
    """Remove a value from the file, so that the next source counts.

    Raises:
        UsageError: `setting-invalid`.
    """
    if mistakes := _change(file, _parts(key), None):
        raise _invalid(file, mistakes, "unset", shlex.quote(key))


def _parts(key: str) -> list[str]:
    """The parts of a dotted key, which TOML quotes if they have other signs than letters."""
    with suppress(ValueError, RecursionError):
        inner: Any = tomllib.loads(f"{key[:_LONGEST_KEY]} = 0")
        parts = []
        while isinstance(inner, dict) and len(inner) == 1:
            ((part, inner),) = inner.items()
            parts.append(part)
        if inner == 0 and not _MORE_THAN_KEY.search(key):
            return parts
    message = f"{key!r} is no key such as labels.reopened"
    raise UsageError("setting-invalid", message, hint="unlatch config list")


def _refuse_secret(parts: Sequence[str], words: Sequence[str]) -> None:
    mask = Redactor().text
    if _SECRET_NAME.fullmatch(parts[-1].lower()) or any(mask(word) != word for word in words):
        tracker = parts[1] if parts[0] == "trackers" and parts[2:] else "TRACKER"
        raise UsageError(
            "setting-secret",
            "configuration files hold no tokens and passwords; revoke it if it was real",
            hint=f"store a token in the keyring: unlatch auth login {shlex.quote(tracker)}",
        )


def _values(words: Sequence[str]) -> Iterator[Any]:
    """The values that words may mean."""
    if len(words) == 1:
        with suppress(ValueError, RecursionError):
            yield from tomllib.loads(f"value = {words[0]}").values()
        yield words[0]
    yield [*words]


def _change(file: ConfigFile, parts: Sequence[str], value: Any) -> Sequence[str]:
    """Change a value, or with None remove it; returns new mistakes, which change nothing."""
    before = parse(file.read, file.path)
    after = deepcopy(before)
    _put(after, parts, value, make=dict)
    before_problems = file.problems(before)
    if mistakes := [problem for problem in file.problems(after) if problem not in before_problems]:
        return mistakes
    raw = b""
    with suppress(FileNotFoundError):
        raw = file.read(file.path)
    text, emptied = _edited(raw.decode("utf-8-sig"), parts, value)
    for table in emptied:
        _put(after, table, None, make=dict)
    if tomllib.loads(text) != after:
        return [f"{'.'.join(parts)}: cannot be changed alone; edit {file.path}"]
    with writing(file.path), suppress(FileExistsError):
        make_folders(file.path.parent)
    mark = codecs.BOM_UTF8 if raw.startswith(codecs.BOM_UTF8) else b""
    replace_file(file.path, mark + text.encode(), mode=file.mode)
    return ()


def _put(table: Any, parts: Sequence[str], value: Any, *, make: Callable[[], Any]) -> None:
    """Set a value in nested tables, or remove it; UsageError `setting-invalid`."""
    for part in parts[:-1]:
        if part not in table and value is not None:
            table[part] = make()
        table = table.get(part)
        if not isinstance(table, MutableMapping):
            message = f"{part} is not set" if table is None else f"{part} is not a table"
            raise UsageError("setting-invalid", message, hint="unlatch config list")
    if value is not None:
        table[parts[-1]] = value
    elif table.pop(parts[-1], None) is None:
        message = f"{'.'.join(parts)} is not set"
        raise UsageError("setting-invalid", message, hint="unlatch config list")


def _edited(text: str, parts: Sequence[str], value: Any) -> tuple[str, list[Sequence[str]]]:
    """The text of the file after a change, and the keys of the tables that went with a value."""
    import tomlkit  # noqa: PLC0415  (slow to load)

    document = tomlkit.parse(text)
    _put(document, parts, value, make=tomlkit.table)
    emptied = [*_remove_empty(document, parts)] if value is None else []
    return tomlkit.dumps(document), emptied


def _remove_empty(document: TOMLDocument, parts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Remove the tables that the removal of a value left empty, and have no comment.

    That of a tracker is kept: it says that the project uses it.
    """
    while (parts := parts[:-1]) and parts[0] != "trackers":
        table: Any = reduce(getitem, parts, document)
        if table or table.trivia.comment or "#" in table.as_string():
            return
        _put(document, parts, None, make=dict)
        yield parts


def _invalid(file: ConfigFile, mistakes: Sequence[str], verb: str, words: str) -> UsageError:
    key = mistakes[0].partition(": ")[0]
    step = f"to show it as it is: unlatch config get {shlex.quote(key)}"
    hint = hint_for(mistakes[0], file.known, step)
    if WRONG_FILE in mistakes[0]:
        option = "" if file.mode == PRIVATE else "--user "
        hint = f"unlatch config {verb} {option}{words}"
    return UsageError("setting-invalid", mistakes[0], where=str(file.path), hint=hint)

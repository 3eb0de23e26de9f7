"""The start of `unlatch`, and of `python -P -m unlatch.cli`: what makes each command load less."""

import gc
import os
import sys
from collections.abc import Iterable

_OBJECTS_BETWEEN_COLLECTIONS = 100_000
# As runtime.failure.INTERRUPTED, which is not loaded yet.
_INTERRUPTED = 130


def main() -> None:
    # Python puts the script's folder first, where each import would look in vain.
    if sys.path[0] == os.path.dirname(sys.executable):  # noqa: PTH120  (pathlib is not loaded yet)
        del sys.path[0]
    try:
        prepare()
        from unlatch.cli.main import main as run  # noqa: PLC0415  (after `prepare`)
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)  # nothing was done yet
    run()


def prepare() -> None:
    """Keep a process that runs unlatch alone from work at each import."""
    # Loading modules makes many objects and no garbage, but collections take a quarter of the time
    # to load SDKs, and a thirtieth of `unlatch show`.
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    from unlatch.project.deferred import defer  # noqa: PLC0415  (after the line above)

    # Most commands use it; `show` of an increment does not.
    defer(("click",))
    # click and pathlib import them, and few commands use them: a tenth of `unlatch show`.
    function = type(main)
    defer(("inspect",), cleandoc=cleandoc, isfunction=lambda value: isinstance(value, function))
    defer(("fnmatch", "ipaddress", "ntpath"))
    # pathlib imports it before Python 3.12, for `as_uri` alone.
    defer(("urllib.parse",), quote_from_bytes=quote_from_bytes)
    # Hints quote words, which most commands have none of.
    defer(("shlex",), quote=quote, join=join)
    # click asks it for translations, and comes with none.
    defer(("gettext",), gettext=str, ngettext=ngettext)
    if hasattr(os, "uname"):
        # click imports `uuid`, which asks for the name of the system at once.
        defer(("platform",), system=lambda: os.uname().sysname)


def cleandoc(text: str) -> str:
    """`inspect.cleandoc`, without running `inspect` for the single line that most help is."""
    if text.isprintable() and text == text.strip():
        return text
    import inspect  # noqa: PLC0415  (deferred above)

    inspect.getdoc  # noqa: B018  # runs it
    return inspect.cleandoc(text)


def quote_from_bytes(string: bytes, safe: str = "/") -> str:
    """`urllib.parse.quote_from_bytes`, as `Path.as_uri` calls it."""
    from urllib import parse  # noqa: PLC0415  (deferred above)

    parse.quote  # noqa: B018  # runs it
    return parse.quote_from_bytes(string, safe)


def quote(text: str) -> str:
    """`shlex.quote`, which runs the module when it is called."""
    import shlex  # noqa: PLC0415  (deferred above)

    shlex.split  # noqa: B018  # runs it
    return shlex.quote(text)


def join(words: Iterable[str]) -> str:
    """`shlex.join`."""
    return " ".join(map(quote, words))


def ngettext(singular: str, many: str, number: int) -> str:
    return singular if number == 1 else many


if __name__ == "__main__":
    if not sys.flags.safe_path:  # as `unlatch.__main__`
        del sys.path[0]
    main()

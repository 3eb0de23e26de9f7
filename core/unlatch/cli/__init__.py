"""The command line: a command parses its options, calls one use case, and shows the result."""

import os
import sys

from unlatch.project.deferred import defer


def cleandoc(text: str) -> str:
    """`inspect.cleandoc`, without running `inspect` for the single line that most help is."""
    if text.isprintable() and text == text.strip():
        return text
    import inspect  # noqa: PLC0415  (deferred below)

    inspect.getdoc  # noqa: B018  # runs it
    return inspect.cleandoc(text)


def ngettext(one: str, many: str, number: int) -> str:
    return one if number == 1 else many


# click and pathlib import them, and few commands use them: a tenth of `unlatch show`.
defer(("inspect",), cleandoc=cleandoc)
defer(("ipaddress",))
# click asks it for translations, and comes with none.
defer(("gettext",), gettext=str, ngettext=ngettext)
if sys.platform == "linux":
    # click imports `uuid`, which asks for the name of the system at once.
    defer(("platform",), system=lambda: os.uname().sysname)

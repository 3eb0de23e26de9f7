"""Parts of a library are imported without running the packages around them."""

from __future__ import annotations

import gettext
import inspect
import shlex
import subprocess
import sys
import threading
import urllib.parse
from importlib import import_module
from operator import attrgetter, methodcaller
from typing import TYPE_CHECKING, Any

import pytest

from unlatch.cli.__main__ import cleandoc, join, ngettext, quote, quote_from_bytes
from unlatch.project.deferred import defer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import ModuleType


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A package `vast` whose body imports everything, and fails to be run twice."""
    package = tmp_path / "vast"
    package.mkdir()
    body = "import sys\nassert not hasattr(sys, 'vast_ran')\nsys.vast_ran = True\n"
    wait = (
        "if hasattr(sys, 'vast_begun'):\n    sys.vast_begun.set()\n    sys.vast_may_end.wait(5)\n"
    )
    (package / "__init__.py").write_text(f"{body}{wait}from .part import Part\n__version__ = '1'\n")
    (package / "part.py").write_text("class Part: ...\n")
    (package / "user.py").write_text("from . import part\nimport vast.part as again\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield "vast"
    _forget()


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A module `vast`, without parts, whose function `begun` uses what is defined later."""
    begun = "def begun(): return Part()\n"
    wait = "import sys\nsys.vast_begun.set()\nsys.vast_may_end.wait(5)\n"
    (tmp_path / "vast.py").write_text(f"{begun}{wait}class Part: ...\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield "vast"
    _forget()


def _forget() -> None:
    for name in [one for one in sys.modules if one.partition(".")[0] == "vast"]:
        del sys.modules[name]
    for name in ("vast_ran", "vast_begun", "vast_may_end"):
        vars(sys).pop(name, None)


def has_run() -> bool:
    return hasattr(sys, "vast_ran")


def test_a_part_is_imported_without_the_rest(library: str) -> None:
    defer([library])
    user = import_module("vast.user")

    assert user.part.Part is user.again.Part
    assert not has_run()


@pytest.mark.parametrize("name", ["Part", "__version__"])
def test_a_deferred_module_runs_when_a_name_in_it_is_used(library: str, name: str) -> None:
    defer([library])
    part = import_module("vast.part")

    assert {"Part": part.Part, "__version__": "1"}[name] == getattr(import_module("vast"), name)
    assert has_run()


def used_by_two_threads(vast: ModuleType, *uses: Callable[[Any], object]) -> list[object]:
    """What they find if the second begins while the first runs the module."""
    sys.vast_begun = begun = threading.Event()  # type: ignore[attr-defined]
    sys.vast_may_end = may_end = threading.Event()  # type: ignore[attr-defined]
    results: list[object] = []
    threads = [threading.Thread(target=lambda use=use: results.append(use(vast))) for use in uses]
    threads[0].start()
    assert begun.wait(5)
    threads[1].start()
    threads[1].join(0.1)  # it would fail at once
    may_end.set()
    for thread in threads:
        thread.join()
    return results


def test_two_threads_that_use_it_first_both_find_it_whole(library: str) -> None:
    defer([library])
    vast = import_module(library)
    found = used_by_two_threads(vast, attrgetter("Part"), attrgetter("__version__"))
    assert {"1", vast.Part} == {*found}


def test_no_thread_uses_a_module_without_parts_that_is_half_run(module: str) -> None:
    defer([module])
    vast = import_module(module)
    found = used_by_two_threads(vast, methodcaller("Part"), methodcaller("begun"))
    assert [vast.Part, vast.Part] == [type(part) for part in found]


def test_a_known_name_does_not_run_its_module(library: str) -> None:
    defer([library], __version__="known")
    vast = import_module(library)

    assert "known" == vast.__version__
    assert not has_run()
    assert vast.Part
    assert "1" == vast.__version__


def test_a_deferred_part_is_an_attribute_of_its_package(library: str) -> None:
    import_module(library)
    del sys.modules[f"{library}.part"], vars(sys.modules[library])["part"]
    defer([f"{library}.part"])

    assert "Part" == sys.modules[library].part.Part.__name__


def test_a_version_with_a_part_of_its_own_is_known(library: str, tmp_path: Path) -> None:
    (tmp_path / library / "version.py").write_text("__version__ = '2'\n")
    defer([library])

    assert "2" == import_module(library).__version__
    assert not has_run()


def test_requests_guesses_an_encoding_all_the_same() -> None:
    script = """
import sys
from unlatch.project.deferred import defer
defer(["charset_normalizer"])
import requests  # warns of a version that it does not know
assert "charset_normalizer.api" not in sys.modules
answer = requests.Response()
answer._content = "Größe und Länge prüfen, über alle Maße".encode("utf-16")
assert "Größe und Länge prüfen, über alle Maße" == answer.text, answer.text
"""
    subprocess.run([sys.executable, "-W", "error", "-c", script], check=True, timeout=60)


def test_stand_ins_of_the_standard_library_do_what_it_does() -> None:
    for text in ("", "One line.", " led ", "Two\n  lines\n", "a\tb", "\n\n x\n"):
        assert inspect.cleandoc(text) == cleandoc(text), text
    for path in ("/srv/plain", "/srv/größe 100%#a?b&~"):
        assert urllib.parse.quote_from_bytes(path.encode()) == quote_from_bytes(path.encode())
    for number in (0, 1, 2):
        texts = "{} value", "{} values"
        assert gettext.ngettext(*texts, number) == ngettext(*texts, number), number
    words = ["plain", "", "two words", "it's", "größe"]
    assert [*map(shlex.quote, words)] == [*map(quote, words)]
    assert shlex.join(words) == join(words)


def test_a_module_that_failed_is_run_again(library: str) -> None:
    sys.vast_ran = True  # type: ignore[attr-defined]
    defer([library])
    vast = import_module(library)
    with pytest.raises(AssertionError):
        vast.Part  # noqa: B018  # its use is what runs the module
    del vars(sys)["vast_ran"]

    assert "1" == vast.__version__


def test_an_unknown_name_is_missing_as_in_any_module(library: str) -> None:
    defer([library])

    with pytest.raises(AttributeError, match="module 'vast' has no attribute 'nothing'"):
        import_module("vast").nothing  # noqa: B018  # its use is what runs the module


def test_an_imported_module_stays(library: str) -> None:
    vast = import_module(library)
    defer([library, "there_is_no_such_module"])

    assert vast is sys.modules[library]

"""Count the functions and modules that a resume of three items enters, in this process.

`tools/measure.py --resume` starts it with the interpreter of the checkout that it measures.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import requests

from unlatch.cli.main import run
from unlatch_sandbox import Sandbox
from unlatch_sandbox.demo import seed

if TYPE_CHECKING:
    from types import FrameType

REASON = "Bug discovered in error handling"


class Watch:
    """Which of our functions run, and how deep the stack is when the first write leaves."""

    def __init__(self) -> None:
        self.functions: set[tuple[str, int]] = set()
        self.frames: int | None = None

    def profile(self, frame: FrameType, event: str, _argument: Any) -> None:
        """Note each call of a function of ours."""
        if event == "call" and _is_ours(frame.f_code.co_filename):
            self.functions.add((frame.f_code.co_filename, frame.f_code.co_firstlineno))

    def sent(self, request: requests.PreparedRequest) -> None:
        """Note the stack at the first PATCH."""
        if self.frames is None and request.method == "PATCH":
            frame: FrameType | None = sys._getframe(1)  # noqa: SLF001  # that is what it is for
            self.frames = 0
            while frame is not None:
                self.frames += _is_ours(frame.f_code.co_filename)
                frame = frame.f_back


def main() -> None:
    """Print the figures."""
    watch = _watched_resume()
    figures = {
        "functions": len(watch.functions),
        "modules": len({file for file, _ in watch.functions}),
        "own frames at the first PATCH": watch.frames,
    }
    sys.stdout.write(f"{json.dumps(figures)}\n")


def _watched_resume() -> Watch:
    watch = Watch()
    with tempfile.TemporaryDirectory() as folder, Sandbox() as box:
        _prepare(Path(folder), box)
        send = requests.Session.send

        def noted(session: requests.Session, request: Any, **options: Any) -> requests.Response:
            watch.sent(request)
            return send(session, request, **options)

        requests.Session.send = noted  # type: ignore[method-assign, assignment]  # watched
        threading.setprofile(watch.profile)
        sys.setprofile(watch.profile)
        try:
            code, said = _run("resume", "1", "--reason", REASON, "--yes")
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
            requests.Session.send = send  # type: ignore[method-assign]  # as it was
    if code:
        raise SystemExit(said)
    return watch


def _prepare(folder: Path, box: Sandbox) -> None:
    os.environ.update(box.environ(), HOME=str(folder), XDG_STATE_HOME=str(folder / "state"))
    os.chdir(folder)
    (folder / ".unlatch" / "increments").mkdir(parents=True)
    (folder / ".unlatch" / "config.toml").write_text(box.config(), encoding="utf-8")
    link = ("link", "1", *seed(box).urls)
    for words in (("new", "Watched"), link, ("start", "1"), ("complete", "1")):
        code, said = _run(*words)
        if code:
            raise SystemExit(said)


def _run(*words: str) -> tuple[int, str]:
    said = StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        code = run(list(words))
    return code, said.getvalue()


def _is_ours(file: str) -> bool:
    return "/unlatch" in file and "/unlatch_sandbox/" not in file and "site-packages" not in file


if __name__ == "__main__":
    main()

"""unlatch demo and sandbox: the main job, and stand-ins for the three trackers, on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from shlex import quote
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from unlatch.cli.runtime.temporary_project import temporary_project
from unlatch.cli.terminal import output
from unlatch.errors import UnlatchError, UsageError
from unlatch.project.plugins.loading import is_installed
from unlatch.worklog.installer import install_command

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from unlatch_sandbox import Sandbox

_ME = (("user.name", "Dana Demo"), ("user.email", "dana@demo.invalid"))
_REASON = "Bug discovered in error handling"


@click.command()
@click.option("--keep", is_flag=True, help="Keep the sandbox and the repository until Ctrl-C.")
def demo(*, keep: bool) -> int:
    _check_sandbox()
    from unlatch_sandbox import Sandbox, serve  # noqa: PLC0415  (loads flask)

    with temporary_project("demo") as root, Sandbox() as box:
        _Demo(root, box).play()
        if keep:
            _tell_places(root, box)
            serve(box)
        else:
            output.talk("To explore them: unlatch demo --keep")
    return 0


class _Demo:
    def __init__(self, root: Path, box: Sandbox) -> None:
        from unlatch_sandbox.demo import quiet_environ  # noqa: PLC0415

        self._root = root
        self._box = box
        self._environ = quiet_environ(os.environ, box)

    def play(self) -> None:
        from unlatch_sandbox.demo import TITLE, seed  # noqa: PLC0415

        self._say("A git repository, an increment, and an item on each of three trackers.")
        items = seed(self._box)
        self._make_repository()
        self._run("new", TITLE)
        self._run("link", "1", *items.urls)
        self._run("start", "1")
        self._say("The work is done.")
        self._run("complete", "1", "--yes")
        self._git("add", "--all")
        self._git("commit", "--quiet", "--message", "Complete smart discipline")
        self._run("show", "1")
        self._say("Weeks later there is a bug. One command reopens everything:")
        self._run("resume", "1", "--reason", _REASON, "--yes")
        self._run("show", "1")
        self._say("The comment on GitHub:")
        for comment in self._box.github.comments("octo/widgets", 4)[-1:]:
            # As GitHub shows it: bold words, and no hidden marker.
            visible = comment["body"].partition("<!--")[0].replace("**", "").rstrip()
            output.data(*(f"  | {output.clean(line)}".rstrip() for line in visible.splitlines()))
        self._say("The changes in git:")
        changed = self._git("diff", "--stat")
        output.data(*(changed or "  (git is not installed)").split("\n"))

    def _make_repository(self) -> None:
        home = self._root / ".unlatch"
        home.mkdir(parents=True)
        (home / "config.toml").write_text(self._box.config(), encoding="utf-8")
        self._git("init", "--quiet")
        for name, value in _ME:
            self._git("config", name, value)

    def _git(self, *arguments: str) -> str:
        """The output of git; an empty text if git is not installed."""
        from unlatch.project.git.run import has_git  # noqa: PLC0415
        from unlatch.project.git.working import WorkingGit  # noqa: PLC0415

        if not has_git(self._root):
            return ""
        settings = (*_ME, ("commit.gpgSign", "false"))
        done = WorkingGit(self._root, settings)(*arguments)
        if not done.is_done:
            raise UnlatchError("demo-failed", f"git {arguments[0]}: {done.complaint}")
        return os.fsdecode(done.out).rstrip()

    def _say(self, text: str) -> None:
        output.data("", output.faint(f"# {text}"))

    def _run(self, *arguments: str) -> None:
        command = " ".join(f"'{a}'" if " " in a else a for a in arguments)
        output.data(output.strong(f"$ unlatch {command}"))
        sys.stdout.flush()
        done = subprocess.run(  # noqa: S603  (this very program)
            [sys.executable, "-P", "-m", "unlatch.cli", *arguments],
            cwd=self._root,
            env=self._environ,
            check=False,
        )
        if done.returncode:
            raise UnlatchError(
                "demo-failed",
                f"unlatch {arguments[0]} ended with exit code {done.returncode}",
                hint="please report the output above",
            )


def _tell_places(root: Path, box: Sandbox) -> None:
    output.talk("", f"Items of all three trackers: {box.console_url}")
    output.talk(f"The repository:              {root}")
    output.talk("To use them, in another terminal:", f"  cd {root}")
    output.talk(*(f"  export {name}={value}" for name, value in box.shell_environ().items()))
    output.talk("Ctrl-C ends the sandbox and removes the repository.")


@click.command()
@click.option(
    "--state",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Store the items in this file; by default they are lost when the sandbox stops.",
)
@click.option(
    "--port",
    type=click.IntRange(1, 65532),
    help="Use this port and the next three; by default free ones.",
)
@click.option("--seed", is_flag=True, help="Add sample items to two projects of each tracker.")
@click.option(
    "--shell",
    "with_shell",
    is_flag=True,
    help="Start your shell with the sandbox's addresses and tokens; the sandbox ends with it.",
)
def sandbox(*, state: Path | None, port: int | None, seed: bool, with_shell: bool) -> int:
    _check_sandbox()
    from unlatch_sandbox import serve  # noqa: PLC0415  (loads flask)

    # Ctrl-C stops it, also while it prints.
    with _sandbox(state, port) as box, suppress(KeyboardInterrupt):
        items = _seed(box) if seed else _emptiness(box)
        if with_shell:
            return _run_shell(box, items, keeps=state is not None)
        output.talk(f"The sandbox is at {box.console_url} (Ctrl-C stops it).", *items)
        output.talk("", "In your project, after unlatch init:")
        output.talk(f"  curl -s {box.console_url}/config.toml > .unlatch/config.toml")
        output.talk(f'  eval "$(curl -s {box.console_url}/environment.sh)"')
        if example := _example(box):
            output.talk(
                "", "For an item alone, the second of these lines is enough, in any folder:"
            )
            output.talk(f"  {example}")
        output.talk("", "The same texts:", "")
        output.data("# .unlatch/config.toml (replace the whole file)")
        output.verbatim(*box.config().split("\n"))
        output.data("# the environment")
        output.data(*(f"export {name}={value}" for name, value in box.shell_environ().items()))
        serve(box)
    return 0


def _run_shell(box: Sandbox, items: Iterable[str], *, keeps: bool) -> int:
    """Run the person's own shell, as `$SHELL` names it, until it ends.

    Args:
        keeps: whether the items outlive the sandbox, and so the records of their reopens.
    """
    from unlatch_sandbox.demo import quiet_environ  # noqa: PLC0415  (loads flask)

    shell = os.environ.get("SHELL") or "/bin/sh"
    output.talk(f"The sandbox is at {box.console_url} until you type: exit", *items)
    if example := _example(box):
        output.talk("Try it:", f"  {example}")
    environ = quiet_environ(os.environ, box)
    try:
        with nullcontext() if keeps else TemporaryDirectory(prefix="unlatch-sandbox-") as records:
            environ |= {"XDG_STATE_HOME": records} if records else {}
            done = subprocess.run([shell], env=environ, check=False)  # noqa: S603
    except OSError as error:
        message = f"the shell cannot be started: {error.strerror}"
        hint = "name your shell in the variable SHELL"
        raise UsageError("sandbox-shell-unusable", message, where=shell, hint=hint) from error
    return max(done.returncode, 0)


def _example(box: Sandbox) -> str | None:
    closed = next((item.url for item in box.github.items() if item.state == "closed"), None)
    return closed and f"unlatch reopen {quote(closed)} --reason 'Still fails'"


@contextmanager
def _sandbox(state: Path | None, port: int | None) -> Iterator[Sandbox]:
    from unlatch_sandbox import BadState, Ports, Sandbox  # noqa: PLC0415  (loads flask)

    box = Sandbox(state, ports=Ports(*range(port, port + 4)) if port else None)
    try:
        box.start()
    except BadState as error:
        hint = "name a new file, or one that the sandbox wrote"
        raise UsageError(
            "sandbox-state-unusable", str(error), where=str(state), hint=hint
        ) from error
    except OSError as error:
        raise UsageError(
            "sandbox-port-taken",
            f"the sandbox cannot use its ports: {error.strerror}",
            where=f"127.0.0.1:{port}" if port else None,
            hint="leave --port out to use free ports: unlatch sandbox",
        ) from error
    try:
        yield box
    finally:
        box.stop()


def _seed(box: Sandbox) -> list[str]:
    from unlatch_sandbox.playground import fill  # noqa: PLC0415

    try:
        return [f"{fill(box)} sample items were added."]
    except ValueError as error:
        return [f"note: {error}; no sample items were added"]


def _emptiness(box: Sandbox) -> list[str]:
    if any(tracker.items() for tracker in (box.github, box.ado, box.jira)):
        return []
    return [
        "There are no items yet. Create one: unlatch link ID --create github",
        "Or start with sample items: unlatch sandbox --seed",
    ]


def _check_sandbox() -> None:
    if not is_installed("flask"):
        raise UnlatchError(
            "extra-missing",
            "the sandbox needs a library that is not installed",
            where="flask",
            hint=install_command("unlatch[sandbox]"),
        )

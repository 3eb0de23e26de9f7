"""A scratch project, with the sandbox behind the addresses of real trackers."""

import json
import os
import re
import shutil
import subprocess
import time
import tomllib
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import tomlkit
from tests.cli.layouts.folders import backlog_md, kiro, openspec, spec_kit
from tests.git.clone import QUICK
from tests.unlatch_agents.transcripts.lines import Session, calls, said, write
from tests.warm.client import program_path, unlatch

from unlatch.config.config import read_config
from unlatch.increments.files.paths import paths_at
from unlatch.project.check_trackers import check_trackers
from unlatch.project.registry import Registry
from unlatch_sandbox import Fault, Sandbox
from unlatch_sandbox.playground import fill

TITLE = "Smart discipline"
INCREMENT = "0007-smart-discipline"
URLS = {
    "github": "https://github.com/octo/widgets/issues/4",
    "ado": "https://dev.azure.com/fabrikam/widgets/_workitems/edit/101",
    "jira": "https://acme.atlassian.net/browse/SCRUM-28",
}
CONFIG = """\
[trackers.github]
repository = "octo/widgets"

[trackers.ado]
organization_url = "https://dev.azure.com/fabrikam"
project = "widgets"

[trackers.jira]
site = "https://acme.atlassian.net"
project = "SCRUM"
"""
_CHAT = """\
# aider chat started at 2026-11-20 12:00:00

#### Fix the logout

I decided to clear the cookie too.

> Applied edit to src/logout.py

#### no, use the session's own method
"""
_ALBUM_TASKS = ".unlatch/increments/0008-photo-album/tasks.md"
_ALBUM = "# Tasks\n\n- [ ] T-001: Show photos\n- [ ] T-002: Sort them\n"
# The tag of the commit in which increment 7 is completed.
_COMPLETED = "before-reopening"
DONE = "completed"
_WHO = {
    f"GIT_{role}_{key}": value
    for role in ("AUTHOR", "COMMITTER")
    for key, value in (("NAME", "Dana Demo"), ("EMAIL", "dana@example.com"))
}
_PASSED_ON = ("PATH", "SYSTEMROOT", "TMPDIR", "LD_LIBRARY_PATH", "SSL_CERT_FILE")


class Stage:
    """A git repository with an origin on GitHub, its own home folder, and open items.

    Args:
        place: an empty folder.
        box: the trackers.
        prepared: where the first stage leaves its completed increment for the stages that follow.
    """

    def __init__(self, place: Path, box: Sandbox, prepared: Path) -> None:
        self.root = place / "widgets"
        self.home = place / "home"
        self._box = box
        self._prepared = prepared
        # What later commands have in their environment, too.
        self._exported: dict[str, str] = {}
        # The addresses on the page, each with its own here.
        self._addresses_shown: Mapping[str, str] = {}
        self._directions: Mapping[str, Callable[[], None]] = {
            "a new repository": self._begin,
            "the sandbox with sample items": self._play,
            "a completed increment": self._complete_increment,
            "a completed increment anew": self._anew,
            "closed items": self._close_items,
            "an archived increment": self._archive,
            "a SpecWeave project": self._specweave,
            "an abandoned increment": self._abandon,
            "its work is written down": self._write_work,
            "Jira is down": self._jira_fails,
            "Jira is back": box.faults.clear,
            "the issue is closed as not planned": self._close_as_not_planned,
            "the issue is reopened by hand": self._reopen_by_hand,
            "the Jira issue is closed by hand": self._close_by_hand,
            "a session of Claude Code": self._work_with_claude,
            "a chat with aider": lambda: self.write(".aider.chat.history.md", _CHAT),
            "an issue with check boxes": self._create_issue,
            "a task is ticked on the issue, and another in tasks.md": self._tick,
            "a folder with spec.md and tasks.md": self._plan,
            "a project of spec-kit": lambda: self._use(spec_kit, "Photo albums"),
            "a project of OpenSpec": lambda: self._use(openspec, "Add login"),
            "a project of Kiro": lambda: self._use(kiro, "Photo albums"),
            "a project of Backlog.md": lambda: self._use(backlog_md, "Log in"),
            "the next task is done": lambda: self._do_tasks(1),
            "all tasks are done": lambda: self._do_tasks(-1),
            "commit": self._commit,
            "the machine of a fleet": self._become_fleet,
        }
        self.home.mkdir(parents=True)
        self._begin()

    @property
    def environ(self) -> dict[str, str]:
        """The environment of a shell, without tokens, keyring and git identity of the machine."""
        passed = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        return {
            **passed,
            **self._box.environ(),
            "SANDBOX": self._box.console_url,
            "PATH": program_path(passed.get("PATH", "")),
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            **QUICK,
            "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
            "PYTHONUTF8": "1",
            **self._exported,
        }

    def direct(self, words: str) -> None:
        """Follow a stage direction.

        Raises:
            KeyError: the direction is unknown.
        """
        self._directions[words]()

    @property
    def config(self) -> str:
        """The path of the project's configuration, relative to its root."""
        return ".unlatch/config.toml"

    def mistakes(self, config: str) -> tuple[str, ...]:
        """The mistakes in a configuration on a page."""
        place = self.home / "shown"
        (place / self.config).parent.mkdir(parents=True, exist_ok=True)
        (place / self.config).write_text(config, encoding="utf-8")
        return check_trackers(read_config(paths_at(place)), Registry()).problems

    def write(self, path: str, text: str) -> None:
        """Write a file from a page; a configuration gets the sandbox's addresses."""
        text = self.with_own_addresses(text)
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        shown = self.redirected(text) if path == self.config else text
        file.write_text(shown, encoding="utf-8")

    @property
    def comment_on_github(self) -> str:
        """The latest comment on the increment's GitHub issue."""
        comments = self._box.github.comments("octo/widgets", 4)
        return str(comments[-1]["body"]) if comments else ""

    def with_shown_addresses(self, printed: str) -> str:
        """The output with the addresses of the page in place of the sandbox's."""
        box = self._box
        if self._addresses_shown:
            return printed  # ports of 127.0.0.1 are not compared
        vendors = {
            box.github.api_url: "https://api.github.com",
            box.ado.organization_url: "https://dev.azure.com/fabrikam",
            box.jira.site: "https://acme.atlassian.net",
        }
        for ours, theirs in vendors.items():
            printed = printed.replace(ours, theirs)
        return printed

    def _become_fleet(self) -> None:
        """Let git know who commits, and a fleet which Jira the page means."""
        self._exported |= _WHO
        own = self._box.jira.site.partition("://")[2]
        self._addresses_shown = {**self._addresses_shown, "acme.atlassian.net/": f"{own}/"}

    def with_own_addresses(self, text: str) -> str:
        """A command or file of a page with this sandbox's addresses."""
        for shown, ours in self._addresses_shown.items():
            text = text.replace(shown, ours)
        return text

    def redirected(self, config: str) -> str:
        """The configuration with the sandbox's addresses for requests.

        Items keep their addresses: web_url says how they are linked, the others where requests go.
        """
        # No request is sent twice here, so there is no settle time to wait for.
        quick = (
            "" if re.search(r"^settle\b", config, re.MULTILINE) else "settle = 0\npatience = 30\n"
        )
        document = tomlkit.parse(quick + config)
        for name, table in document.get("trackers", {}).items():
            for key, value in self._addresses(name, table).items():
                table[key] = value
        return tomlkit.dumps(document)

    def _addresses(self, tracker: str, table: Mapping[str, Any]) -> dict[str, Any]:
        ours = tomllib.loads(self._box.config())["trackers"][tracker]
        if tracker == "github":
            web = table.get("web_url", "https://github.com")
            return {"api_url": ours["api_url"], "web_url": web}
        if tracker == "ado":
            web = table.get("web_url", table["organization_url"])
            return {"organization_url": ours["organization_url"], "web_url": web}
        return {
            "site": ours["site"],
            "web_url": table.get("web_url", table["site"]),
            "api_version": 3,
        }

    def _plan(self) -> None:
        self.write("plans/login/spec.md", "---\nstatus: completed\n---\n\n# Log in\n")
        self.write("plans/login/tasks.md", "- [x] Count wrong passwords\n")

    def _play(self) -> None:
        """Make an empty repository; the page has the addresses of `sandbox --seed --port 8021`."""
        self._begin()
        self._git("remote", "remove", "origin")
        box = self._box
        box.reset()
        fill(box)
        urls = (box.github.web_url, box.ado.organization_url, box.jira.site, box.console_url)
        hosts = (url.split("/")[2] for url in urls)
        self._addresses_shown = {f"127.0.0.1:{8021 + n}": host for n, host in enumerate(hosts)}

    def _work_with_claude(self) -> None:
        """A transcript of yesterday, in which a person corrects the agent."""
        work = Session("5d0c7e9a", cwd=str(self.root), gitBranch="main")
        test = {"command": f"cd {self.root} && pytest tests/test_logout.py"}
        edit = {"file_path": str(self.root / "src/logout.py")}
        work.ask("Hi! Can you please fix the logout? Its test fails since Friday.")
        for number, (tool, given, result) in enumerate(
            [
                ("Read", edit, "def logout(): ..."),
                ("Bash", test, "Exit code 1\n1 failed"),
                ("Edit", edit, "updated"),
                ("Bash", test, "2 passed"),
            ]
        ):
            work.reply(f"m{number}", calls(f"t{number}", tool, **given))
            work.result(f"t{number}", result, is_error="failed" in result)
        work.reply("m4", said("I decided to clear the cookie too."))
        work.ask("no, use the session's own method")
        work.reply("m5", calls("t5", "Edit", **edit))
        work.result("t5", "updated")
        work.reply("m6", said("It calls session.clear() now."))
        work.ask("Now write the changelog entry and commit")
        for number, (tool, given) in enumerate(
            [
                ("Edit", {"file_path": str(self.root / "CHANGELOG.md")}),
                ("Bash", {"command": "git commit -am 'Clear the session at logout'"}),
            ],
            7,
        ):
            work.reply(f"m{number}", calls(f"t{number}", tool, **given))
            work.result(f"t{number}", "ok")
        path = write(self.home / ".claude/projects/-widgets/5d0c7e9a.jsonl", work.lines)
        yesterday = time.time() - timedelta(days=1).total_seconds()
        os.utime(path, (yesterday, yesterday))

    def _begin(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)
        new = self._prepared.with_name("new")
        if not new.exists():
            self.root.mkdir()
            self._git("init", "--quiet", "--initial-branch", "main")
            self._git("config", "user.name", "Dana Demo")
            self._git("config", "user.email", "dana@demo.invalid")
            self._git("remote", "add", "origin", "https://github.com/octo/widgets.git")
            self.root.rename(new)
        shutil.copytree(new, self.root)
        self._seed()

    def _seed(self) -> None:
        box = self._box
        box.reset()
        box.github.add_issue(number=4, title=TITLE, assignee="octocat", labels=["enhancement"])
        box.ado.add_work_item(
            id=101, title=TITLE, assigned_to="Dana Demo", tags=["ui"], state="Active"
        )
        box.jira.add_issue("SCRUM-28", summary=TITLE, type="Epic", labels=["ux"])

    def _complete_increment(self) -> None:
        """Make increment 7, completed three days ago with its items."""
        is_new = not (self.root / self.config).exists()
        if is_new and self._prepared.exists():
            shutil.rmtree(self.root)
            shutil.copytree(self._prepared, self.root)
            self._seed_closed()
            return
        if is_new:
            self.write(self.config, CONFIG)
        self._make_numbers_up_to(7)
        self._unlatch("link", "7", *URLS.values())
        self._unlatch("start", "7")
        self._unlatch("complete", "7")
        completed = datetime.now(UTC) - timedelta(days=3, hours=1)
        created = completed - timedelta(days=4)
        self._edit_metadata(created=_stamp(created), completedAt=_stamp(completed))
        self._commit()
        self._git("tag", _COMPLETED)
        if is_new:
            shutil.copytree(self.root, self._prepared)

    def _close_items(self) -> None:
        """Configure the trackers, without an increment, and close their items."""
        self._begin()
        self.write(self.config, CONFIG)
        self._seed_closed()

    def _make_numbers_up_to(self, last: int) -> None:
        # A new increment gets the number after the highest one.
        before = self.root / ".unlatch/increments" / f"{last - 1:04}-draft"
        before.mkdir(parents=True)
        (before / "metadata.json").write_text(
            json.dumps({"id": before.name, "status": "planning"}), encoding="utf-8"
        )
        self._unlatch("new", TITLE)
        (before / "metadata.json").unlink()
        before.rmdir()

    def _edit_metadata(self, **values: str) -> None:
        path = self.root / ".unlatch/increments" / INCREMENT / "metadata.json"
        data = {**json.loads(path.read_text(encoding="utf-8")), **values}
        path.write_text(f"{json.dumps(data, indent=2)}\n", encoding="utf-8")

    def _archive(self) -> None:
        self._anew()
        increments = self.root / ".unlatch/increments"
        (increments / "_archive").mkdir(exist_ok=True)
        (increments / INCREMENT).rename(increments / "_archive" / INCREMENT)

    def _specweave(self) -> None:
        """Make the completed increment in the format of another tool, without files of unlatch."""
        self._complete_increment()
        self._archive()
        increments = self.root / ".unlatch/increments"
        old = self.root / ".specweave/increments"
        old.parent.mkdir()
        increments.rename(old)
        folder = old / "_archive" / INCREMENT
        (folder / "events.jsonl").unlink()
        path = folder / "metadata.json"
        data = json.loads(path.read_text(encoding="utf-8"))
        links = {"github": {"issue": 4, "url": URLS["github"]}}
        kept = {key: data[key] for key in ("id", "status", "type", "created")}
        content = {**kept, "completed": data["completedAt"], **links}
        path.write_text(json.dumps(content, indent=2), encoding="utf-8")
        self.write(self.config, CONFIG.partition("\n\n")[0])
        sync = {"statusSync": {"mappings": {"jira": {"active": "In Progress"}}}}
        settings = {"limits": {"maxActiveIncrements": 3}, "sync": sync}
        (old.parent / "config.json").write_text(json.dumps(settings), encoding="utf-8")

    def _abandon(self) -> None:
        self._anew()
        self._unlatch("resume", "7", "--reason", "Bug discovered in error handling", "--yes")
        self._unlatch("abandon", "7", "--reason", "No longer needed")

    def _reopen_by_hand(self) -> None:
        self._box.github.edit("octo/widgets", 4, state="open", by="mona")

    def _close_by_hand(self) -> None:
        self._box.jira.edit("SCRUM-28", status="Done")

    def _close_as_not_planned(self) -> None:
        self._anew()
        # GitHub, and so the sandbox, accepts a reason only with a change of state.
        self._box.github.edit("octo/widgets", 4, state="open")
        self._box.github.edit("octo/widgets", 4, state="closed", state_reason="not_planned")

    def _anew(self) -> None:
        """Reset the completed increment and its items."""
        self._git("reset", "--quiet", "--hard", _COMPLETED)
        self._git("clean", "--quiet", "--force", "-d", ".unlatch/increments")
        self._seed_closed()

    def _seed_closed(self) -> None:
        self._seed()
        github = {"state": "closed", "state_reason": "completed", "labels": ["enhancement", DONE]}
        self._box.github.edit("octo/widgets", 4, **github)
        self._box.ado.edit(101, state="Closed", tags=["ui", DONE])
        self._box.jira.edit("SCRUM-28", status="Done", labels=["ux", DONE])

    def _write_work(self) -> None:
        """Write two user stories and eight tasks, all done."""
        criteria = ("AC-US1-01**: A rule can be read", "AC-US2-01**: Rules are followed")
        stories = "".join(
            f"\n### US-00{n}: Story {n}\n\n- [x] **{text}\n" for n, text in enumerate(criteria, 1)
        )
        tasks = "".join(
            f"\n### T-00{n}: Step {n}\n\n**User Story**: US-00{1 + n // 5}\n"
            "**Status**: [x] completed\n"
            for n in range(1, 9)
        )
        folder = f".unlatch/increments/{INCREMENT}"
        self.write(f"{folder}/spec.md", f"# {TITLE}\n{stories}")
        self.write(f"{folder}/tasks.md", f"---\ncoverage_target: 90\n---\n\n# Tasks\n{tasks}")

    def _create_issue(self) -> None:
        """Increment 8, active, with two open tasks and an issue that lists them."""
        self._anew()
        self._unlatch("new", "Photo album")
        self.write(_ALBUM_TASKS, _ALBUM)
        self._unlatch("start", "8")
        self._unlatch("github", "create-issue", "8")

    def _tick(self) -> None:
        self._box.github.tick("octo/widgets", 5, "T-001: ")
        tasks = _ALBUM.replace("[ ] T-002", "[x] T-002")
        self.write(_ALBUM_TASKS, tasks)

    def _use(self, make: Callable[[Path], Path], title: str) -> None:
        """Make a project of another tool, whose work has issue 4."""
        self._begin()
        self._box.github.edit("octo/widgets", 4, title=title)
        make(self.root)
        self._commit()

    def _do_tasks(self, count: int) -> None:
        (tasks,) = self.root.glob("**/tasks.md")
        text = tasks.read_text("utf-8")
        tasks.write_text(text.replace("- [ ]", "- [x]", count), encoding="utf-8")

    def _jira_fails(self) -> None:
        self._box.faults.add(Fault("jira", "status", code=503, times=1000))

    def _commit(self) -> None:
        self._git("add", "--all")
        self._git("commit", "--quiet", "--message", "Work")

    def _git(self, *arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=self.root, env=self.environ, check=True)

    def _unlatch(self, *arguments: str) -> None:
        command = [*unlatch(self.environ), *arguments]
        done = subprocess.run(
            command, cwd=self.root, env=self.environ, capture_output=True, text=True, check=False
        )
        assert (0, arguments) == (done.returncode, arguments), done.stdout + done.stderr


def _stamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")

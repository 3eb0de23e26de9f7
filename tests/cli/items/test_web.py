"""--web opens items in the browser, on trusted hosts only."""

from pathlib import Path

import pytest
from tests.cli.output.test_picker import ENTER, EXTRA
from tests.cli.project import NAME, Project
from tests.cli.terminal import Terminal

BROWSER = '#!/bin/sh\necho "$# $*" >> "$HOME/opened"\n'


@pytest.fixture
def browsing(completed: Project, tmp_path: Path) -> Project:
    """A completed increment with three items, and a browser that writes what it opens."""
    browser = tmp_path / "my-browser"
    browser.write_text(BROWSER)
    browser.chmod(0o755)
    completed.extra["BROWSER"] = str(browser)
    return completed


def opened(project: Project) -> list[str]:
    path = project.home / "opened"
    return path.read_text().splitlines() if path.exists() else []


@pytest.mark.parametrize("tracker", ["github", "ado", "jira"])
def test_the_item_on_a_tracker_is_opened(browsing: Project, tracker: str) -> None:
    url = browsing.urls[tracker]
    browsing.process("show", "7", "--web", "--tracker", tracker).ends(
        0, whole_out="", whole_err=f"Opening {url} in your browser.\n"
    )
    assert [f"1 {url}"] == opened(browsing)
    assert [] == browsing.sent()


def test_named_items_are_opened(browsing: Project) -> None:
    browsing.process("status", "SCRUM-28", browsing.urls["github"], "--web").ends(0)
    assert [f"1 {browsing.urls[name]}" for name in ("jira", "github")] == opened(browsing)


@pytest.mark.parametrize("columns", [60, 100, 200])
def test_of_several_items_the_user_picks_one(browsing: Project, columns: int) -> None:
    with Terminal(browsing, "show", "7", "--web", columns=columns, extra=EXTRA) as terminal:
        terminal.answer("jira", f"scrum{ENTER}")
        assert 0 == terminal.end()
    assert [f"1 {browsing.urls['jira']}"] == opened(browsing)
    assert f"Opening {browsing.urls['jira']} in your browser." in terminal.text


def test_without_a_browser_the_address_is_printed(browsing: Project) -> None:
    browsing.extra["BROWSER"] = "/nonexistent/browser"
    browsing.process("show", "7", "--web", "--tracker", "jira").ends(
        0, err="no browser was found", whole_out=f"{browsing.urls['jira']}\n"
    )


def test_a_mistake_is_explained(browsing: Project) -> None:
    browsing.increment("0008-no-items")
    for arguments, error in (
        (("show", "7", "--web"), f"github {browsing.urls['github']}"),
        (("show", "7", "--web"), "error[several-items]"),
        (("show", "7", "--web", "--json"), "--tracker goes with --web"),
        (("show", "7", "--tracker", "jira"), "--tracker goes with --web"),
        (("show", "7", "--web", "--tracker", "gitlab"), "unknown-tracker"),
        (("show", "8", "--web"), "no-link"),
        (("show", "8", "--web", "--tracker", "jira"), "no-link"),
        (("status", "--web"), "--web goes with an item"),
    ):
        browsing.run(*arguments).ends(2, err=error)


def test_an_address_that_is_not_the_trackers_is_never_opened(browsing: Project) -> None:
    for number, url in enumerate(
        (
            "https://github.com.evil.example/octo/widgets/issues/4",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "--help",
            "http://127.0.0.1:1/octo/widgets/issues/4",
            "https://evil.example/octo/widgets/issues/4",
        ),
        11,
    ):
        name = f"00{number}-hostile"
        browsing.increment(name, links={"github": {"issue": 4, "url": url}})
        done = browsing.process("show", name, "--web")
        assert done.code != 0, url

    assert [] == opened(browsing)


def test_a_repository_cannot_name_the_host_of_the_page(browsing: Project) -> None:
    config = browsing.root / ".unlatch" / "config.toml"
    text = config.read_text().replace(browsing.box.github.web_url, "https://evil.example")
    config.write_text(text)
    url = "https://evil.example/octo/widgets/issues/4"
    browsing.increment("0008-hostile", links={"github": {"issue": 4, "url": url}})
    done = browsing.process("show", "8", "--web")
    assert (True, []) == ("host-not-trusted" in done.err, opened(browsing)), done.err
    assert NAME in browsing.process("list").out

"""list: filters, order and number."""

import shlex

import pytest
from tests.cli.overview.test_history import reopen
from tests.cli.project import Project

JIRA = {"jira": {"issueKey": "SCRUM-28"}}
TITLES = {"0002-login": "Ünïcode login", "0003-照合": "監査の照合", "0004-audit": "audit of عربى"}


@pytest.fixture
def several(project: Project) -> Project:
    """Five increments and an archived one, different in each way that can be asked for."""
    project.increment(
        "0001-search", type="bug", created="2025-09-05T00:00:00Z", reopenHistory=[
            reopen(1, "2025-11-10T00:00:00Z", reason="The ﬁlter misses ÉTÉ"),
            reopen(2, "2025-11-11T00:00:00Z"),
        ],
    )  # fmt: skip
    project.increment("0002-login", status="active", lastActivity="2025-10-02T00:00:00Z")
    project.increment("0003-照合", status="paused", links=JIRA, created="2025-09-01T00:00:00Z")
    project.increment(
        "0004-audit", status="active", type=None, reopenHistory=[reopen(3, "2025-11-12T00:00:00Z")]
    )
    project.increment("0005-plan", status="planning", created=None, lastActivity=None)
    project.increment("0006-old-search", archived=True)
    for name, title in TITLES.items():
        (project.folder(name) / "spec.md").write_text(f"# {title}\n", encoding="utf-8")
    return project


def numbers(project: Project, *arguments: str) -> str:
    """The last digits of the listed numbers, in their order."""
    found = project.run("list", *arguments, "--json").document
    return "".join(entry["id"][3] for entry in found)


def test_filters_select_and_combine(several: Project) -> None:
    for line, expected in (
        ("--status active", "24"),
        ("--status active,paused --status done", "1234"),
        ("--type bug", "1"),
        ("--type none,bug", "14"),
        ("--tracker jira", "3"),
        ("--reopened", "14"),
        ("--reopened --status active", "4"),
        ("--stale", "2"),
        ("--since 10d", "134"),
        ("--since 2025-10-01", "1234"),
        ("--search search", "1"),
        ("--search search --all", "16"),
        ("--search 'été FILTER'", "1"),
        ("--search 0004", "4"),
        ("--search 照合", "3"),
        ("--search 'عربى audit'", "4"),
        ("--search ünïcode", "2"),
        ("--matching type!=bug --matching status=active,paused", "234"),
        ("--matching reopened=no --matching title~plan", "5"),
        ("--matching archived=yes", "6"),
    ):
        assert expected == numbers(several, *shlex.split(line)), line


def test_an_order_puts_what_lacks_the_key_last(several: Project) -> None:
    for line, expected in (
        ("--sort id", "12345"),
        ("--sort -id", "54321"),
        ("--reverse", "54321"),
        ("--all --sort id", "123456"),
        ("--sort created", "31245"),
        ("--sort -created", "24135"),
        ("--sort activity", "21345"),
        ("--sort status", "52431"),
        ("--sort title", "45123"),
        ("--sort -reopened", "14235"),
        ("--sort -reopened --reverse", "23541"),
        ("--sort -reopened --limit 2", "14"),
        ("--status active --limit 1", "2"),
    ):
        assert expected == numbers(several, *line.split()), line


def test_what_a_limit_leaves_out_is_counted_on_stderr(several: Project) -> None:
    first = several.run("list", "--limit", "2")
    as_json = several.run("list", "--limit", "2", "--json")
    assert ["0001-search", "0002-login"] == [one.split()[0] for one in first.out.splitlines()[1:]]
    assert first.err == (
        "Showing 2 of 5 increments.\n1 archived increment not shown; --all shows it.\n"
    )
    assert (2, "Showing 2 of 5 increments.\n") == (len(as_json.document), as_json.err)
    assert "Showing" not in several.run("list", "--limit", "5").err


def test_nothing_found_names_what_was_not_searched(several: Project) -> None:
    found = several.run("list", "--search", "old search")
    both = several.run("list", "--search", "nowhere", "--all")
    assert (0, "No increment matches; 1 archived increment not searched. Next: add --all\n") == (
        found.code,
        found.said,
    )
    assert "No increment matches. Next: unlatch list --all\n" == both.said
    assert [] == several.run("list", "--search", "nowhere", "--json").document


def test_a_wrong_value_is_explained(several: Project) -> None:
    for line, error in (
        ("--status active,asleep", "status-unknown"),
        ("--tracker gitlab", "unknown-tracker"),
        ("--since soon", "time-unknown"),
        ("--matching size=3", "filter-invalid"),
        ("--limit 0", "Invalid value for '--limit'"),
        ("--sort size", "Invalid value for '--sort'"),
    ):
        several.run("list", *line.split()).ends(2, err=error, whole_out="")


def test_a_filter_without_a_value_selects_nothing(several: Project) -> None:
    for line in (
        "list --status ''",
        "list --status active --status ' , '",
        "list --type ''",
        "list --tracker ''",
        "list --search ' '",
        "list --since ''",
        "list --matching status=",
        "search words --status ''",
        "search words --since ''",
        "history --all --tracker ''",
        "session list --agent ''",
        "session list --search ''",
        "session query --channel ''",
    ):
        done = several.run(*shlex.split(line)).ends(2, err="  next: ", whole_out="")
        assert done.err.startswith(("error[filter-invalid]: ", "error[time-unknown]: ")), line
    # One of several values may be empty.
    assert several.run("list", "--status", "active,").code == 0


def test_an_increment_that_cannot_be_read_is_last_and_no_filter_selects_it(
    several: Project,
) -> None:
    (several.folder("0002-login") / "metadata.json").write_text("{")
    assert "31425" == numbers(several, "--sort", "created")
    several.run("list", "--reopened").ends(5, err="1 increment cannot be read and is left out")


def test_a_time_without_an_offset_is_utc_everywhere(project: Project) -> None:
    project.increment("0001-late", lastActivity="2026-03-31T09:00:00Z")
    project.extra["TZ"] = "America/New_York"
    for offset, found in (("", 1), ("Z", 1), ("+02:00", 1), ("-02:00", 0)):
        since = ("--since", f"2026-03-31T08:30:00{offset}")
        listed = project.run("list", *since, "--json").document
        searched = project.run("search", "late", *since, "--json").document["results"]
        assert [found, found] == [len(listed), len(searched)], offset

"""Files that are made to take long: the time grows with their size, and not with its square."""

import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.cli.project import Project
from tests.increments.files.making import GITHUB, SHAPES

from unlatch.delivery.planning import _IMPORTED
from unlatch.errors import StoreError
from unlatch.increments.documents import front_matter
from unlatch.increments.records.links import read_links
from unlatch.increments.records.unread_places import unread_places
from unlatch.worklog.search_index import Document, SearchIndex, Source
from unlatch.worklog.text.parsing import BadYaml, load_toml, load_yaml
from unlatch_agents.imports.importing import Importer
from unlatch_agents.imports.watching import take
from unlatch_agents.transcripts import Listed
from unlatch_jira.api.rich_text import addresses
from unlatch_layouts.openspec.schema import task_files
from unlatch_regressions.alerts.alert import Alert
from unlatch_regressions.alerts.naming import means
from unlatch_sessions.front_matter import read as read_session
from unlatch_sessions.store import SessionStore

# Eight times the size takes about eight times as long; with a square it would be 64 times.
_TIMES, _MOST = 8, 30


def _grows_with_its_size(run: Callable[[int], object], size: int) -> bool:
    return _least_time(run, size * _TIMES) < _MOST * max(_least_time(run, size), 0.001)


def _least_time(run: Callable[[int], object], size: int) -> float:
    """Seconds of this process's own work."""
    times = []
    for _ in range(3):
        started = time.process_time()
        run(size)
        times.append(time.process_time() - started)
    return min(times)


def _issues(size: int) -> dict[str, Any]:
    return {"github": {"issues": [*range(1, size)]}}


def _addressed(size: int) -> dict[str, Any]:
    return {"github": {"issues": [GITHUB.format(number) for number in range(1, size)]}}


def _one(tracker: str, start: str, piece: str, end: str = "") -> Callable[[int], dict[str, Any]]:
    def made(size: int) -> dict[str, Any]:
        text = f"https://{start}{piece * size}{end}"
        item = {"workItemId": 5, "issue": 5, "issueKey": "A-1", "url": text}
        return {tracker: {"items": [item], "issues": [text]}}

    return made


@pytest.mark.parametrize(
    ("made", "size"),
    [
        pytest.param(_issues, 1000, id="plain issues"),
        pytest.param(_addressed, 400, id="addresses"),
        pytest.param(_one("ado", "", "a", "/5"), 2500, id="a long host"),
        pytest.param(_one("ado", "", "a.visualstudio.com/"), 400, id="many hosts"),
        pytest.param(_one("ado", "", "/_workitems/edit/1?", "\nx"), 400, id="work items"),
        pytest.param(_one("ado", "a/_workitems/edit/", "0", "x"), 2500, id="zeros of a work item"),
        pytest.param(_one("github", "", "/issues/1?", "\nx"), 400, id="issues"),
        pytest.param(_one("github", "a/b/issues/", "0", "x"), 2500, id="zeros"),
        pytest.param(_one("github", "", "a/"), 2500, id="folders"),
        pytest.param(_one("jira", "", "/browse/A-1?", "\nx"), 400, id="browse"),
        pytest.param(_one("jira", "", "/jira"), 2500, id="sites"),
    ],
)
def test_links_of_long_files_are_read_in_time(
    made: Callable[[int], dict[str, Any]], size: int
) -> None:
    def read(size: int) -> None:
        data = made(size)
        read_links(data, SHAPES.links)
        for tracker, shape in SHAPES.links.items():
            list(unread_places(data, tracker, shape))

    assert _grows_with_its_size(read, size)


def _layouts(size: int) -> None:
    with suppress(ValueError):
        load_toml(f"[layouts]\n{'a.' * size}a = 1\n")


def _is_imported(size: int) -> None:
    assert not _IMPORTED.fullmatch("US" + "1" * size)


def _yaml_flow(size: int) -> None:
    with suppress(BadYaml):
        load_yaml("[" + "a: b, {a: b}, " * size)


def _front_matter(piece: str) -> Callable[[int], object]:
    return lambda size: front_matter.title(f"---\ntitle: {piece * size}\n  more\n---\n")


@pytest.mark.parametrize(
    ("read", "size"),
    [
        pytest.param(_layouts, 1000, id="parts of a key"),
        pytest.param(_front_matter(" "), 2000, id="spaces in front matter"),
        pytest.param(_front_matter("a #"), 1000, id="comments in front matter"),
        pytest.param(_is_imported, 2000, id="digits of a story"),
        pytest.param(_yaml_flow, 200, id="a schema in YAML"),
    ],
)
def test_long_values_are_read_in_time(read: Callable[[int], object], size: int) -> None:
    assert _grows_with_its_size(read, size)


@pytest.mark.parametrize(("piece", "size"), [("\x01", 5000), ("word ", 16000)])
@pytest.mark.parametrize("place", ["title", "summary"])
def test_a_long_title_or_summary_is_searched_in_time(
    tmp_path: Path, piece: str, size: int, place: str
) -> None:
    def search(size: int) -> None:
        index = SearchIndex(tmp_path / f"{size}.sqlite3")
        document = Document(**{"title": "", place: f"word {piece * size} end"})
        index.refresh("kind", [Source("1", "1", lambda: document)])
        (hit,) = index.search("word end")
        assert (hit.matches[0].word, hit.matches[0].where) == ("word", place)
        assert "end" in [one.word for one in hit.matches]

    assert _grows_with_its_size(search, size)


@pytest.mark.sweep
def test_a_file_of_many_chats_is_imported_in_time(tmp_path: Path) -> None:
    chat = "# aider chat started at 2026-11-20 10:00:00\n\n#### Fix add {}\n\nDone.\n"
    imports = count()

    def run(size: int) -> None:
        path = tmp_path / f"{next(imports)}" / ".aider.chat.history.md"
        path.parent.mkdir()
        path.write_text("".join(map(chat.format, range(size))))
        importer = Importer(SessionStore(path.parent / "sessions"))
        listed = Listed("aider", path, datetime.now(UTC))
        assert len(take(importer, listed, is_running=lambda _: False)) == size

    assert _grows_with_its_size(run, 80)


def _bomb(key: str) -> str:
    """A mapping whose last value stands for nine to the ninth values."""
    names = "abcdefghij"
    lines = [f"{name}: &{name} [{', '.join([f'*{last}'] * 9)}]" for last, name in pairwise(names)]
    return "\n".join(["a: &a [x]", *lines, f"{key}: *j\n"])


def test_aliases_in_yaml_are_not_expanded(project: Project) -> None:
    folder = project.folder()
    folder.mkdir(parents=True)
    (folder / "spec.md").write_text(f"---\nstatus: completed\n{_bomb('github')}---\n# T")
    done = project.run("show", "7")
    assert (1, True) == (done.code, "[metadata-missing]" in done.err), done.said

    with pytest.raises(StoreError, match=r"an alias \(\*\) is not supported"):
        read_session(f"---\n{_bomb('title')}---\n")

    change, schema = project.root / "openspec/changes/one", "openspec/schemas/own/schema.yaml"
    for path, text in {
        schema: f"artifacts: [&a {{id: tasks, generates: '*.md'}}]\n{_bomb('apply')}",
        "openspec/config.yaml": "schema: own\n",
        "openspec/changes/one/other.md": "",
    }.items():
        (project.root / path).parent.mkdir(parents=True, exist_ok=True)
        (project.root / path).write_text(text)
    assert ("tasks.md",) == task_files(project.root, change)


@pytest.mark.parametrize("piece", ["aa", "a ", "-a", "** ", "https://a)"])
def test_alerts_are_looked_for_in_long_texts_in_time(piece: str) -> None:
    def names(text: str, name: str) -> bool:
        at = datetime(2026, 1, 1, tzinfo=UTC)
        return means(text, Alert((name,), "", "", at, names=(name,)))

    assert not names(f"{'** ' * 100}x", f"{'* ' * 100}x")
    assert _grows_with_its_size(lambda size: names(f"{piece * size}b x", f"{piece}x"), 20_000)
    assert _grows_with_its_size(lambda size: names(piece * size, piece), 20_000)


def test_addresses_of_deep_documents_are_read_in_time() -> None:
    def deep(size: int) -> list[str]:
        node: dict[str, Any] = {"attrs": {"url": "https://example.com"}}
        for _ in range(size):
            node = {"content": [node, {"marks": [{"attrs": {"href": "x"}}]}]}
        return [*addresses(node)]

    assert 1001 == len(deep(1000))
    assert _grows_with_its_size(deep, 5_000)

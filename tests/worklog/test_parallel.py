"""Tasks run side by side; digests and installers are found without slow imports."""

import hashlib
import shlex
import sys
import threading
import time
from pathlib import Path

import pytest

from unlatch.worklog import digests
from unlatch.worklog.installer import install_command, upgrade_command
from unlatch.worklog.parallel import MOST_AT_ONCE, run_parallel
from unlatch.worklog.text.markdown_lines import line_ending, scan


def test_what_takes_too_long_is_left_behind_and_keeps_no_process_from_ending() -> None:
    release = threading.Event()
    tasks = {"slow": lambda: release.wait(30), "fast": lambda: True}
    began = time.monotonic()

    done = dict(run_parallel(tasks, within=0.2))
    took = time.monotonic() - began
    threads = [t for t in threading.enumerate() if t is not threading.main_thread()]
    release.set()

    assert done == {"fast": True}
    assert took < 20
    assert any(thread.daemon for thread in threads)


def test_a_task_that_raises_ends_it_with_its_error() -> None:
    def fail() -> bool:
        raise LookupError("lost")

    with pytest.raises(LookupError, match="lost"):
        list(run_parallel({"one": fail}))


def test_all_lanes_together_run_no_more_than_the_pool_takes() -> None:
    lock, running, most = threading.Lock(), 0, 0
    full = threading.Event()

    def task() -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
            if running == MOST_AT_ONCE:
                full.set()
        full.wait(10)
        with lock:
            running -= 1

    tasks = {(lane, number): task for lane in "abc" for number in range(MOST_AT_ONCE)}

    done = dict(run_parallel(tasks, lane_of=lambda key: key[0], limits=dict.fromkeys("abc", 8)))

    assert (len(tasks), MOST_AT_ONCE) == (len(done), most)


@pytest.mark.parametrize("content", [b"", b"0007-search", b"\0" * 1_000])
@pytest.mark.parametrize("module", [digests._MODULE, "missing_here"])
def test_a_digest_is_that_of_hashlib(
    content: bytes, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(digests, "_MODULE", module)

    assert hashlib.sha256(content).hexdigest() == digests.sha256(content)


@pytest.fixture
def prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    return tmp_path


def test_pipx_is_named_in_its_own_environment(prefix: Path) -> None:
    (prefix / "pipx_metadata.json").write_text("{}")
    assert install_command("unlatch[mcp]") == "pipx inject unlatch 'unlatch[mcp]'"
    assert upgrade_command() == "pipx upgrade unlatch"


def test_pip_of_this_python_is_named_elsewhere(prefix: Path) -> None:
    assert prefix.is_dir()
    program = [sys.executable, "-P", "-m", "pip", "install"]
    assert shlex.split(install_command("unlatch[mcp]")) == [*program, "unlatch[mcp]"]
    assert shlex.split(upgrade_command()) == [*program, "--upgrade", "unlatch"]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("---\nstatus: active\n---\nText", [4]),
        ("Text\n---\nmore\n---\nend", [1, 2, 3, 4, 5]),
        ("```python\ncode\n```\nText", [4]),
        ("~~~ text\ncode\n~~~\nText", [4]),
        ("```\n\ncode\n```\n    Text", [5]),
        ("Text\n\n    code\n\nmore", [1, 5]),
        ("-   item\n\n      Text", [1, 3]),
        ("-   item\n\n        code", [1]),
        ("-      code\n\n  Text", [1, 3]),
    ],
)
def test_lines_outside_code_and_front_matter_count(text: str, numbers: list[int]) -> None:
    assert numbers == [line.number for line in scan(text).lines]


def test_a_byte_order_mark_belongs_to_no_line() -> None:
    (line,) = scan("\ufeff# Title").lines

    assert (1, 1, "# Title", 1) == (line.number, line.start, line.text, line.level)


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        ("one", "\n"),
        ("one\r\ntwo\r\nthree", "\r\n"),
        ("one\rtwo\rthree\r\n", "\r"),
        ("one\r\ntwo\nthree\n", "\n"),
        ("one\ntwo\r\nthree\r\n", "\r\n"),
    ],
)
def test_most_lines_decide_the_line_ending(text: str, ending: str) -> None:
    assert ending == line_ending(text)

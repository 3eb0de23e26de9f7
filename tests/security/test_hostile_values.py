"""Values that are small to write and dear to read end in a clear error, or cost nothing."""

import json
import os
import resource
import subprocess
import sys

import pytest
import zstandard
from tests.cli.project import NAME, REASON, Project
from tests.pairs import sampled
from tests.warm.client import unlatch

from unlatch.project.identity import LONGEST_NAME

MEBIBYTE = 1 << 20


def limit() -> None:
    """As much memory as any command needs."""
    resource.setrlimit(resource.RLIMIT_AS, (600 * MEBIBYTE,) * 2)


KEYS = {
    "bare": ".".join(["a"] * 40_000) + " = 1",
    "spaced": " . ".join(["a"] * 40_000) + " = 1",
    "quoted": ".".join(['"a b"'] * 20_000) + " = 1",
    "table": "[" + ".".join(["a"] * 40_000) + "]",
    "inline": "x = { " + ".".join(["a"] * 40_000) + " = 1 }",
}


@pytest.mark.parametrize("kind", sampled(KEYS, {"bare"}))
def test_a_key_of_many_parts_is_a_mistake_in_the_configuration(single: Project, kind: str) -> None:
    single.configure(KEYS[kind])

    done = subprocess.run(
        [sys.executable, "-P", "-m", "unlatch.cli", "resume", "7", "--reason", REASON],
        cwd=single.root,
        env=single.environ,
        capture_output=True,
        text=True,
        preexec_fn=limit,
        check=False,
    )

    assert (1, True) == (done.returncode, "error[config-invalid]" in done.stderr), done.stderr
    assert "a key of more than 50 parts (at line 1)" in done.stderr


@pytest.mark.parametrize("command", [("sync",), ("session", "list"), ("config", "list")])
def test_deep_nesting_is_a_mistake_in_the_configuration(
    single: Project, command: tuple[str, ...]
) -> None:
    single.configure("[layouts]\nuse = " + "[" * 5_000)

    done = single.run(*command)

    assert (1, True) == (done.code, "error[config-invalid]" in done.err), done.said
    assert "it is nested too deep" in done.err


def test_long_values_are_no_long_keys(single: Project) -> None:
    hosts = ", ".join(f'"a{number}.example.com"' for number in range(100))
    single.configure_more(f'trusted = [{hosts}]\ntext = "{".".join(["a"] * 40)}"')

    assert "more than 50 parts" not in single.run("doctor").said


# In quadratic time each takes an hour.
LINE = MEBIBYTE // 4
LONG = {
    "word": 'text = "' + "a" * LINE + '"',
    "bare": "a" * LINE,
    "quotes": '"' * LINE,
    "dots": "a." * (LINE // 2),
    "spaces": "a" + " " * LINE + "=1",
}


@pytest.mark.parametrize("kind", sampled(LONG, {"bare"}))
def test_a_long_line_is_gone_over_once(single: Project, kind: str) -> None:
    single.configure(LONG[kind])

    done = single.process("doctor")  # which has a minute for it

    assert (1, True) == (done.code, "config.toml" in done.out), done.err


@pytest.mark.parametrize("days", [36_501, 10**9, 3 * 10**9, 10**30])
@pytest.mark.parametrize("setting", ["[reopen]\nwithin_days", "[limits.stale_after]\nactive"])
def test_more_days_than_can_be_counted_are_a_mistake(
    single: Project, setting: str, days: int
) -> None:
    single.configure_more(tables=f"{setting} = {days}")

    done = single.run("resume", "7", "--reason", REASON, "--offline", "--yes")

    assert (1, True) == (done.code, "error[config-invalid]" in done.err), done.said
    assert "error" in single.run("doctor").said


def test_the_merge_driver_reads_no_more_than_other_commands(project: Project) -> None:
    large = '{"id": "x", "a": [' + ",".join(["[]"] * (4 * MEBIBYTE)) + "]}\n"
    for file, text in {"base": "{}\n", "ours": '{"id": "y"}\n', "theirs": large}.items():
        (project.root / file).write_text(text)

    done = project.run("merge-driver", "base", "ours", "theirs", f"{NAME}/metadata.json")

    assert (1, True) == (done.code, "at most 8,388,608 are read" in done.err), done.said


def test_a_long_name_of_the_jobs_starter_is_cut(single: Project) -> None:
    single.extra["GITHUB_ACTOR"] = "x" * 5_000

    assert 0 == single.run("resume", "7", "--reason", REASON, "--offline", "--yes").code
    by = single.metadata()["reopenHistory"][0]["reopenedBy"]
    assert "x" * LONGEST_NAME == by


@pytest.mark.parametrize(
    "root", ["..", "../..", ".unlatch/..", "../project/.unlatch/increments/../.."]
)
def test_a_root_may_be_named_by_way_of_its_own_folders(single: Project, root: str) -> None:
    where = {"..": single.root / ".unlatch", "../..": single.increments}.get(root, single.root)
    done = subprocess.run(
        [*unlatch(), "--root", root, "list", "--all"],
        cwd=where,
        env=single.environ,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (0, True) == (done.returncode, NAME in done.stdout), done.stderr


@pytest.mark.parametrize("kind", sampled(["pipe", "device", "folder", "huge"], {"device"}))
def test_the_users_own_file_is_read_within_bounds(single: Project, kind: str) -> None:
    path = single.home / ".config/unlatch/config.toml"
    path.parent.mkdir(parents=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "folder":
        path.mkdir()
    else:
        path.write_text("# " + "x" * (2 * MEBIBYTE))

    done = single.process("doctor")  # which has a minute for it

    assert (1, True) == (done.code, str(path) in done.said), done.err


def test_a_small_compressed_transcript_takes_little_memory(single: Project) -> None:
    compressor = zstandard.ZstdCompressor().compressobj()
    begin = b'{"type": "session_meta", "payload": {"id": "x"}}\n'
    parts = [begin, *[b"\n" * (16 * MEBIBYTE)] * 32]
    path = single.root / "rollout-1.jsonl.zst"
    path.write_bytes(b"".join(map(compressor.compress, parts)) + compressor.flush())
    assert path.stat().st_size < MEBIBYTE // 4

    done = single.process("session", "import", str(path), preexec_fn=limit)

    assert (1, True) == (done.code, "error[transcript-unreadable]" in done.err), done.said
    assert "more than 200 times as large" in done.err


@pytest.mark.parametrize("version", ["99", True, None, [2], 2.5])
def test_a_format_version_that_is_no_number_of_ours_is_refused(
    single: Project, version: object
) -> None:
    path = single.folder() / "metadata.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "formatVersion": version}))
    before = path.read_bytes()

    done = single.run("resume", "7", "--reason", REASON, "--offline", "--yes")

    assert (1, before) == (done.code, path.read_bytes()), done.said

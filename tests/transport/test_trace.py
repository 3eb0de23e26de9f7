"""The trace has requests and answers, for its owner alone and without secrets."""

import os
import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.transport.calling import call
from tests.transport.faulty import Faulty, reply

from unlatch.transport.trace import Trace


def test_exchange_reads_like_a_letter_and_its_reply(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    answer = reply(201, {"n": 2, "token": "theirs"}, headers={"Set-Cookie": "session=abc"})
    with Faulty(answer) as server, Trace(path) as trace:
        call(server, "POST", trace=trace, path="/x?access_token=abc&page=1")

    stamp, _, rest = path.read_text().partition(" ")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", stamp)
    assert [line for line in rest.split("\n") if "User-Agent" not in line] == [
        f"github POST {server.url}/x?access_token=***&page=1",
        "> Accept-Encoding: gzip, deflate",
        "> Accept: */*",
        "> Connection: keep-alive",
        "> Content-Length: 8",
        "> Content-Type: application/json",
        "> Authorization: ***",
        '> {"n": 1}',
        "< 201 after 0.000 s",
        "< Content-Type: application/json",
        "< Content-Length: 27",
        "< Set-Cookie: ***",
        '< {"n": 2, "token": "***"}',
        "",
        "",
    ]


# One of each kind that acts or deceives: C0, C1, DEL, reordering, ends of lines, not seen.
ACTING = "\x07\x9b\x7f\u202e\u2066\u2028\u200b\u2060\ufeff\u00ad\U000e0041"


def test_nothing_in_it_acts_or_hides(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    body = f"a\u200d{ACTING}\r\nb\rc".encode()
    answer = reply(200, body, headers={"X-Odd": "d\x9be"})
    with Faulty(answer) as server, Trace(path) as trace:
        call(server, "GET", trace=trace)

    text = path.read_text()
    assert [] == [one for one in (*ACTING, "\u200d", "\r") if one in text]
    shown = "".join(one.encode("unicode_escape").decode() for one in ACTING)
    assert f"< a\\u200d{shown}\n< b\\rc\n" in text


@pytest.mark.parametrize("there_before", [False, True])
def test_only_its_owner_can_read_it(tmp_path: Path, *, there_before: bool) -> None:
    path = tmp_path / "trace"
    if there_before:
        path.write_text("old")
        path.chmod(0o644)

    with Trace(path):
        pass

    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text() == ""


@pytest.mark.parametrize("make_link", [Path.symlink_to, Path.hardlink_to])
@pytest.mark.parametrize("text", ["mine\n", None])
def test_a_link_is_not_followed(
    tmp_path: Path, make_link: Callable[[Path, Path], None], text: str | None
) -> None:
    mine, link = tmp_path / "profile", tmp_path / "trace.log"
    if text is not None:
        mine.write_text(text)
    elif make_link is Path.hardlink_to:
        pytest.skip("it needs a file")
    make_link(link, mine)
    with pytest.raises(OSError, match="link"):
        Trace(link)
    assert text == (mine.read_text() if mine.exists() else None)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_pipe_that_nobody_reads_is_an_error_at_once(tmp_path: Path) -> None:
    pipe = tmp_path / "trace.log"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="a pipe that nobody reads"):
        Trace(pipe)


def test_exchanges_of_several_threads_do_not_mix(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    with Trace(path) as trace:
        threads = [
            threading.Thread(target=trace.write, args=(letter * 50_000 + "\n",))
            for letter in "abcdefgh"
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert sorted({len(set(line)) for line in path.read_text().splitlines()}) == [1]

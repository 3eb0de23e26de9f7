"""The page and the metrics, and who may read them."""

from __future__ import annotations

import base64
import hashlib
import socket
import ssl
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from xml.etree.ElementTree import Element

import html5lib
import pytest
from cryptography.hazmat.primitives import serialization
from prometheus_client.parser import text_string_to_metric_families
from starlette.applications import Starlette
from tests import chromium
from tests.transport.certificates import server_context
from tests.unlatch_fleet.serving import EMPTY, Queue, Serving, about, serving

from unlatch.errors import UsageError
from unlatch_fleet.database.rows import BudgetRow, NodeRow, RepositoryRow
from unlatch_fleet.serve.listening import Certificate, bind, build_server, parse_address

HTML = "{http://www.w3.org/1999/xhtml}"
HOSTILE = "</td><script>alert(1)</script>\"'{{ 7 * 7 }}\x1b[31m"
TOKEN = b"the token of the tests"


def row(
    number: int, state: str, *, waits: float | None = None, error: str | None = None
) -> RepositoryRow:
    since = None if waits is None else EMPTY.at - timedelta(seconds=waits)
    ended = EMPTY.at - timedelta(hours=2)
    name = f"github.com/an-organization-with-a-name/and-a-repository-with-a-longer-one-{number}"
    return RepositoryRow(
        repository=name,
        group="default",
        state=state,
        waiting_since=since,
        at_work_since=ended if state == "at-work" else None,
        node=None,
        last_at=ended,
        last_outcome="done",
        error=error,
        failures=0,
        next_at=None if state == "person" else EMPTY.at,
    )


FLEET = replace(
    EMPTY,
    repositories=(
        row(1, "done"),
        row(2, "waiting", waits=90),
        row(3, "at-work", waits=5),
        replace(row(4, "person", error="target-not-allowed"), group=HOSTILE),
        replace(row(5, "person", error=HOSTILE), repository=HOSTILE),
    ),
    nodes=(
        NodeRow("node-1", 7, "0.1.0", 4, 1, EMPTY.at, EMPTY.at, is_silent=False, is_draining=False),
        NodeRow("node-2", 8, "0.1.0", 4, 0, EMPTY.at, EMPTY.at, is_silent=True, is_draining=False),
    ),
    budgets=(BudgetRow("a" * 64, "comments", 250, 4, 500), BudgetRow("b", "writes", 1, 0, None)),
    recent={"done": 1200, "person": 2},
)


@pytest.fixture(scope="module")
def server() -> Iterator[Serving]:
    with serving(Queue(FLEET)) as running:
        yield running


@pytest.fixture
def page(server: Serving) -> str:
    return server.ask("/").text


def parse(page: str) -> Element:
    """The page as a browser reads it; any mistake in it is an error."""
    root: Element = html5lib.HTMLParser(strict=True).parse(page)
    return root


def cells(table: Element) -> list[list[str]]:
    return [["".join(cell.itertext()) for cell in line] for line in table.iter(f"{HTML}tr")]


def test_the_page_tells_what_waits_and_what_a_person_has_to_do(page: str) -> None:
    root = parse(page)

    tables = {
        "".join(table.find(f"{HTML}caption").itertext()): cells(table)  # type: ignore[union-attr]
        for table in root.iter(f"{HTML}table")
    }
    persons, budgets, nodes, repositories = tables.values()
    name = FLEET.repositories[3].repository
    assert f"unlatch fleet retry {name}" in {line[3] for line in persons}
    assert ["250 of 500", "1"] == [line[2] for line in budgets[1:]]
    assert ["alive", "silent"] == [line[4] for line in nodes[1:]]
    # The longest wait first.
    assert ["1.5 minutes", "5 seconds", ""] == [line[3] for line in repositories[1:4]]
    cards = ["".join(card.itertext()) for card in root.iter(f"{HTML}dd")]
    assert ["2the oldest for 1.5 minutes", "1", "2", "1,2021,200 done, 2 person", "1of 2"] == cards


def test_the_page_loads_and_runs_nothing(server: Serving, page: str) -> None:
    root = parse(page)

    tags = {element.tag.removeprefix(HTML) for element in root.iter()}
    assert set() == tags & {"script", "link", "img", "iframe", "object", "form", "a"}
    assert HOSTILE.partition("\x1b")[0] in "".join(root.itertext())
    assert "\x1b" not in page
    (style,) = ["".join(element.itertext()) for element in root.iter(f"{HTML}style")]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = server.ask("/").headers["content-security-policy"]
    assert f"default-src 'none'; style-src 'sha256-{digest}'" == policy.partition("; base")[0]
    assert "no-store" == server.ask("/").headers["cache-control"]


def test_a_page_of_thousands_is_cut() -> None:
    lines = tuple(row(number, "done") for number in range(1700))
    with serving(Queue(replace(EMPTY, repositories=lines))) as server:
        page = server.ask("/").text

    assert "And 1,200 more" in page
    assert 500 == page.count('data-heading="Group"')


@pytest.mark.sweep
@pytest.mark.skipif(not chromium.PROGRAM, reason="Chromium is not installed")
def test_nothing_is_cut_at_the_width_of_a_phone_or_a_desk(page: str, tmp_path: Path) -> None:
    cut = chromium.cut_pixels(page, tmp_path, places="section, dd, td", widths=(390, 1280))
    assert len(cut) > 40
    assert [] == [pixels for pixels in cut if pixels > 0]


def test_metrics_are_in_the_format_of_prometheus(server: Serving) -> None:
    answer = server.ask("/metrics")

    samples = {
        (sample.name.removeprefix("unlatch_fleet_"), *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }
    waiting = FLEET.repositories[1].repository
    assert 90 == samples["queue_age_seconds", waiting]
    assert 1 == samples["waiting_for_person", HOSTILE, HOSTILE]
    assert 2 == samples["repositories", "person"]
    assert 1200 == samples["units_last_hour", "done"]
    assert (250, 500) == tuple(
        samples[f"budget_{name}", "a" * 64, "comments"] for name in ("used", "limit")
    )
    assert 1 == samples["nodes_alive",]


def test_paths_answer_503_while_the_database_is_away() -> None:
    with serving(Queue(is_away=True)) as server:
        answers = [server.ask(path) for path in ("/", "/metrics", "/healthz")]

    assert [(503, "60")] * 3 == [(a.status, a.headers["retry-after"]) for a in answers]


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:8787", 200),
        ("127.0.0.1", 200),
        ("[::1]:8787", 200),
        ("127.0.0.1.example.org", 421),
        ("fleet.example.org", 421),
        ("[", 421),
        ("", 421),
    ],
)
def test_a_local_server_answers_to_its_own_names_alone(
    server: Serving, host: str, status: int
) -> None:
    for path in ("/", "/metrics", "/healthz"):
        assert status == server.ask(path, Host=host).status
    assert status == 421 or 401 == server.ask("/webhooks/acme", b"", Host=host).status


def test_what_a_proxy_passes_on_needs_the_token(server: Serving) -> None:
    for name in ("X_Forwarded_For", "Forwarded", "Via"):
        assert 401 == server.ask("/metrics", None, **{name: "192.0.2.1"}).status


def _basic(password: bytes) -> str:
    return f"Basic {base64.b64encode(b'me:' + password).decode()}"


def test_on_a_socket_page_and_metrics_need_the_token(tmp_path: Path) -> None:
    place = tmp_path / "fleet.sock"
    with serving(address=f"unix:{place}", token=TOKEN) as server:
        assert 0o660 == place.stat().st_mode & 0o777
        assert "ok\n" == server.ask("/healthz", Host="fleet.example.org").text
        for path in ("/", "/metrics"):
            for given in ("", "Bearer", "Bearer other", _basic(b""), f"Token {TOKEN.decode()}"):
                answer = server.ask(path, Authorization=given)
                assert (401, b"Unauthorized") == (answer.status, answer.body)
            for given in (f"Bearer {TOKEN.decode()}", _basic(TOKEN)):
                assert 200 == server.ask(path, Authorization=given).status


def test_a_socket_that_is_left_over_is_replaced_and_others_stay(tmp_path: Path) -> None:
    place = tmp_path / "fleet.sock"
    with socket.socket(socket.AF_UNIX) as left_over:
        left_over.bind(str(place))
    with serving(address=f"unix:{place}", token=TOKEN) as server:
        assert 200 == server.ask("/healthz").status
        with pytest.raises(UsageError, match="listen-failed"):
            bind(parse_address(f"unix:{place}"), None)
        assert 200 == server.ask("/healthz").status
    place.touch()
    with pytest.raises(UsageError, match="listen-failed"):
        bind(parse_address(f"unix:{place}"), None)
    assert place.is_file()


def test_it_is_served_with_tls(tmp_path: Path) -> None:
    _, bundle = server_context(tmp_path)
    certificate = Certificate(bundle, tmp_path / "key.pem")
    trusting = ssl.create_default_context(cafile=bundle)
    with serving(certificate=certificate, tls=trusting) as server:
        assert "queued\n" == server.deliver(about()).text


def test_without_tls_other_machines_are_refused() -> None:
    for address in ("0.0.0.0:0", "[::]:0", "192.0.2.1:8787", "fleet.example.org:8787"):
        with pytest.raises(UsageError, match="listen-without-tls"):
            bind(parse_address(address), None)
    for address in ("", "8787", ":8787", "localhost:http", "localhost:70000", "unix:"):
        with pytest.raises(UsageError, match="listen-address"):
            parse_address(address)


def test_a_certificate_that_cannot_be_used_is_told_without_asking(tmp_path: Path) -> None:
    _, bundle = server_context(tmp_path)
    key = tmp_path / "key.pem"
    private = serialization.load_pem_private_key(key.read_bytes(), password=None)
    key.write_bytes(
        private.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.BestAvailableEncryption(b"password"),
        )
    )
    for certificate in (Certificate(bundle, key), Certificate(bundle, tmp_path / "none.pem")):
        with pytest.raises(UsageError, match="certificate-unusable"):
            build_server(Starlette(), certificate)

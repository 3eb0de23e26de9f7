"""What the processes of a machine share about an account: waits, and published limits."""

import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.transport.calling import TOKEN, nothing
from tests.transport.faulty import OK, Faulty, reply

from unlatch.errors import Limited
from unlatch.spi import Scheme
from unlatch.transport import Transport, TransportOptions, Wait
from unlatch.transport.account import Account, MachineBudget
from unlatch.transport.credentials import Credential
from unlatch.transport.rate_limits import Kind, Pace
from unlatch.transport.testing import SkippingClock

PUBLISHED = Pace(limits=((80, 60.0), (500, 3600.0)), apart=1.0, free=5)
HOST = "tracker.example"
TEN_MINUTES = reply(429, headers={"Retry-After": "600"})


def reach(
    server: Faulty,
    state: Path,
    clock: SkippingClock,
    waits: list[Wait] | None = None,
    token: str = TOKEN,
) -> Transport:
    """The transport of one command."""
    on_wait = None if waits is None else waits.append
    options = TransportOptions(
        on_wait, max_wait=3600.0 if waits is not None else 0.0, clock=clock, sleep=clock.sleep
    )
    credential = Credential(token, Scheme.BEARER, "the test")
    return Transport(
        "jira", origin=server.url, credential=credential, cache=state, options=options, state=state
    )


def ask(transport: Transport, url: str) -> int:
    with transport.session(nothing) as session:
        return session.get(url).status_code


def test_a_later_command_of_the_machine_waits_and_another_machine_does_not(tmp_path: Path) -> None:
    clock, waits = SkippingClock(), list[Wait]()
    here, elsewhere = tmp_path / "here" / "requests", tmp_path / "elsewhere" / "requests"
    with Faulty(TEN_MINUTES, otherwise=OK) as server:
        with pytest.raises(Limited):
            ask(reach(server, here, clock), server.url)
        with pytest.raises(Limited) as held:
            ask(reach(server, here, clock), server.url)
        assert held.value.withheld
        assert 200 == ask(reach(server, elsewhere, clock), server.url)
        assert 200 == ask(reach(server, here, clock, token="another"), server.url)
        assert 3 == len(server.requests)

        assert 200 == ask(reach(server, here, clock, waits), server.url)

    assert [600] == [round(one.seconds) for one in waits]


@pytest.mark.parametrize("shift", [-5.0, -86_400.0, 600.0, 86_400.0 * 400])
def test_a_wait_from_a_wrong_clock_delays_nothing(tmp_path: Path, shift: float) -> None:
    """The clock of the machine is set while the wait lasts."""
    clock = SkippingClock()
    Account(tmp_path / "requests", HOST, TOKEN, clock).note_wait(600.0)
    later = Account(tmp_path / "requests", HOST, TOKEN, clock)
    later._offset += shift  # as if time.time() had changed

    assert 0.0 == later.wait()


def test_the_key_is_private_and_no_file_shows_the_token(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "requests"
    account = Account(folder, HOST, TOKEN, SkippingClock())
    account.note_wait(600.0)
    MachineBudget(account, PUBLISHED).reserve(TOKEN, Kind.COMMENT, 1)

    assert 0o600 == stat.S_IMODE((folder / "key").stat().st_mode)
    assert 600 == round(Account(folder, HOST, TOKEN, SkippingClock()).wait())
    assert not any(TOKEN.encode() in file.read_bytes() for file in folder.iterdir())
    assert not any(TOKEN in file.name for file in folder.iterdir())


def budgets(folder: Path, clock: SkippingClock, count: int) -> list[MachineBudget]:
    """The budgets of so many processes."""
    return [MachineBudget(Account(folder, HOST, TOKEN, clock), PUBLISHED) for _ in range(count)]


def sent(processes: list[MachineBudget], clock: SkippingClock, seconds: float) -> list[float]:
    """When each of the comments was sent that the processes want to send in so many seconds."""
    moments = []
    end = clock.now + seconds
    while clock.now < end:
        for budget in processes:
            while (turn := budget.reserve(TOKEN, Kind.COMMENT, 1, within=0.0)).granted:
                moments.append(clock.now + turn.seconds)
                if turn.seconds:
                    break
        clock.now += 0.5
    return moments


def test_three_processes_with_one_token_keep_to_the_published_limit(tmp_path: Path) -> None:
    clock = SkippingClock()

    moments = sorted(sent(budgets(tmp_path / "requests", clock, 3), clock, 70.0))

    assert len(moments) > 80
    assert all(late - early >= 60.0 for early, late in zip(moments, moments[80:], strict=False))


def test_another_token_has_a_budget_of_its_own(tmp_path: Path) -> None:
    account = Account(tmp_path / "requests", HOST, TOKEN, SkippingClock())
    budget = MachineBudget(account, Pace(limits=((80, 60.0),), apart=0.0, free=5))
    for _ in range(80):
        budget.reserve(TOKEN, Kind.COMMENT, 1)

    assert not budget.reserve(TOKEN, Kind.COMMENT, 1, within=30.0).granted
    assert budget.reserve("another", Kind.COMMENT, 1, within=0.0).granted
    assert budget.reserve(TOKEN, Kind.WRITE, 1, within=0.0).granted


def truncate(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:700])


def replace_by_text(file: Path) -> None:
    file.write_text("no database\n" * 100)


def replace_by_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize("damage", [truncate, replace_by_text, replace_by_folder])
def test_damage_to_the_file_costs_pace_alone(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    folder, clock = tmp_path / "requests", SkippingClock()
    (first,) = budgets(folder, clock, 1)
    assert first.reserve(TOKEN, Kind.COMMENT, 80).granted
    damage(folder / "requests.sqlite")

    (second,) = budgets(folder, clock, 1)
    turns = [second.reserve(TOKEN, Kind.COMMENT, 1, within=0.0) for _ in range(5)]

    assert all(turn.granted and not turn.seconds for turn in turns)
    # In this process the limit holds all the same.
    second.reserve(TOKEN, Kind.COMMENT, 75)
    assert second.reserve(TOKEN, Kind.COMMENT, 1).seconds >= 60.0


def test_without_a_writable_folder_each_process_keeps_to_the_limit(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (budget,) = budgets(tmp_path / "file" / "requests", SkippingClock(), 1)
    budget.reserve(TOKEN, Kind.COMMENT, 80)

    assert budget.reserve(TOKEN, Kind.COMMENT, 1).seconds >= 60.0


def test_a_clock_that_is_set_back_delays_nothing(tmp_path: Path) -> None:
    clock = SkippingClock()
    clock.now = 7200.0
    before, after = budgets(tmp_path / "requests", clock, 2)
    before.reserve(TOKEN, Kind.COMMENT, 80)
    after._account._offset -= 7200.0  # as if time.time() had changed

    assert 0.0 == after.reserve(TOKEN, Kind.COMMENT, 1).seconds

"""With a refused token nothing more is sent, and with one that was accepted a few requests."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from tests.transport.calling import connected
from tests.transport.faulty import OK, reply

from unlatch.errors import Unauthorised

if TYPE_CHECKING:
    from tests.transport.faulty import Reply

REFUSED = reply(401, {"message": "Bad credentials"})


@pytest.mark.parametrize(("replies", "sent"), [((), 1), ((OK,), 1 + 10), ((OK, REFUSED, OK), 13)])
def test_refusals_in_a_row_end_the_requests(replies: tuple[Reply, ...], sent: int) -> None:
    with connected(*replies, otherwise=REFUSED) as (server, session):
        for _ in range(20):
            with suppress(Unauthorised):
                session.get(f"{server.url}/item")
        with pytest.raises(Unauthorised, match="does not accept the token") as last:
            session.get(f"{server.url}/item")

        assert sent == len(server.requests)
        assert ("unauthorized", 401) == (last.value.id, last.value.status)
        assert "the token came from the test" in (last.value.hint or "")

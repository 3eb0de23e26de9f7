"""A way to the database that can be cut: bytes stop, and no connection ends."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Self, TypeVar

from psycopg.conninfo import conninfo_to_dict, make_conninfo

if TYPE_CHECKING:
    from collections.abc import Coroutine

_SIZE = 1 << 16
_Value = TypeVar("_Value")


class Proxy:
    """Forwards TCP connections on a port of 127.0.0.1 to the database's Unix socket."""

    def __init__(self, address: str) -> None:
        parts = conninfo_to_dict(address)
        self._target = f"{parts['host']}/.s.PGSQL.{parts.get('port', 5432)}"
        self._address = address
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._open = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._port = 0

    @property
    def address(self) -> str:
        """The address of the database by this way."""
        return make_conninfo(self._address, host="127.0.0.1", port=self._port)

    def cut(self) -> None:
        self._loop.call_soon_threadsafe(self._open.clear)

    def heal(self) -> None:
        self._loop.call_soon_threadsafe(self._open.set)

    def __enter__(self) -> Self:
        self._thread.start()
        self.heal()
        self._port = self._call(self._listen())
        return self

    def __exit__(self, *_: object) -> None:
        self._call(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _call(self, work: Coroutine[None, None, _Value]) -> _Value:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    async def _listen(self) -> int:
        self._server = await asyncio.start_server(self._forward, "127.0.0.1", 0)
        return int(self._server.sockets[0].getsockname()[1])

    async def _end(self) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            with suppress(OSError):
                await self._open.wait()
                other_reader, other_writer = await asyncio.open_unix_connection(self._target)
                ways = (self._pump(reader, other_writer), self._pump(other_reader, writer))
                await asyncio.gather(*ways)
        finally:
            writer.close()

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            while data := await source.read(_SIZE):
                await self._open.wait()
                sink.write(data)
                await sink.drain()
        finally:
            sink.close()

"""A node that works on tasks: takes rows that its offer allows, and gives signs of life."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from unlatch import __version__
from unlatch.errors import StoreError, Transient, UnlatchError
from unlatch.values import dataclass
from unlatch.worklog.disk import system
from unlatch.worklog.ids import is_ulid
from unlatch_fleet.children import Children, base_environment
from unlatch_fleet.tasks.carrying import KEPT, Carrying, worker_environment
from unlatch_fleet.tasks.checkout import Mirror
from unlatch_fleet.tasks.guard import end_all
from unlatch_fleet.tasks.rows import SILENT
from unlatch_fleet.tasks.work import VERSION, Work, dump_end
from unlatch_runs.dispatch.port import End, Ended
from unlatch_runs.dispatch.worker import Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from unlatch_fleet.database.connect import Line
    from unlatch_fleet.offer import Offer

_HOUR = 3600.0
# The part of the lease after which workers end without a sign of life.
_PART = 2 / 3


@dataclass(frozen=True, slots=True)
class TaskSettings:
    """The settings of a node that works on tasks.

    Args:
        folder: for its mirrors and for what is at work; no other node uses it.
        credentials: settings of git for the repository at an address.
        lease: seconds after which the node counts as dead if it is silent.
        limits: of workers; `jobs`, `timeout` and `lease` are set elsewhere.
        look: seconds between two looks at the rows.
    """

    name: str
    folder: Path
    offer: Offer
    credentials: Callable[[str], Sequence[tuple[str, str]]]
    environ: Mapping[str, str]
    lease: float = 60.0
    limits: Limits = Limits()
    look: float = 0.2
    keep_days: float = 30.0


@contextmanager
def working(node: TaskNode, stopping: threading.Event) -> Iterator[None]:
    """Let a node work in a thread; at the end, what is at work goes on to its end.

    Raises:
        StoreError: `node-running`.
    """
    errors: list[Exception] = []

    def run() -> None:
        try:
            node.run(stopping)
        except (UnlatchError, OSError) as error:
            node.say(f"no more tasks are taken: {error}")
            errors.append(error)

    thread = threading.Thread(target=run, name="tasks")
    thread.start()
    try:
        yield
        stopping.set()
        thread.join()
    except BaseException:
        node.cut_off()
        raise
    finally:
        stopping.set()
        thread.join()
    if errors:
        raise errors[0]


class TaskNode:
    """Works on tasks until it is told to stop.

    Args:
        say: gets what a person may want to know, a line at a time; from any thread.
    """

    def __init__(self, line: Line, settings: TaskSettings, say: Callable[[str], None]) -> None:
        self._line, self._settings, self.say = line, settings, say
        self._carrying: dict[str, tuple[Carrying, threading.Thread]] = {}
        self._mirrors: dict[str, Mirror] = {}
        self._children = Children()
        self._epoch = self._signs = 0
        self._beaten = self._cleaned = -_HOUR

    def run(self, stopping: threading.Event) -> None:
        """Take tasks until `stopping` is set; those at work go on to their end.

        Raises:
            StoreError: `node-running`: another process has the folder.
        """
        with self._locked() as lock, self._guarded() as guard:
            while not stopping.is_set() or self._carrying:
                with suppress(Transient):
                    self._turn(stopping, lock, guard)
                time.sleep(self._settings.look)
            with suppress(Transient):
                query = "UPDATE run_node SET ended = clock_timestamp() WHERE epoch = %s RETURNING 1"
                self._line.ask(query, self._epoch)

    def cut_off(self) -> None:
        """End what is at work."""
        for carrying, _ in self._carrying.values():
            carrying.cut_off()
        self._children.stop()

    def _turn(self, stopping: threading.Event, lock: int, guard: subprocess.Popen[bytes]) -> None:
        """One sign of life if it is due, and one look at the rows."""
        if not self._epoch:
            self._enter()
        if time.monotonic() - self._beaten >= self._settings.lease / 6:
            self._beat(guard)
        self._reap()
        self._obey()
        if not stopping.is_set():
            self._take(lock)

    def _enter(self) -> None:
        settings = self._settings
        values = settings.name, __version__, settings.offer.model_dump_json(), settings.offer.jobs
        query = """INSERT INTO run_node (name, version, offer, jobs, lease)
            VALUES (%s, %s, %s, %s, %s) RETURNING epoch"""
        row = self._line.ask(query, *values, timedelta(seconds=settings.lease))
        self._epoch, self._beaten = row.epoch, -_HOUR

    def _beat(self, guard: subprocess.Popen[bytes]) -> None:
        """Give a sign of life, and do what any node does for all."""
        if not self._line.ask("SELECT run_beat(%s) AS lives", self._epoch).lives:
            self.say("this node was taken for dead; its tasks are cut off")
            for carrying, _ in self._carrying.values():
                carrying.cut_off()
            self._end_all()
            self._epoch = 0
            return
        self._beaten = time.monotonic()
        self._signs += 1
        if guard.stdin is not None:
            guard.stdin.write(b".")
            guard.stdin.flush()
        self._line.ask("SELECT run_sweep(%s::jsonb)", SILENT)
        if time.monotonic() - self._cleaned >= _HOUR:
            self._line.ask("SELECT run_clean(%s)", timedelta(days=self._settings.keep_days))
            self._cleaned = time.monotonic()

    def _end_all(self) -> None:
        """End the workers that this node, or an earlier one with its folder, has started."""
        settings = self._settings
        end_all(settings.folder / "tasks", grace=settings.lease * _PART / 4)

    def _reap(self) -> None:
        """Forget what has ended."""
        for run_id, (_, thread) in [*self._carrying.items()]:
            if not thread.is_alive():
                del self._carrying[run_id]

    def _obey(self) -> None:
        """End the workers that coordinators want ended."""
        query = "SELECT run_id, how FROM run_dispatch WHERE node = %s AND closed IS NULL"
        for row in self._all(query, self._epoch):
            entry = self._carrying.get(row.run_id)
            if entry is None:  # nothing was started: the answer was lost when it was taken
                self._line.ask(_CLOSE, row.run_id, self._epoch, [], _NEVER_BEGUN)
            elif row.how is not None:
                entry[0].stop(End(row.how))

    def _take(self, lock: int) -> None:
        """Take what the offer allows, as long as there is room."""
        room = self._settings.offer.jobs - len(self._carrying)
        if room < 1:
            return
        for row in self._all(_WAITING, VERSION):
            try:
                work = Work.model_validate_json(row.work)
                refusals = [
                    *self._settings.offer.refusals(row.repository, work.programs, work.variables)
                ]
            except (ValidationError, ValueError, KeyError, TypeError):
                refusals = ["what this version cannot read"]
            # It names a folder.
            refusals += [] if is_ulid(row.run_id) else [f"the run id {row.run_id!r}"]
            if refusals:
                self._refuse(row, refusals)
            elif self._line.ask("SELECT run_take(%s, %s) AS ok", row.run_id, self._epoch).ok:
                self._begin(row.run_id, row.repository, work, lock)
                room -= 1
            if room < 1:
                return

    def _refuse(self, row: Any, refusals: list[str]) -> None:
        why = f"{self._settings.name} does not offer {', '.join(refusals)}"
        if row.refused != why:
            self.say(f"task left to other nodes: {', '.join(refusals)}")
            query = "UPDATE run_dispatch SET refused = %s WHERE run_id = %s AND node IS NULL"
            self._line.ask(f"{query} RETURNING 1", why, row.run_id)

    def _begin(self, run_id: str, repository: str, work: Work, lock: int) -> None:
        settings = self._settings
        base = base_environment(settings.environ)
        folder = settings.folder / "tasks" / run_id
        folder.mkdir(mode=0o700, parents=True)
        carrying = Carrying(
            run_id,
            work,
            epoch=self._epoch,
            line=self._line,
            mirror=self._mirror(repository, base, lock),
            folder=folder,
            environ=worker_environment(base, work.variables),
            last_sign=lambda: self._signs,
            limits=Limits(
                jobs=1,
                timeout=work.timeout,
                lease=settings.lease * _PART,
                settle=settings.limits.settle,
                grace=settings.limits.grace,
            ),
        )
        thread = threading.Thread(target=carrying.carry_out, name=run_id)
        self._carrying[run_id] = carrying, thread
        self.say(f"task {work.task} {work.role}: started ({run_id})")
        thread.start()

    def _mirror(self, repository: str, base: Mapping[str, str], lock: int) -> Mirror:
        url = self._settings.offer.url(repository)
        if url is None:
            raise AssertionError("the offer was checked")
        if url not in self._mirrors:
            folder = self._settings.folder / "mirrors"
            folder.mkdir(mode=0o700, exist_ok=True)
            self._mirrors[url] = Mirror(
                url,
                folder,
                environ=base,
                credentials=partial(self._settings.credentials, url),
                children=self._children,
                lock=lock,
            )
        return self._mirrors[url]

    @contextmanager
    def _locked(self) -> Iterator[int]:
        """The folder for this process alone, without workers that an earlier one left."""
        folder = self._settings.folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | system.CLOEXEC, 0o600)
        try:
            system.lock(descriptor)
            self._end_all()
            for place in (folder / "tasks").glob("*"):
                if not (place / KEPT).exists():
                    shutil.rmtree(place, ignore_errors=True)
            yield descriptor
        except BlockingIOError as error:
            message = "another process works on tasks with this folder"
            hint = "end it, or give each node its own `clones`"
            raise StoreError("node-running", message, where=str(folder), hint=hint) from error
        finally:
            os.close(descriptor)

    @contextmanager
    def _guarded(self) -> Iterator[subprocess.Popen[bytes]]:
        seconds = self._settings.lease * _PART
        places = str(self._settings.folder / "tasks"), str(seconds)
        with subprocess.Popen(  # noqa: S603  (a module of this package)
            [sys.executable, "-I", "-m", "unlatch_fleet.tasks.guard", *places],
            stdin=subprocess.PIPE,
            start_new_session=True,
        ) as guard:
            yield guard

    def _all(self, query: str, *values: object) -> list[Any]:
        with self._line.open() as connection:
            return connection.execute(query, values).fetchall()


_CLOSE = "SELECT run_report(%s, %s, 1, %s::text[], %s)"
_NEVER_BEGUN = dump_end(Ended(End.UNSEEN, errors="its node lost it"), 0)
_WAITING = """SELECT run_id, repository, work, refused FROM run_dispatch
    WHERE node IS NULL AND over IS NULL AND closed IS NULL AND how IS NULL
      AND until > clock_timestamp() AND v <= %s
    ORDER BY created LIMIT 200"""

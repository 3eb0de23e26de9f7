"""Send requests that need no order at the same time."""

from collections.abc import Callable, Sequence
from contextvars import Context, copy_context
from functools import partial
from typing import TypeVar

from unlatch.errors import TrackerError
from unlatch.worklog.parallel import run_parallel

Value = TypeVar("Value")

_AT_ONCE = 8


def side_by_side(tasks: Sequence[Callable[[], Value]]) -> list[Value | TrackerError]:
    """Run tasks at the same time, eight at most, and wait for all of them, also if one fails.

    Their requests count as the caller's own (`measure`, `reading`).

    Returns:
        What each task returned, or the TrackerError that it raised, in the order of the tasks.
    """
    jobs = {number: partial(_ended, copy_context(), task) for number, task in enumerate(tasks)}
    ended = dict(run_parallel(jobs, limits={"": _AT_ONCE}))
    results: list[Value | TrackerError] = []
    for number in jobs:
        result = ended[number]
        if isinstance(result, BaseException) and not isinstance(result, TrackerError):
            raise result
        results.append(result)
    return results


def _ended(context: Context, task: Callable[[], Value]) -> Value | BaseException:
    try:
        return context.run(task)
    except BaseException as error:  # noqa: BLE001  (the caller's thread gets it)
        return error

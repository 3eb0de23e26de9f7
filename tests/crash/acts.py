"""The acts on both sides of a project, and their frequencies."""

from typing import Any

from hypothesis import strategies as st
from tests.crash.people import ACTS
from tests.crash.random_life import FAULTS
from tests.crash.shared_project import INCREMENTS, TRACKERS

from unlatch_merge.outcome import Side

# What a tracker may answer beside.
FAILURES: dict[str, dict[str, Any]] = {
    **FAULTS,
    "rate-limit": {"form": "seconds", "seconds": 2},
}
BOUNDARY = st.integers(1, 70)
INCREMENT = st.sampled_from(INCREMENTS)
TRACKER = st.sampled_from(TRACKERS)
PLACE = st.tuples(INCREMENT, TRACKER)
CLICK = st.sampled_from(["open", "open", "done", "done", "dropped", *ACTS])
COMMAND = st.sampled_from(
    ["resume", "resume", "resume-items", "complete", "complete", "abandon", "pause"]
)
STATUS = st.sampled_from(["active", "active", "completed", "completed", "abandoned", "paused"])
DECIDING = st.sampled_from(["local", "remote"])
POLICIES = st.fixed_dictionaries(
    dict.fromkeys(
        TRACKERS,
        st.fixed_dictionaries(
            {
                "direction": st.sampled_from(["both", "both", "both", "push", "pull", "off"]),
                "conflict": st.sampled_from(["ask", "local", "remote", "fail"]),
                "on_close": st.sampled_from(["ask", "follow", "follow", "report"]),
            }
        ),
    )
)
WORK = st.tuples(COMMAND | st.just("sync"), INCREMENT)

_OFTEN: dict[str, tuple[int, dict[str, st.SearchStrategy[Any]]]] = {
    "command": (
        4,
        {
            "what": COMMAND,
            "increment": INCREMENT,
            "how": st.sampled_from(["online", "online", "offline"]) | BOUNDARY,
        },
    ),
    "sync": (3, {"policies": POLICIES, "at": st.none() | BOUNDARY, "force": st.booleans()}),
    "click": (4, {"place": PLACE, "act": CLICK}),
    "click_alone": (
        3,
        {
            "increment": INCREMENT,
            "closings": st.dictionaries(
                TRACKER, st.sampled_from(["done", "done", "dropped"]), min_size=1
            ),
            "command_first": st.booleans(),
            "at": st.none() | BOUNDARY,
            "conflict": DECIDING,
        },
    ),
    "click_amid_a_sync": (
        1,
        {"place": PLACE, "act": CLICK, "at": BOUNDARY, "policies": POLICIES},
    ),
    "edit": (2, {"increment": INCREMENT, "status": STATUS}),
    "plan_tasks": (1, {"increment": INCREMENT, "left": st.booleans()}),
    "tie_or_cut": (1, {"increment": INCREMENT, "of": PLACE, "foreign": st.integers(0, 3)}),
    "work_in_two_clones": (
        3,
        {
            "ours": st.lists(WORK, max_size=2),
            "theirs": st.lists(WORK, min_size=1, max_size=3),
            "policies": POLICIES,
            "take": st.sampled_from(list(Side)),
        },
    ),
    "forget": (1, {}),
    "fault": (
        2,
        {
            "tracker": TRACKER,
            "kind": st.sampled_from(sorted(FAILURES)),
            "after": st.integers(0, 6),
        },
    ),
    "rest": (
        1,
        {
            "conflict": DECIDING,
            "direction": st.sampled_from(["both", "both", "push", "pull"]),
        },
    ),
}
# One after the other by chance; rules of their own would be left out of most lives altogether.
ANYTHING = st.sampled_from([name for name, (times, _) in _OFTEN.items() for _ in range(times)])


def arguments_of(name: str) -> st.SearchStrategy[dict[str, Any]]:
    """The targets of an act."""
    return st.fixed_dictionaries(_OFTEN[name][1])

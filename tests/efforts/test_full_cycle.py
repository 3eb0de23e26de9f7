"""The whole life of an effort, by talking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.efforts.script import call, context, reply

from unlatch.efforts.verify import check_effort

if TYPE_CHECKING:
    from tests.efforts.script import Talk


def test_full_cycle_open_conclude_reopen_work_re_conclude(talk: Talk) -> None:
    talk("401 errors", reply(None, call("open_effort", name="auth-bug")), reply("Looking."))
    talk("It is the token", reply("An axios interceptor refreshes it."))
    close = reply(None, call("close_effort"))
    talk("Done", close, reply("Fixed the 401 errors."), reply("Closed."))
    first = (talk.store.root / "auth-bug" / "log.jsonl").read_bytes()
    reopen = reply("Sure.", call("reopen_effort", id="auth-bug"))
    answered, _ = talk("Reopen auth-bug", reopen, reply("On it."))
    assert (answered.effort, answered.banners) == (
        "auth-bug",
        ("--- Reopened effort: auth-bug ---",),
    )
    talk("The logout races", reply("A lock around the refresh."))
    _, model = talk("Done", close, reply("Fixed 401 errors and the logout."), reply("Closed."))
    summarized = context(model, 1)
    assert summarized.index("401 errors") < summarized.index("--- Effort reopened ---")
    assert summarized.index("--- Effort reopened ---") < summarized.index("The logout races")
    (effort,) = talk.store.all()
    assert (effort.is_open, effort.summary) == (False, "Fixed 401 errors and the logout.")
    assert [one.prior_summary for one in effort.reopens] == ["Fixed the 401 errors."]
    assert (talk.store.root / "auth-bug" / "log.jsonl").read_bytes().startswith(first)
    assert (check_effort(talk.store, "auth-bug"), talk.active()) == ([], None)

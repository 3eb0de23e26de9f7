"""A plugin that breaks one promise of the interface fails the kit, which names the promise.

That the plugins which come with unlatch keep them is in tests/conformance.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from tests.conformance.test_ado import AdoHarness
from tests.conformance.test_github import GithubHarness
from tests.conformance.test_jira import JiraHarness
from tests.testing import wrong_reads, wrong_writes  # noqa: F401  (they note what they break)
from tests.testing.mutated import BROKEN, Broken, MutatedFixture

from unlatch.testing.markers import Markers
from unlatch.testing.planning import Consultation
from unlatch_ado.plugin import AdoPlugin
from unlatch_github.plugin import GithubPlugin
from unlatch_jira.plugin import JiraPlugin

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from unlatch.spi import Change, Outcome, Snapshot

# One for each test of the kit.
TRIED = {broken.test: broken for broken in BROKEN}.values()
HARNESSES = {GithubPlugin: GithubHarness, AdoPlugin: AdoHarness, JiraPlugin: JiraHarness}


@pytest.mark.parametrize(
    ("fixture", "broken"),
    [
        pytest.param(
            harness,
            broken,
            id=f"{broken.mutant.__name__}: {broken.promise}",
            marks=() if broken in TRIED else pytest.mark.sweep,
        )
        for plugin, harness in HARNESSES.items()
        for broken in BROKEN
        if issubclass(broken.mutant, plugin)
    ],
    indirect=["fixture"],
)
def test_a_broken_promise_is_named(broken: Broken, fixture: MutatedFixture) -> None:
    fixture.mutant = broken.mutant
    with pytest.raises(AssertionError, match=re.escape(broken.promise)):
        broken.check(fixture)


def failure_of(test: Callable[[], None]) -> str | None:
    """The promise that a test of the kit names as broken; None if it passes."""
    try:
        test()
    except AssertionError as failure:
        return str(failure)
    return None


class LetsEverybodyChangeItems(GithubHarness):
    def read_only_environ(self) -> Mapping[str, str]:
        return self.environ()


@pytest.mark.parametrize("fixture", [LetsEverybodyChangeItems], indirect=True)
def test_a_right_that_can_be_used_breaks_no_promise(fixture: MutatedFixture) -> None:
    right = Consultation().test_an_examination_grants_no_right_that_the_credential_lacks

    assert failure_of(lambda: right(fixture)) is None


class Prints(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        print(f"writing to {snapshot.item.ref.url}")  # noqa: T201
        return super().write(snapshot, change)


def test_a_plugin_that_prints_is_named(
    fixture: MutatedFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    fixture.mutant = Prints
    with pytest.raises(AssertionError, match="a plugin prints nothing"):
        Markers().test_a_plugin_prints_nothing(fixture, capfd)

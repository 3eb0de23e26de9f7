"""The conformance kit on a plugin that does not declare LABELS, with a harness that has none."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.conformance.test_github import GithubHarness

from unlatch.spi import Capability
from unlatch.testing import Harness
from unlatch.testing.conformance import Conformance
from unlatch.testing.harness import Fixture
from unlatch_sandbox import Sandbox


class WithoutLabels(GithubHarness):
    def make(self, title: str, *, is_open: bool, labels: Sequence[str]) -> str:
        assert list(labels) == []
        return super().make(title, is_open=is_open, labels=())

    def labels(self, item: str) -> list[str]:
        raise NotImplementedError

    def add_label(self, item: str, label: str) -> None:
        raise NotImplementedError


def install(folder: Path) -> None:
    """Install the plugin in a folder as another unlatch: no other distribution replaces a name."""
    info = folder / "unlatch-1.0.dist-info"
    info.mkdir()
    target = "tests.conformance.without_labels:manifest"
    (info / "entry_points.txt").write_text(f"[unlatch.plugins]\ngithub = {target}\n")


@pytest.mark.sweep  # the commands with such a plugin are tested in tests/cli, too
class TestWithoutLabels(Conformance):
    def test_the_plugin_declares_no_labels(self, fixture: Fixture) -> None:
        assert not fixture.can(Capability.LABELS)

    @pytest.fixture
    def harness(
        self,
        box: Sandbox,
        tmp_path_factory: pytest.TempPathFactory,
        monkeypatch: pytest.MonkeyPatch,
    ) -> Harness:
        site = tmp_path_factory.mktemp("site")
        install(site)
        monkeypatch.syspath_prepend(site)
        return WithoutLabels(box)

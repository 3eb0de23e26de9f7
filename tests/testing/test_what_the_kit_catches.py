"""The kit asks a tracker without labels for none, shows secrets, and strikes each request.

Its messages name the promises, and its proxy needs no pytest.
"""

import ast
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from tests.conformance.test_without_labels import WithoutLabels

import unlatch.testing
from unlatch.errors import Rejected
from unlatch.project.registry import Registry
from unlatch.spi import Capability, Manifest
from unlatch.testing import FaultKind
from unlatch.testing.behaviour import Behaviour
from unlatch.testing.clone import CLOSE, REOPEN, check_no_secret
from unlatch.testing.harness import Fixture
from unlatch.testing.planning import Planning
from unlatch.testing.resilience import REOPEN_FAULTS
from unlatch.testing.scenario import FaultCase, run_faults


class LabellessRegistry(Registry):
    @property
    def manifests(self) -> Mapping[str, Manifest]:
        found = super().manifests.items()
        return {
            name: replace(manifest, capabilities=manifest.capabilities - {Capability.LABELS})
            for name, manifest in found
        }


@pytest.mark.parametrize("fixture", [WithoutLabels], indirect=True)
def test_a_tracker_without_labels_passes_and_gets_none(fixture: Fixture) -> None:
    fixture.registry = LabellessRegistry()
    for transition in (REOPEN, CLOSE):
        Behaviour().test_an_operation_does_what_it_says(fixture, transition)
        Behaviour().test_an_item_that_is_there_already_keeps_its_state(fixture, transition)
        Planning().test_the_planned_requests_are_those_that_are_sent(fixture, transition)
    Behaviour().test_where_nothing_is_to_be_done_nothing_is_written(fixture)
    faulted = list(run_faults(fixture, REOPEN, FaultCase(FaultKind.INTERRUPTED)))
    assert [one.partition(" ")[0] for one in faulted] == ["PATCH", "POST"]


def test_a_secret_in_an_error_is_noticed(fixture: Fixture) -> None:
    error = Rejected("refused", "no", hint=f"try {fixture.credential.secret} again")
    with pytest.raises(AssertionError, match="shows the secret"):
        check_no_secret(fixture, error, "status")
    check_no_secret(fixture, Rejected("refused", "no"), "status")


@pytest.mark.sweep
def test_every_request_of_a_reopen_is_struck_in_turn(fixture: Fixture) -> None:
    faulted = list(run_faults(fixture, REOPEN, FaultCase(FaultKind.LIMITED)))
    assert [one.partition(" ")[0] for one in faulted] == ["PATCH", "POST", "POST", "DELETE"]
    assert {case.kind for case in REOPEN_FAULTS} == set(FaultKind)


def test_each_assert_of_the_kit_has_a_message() -> None:
    bare, asserts = [], 0
    for path in sorted(Path(unlatch.testing.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Assert):
                asserts += 1
                if node.msg is None:
                    bare.append(f"{path.name}:{node.lineno}")
    assert bare == []
    assert asserts > 100


WITHOUT = """\
import sys
sys.modules["pytest"] = None
import unlatch.testing.harness, unlatch.testing.clone, unlatch.testing.proxy
import unlatch.testing.scenario, unlatch.testing.layouts
from unlatch.testing import Harness
try:
    import unlatch.testing.conformance
except ModuleNotFoundError as error:
    print(error.name)
"""


def test_the_proxy_can_be_used_without_it() -> None:
    run = [sys.executable, "-c", WITHOUT]
    done = subprocess.run(run, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "pytest\n"

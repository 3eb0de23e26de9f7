"""The names that modules had before they moved, most of them to packages of their own."""

import subprocess
import sys
from importlib import import_module

import pytest

FORMER = {
    "unlatch.efforts.store": ("unlatch_efforts.store", "EffortStore"),
    "unlatch.efforts.highlights": ("unlatch.related.highlights", "highlights"),
    "unlatch.efforts.identifiers": ("unlatch.related.identifiers", "identifiers"),
    "unlatch.llm": ("unlatch_efforts.llm", "Scripted"),
    "unlatch.llm.port": ("unlatch.chat_model", "Reply"),
    "unlatch.runs.dispatch.port": ("unlatch_runs.dispatch.port", "Dispatcher"),
    "unlatch.sessions": ("unlatch_sessions", "__doc__"),
    "unlatch.sessions.recorder": ("unlatch_sessions.recorder", "Recorder"),
    "unlatch.spi.category": ("unlatch.spi.operation", "Category"),
    "unlatch.testing.checks": ("unlatch.testing.clone", "check_item"),
    "unlatch.testing.dispatch": ("unlatch_runs.testing", "DispatchHarness"),
    "unlatch.testing.dispatch.conformance": ("unlatch_runs.testing.conformance", "Claims"),
    "unlatch.transport.error_table": ("unlatch.transport.errors", "Row"),
    "unlatch.transcripts": ("unlatch_agents.transcripts", "read_transcripts"),
    "unlatch.transcripts.agents.codex": ("unlatch_agents.transcripts.agents.codex", "AGENT"),
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("former", FORMER)
def test_a_former_name_gives_the_same_objects_with_a_warning(former: str) -> None:
    present, name = FORMER[former]
    program = (
        "import warnings\n"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n"
        f"    from {former} import {name}\n"
        f"from {present} import {name} as present\n"
        f"assert {name} is present\n"
        "print(caught[-1].category.__name__, caught[-1].message)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(f"DeprecationWarning {former} is {present} now; ")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", ["unlatch.nothing", "unlatch.runs.nothing", "unlatch.runsome"])
def test_a_module_that_never_was_is_missing_under_the_name_that_was_typed(name: str) -> None:
    with pytest.raises(ModuleNotFoundError) as caught:
        import_module(name)
    assert (name, f"No module named '{name}'") == (caught.value.name, str(caught.value))

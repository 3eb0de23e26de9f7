"""Every run of unlatch loads only the modules that it uses."""

import subprocess
import sys
import time
from collections.abc import Iterable

import pytest
from benchmarks import items
from benchmarks.resume import TRACKERS
from tests.cli.project import Project

from unlatch_sandbox import Sandbox

HEAVY = frozenset(
    {
        "azure",
        "filelock",
        "github.Requester",
        "jira",
        "jsonschema",
        "keyring",
        "msrest",
        "prompt_toolkit",
        "pydantic",
        "requests",
        "rich.console",
        "unlatch_efforts.llm",
        "unlatch_ado.plugin",
        "unlatch_github.plugin",
        "unlatch_jira.plugin",
        "urllib3",
    }
)


RUN = """
import sys
from unlatch.cli.__main__ import prepare
prepare()
from unlatch.cli.main import run
run(sys.argv[1:])
for name, module in sys.modules.items():
    if type(module).__name__ != "_Deferred":
        print(name, file=sys.stderr)
"""


def loaded_by(project: Project, *arguments: str) -> set[str]:
    """The modules that have run when a run of unlatch ends."""
    return {*last_lines(project, *arguments, script=RUN)}


def last_lines(project: Project, *arguments: str, script: str) -> list[str]:
    """What a script that runs unlatch prints to stderr, behind the messages."""
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(
        command, cwd=project.root, env=project.environ, capture_output=True, text=True, check=True
    )
    return done.stderr.splitlines()


def own_and_third_party(modules: Iterable[str]) -> set[str]:
    return {one for one in modules if one.partition(".")[0] not in sys.stdlib_module_names}


def test_help_and_list_load_no_sdk_and_nothing_else_that_is_slow(completed: Project) -> None:
    of_help = loaded_by(completed, "--help")
    assert set() == of_help & HEAVY
    assert 33 > len(own_and_third_party(of_help))
    # It names the trackers without loading their plugins.
    assert not [name for name in of_help if name.startswith("unlatch_")]
    assert set() == loaded_by(completed, "list", "--all") & HEAVY


def test_showing_an_increment_loads_only_what_it_shows(completed: Project) -> None:
    assert [] == [one for one in loaded_by(completed, "show", "7") if "click" in one]
    loaded = loaded_by(completed, "show", "7", "--offline")
    assert set() == loaded & {"unlatch.config.config", "unlatch.lifecycle.fetch_items"}


def test_a_sync_outside_of_a_job_loads_nothing_for_jobs(completed: Project) -> None:
    assert [] == [one for one in loaded_by(completed, "sync", "--yes") if "unlatch_ci" in one]


# What quick commands on increments without records and items have no use for.
SLOW = frozenset(
    {
        "unlatch.config.choices",
        "unlatch.delivery.states",
        "unlatch.errors.trackers",
        "unlatch.increments.documents.headings",
        "unlatch.increments.files.locks",
        "unlatch.increments.model.policies",
        "unlatch.lifecycle.fetch_items",
        "unlatch.lifecycle.finish",
        "unlatch.increments.model.unit",
        "unlatch.increments.records.events",
        "unlatch.increments.records.links",
        "unlatch.increments.records.reopens",
        "unlatch.increments.records.unread_places",
        "unlatch.project.plugins.loading",
        "unlatch.related.belonging",
        "unlatch.spi.interface",
        "unlatch.spi.item",
        "unlatch.spi.manifest",
        "unlatch.spi.operation",
        "unlatch.spi.text",
        "unlatch.worklog.entry_points",
        "unlatch.worklog.json_text.nodes",
    }
)
# A quarter of their instructions once: `inspect` loads `ast`, and `hashlib` loads OpenSSL.
SLOW_OF_PYTHON = frozenset(
    {"bisect", "gettext", "hashlib", "html", "ipaddress", "locale", "platform", "shlex", "tempfile"}
    | {"urllib.parse"}
    # `dataclasses` and `pathlib` use them since Python 3.12.
    | ({"ast", "fnmatch", "inspect"} if sys.version_info < (3, 12) else set())
)


@pytest.mark.parametrize(
    ("line", "budget", "used"),
    [
        ("list", 81, set()),
        ("list --json", 83, set()),
        ("show 1", 62, set()),
        (
            "pause 1 --by me",
            109,
            {"unlatch.increments.files.locks", "unlatch.worklog.json_text.nodes"},
        ),
        (
            "history 1",
            102,
            {
                "unlatch.delivery.states",
                "unlatch.errors.trackers",
                "unlatch.increments.records.events",
                "unlatch.spi.item",
                "unlatch.spi.operation",
                "unlatch.spi.text",
            },
        ),
    ],
)
def test_a_quick_command_loads_few_modules(
    project: Project, line: str, budget: int, used: set[str]
) -> None:
    project.run("new", "No items")
    project.run("start", "1")
    loaded = loaded_by(project, *line.split())
    assert {"keyring"} >= loaded & HEAVY
    assert set() == loaded & SLOW_OF_PYTHON
    assert used == loaded & SLOW
    assert budget > len(own_and_third_party(loaded))
    if line.startswith("show"):
        assert [] == [one for one in loaded if "click" in one]


# A CI job runs it on each push. Once it loaded a hundred more, and started a third program.
SYNC_BUDGET = 184
STARTED = """
import sys
from unlatch.cli.__main__ import prepare
prepare()
started = []
sys.addaudithook(lambda event, given: started.append(given) if event == "subprocess.Popen" else 0)
from unlatch.cli.main import run
run(sys.argv[1:])
print(len(started), file=sys.stderr)
"""


def test_a_sync_without_links_loads_and_starts_little(project: Project) -> None:
    project.run("new", "No items")
    project.git("init", "-q")
    loaded = loaded_by(project, "sync", "--yes")
    assert set() == loaded & HEAVY
    assert set() == loaded & {"unlatch.delivery.dispatch", "unlatch.sync.apply", "tempfile"}
    assert SYNC_BUDGET > len(own_and_third_party(loaded))
    # Which branch is checked out, and which is the default one.
    *_, started = last_lines(project, "sync", "--yes", script=STARTED)
    assert int(started) <= 2


AS_A_SCRIPT = """
import os, sys
folder = os.path.dirname(sys.executable)
sys.path.insert(0, folder)
from unlatch.cli.__main__ import main
try:
    main()
finally:
    print(folder in sys.path, file=sys.stderr)
"""


def test_nothing_is_imported_from_the_folder_of_the_script(project: Project) -> None:
    assert ["False"] == last_lines(project, "--version", script=AS_A_SCRIPT)


INTERRUPTED = """
import unlatch.cli.__main__ as start
def interrupt():
    raise KeyboardInterrupt
start.prepare = interrupt
start.main()
"""


def test_an_interruption_while_modules_load_shows_no_traceback(project: Project) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], env=project.environ, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


NOT_FOR_A_RESUME = HEAVY & {
    *("filelock", "jsonschema", "keyring", "prompt_toolkit", "pydantic", "rich.console"),
    "unlatch_efforts.llm",
}
REOPEN = ("resume", "7", "--reason", "Not done yet", "--yes")


@pytest.fixture
def warm(completed: Project) -> Project:
    """A project with a completed increment that has been reopened once."""
    completed.run(*REOPEN)
    completed.run("complete", "7", "--yes", "--force")
    return completed


# Third-party and own modules at the end of a resume over three trackers; it was 830 once.
BUDGET = 488
# Parts of the SDKs that no command has any use for, and of the plugins that a resume has none for.
UNUSED = frozenset(
    {
        "azure.core.pipeline",
        "charset_normalizer.api",
        "cryptography",
        "github.MainClass",
        "github.Repository",
        "jwt",
        "nacl",
        "oauthlib.oauth2.rfc6749",
        "requests_oauthlib.oauth2_session",
        "ulid",
        "unlatch_ado.api.comments",
        "unlatch_jira.api.site_models",
    }
)


def test_a_resume_loads_only_the_parts_of_the_sdks_that_it_uses(warm: Project) -> None:
    loaded = loaded_by(warm, *REOPEN)
    assert set() == loaded & UNUSED
    assert NOT_FOR_A_RESUME == HEAVY - loaded
    assert BUDGET > len(own_and_third_party(loaded))


# Texts compiled in a resume: methods of dataclasses, annotations of settings. A frozen
# dataclass of the standard library has six (docs/adr/0022).
COMPILED = 380
COMPILE_EVENTS = """
import sys
from unlatch.cli.__main__ import prepare
prepare()
events = []
sys.addaudithook(lambda event, _: events.append(event) if event == "compile" else None)
from unlatch.cli.main import run
run(sys.argv[1:])
print(len(events), file=sys.stderr)
"""


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="dataclasses compile once per class")
def test_a_resume_compiles_little(warm: Project) -> None:
    *_, count = last_lines(warm, *REOPEN, script=COMPILE_EVENTS)
    assert COMPILED > int(count)


# What is loaded before anything is sent, so that the others load while GitHub answers.
FIRST_BUDGET = 379
FIRST_REQUEST = """
import sys
from unlatch.cli.__main__ import prepare
prepare()
def watch(self, name):  # called before each request; the other SDKs may load at once then
    if not seen:
        seen.update(sys.modules)
    end(self, name)
seen = set()
from unlatch.project.trackers import LoadOrder
end, LoadOrder.end = LoadOrder.end, watch
LoadOrder.__init__.__kwdefaults__["longest"] = 60.0  # machines under load are slow
from unlatch.cli.main import run
run(sys.argv[1:])
print(*seen, sep="\\n", file=sys.stderr)
"""


def test_the_first_request_leaves_before_the_sdks_of_the_other_trackers_load(warm: Project) -> None:
    loaded = {*last_lines(warm, *REOPEN, script=FIRST_REQUEST)}
    sdks = {"github.Requester", "jira.client", "azure.devops.client"}
    assert {"github.Requester"} == loaded & sdks
    assert FIRST_BUDGET > len(own_and_third_party(loaded))


def test_resuming_three_items_at_100_ms_a_request_ends_within_5_s() -> None:
    # A busy machine may delay one run: only the fastest of three counts.
    with Sandbox(latency=0.1) as box, items.project(box) as project:
        assert any(seconds_of_resume(project, number) < 5 for number in (7, 8, 9))


def seconds_of_resume(project: items.Project, number: int) -> float:
    closed = {name: getattr(items, name)(project.box, number, "completed") for name in TRACKERS}
    project.complete(number, **closed)
    began = time.monotonic()
    subprocess.run(project.resume(number), env=project.environ, capture_output=True, check=True)
    return time.monotonic() - began

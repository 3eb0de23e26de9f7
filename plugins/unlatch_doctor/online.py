"""Ask each tracker about the credential and the configuration, without writing."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from unlatch.errors import StoreError, UnlatchError, unexpected
from unlatch.increments.model.increment import BrokenIncrement
from unlatch.lifecycle.linking.link import check_capability
from unlatch.project.trackers import Trackers
from unlatch.project.workspace import Workspace
from unlatch.spi import Access, Capability, Examination, ItemRef
from unlatch.values import dataclass
from unlatch.worklog.parallel import run_parallel
from unlatch_doctor.finding import Finding, Severity, from_error

# The ids of findings, besides those of errors and of plugins' remarks.
IDS = ("posts-as", "access", "access-missing")
# The number of linked items to examine for permissions; more would only cost requests.
MOST_ITEMS = 100


@dataclass(frozen=True, slots=True)
class Examined:
    """The answer of one tracker; `found` is None if it could not be asked."""

    tracker: str
    findings: tuple[Finding, ...]
    found: Examination | None = None


def examine_online(
    workspace: Workspace, trackers: Trackers, wanted: Sequence[str] = ()
) -> list[Examined]:
    """Ask the wanted trackers, or all configured ones, in parallel.

    Raises:
        UsageError: `unknown-tracker`, `tracker-not-configured`, or `not-supported`.
        StoreError: the increments cannot be listed, and trackers were named.
    """
    for name in wanted:
        trackers.settings(name)
        check_capability(trackers.registry.manifest(name), Capability.EXAMINE)
    names = [
        name
        for name in (wanted or workspace.settings)
        if Capability.EXAMINE in trackers.registry.manifest(name).capabilities
    ]
    try:
        refs = _refs(workspace, trackers)
    except StoreError:
        if wanted:
            raise
        refs = {}  # `examine` also reports it
    tasks: dict[str, Callable[[], Examined]] = {
        name: partial(_ask, workspace, trackers, name, refs.get(name, [])) for name in names
    }
    by_tracker = dict(run_parallel(tasks))
    return [by_tracker[name] for name in names]


def _refs(workspace: Workspace, trackers: Trackers) -> dict[str, list[ItemRef]]:
    refs: dict[str, list[ItemRef]] = {}
    for increment in workspace.manager.list():
        if isinstance(increment, BrokenIncrement):
            continue
        for link in increment.links:
            try:
                ref = trackers.locate(link)
            except UnlatchError:
                continue  # a check of the increments reports it
            asked = refs.setdefault(ref.tracker, [])
            if ref not in asked and len(asked) < MOST_ITEMS:
                asked.append(ref)
    return refs


def _ask(workspace: Workspace, trackers: Trackers, name: str, refs: list[ItemRef]) -> Examined:
    title = trackers.registry.manifest(name).title
    try:
        examination = trackers.open(name).examine(refs)
    except Exception as error:  # noqa: BLE001  # a plugin's mistake must not hide the others
        return Examined(name, tuple(from_error(unexpected(error), workspace.paths.root)))
    return Examined(name, tuple(_findings(title, examination)), examination)


def _findings(title: str, examination: Examination) -> Iterator[Finding]:
    login = (
        f"comments are posted as {examination.login}"
        if examination.login
        else "the account is unknown"
    )
    yield Finding(Severity.NOTE, "posts-as", f"{title}: {login}")
    yield from (_finding_of(title, place) for place in examination.places)
    for remark in examination.remarks:
        severity = Severity.ERROR if remark.is_error else Severity.WARNING
        message = f"{title}: {remark.message}"
        yield Finding(severity, remark.id, message, remark.where, remark.hint)


def _finding_of(title: str, place: Access) -> Finding:
    words = {True: "yes", False: "no", None: "unknown"}
    rights = ", ".join(f"{what} {words[right]}" for what, right in place.rights.items())
    message = f"{title} {place.target}: {rights}"
    if False not in place.rights.values():
        return Finding(Severity.NOTE, "access", message)
    severity = Severity.ERROR if place.rights.get("read") is False else Severity.WARNING
    return Finding(severity, "access-missing", message, None, place.hint)

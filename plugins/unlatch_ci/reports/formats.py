"""Reports to a CI system: annotations, a job's summary and its outputs, each in its own format.

Text from people is escaped, so that it can neither begin nor end a command.

Sources: GitHub, "Workflow commands" (and the toolkit's escapeData, escapeProperty); Azure
Pipelines, "Logging commands"; GitLab has none, so a file takes their place.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from unlatch.cli.terminal import output
from unlatch.errors import UnlatchError
from unlatch.spi.render import markdown
from unlatch.spi.text import Span
from unlatch.values import dataclass
from unlatch.worklog.disk.named_file import open_named
from unlatch_ci.systems import Ci, System, detect

# GitHub shows ten annotations of a kind a step; the summary has them all.
MOST_ANNOTATIONS = 10
_LINES = {"\r": "%0D", "\n": "%0A"}
_GITHUB = str.maketrans({"%": "%25", **_LINES})
_GITHUB_PROPERTY = str.maketrans({"%": "%25", **_LINES, ":": "%3A", ",": "%2C"})
_AZURE = str.maketrans({"%": "%AZP25", **_LINES})
_AZURE_PROPERTY = str.maketrans({"%": "%AZP25", **_LINES, "]": "%5D", ";": "%3B"})


class Level(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    NOTICE = "notice"


@dataclass(frozen=True, slots=True)
class Annotation:
    """A message beside a job, about a file if there is one."""

    level: Level
    title: str
    message: str
    file: Path | None = None


def job() -> Ci | None:
    """The job that this process runs in, if it does."""
    return detect(os.environ)


def annotate_error(error: UnlatchError) -> None:
    """Show an error that ended a command beside the job."""
    if ci := job():
        where = f" ({error.where})" if error.where else ""
        hint = f"; {error.hint}" if error.hint else ""
        problems = "; ".join(("", *error.problems))
        message = f"{error.message}{where}{problems}{hint}"
        annotate(ci, [Annotation(Level.ERROR, f"unlatch {error.id}", message)])


def annotate(ci: Ci, annotations: Iterable[Annotation]) -> None:
    """Show annotations, the first ten of each level."""
    counts = dict.fromkeys(Level, 0)
    for annotation in annotations:
        counts[annotation.level] += 1
        if counts[annotation.level] <= MOST_ANNOTATIONS and (line := _line(ci, annotation)):
            output.command(line)


def _line(ci: Ci, annotation: Annotation) -> str | None:
    title, message = output.clean(annotation.title), output.clean(annotation.message)
    file = _from_top(ci, annotation.file) if annotation.file else None
    if ci.system is System.GITHUB:
        place = f"file={file.translate(_GITHUB_PROPERTY)}," if file else ""
        properties = f"{place}title={title.translate(_GITHUB_PROPERTY)}"
        return f"::{annotation.level} {properties}::{message.translate(_GITHUB)}"
    if ci.system is System.AZURE and annotation.level is not Level.NOTICE:
        place = f"sourcepath={file.translate(_AZURE_PROPERTY)};" if file else ""
        text = f"{title}: {message}".translate(_AZURE)
        return f"##vso[task.logissue type={annotation.level};{place}]{text}"
    return None


def _from_top(ci: Ci, file: Path) -> str:
    top = ci.environ.get("GITHUB_WORKSPACE") or ci.environ.get("BUILD_SOURCESDIRECTORY")
    try:
        return file.resolve().relative_to(Path(top or ".").resolve()).as_posix()
    except ValueError:
        return file.name


def summarise(ci: Ci, lines: Sequence[str], *, id: str) -> None:
    """Add Markdown to the job's summary; GitLab has none, but may keep a file as an artifact.

    Args:
        id: makes this summary different from others of the job.
    """
    text = "\n".join(lines) + "\n\n"
    if ci.system is System.GITHUB:
        _append(ci.environ.get("GITHUB_STEP_SUMMARY"), text)
    elif ci.system is System.GITLAB:
        _append(ci.environ.get("UNLATCH_SUMMARY"), text)
    elif folder := ci.environ.get("AGENT_TEMPDIRECTORY"):
        # The agent uploads the file when the job ends, and empties the folder afterwards.
        file = Path(folder, f"unlatch-summary-{id}.md").absolute()
        _append(str(file), text)
        if file.exists():
            output.command(f"##vso[task.uploadsummary]{str(file).translate(_AZURE)}")


def tell_outputs(ci: Ci, values: Mapping[str, str]) -> None:
    """Set the outputs that later steps of the job may read."""
    outputs = {name: output.clean(value) for name, value in values.items()}
    if ci.system is System.GITHUB:
        lines = (f"{name}={value}\n" for name, value in outputs.items())
        _append(ci.environ.get("GITHUB_OUTPUT"), "".join(lines))
    elif ci.system is System.AZURE:
        for name, value in outputs.items():
            # Read as STEP.name; the template calls its step unlatch.
            properties = f"variable={name.translate(_AZURE_PROPERTY)};isoutput=true"
            output.command(f"##vso[task.setvariable {properties}]{value.translate(_AZURE)}")


def _append(path: str | None, text: str) -> None:
    if not path:
        return
    try:
        # Bytes of a file's name that are not UTF-8 are shown, as everywhere.
        opened = open_named(Path(path), os.O_APPEND)
        with os.fdopen(opened, "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError as error:
        # The job's result does not depend on its report.
        output.talk(f"The CI system's file cannot be written: {output.clean(str(error))}")


def words(text: str) -> str:
    """People's text on one line of Markdown, without its markup."""
    return markdown(((Span(output.clean(text)),),))


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table in Markdown; its cells are Markdown already."""
    lines = [headings, ["---"] * len(headings), *rows]
    return [f"| {' | '.join(line)} |" for line in lines]

"""`unlatch session`, and the id of its error."""

from tests.cli.project import Done, Project


def session(project: Project, *arguments: str, stdin: str = "") -> Done:
    return project.run("session", *arguments, stdin=stdin)


def error_of(done: Done) -> str:
    return done.err.partition("error[")[2].partition("]")[0]

"""A suggested command that is pasted with its placeholder records and posts nothing."""

import re
import shlex

from tests.cli.project import Project
from tests.cli.refusing import assert_refused, assert_unchanged


def test_a_placeholder_is_no_text(completed: Project) -> None:
    before = completed.tree()
    for line in (
        "resume 7 --scope TEXT --reason More --yes",
        "resume 7 --scope More --task TITLE --reason More --yes",
        "resume 7 --update-scope --task TITLE --reason More --yes",
        "reopen 7 --scope TEXT --reason More --yes",
        "resume 7 --category WORD --reason More --yes",
        "resume 7 --by NAME --reason More --yes",
        "new TITLE",
        "auth login jira --user NAME",
        "effort open NAME",
        "effort close auth-bug --summary TEXT",
        "session start TITLE",
        "session start Work --phase TITLE",
        "session log --phase TITLE",
        "session log --decision 'A decision' --decision TEXT",
        "session log --subagent NAME[@VERSION] --work Work",
        "session log --subagent coder --work TEXT",
        "session complete --summary ' TEXT '",
        "run start plan.md --title TEXT",
    ):
        done = completed.run(*shlex.split(line))
        assert_refused(done, 2, "placeholder")
        said = re.search(r" is the placeholder '(.+)'\n  next: replace \1, then run", done.err)
        assert said is not None, line
    assert_unchanged(completed, before)


def test_id_is_no_part_of_a_name(project: Project) -> None:
    project.increment("0007-identity", links=project.items())
    before = project.tree()
    for line in (
        f"link ID {project.urls['github']}",
        "link ID --create github",
        "resume ID --reason More --yes",
        "sync ID",
        "doctor ID",
        "show ID",
    ):
        assert_refused(project.run(*line.split()), 2, "placeholder")
    assert_unchanged(project, before)

    # The same word in small letters is one.
    assert project.run("show", "id", "--json").document["increment"]["id"] == "0007-identity"

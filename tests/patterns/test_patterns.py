"""No expression that sees outside text takes a time that grows with the square of its length."""

import pytest
from tests.patterns.ambiguity import slow_parts
from tests.patterns.growth import MOST, attacks, growth
from tests.patterns.usage import all_uses


@pytest.mark.parametrize(
    ("regex", "method", "kinds"),
    [
        ("(?:a+)+b", "match", ["nested"]),
        ("(?:a|aa)+b", "fullmatch", ["nested"]),
        ("a+a+b", "match", ["adjacent"]),
        (r"\s+x", "search", ["adjacent"]),
        (r"\s+x", "match", []),
        (r"\s++x", "fullmatch", []),
        (r"(?<!\s)\s++x", "search", []),
        (r'"(?:[^"\\]|\\.)*"', "search", ["adjacent"]),
        ("a*b*a*c", "match", ["adjacent"]),
        ("[ab]+c|d+", "search", ["adjacent"]),
        ("a{1,9}a{1,9}b", "match", []),
    ],
)
def test_repeats_that_share_a_text_are_noticed(regex: str, method: str, kinds: list[str]) -> None:
    assert kinds == slow_parts(regex, 0, method)


_NEXT = "it looks no further than the next beginning"
_ENDS = "its end always matches"
_START = "it is matched at the start alone"
# What the analysis cannot see; the growth of these is measured like that of all others.
SHORT = {
    "unlatch.increments.documents.headings._WAS": _NEXT,
    "unlatch.increments.documents.state_words._WAS": _NEXT,
    "unlatch.spi.body._PART": _NEXT,
    "unlatch.spi.text._BOLD": _NEXT,
    "unlatch.project.git.run._CREDENTIALS": _NEXT,
    "unlatch.worklog.text.neutral.without_passwords": _NEXT,
    "unlatch.worklog.text.secrets._compiled": _NEXT,
    "unlatch_sessions.workflow.wording._ABSOLUTE": _NEXT,
    "unlatch_efforts.llm.scripted._WORD": _ENDS,
    "unlatch_runs.plan.commands._COMMENT": _ENDS,
    "unlatch_runs.plan.commands._DOUBLE": _ENDS,
    "unlatch_runs.plan.commands._QUOTED": _ENDS,
    "unlatch_sessions.document._CALL": _ENDS,
    "unlatch_sessions.workflow.read_workflow._BRANCH": _ENDS,
    "unlatch_sessions.workflow.read_workflow._COLON_BRANCH": _ENDS,
    "unlatch_agents.transcripts.findings._ANSWERED": _ENDS,
    "unlatch_agents.transcripts.findings._FENCED": _ENDS,
    "unlatch.transport.trace._SECRET_HEADERS": _ENDS,
    "unlatch_sessions.heading._LAST_WORD": "each run of spaces is tried once",
    "unlatch_sessions.imported.masking._CALL": "each run of ticks is tried once",
}
# By what keeps their texts short.
BOUNDED = {
    "unlatch.related.identifiers._IDENTIFIER": "words of at most 300 characters",
    "unlatch_layouts.spec_kit.documents.GRAMMAR": _START,
    "unlatch.project.git.repository_settings._PROGRAMS": _START,
}


def test_no_other_expression_has_nested_or_adjacent_repeats() -> None:
    slow = {use.place for use in all_uses() if slow_parts(use.regex, use.flags, use.method)}

    assert {*SHORT, *BOUNDED} == slow


_PARTS = 12


@pytest.mark.sweep
@pytest.mark.parametrize("part", range(_PARTS))
def test_the_time_of_an_expression_grows_with_the_length(part: int) -> None:
    uses = [use for use in all_uses() if use.place not in BOUNDED][part::_PARTS]

    grows = {(use, attack): growth(use, attack) for use in uses for attack in set(attacks(use))}

    assert {} == {attack: times for attack, times in grows.items() if times > MOST}

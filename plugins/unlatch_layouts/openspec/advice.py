"""What has to change in the files of a reopened change before it can be archived again.

Archiving merged its requirements into `openspec/specs`. `openspec archive` accepts one that it
finds there under ADDED only while both texts are the same (src/core/specs-apply.ts). MODIFIED and
REMOVED ones it applies again, whatever other changes made of them since
(findings/openspec-archive-again.sh).
"""

from collections.abc import Iterator, Mapping

from unlatch_layouts.openspec.deltas import Requirement, requirements


def advice(deltas: Mapping[str, str], specs: Mapping[str, str]) -> Iterator[str]:
    """A sentence for each requirement that the specification of its capability has by now.

    Args:
        deltas: the texts of a change's files, by their paths from the root.
        specs: the texts of the specifications that they change, by the same paths' specifications.
    """
    for (path, delta), (spec_path, spec) in zip(deltas.items(), specs.items(), strict=True):
        merged = {
            requirement.folded: requirement
            for requirement in requirements(spec)
            if _is("requirements", requirement)
        }
        for changed in requirements(delta):
            if existing := merged.get(changed.folded):
                yield from _sentences(path, spec_path, changed, existing)


def _is(section: str, requirement: Requirement) -> bool:
    return requirement.section.lower() == section


def _sentences(
    path: str, spec_path: str, changed: Requirement, existing: Requirement
) -> Iterator[str]:
    heading = f"'### Requirement: {changed.name}'"
    is_same = (changed.name, changed.content) == (existing.name, existing.content)
    if _is("added requirements", changed):
        when = "before you change it" if is_same else "before `openspec archive`"
        spelled = "" if changed.name == existing.name else f", spelled '{existing.name}'"
        yield (
            f"{path}: move {heading} to '## MODIFIED Requirements' {when}; "
            f"{spec_path} already has it{spelled}"
        )
    elif _is("modified requirements", changed) and not is_same:
        yield (
            f"{path}: {spec_path} has another text of {heading} by now, and `openspec archive` "
            "replaces it; take over what is to stay"
        )
    elif _is("removed requirements", changed):
        yield (
            f"{path}: {spec_path} has {heading} again, and `openspec archive` removes it; "
            "delete it from the change if it is to stay"
        )

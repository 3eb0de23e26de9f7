"""What has to change in the files of a reopened change before it can be archived again.

Archiving merged its requirements into `openspec/specs`. `openspec archive` accepts one that it
finds there under ADDED only while both texts are the same (src/core/specs-apply.ts).
"""

from collections.abc import Iterator, Mapping

from unlatch.increments.layouts.openspec.deltas import Requirement, requirements


def advice(deltas: Mapping[str, str], specs: Mapping[str, str]) -> Iterator[str]:
    """A sentence for each added requirement that the specification of its capability has.

    Args:
        deltas: the texts of a change's files, by their paths from the root.
        specs: the texts of the specifications that they change, by the same paths' specifications.
    """
    for (path, delta), (spec_path, spec) in zip(deltas.items(), specs.items(), strict=True):
        merged = {one.folded: one for one in requirements(spec) if _is("requirements", one)}
        for added in requirements(delta):
            if _is("added requirements", added) and (known := merged.get(added.folded)):
                yield _sentence(path, spec_path, added, known)


def _is(section: str, one: Requirement) -> bool:
    return one.section.lower() == section


def _sentence(path: str, spec_path: str, added: Requirement, known: Requirement) -> str:
    is_same = (added.name, added.content) == (known.name, known.content)
    when = "before you change it" if is_same else "before `openspec archive`"
    spelled = "" if added.name == known.name else f", spelled '{known.name}'"
    return (
        f"{path}: move '### Requirement: {added.name}' to '## MODIFIED Requirements' {when}; "
        f"{spec_path} already has it{spelled}"
    )

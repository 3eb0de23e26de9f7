"""Real projects of other tools, at UNLATCH_SAMPLES: ticking, and the conformance kit.

What each layout reads from them is counted in its own tests.
"""

import os
from pathlib import Path
from shutil import copytree

import pytest

from unlatch.increments.layouts.interface import Layout
from unlatch.testing.layouts import check_layout, texts_of
from unlatch_layouts.kiro import KIRO
from unlatch_layouts.openspec import OPENSPEC
from unlatch_layouts.spec_kit.layout import SPEC_KIT

SAMPLES = os.environ.get("UNLATCH_SAMPLES")
pytestmark = pytest.mark.skipif(not SAMPLES, reason="UNLATCH_SAMPLES names no real projects")
PROJECTS = (
    (KIRO, "kiro/gotalab__cc-sdd"),
    (KIRO, "kiro/aws-samples__sample-agentic-cost-optimizer"),
    (SPEC_KIT, "spec-kit/alfredoperez__speckit-companion"),
    (SPEC_KIT, "spec-kit/taoq-ai__ziran"),
    (OPENSPEC, "openspec/Fission-AI__OpenSpec"),
    (OPENSPEC, "openspec/liqiongyu__agentpack"),
)
each_project = pytest.mark.parametrize(("layout", "name"), PROJECTS)


def real(name: str) -> Path:
    return Path(SAMPLES or "") / "layouts" / name


@pytest.mark.sample(2)
@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.sweep)])
@each_project
def test_ticking_and_unticking_a_task_restores_its_file(
    layout: Layout, name: str, step: int
) -> None:
    for unit in layout.units(real(name)):
        texts = texts_of(layout, unit)
        tasks = layout.read(texts).tasks
        for task in [one for one in tasks if one.done is not None and not one.discarded][::step]:
            other = layout.mark(texts, [task.id], done=not task.done)
            assert other != texts, f"{unit.key} {task.id}"
            back = layout.mark(other, [task.id], done=bool(task.done))
            if task.status is None:  # a mark of begun tasks becomes a space
                assert back == texts, f"{unit.key} {task.id}"


@pytest.mark.sweep
@each_project
def test_it_conforms(layout: Layout, name: str, tmp_path: Path) -> None:
    root = tmp_path / "root"
    for unit in layout.units(real(name)):
        copytree(unit.place, root / unit.place.relative_to(real(name)))
    for path in (root, *root.rglob("*")):
        path.chmod(path.stat().st_mode | 0o200)
    check_layout(layout, root, tmp_path, most_tasks=1000)

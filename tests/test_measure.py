"""tools/measure.py, on small trees."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from measure import measured as figures
from measure import reading_path

ROOT = Path(__file__).parents[1]
LAYERS = """\
[[tool.importlinter.contracts]]
type = "layers"
containers = ["unlatch"]
layers = ["cli", "sync | doctor", "worklog"]
"""
TREE = {
    "pyproject.toml": LAYERS,
    "core/unlatch/__init__.py": '"""Reopen work."""\n',
    "core/unlatch/worklog/__init__.py": "",
    "core/unlatch/worklog/ids.py": "import json\n\none = found = 1\nname: int = 2\n",
    "core/unlatch/sync/__init__.py": "",
    "core/unlatch/sync/plan.py": "from unlatch.worklog import (\n    ids,\n)\n",
    "core/unlatch/delivery.py": "x = 1\ny = 2\n",
    "core/unlatch/cli/commands/work.py": "def run():\n    from unlatch.sync.plan import ids\n",
    "core/unlatch/testing/kit.py": "x = 1\n",
    "plugins/unlatch_runs/cli.py": "x = 1\n",
    "tests/test_it.py": "x = 1\ny = 2\n",
    "docs/start.md": "Three plain words\n",
    "docs/adr/0001.md": "Not counted\n",
    "README.md": "Two words\n",
    ".venv/lib/much.py": "x = 1\n",
}


def written(folder: Path, **more: str) -> Path:
    files = TREE | {name.replace("__", "/") + ".py": text for name, text in more.items()}
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "tools" / "measure.py", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_sizes_names_and_words(tmp_path: Path) -> None:
    read = figures(written(tmp_path))
    assert read["core"] == {"lines": 12, "statements": 9, "modules": 7}
    assert read["rooms"]["worklog"] == {"lines": 4, "statements": 3, "modules": 2}
    assert read["packages"]["unlatch.testing"]["modules"] == 1
    assert read["packages"]["unlatch_runs"] == {"lines": 1, "statements": 1, "modules": 1}
    assert read["largest room, share of the core"] == round(4 / 12, 3)
    assert read["lines of imports, share of the core"] == round(5 / 12, 3)
    vague = read["vague names in 1,000"]
    assert (vague["one"], vague["found"], vague["it"]) == (200, 200, 0)
    assert read["lines of the command line"] == 3
    assert read["lines of the reading path"] == 2
    assert (read["lines of tests"], read["lines without tests"]) == (2, 14)
    assert read["words of docs and README, without ADRs"] == 5


def test_arrows_along_the_layers_are_no_arrows_up(tmp_path: Path) -> None:
    read = figures(written(tmp_path))
    assert read["arrows between rooms of the core"] == 2
    assert (read["arrows up"], read["cycles"]) == ([], [])


@pytest.mark.parametrize(
    "text",
    [
        "import unlatch.sync.plan\n",
        "from unlatch.sync import plan\n",
        "from unlatch.sync.plan import ids\n",
        "from ..sync import plan\n",
        "def late():\n    from unlatch.sync import plan\n",
        "if TYPE_CHECKING:\n    from unlatch.sync import plan\n",
    ],
)
def test_an_arrow_up_is_named_and_closes_a_cycle(tmp_path: Path, text: str) -> None:
    read = figures(written(tmp_path, core__unlatch__worklog__up=text))
    assert read["arrows up"] == ["unlatch.worklog -> unlatch.sync"]
    assert read["cycles"] == ["unlatch.sync <-> unlatch.worklog"]


def test_rooms_of_one_layer_do_not_import_each_other(tmp_path: Path) -> None:
    read = figures(written(tmp_path, core__unlatch__doctor="import unlatch.sync\n"))
    assert (read["arrows up"], read["cycles"]) == (["unlatch.doctor -> unlatch.sync"], [])


def test_a_folder_with_more_than_15_modules_is_named(tmp_path: Path) -> None:
    modules = {f"core__unlatch__sync__m{number}": "" for number in range(14)}
    assert figures(written(tmp_path, **modules))["folders with more than 15 modules"] == {}
    read = figures(written(tmp_path, core__unlatch__sync__last=""))
    assert read["folders with more than 15 modules"] == {"core/unlatch/sync": 16}


# `make check` finds arrows up in this tree, by the same layers.
@pytest.mark.sweep
def test_this_tree_has_no_arrow_up() -> None:
    assert "\narrows up: 0\n" in run().stdout


def test_figures_as_text_and_a_folder_that_is_no_checkout(tmp_path: Path) -> None:
    assert "\narrows up: 0\n" in run(written(tmp_path / "tree")).stdout
    done = run(tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("cannot be measured: ")
    assert str(tmp_path) in done.stderr


def test_a_resume_is_watched_by_the_interpreter_of_the_checkout(tmp_path: Path) -> None:
    """The figures of a stand-in for it, which is started in the checkout."""
    python = written(tmp_path) / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\nprintf \'{"functions": 3, "folder": "%s"}\' "$PWD"\n')
    python.chmod(0o755)
    read = json.loads(run(tmp_path, "--resume", "--json").stdout)
    watched = {"functions": 3, "folder": str(tmp_path)}
    assert read["entered by a resume of three items"] == watched


def test_the_reading_path_is_an_afternoon() -> None:
    # Each name on it in CONTRIBUTING.md leads somewhere, or there are no figures.
    texts = (path.read_text(encoding="utf-8") for path in reading_path(ROOT))
    assert 6_000 < sum(len(text.splitlines()) for text in texts) <= 12_000


def test_the_reading_path_is_what_the_section_of_contributing_names(tmp_path: Path) -> None:
    guide = written(tmp_path) / "CONTRIBUTING.md"
    named = "1. `core/unlatch/sync/plan.py` and `core/unlatch/cli`\n"
    section = f"\n## The order to read it in\n\n{named}"
    guide.write_text(f"`core/unlatch/worklog`\n{section}\n## Next\n\n`core/unlatch/delivery.py`\n")
    assert figures(tmp_path)["lines of the reading path"] == 3 + 2

    guide.write_text(section.replace("plan.py", "plans.py"))
    failed = run(tmp_path)
    message = "CONTRIBUTING.md names core/unlatch/sync/plans.py, which does not exist"
    assert (failed.returncode, failed.stderr) == (1, f"cannot be measured: {message}\n")

"""A third party's plugin that answers for another item than it was asked for is at fault."""

import pytest
from tests.cli.project import OPEN, REASON, Project
from tests.cli.setup.foreign_plugin import install

LINK = {"redmine": {"issue": 5, "url": "https://redmine.example.com/issues/5"}}
RESUME = ("resume", "7", "--reason", REASON, "--yes", "--json")
CALLED = 'raise AssertionError("not called")'
NAMES = "SyncPlugin, ItemRef, Snapshot, RemoteItem, Category, Outcome, Capability"
FOUND = "return Snapshot(RemoteItem({}, 'A', 'new', Category.{}))"
READ = FOUND.format("ref", "DONE")
WROTE = "return Outcome(RemoteItem({}, 'A', 'new', Category.DOING), commented=True)"
READ_MANY = (
    "def read_many(self, refs, change=None):\n        return {{ref: self.read({}) for ref in refs}}"
)
WRITE_MANY = (
    "def write_many(self, wanted):\n        return [self.write(*wanted[0]) for _ in wanted]"
)


def other(target: str = "widgets", number: str = "6", tracker: str = "redmine") -> str:
    return f"ItemRef({tracker!r}, {target!r}, {number!r}, 'https://redmine.example.com/6')"


def spoil(
    project: Project,
    package: str,
    *methods: str,
    capability: str = "STATUS",
    new: str = "def plan(",
) -> None:
    """Install the plugin with these bodies of its methods, from `read` on."""
    more = [
        ("__init__.py", "Capability.STATUS,", f"Capability.STATUS, Capability.{capability},"),
        ("plugin.py", "import SyncPlugin", f"import {NAMES}"),
        *(("plugin.py", CALLED, one) for one in methods),
        ("plugin.py", "def plan(", new),
    ]
    install(project.root.parent / "site", package, more=more)


@pytest.mark.sample(count=1)
@pytest.mark.parametrize("ref", [other(), other("gadgets"), other(number="5", tracker="github")])
def test_a_read_of_another_item_is_the_plugin_s_mistake(
    project: Project, package: str, ref: str
) -> None:
    spoil(project, package, FOUND.format(ref, "DOING"))
    project.increment(links={**project.items("github"), **LINK})
    done = project.run(*RESUME)
    project.run("show", "7", "--json").shows("RedminePlugin.read returned another item")
    assert (done.code, project.states()["github"]) == (3, OPEN["github"]), done.said
    error = {one["tracker"]: one["error"] for one in done.document["trackers"]}["redmine"]
    assert error["id"] == "plugin-broken"
    assert "RedminePlugin.read returned another item than widgets 5: " in error["message"]


def test_a_write_to_another_item_is_the_plugin_s_mistake(project: Project, package: str) -> None:
    spoil(project, package, READ, WROTE.format(other()))
    project.increment(links=LINK)
    done = project.run(*RESUME).ends(3)
    message = done.document["trackers"][0]["error"]["message"]
    assert "RedminePlugin.write returned another item than widgets 5: widgets 6" in message


@pytest.mark.parametrize(
    ("read", "command", "method"),
    [
        ("refs[0]", ("sync", "--check"), "read_many"),
        ("ref", ("resume", "5", "6", "7", "--reason", REASON, "--yes"), "write_many"),
    ],
)
def test_results_for_other_items_of_many_are_the_plugin_s_mistake(
    project: Project, package: str, read: str, command: tuple[str, ...], method: str
) -> None:
    new = f"{READ_MANY.format(read)}\n\n    {WRITE_MANY}\n\n    def plan("
    many = "STATUS_OF_MANY, Capability.BATCH"
    spoil(project, package, READ, WROTE.format("snapshot.item.ref"), capability=many, new=new)
    for number in (5, 6, 7):
        url = f"https://redmine.example.com/issues/{number}"
        project.increment(f"000{number}-one", links={"redmine": {"issue": number, "url": url}})
    project.run(*command).ends(
        5 if method == "read_many" else 3,
        f"RedminePlugin.{method} returned another item than widgets 6: widgets 5",
    )


@pytest.mark.parametrize(
    ("ref", "capability"),
    [
        (other("Widgets", "5"), "REOPEN"),  # another spelling
        (other("gadgets", "5"), "REOPEN"),  # moved, with the number that it has everywhere
        (other("gadgets", "6"), "RENAMES"),  # moved, as an alias of the old name
    ],
)
def test_an_item_at_another_place_is_the_same(
    project: Project, package: str, ref: str, capability: str
) -> None:
    presented = "def present_name(self, target):\n        return None\n\n    def plan("
    wrote = WROTE.format(ref)
    read = FOUND.format(ref, "DONE")
    spoil(project, package, read, wrote, capability=capability, new=presented)
    project.increment(links=LINK)
    done = project.run("show", "7", "--json")
    assert [None] == [one["error"] for one in done.document["items"]]

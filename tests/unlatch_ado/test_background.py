"""What work items say, and the commits and pull requests that they are linked to."""

from tests.unlatch_ado.making import plugin_for, ref, sent_requests

from unlatch.errors import TrackerError
from unlatch.spi import Background, ClosingCommit
from unlatch_ado.plugin import AdoPlugin
from unlatch_sandbox import Sandbox

HOME = "00000000-0000-0000-0000-000000000001%2F00000000-0000-0000-0000-000000000002"
ABOVE = "https://github.com/octo/widgets/security/dependabot/3"


def test_texts_and_links_are_read_with_one_request(box: Sandbox, plugin: AdoPlugin) -> None:
    description = f'<div>See <A HREF = "{ABOVE}?a=1&amp;b=2">it</A> &amp; more</div>'
    number = box.ado.add_work_item(title="Slow", description=description)
    for url, name in (
        (f"vstfs:///Git/Commit/{HOME}%2F{'AB' * 20}", "Fixed in Commit"),
        (f"vstfs:///GitHub/Commit/{HOME[:36]}%2f{'cd' * 20}", "GitHub Commit"),
        (f"vstfs:///Git/PullRequestId/{HOME}%2f12", "Pull Request"),
        # Whose commits only a message tells, a branch, a build, and what is none of them.
        (f"vstfs:///GitHub/PullRequest/{HOME[:36]}%2f13", "GitHub Pull Request"),
        (f"vstfs:///Git/Ref/{HOME}%2FGBmain", "Branch"),
        (f"vstfs:///Git/Commit/{HOME}%2F{'e' * 41}", "Fixed in Commit"),
        ("https://example.com/page", None),
    ):
        box.ado.add_link(number, url, name=name)
    parent = box.ado.add_work_item(title="Epic", type="Feature")
    box.ado.put_below(number, parent)
    refs = [ref(box, number), ref(box, parent)]
    box.requests.clear()
    backgrounds = plugin.read_background(refs)
    assert ["POST"] == sent_requests(box)
    background = backgrounds[refs[0]]
    assert isinstance(background, Background)
    assert [ClosingCommit("ab" * 20), ClosingCommit("cd" * 20)] == [*background.commits]
    assert ("Merged PR 12:",) == background.merges
    lines = background.text.split("\n")
    assert ["Slow", "See it & more", f"{ABOVE}?a=1&b=2"] == lines[:3]
    assert "https://example.com/page" in lines
    assert Background("Epic\n") == backgrounds[refs[1]]


def test_a_work_item_of_another_project_is_refused(box: Sandbox) -> None:
    box.ado.add_project("gadgets", "Scrum")
    number = box.ado.add_work_item("gadgets", type="Bug", title="Theirs")
    (answer,) = plugin_for(box).read_background([ref(box, number)]).values()
    assert isinstance(answer, TrackerError)
    assert "target-not-allowed" == answer.id

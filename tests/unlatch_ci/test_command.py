"""What counts as a command in a comment, and its reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from unlatch_ci.comments.command import Command, SeveralCommands, Verb, read_command


def reopen(reason: str = "", *, even: bool = False) -> Command:
    return Command(Verb.REOPEN, reason, even_if_not_planned=even)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/reopen", reopen()),
        ("/Reopen  still broken \r\n", reopen("still broken")),
        ("/reopen it fails\nsince 2.1\n\nLater words", reopen("it fails\nsince 2.1")),
        (
            "/reopen it fails\n\nSince 2.1\non Windows\n\nLater",
            reopen("it fails\nSince 2.1\non Windows"),
        ),
        ("Thanks, but\n/reopen no change", reopen("no change")),
        ("> Is it fixed?\n\n/reopen no", reopen("no")),
        ("/reopen\n\n> quoted", reopen()),
        ("/reopen a\n```\nlog\n```\nb", reopen("a")),
        ("/reopen a <!-- hidden\nwords --> b", reopen("a <!-- hidden")),
        ("/reopen --even-if-not-planned it hurts", reopen("it hurts", even=True)),
        ("/reopen —even-if-not-planned it hurts", reopen("it hurts", even=True)),
        ("/reopen --even-if-not-planned", reopen(even=True)),
        ("/reopen --even-if-not-planned-today", reopen("--even-if-not-planned-today")),
        ("/close --even-if-not-planned", Command(Verb.CLOSE, "--even-if-not-planned")),
        ("/undo", Command(Verb.UNDO)),
        ("`/reopen` is the command:\n/reopen please", reopen("please")),
        ("`<pre>` is lost\n\n/reopen", reopen()),
        ("if a < b and c <d\n\n/reopen", reopen()),
        ("\\`\n/reopen `a`", reopen("`a`")),
        ("<!-- template -->\n/reopen x", reopen("x")),
        ("---\n/reopen x\n\n--\nAnn", reopen("x")),
        ("İİİ <b>\n/reopen x", reopen("x")),
    ],
)
def test_a_line_of_its_own_is_a_command(text: str, command: Command) -> None:
    assert command == read_command(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "please /reopen",
        " /reopen",
        "- /reopen",
        "# /reopen",
        "/reopened",
        "/reopen-please",
        "/reopen/this",
        "//reopen",
        "> /reopen",
        "> It was closed.\n/reopen",
        "- > It was closed.\n/reopen",
        "```\n/reopen\n```",
        "~~~~\n~~~\n/reopen\n~~~~",
        "````md\n```\n/reopen\n```\n````",
        "```\n/reopen",
        "```a\n```b\n```\n/reopen\n```",
        "```a\n```b\n```\n```\n/reopen",
        "text `code\n/reopen\ncode`",
        "text ``code `\n/reopen\ncode``",
        "<!--\n/reopen\n-->",
        "<!-- write\n\n/reopen\n\nto reopen -->",
        "text <!--\n/reopen\n--> text",
        "<pre>\n\n/reopen\n\n</pre>",
        "<PRE><code>x</code>\n/reopen</PRE>",
        "<blockquote>\n\n/reopen\n\n</blockquote>",
        '<a title="\n/reopen\n">',
        "<pre>\n/reopen",
        "<blockquote>\n<blockquote>\na\n</blockquote>\n\n/reopen\n\n</blockquote>",
        "<?x\n\n/reopen\n\n?>",
        "<![CDATA[\n/reopen\n]]>",
        "<!X\n/reopen\n>",
        "# Its ` sign\n`code\n/reopen\n`",
        "its ` sign\n# Title\n`code\n/reopen\n`",
        "its ` sign\n===\n`code\n/reopen\n`",
        "its ` sign\n- `code\n/reopen\n`",
        "if a <b `x >\n/reopen\n`",
    ],
)
def test_other_text_is_no_command(text: str) -> None:
    assert read_command(text) is None


def test_several_commands_are_none() -> None:
    with pytest.raises(SeveralCommands):
        read_command("/reopen a\n\n/close b")


PIECES = (
    *("/reopen w{}", "w{}", "w{}", "> w{}", "- w{}", "  w{}", "    w{}", "\tw{}", "1. > w{}", ""),
    *("```", "~~~", "````", "- ```", "w `", "w ``", "` w", "\\`", "<!--", "w <!--", "-->", "--> w"),
    *("<pre>", "</pre>", "w <code>", "</code> w", "<b", ">", "---", "# w", "> ```", "| w |"),
    *("# w `", "===", "- w `", "<b `", "<blockquote>", "</blockquote>", "<?", "?>"),
)


def shown_texts(markdown: str) -> list[str]:
    """The lines that CommonMark shows as text outside of quotes; lines of HTML blocks as well."""
    quotes, texts = 0, []
    for token in MarkdownIt("commonmark").parse(markdown):
        quotes += token.nesting if token.type.startswith("blockquote") else 0
        if quotes:
            continue
        if token.type == "html_block":
            texts += token.content.split("\n")
        line = ""
        for child in token.children or ():
            if child.type in ("softbreak", "hardbreak"):
                texts.append(line)
                line = ""
            elif child.type == "text":
                line += child.content
            else:
                line += "\0"
        texts.append(line)
    return texts


@given(st.lists(st.sampled_from(PIECES), max_size=12))
def test_a_command_is_shown_as_text_by_commonmark(pieces: list[str]) -> None:
    text = "\n".join(piece.format(number) for number, piece in enumerate(pieces))

    try:
        command = read_command(text)
    except SeveralCommands:
        return

    if command is not None:
        first = command.reason.split("\n")[0]
        assert any(line.startswith(f"/reopen {first}") for line in shown_texts(text))


@given(st.lists(st.sampled_from(["w", "*w*", "w `x` w", "\\`", "", "- w", "# w"]), max_size=8))
def test_plain_words_around_a_command_hide_nothing(pieces: list[str]) -> None:
    assert read_command("\n".join([*pieces, "", "/reopen w", "", *pieces])) is not None

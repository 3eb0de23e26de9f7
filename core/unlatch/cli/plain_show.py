"""`unlatch show ID` without click, which takes longer to load than the rest: docs/adr/0026."""


def plain_show(arguments: list[str]) -> bool:
    """Show the increment of a command line that is just `show ID`, as the parsed command would.

    False leaves any other line to the parser, also one whose ID means no increment: it explains it.
    """
    match arguments:
        case ["show", word] if word and word[0] != "-" and ":" not in word:
            return _show(word)
    return False


def _show(word: str) -> bool:
    from unlatch.cli.render.increment import show_increment  # noqa: PLC0415  (not for the others)
    from unlatch.cli.runtime.context import Context, Globals  # noqa: PLC0415
    from unlatch.errors import UsageError  # noqa: PLC0415
    from unlatch.project.find_increment import find_increment  # noqa: PLC0415

    context = Context(Globals())
    try:
        meant = find_increment(context.workspace, word)
    except UsageError:
        return False
    if meant.is_part or meant.item:
        from unlatch.cli.runtime.increments import note_meaning  # noqa: PLC0415  (rarely needed)

        note_meaning(meant, word)
    show_increment(context, context.workspace.manager.read(meant.name))
    return True

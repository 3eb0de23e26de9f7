"""The options of a command that concern the items."""

from unlatch.values import dataclass


@dataclass(frozen=True, slots=True)
class DeliveryOptions:
    """One object from the command line to the plugin, stored with each operation.

    Args:
        comment: the comment style ("full", "short", "none"); None as configured.
        even_if_not_planned: also reopen an item that was closed deliberately.
        follow: update the link of a moved item; not stored with operations.
        plugin: options from plugins' manifests ("allow-path", "project-status=In progress").
        comment_anyway: also comment on an item alone that is in the wanted state already.
        add_labels: also add these labels, or tags.
        remove_labels: also remove these, and add none of them.
        no_labels: change none of the configured labels.
    """

    comment: str | None = None
    even_if_not_planned: bool = False
    follow: bool = False
    plugin: frozenset[str] = frozenset()
    comment_anyway: bool = False
    add_labels: tuple[str, ...] = ()
    remove_labels: tuple[str, ...] = ()
    no_labels: bool = False

    def value_of(self, option: str) -> str | None:
        """The value of a plugin's option; None if it was not given."""
        values = (one.partition("=") for one in self.plugin)
        return next((value for name, sign, value in values if sign and name == option), None)

    def over(self, stored: "DeliveryOptions") -> "DeliveryOptions":
        """These options, completed by those stored with an operation."""
        given = {one.partition("=")[0] for one in self.plugin}
        return DeliveryOptions(
            self.comment or stored.comment,
            self.even_if_not_planned or stored.even_if_not_planned,
            self.follow or stored.follow,
            self.plugin | {one for one in stored.plugin if one.partition("=")[0] not in given},
            self.comment_anyway or stored.comment_anyway,
            tuple(dict.fromkeys(self.add_labels + stored.add_labels)),
            tuple(dict.fromkeys(self.remove_labels + stored.remove_labels)),
            self.no_labels or stored.no_labels,
        )


AS_CONFIGURED = DeliveryOptions()

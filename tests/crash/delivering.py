"""One run of delivery over one increment, as the commands begin it."""

from unlatch.delivery.dispatch import deliver
from unlatch.delivery.run import DeliveryRun
from unlatch.delivery.task import Delivery
from unlatch.lifecycle.deliver import agree, find_unfamiliar
from unlatch.project.trackers import Trackers
from unlatch.project.workspace import Workspace


def deliver_one(
    workspace: Workspace, trackers: Trackers, wanted: str, fresh: frozenset[str] = frozenset()
) -> list[Delivery]:
    """Deliver the pending operations of a named increment, as `unlatch sync ID --yes`.

    Args:
        fresh: the intents that this process has just made.
    """
    made: list[Delivery] = []
    run = DeliveryRun(workspace, trackers, fresh=fresh, named=True)
    increment = workspace.manager.read(wanted)
    for unfamiliar in find_unfamiliar(workspace, [increment]):
        agree(workspace, unfamiliar)
    deliver(run, [increment], lambda _name, delivery: made.append(delivery))
    return made

"""Light ranks: threads on a simulated clock and network, for algorithms on any number of ranks.

``run_light(function, ranks)`` runs a function in which ``torch.distributed`` means a simulated
network: every message takes time and is counted, and a deadlock is reported as who waits for whom.
"""

from gpuedu.multi.light.running import run_light
from gpuedu.multi.light.world import LightRun, work_for

__all__ = ["LightRun", "run_light", "work_for"]

"""Real ranks: processes that a notebook cell starts, on this machine.

``launch(function, ranks)`` runs a function in processes that form a group of ``torch.distributed``:
gloo between processors, NCCL between GPUs. All of them end, whatever happens.
"""

from gpuedu.multi.launch.command import launch
from gpuedu.multi.launch.outcome import Launched, LaunchError
from gpuedu.multi.launch.server import stop_server

__all__ = ["LaunchError", "Launched", "launch", "stop_server"]

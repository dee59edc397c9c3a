"""Real ranks: processes that a notebook cell starts, on this machine.

``launch(function, ranks)`` runs a function in processes that form a group of ``torch.distributed``:
gloo between processors, NCCL between GPUs. All of them always end, whatever happens.

The package itself can be called: importing it makes ``multi.launch`` the package, which Python sets
as an attribute of ``multi``, and no longer the function.
"""

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from gpuedu.multi.launch.command import launch
from gpuedu.multi.launch.outcome import Launched, LaunchError
from gpuedu.multi.launch.server import stop_server

__all__ = ["LaunchError", "Launched", "launch", "stop_server"]


class _CallablePackage(ModuleType):
    """A package that is called as its function."""

    def __call__(
        self, function: Callable[..., Any], ranks: int, *arguments: Any, **named: Any
    ) -> Launched:
        return launch(function, ranks, *arguments, **named)


sys.modules[__name__].__class__ = _CallablePackage

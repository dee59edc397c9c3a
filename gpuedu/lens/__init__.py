"""What a trace means: coalescing, bank conflicts, divergence, intensity. Pure functions of traces.

``lens(trace)`` gives the report.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from gpuedu.lens import html, text  # noqa: F401 (they enter how a report is shown)
from gpuedu.lens.account import lens
from gpuedu.lens.report import Lens, LineReport, SiteReport
from gpuedu.lens.warps import WarpCosts, by_warp

__all__ = ["Lens", "LineReport", "SiteReport", "WarpCosts", "by_warp", "lens"]


class _Lens(ModuleType):
    """The package can be called like its function: ``gpuedu.lens`` names both."""

    def __call__(self, *arguments: Any, **options: Any) -> Lens:
        return lens(*arguments, **options)


sys.modules[__name__].__class__ = _Lens

"""xdist's part of ``tests.spread``: a browser tab's Python, which runs some tests, has no xdist."""

from __future__ import annotations

from xdist.scheduler import LoadScopeScheduling

from tests.spread import unit_of


class Spread(LoadScopeScheduling):
    """xdist's scheduler of groups, with the groups of ``unit_of``."""

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)

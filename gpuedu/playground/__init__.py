"""The playground: any numba.cuda kernel and its launch, run on the SIMT machine.

``text`` reads what was typed, without executing any of it; ``arguments`` and ``launch`` build and
run the launch; ``report`` says line by line what it did, in plain values; ``pictures``,
``stepping`` and ``tab`` serve the page.
"""

from __future__ import annotations

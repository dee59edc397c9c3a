"""The host side of ``numba.cuda``'s API, for kernels that run on the SIMT machine.

``cuda`` is the namespace that a lesson sees. Behind it: ``kernels`` and ``decorators`` (``jit`` and
launches), ``arguments`` and ``signatures`` (what a launch takes), ``arrays``, ``device_array`` and
``buffers`` (device memory), ``transfers`` (the account of copies), ``streams``, ``devices``,
``random`` and ``reduction``. ``stubs`` and ``names`` say which object a name in a kernel is;
``launch_types`` is what the machine is given, ``entry`` where it is called; ``hazards`` reports
what it found.
"""

from __future__ import annotations

"""Latency and bandwidth of a link from measured times."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpuedu.multi.network.links import Link


def fit_link(
    sizes_bytes: Sequence[float],
    times_s: Sequence[float],
    *,
    steps: float = 1,
    share: float = 1,
    name: str = "fitted",
) -> Link:
    """The link for which ``steps`` messages of ``share`` of the bytes come closest to the times.

    Least squares of *relative* errors, so that small and large sizes count equally. A ring
    all-reduce over n ranks has ``steps=2 * (n - 1)`` and ``share=1 / n``.

    Args:
        sizes_bytes: at least two different ones.
        times_s: one for each size, all above 0.
        steps: messages one after another.
        share: of the bytes, in each message.
        name: of the link.

    Raises:
        ValueError: if the numbers do not determine a link: too few sizes, or times that do not
            grow.

    >>> link = Link("true", 20e-6, 2e9)
    >>> found = fit_link([1e3, 1e5, 1e7], [6 * link.time_s(s / 4) for s in (1e3, 1e5, 1e7)],
    ...                  steps=6, share=1 / 4)
    >>> round(found.latency_s * 1e6, 6), round(found.bytes_per_s / 1e9, 6)
    (20.0, 2.0)
    """
    sizes, times = np.asarray(sizes_bytes, float), np.asarray(times_s, float)
    if sizes.shape != times.shape or sizes.ndim != 1 or len(np.unique(sizes)) < 2:
        raise ValueError("a link is fitted to a time for each of at least two different sizes")
    if not (times > 0).all():
        raise ValueError("times should be above 0")
    design = np.stack([np.full(sizes.shape, steps), steps * share * sizes], axis=1)
    alpha, beta = np.linalg.lstsq(design / times[:, None], np.ones(sizes.shape), rcond=None)[0]
    if beta <= 0:
        raise ValueError("the times do not grow with the sizes: measure larger ones")
    return Link(name, max(float(alpha), 0.0), 1 / float(beta))

"""What the cost model of networks says of systems that others have measured.

    python benchmarks/network_published.py

Prints each published figure, the model's, and the error; figures that a link is fitted to are
marked, and those that the model misses say why.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from statistics import mean

from gpuedu.multi.network.published import load_figures, predict
from gpuedu.units import format_size


def main() -> None:
    """The command line."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    errors = defaultdict(list)
    system = ""
    for one in load_figures():
        if one.system != system:
            system = one.system
            print(f"\n{system}\n  {one.source}")
        said = predict(one)
        error = said / one.bytes_per_s - 1
        where = " x ".join(map(str, one.shape))
        note = "fitted" if one.is_fitted else one.reason
        print(
            f"  {one.collective:14} {where:>12} {format_size(one.size_bytes):>8}"
            f"  published {one.bytes_per_s / 1e9:8.1f} GB/s  model {said / 1e9:8.1f} GB/s"
            f"  {error:+.0%}  {note}"
        )
        if not one.is_fitted and not one.reason:
            errors[system].append(abs(error))
    print()
    for name, found in errors.items():
        print(f"{name}: {mean(found):.0%} on average over {len(found)}, {max(found):.0%} at most")


if __name__ == "__main__":
    main()

"""How well the cost model predicts this machine's gloo: sizes that it was not fitted to.

    python benchmarks/network.py [--ranks 2 3 4] [--repeats 60] [--json FILE]

Messages between two real ranks and collectives over several are measured at sizes from 1 KiB to
16 MiB. A link is fitted to every other size, and held against those in between. From the link of
the all-reduces of each number of ranks, the other collectives of as many ranks are predicted, too:
another schedule over the same link. All-reduces are also predicted from the link of two ranks.

Everything runs on this machine's loopback, so the ranks share its cores: where there are more ranks
than cores, a prediction from two ranks knows nothing of that. One machine has one level, so there
is nothing to measure for hierarchical collectives.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path

from measuring import MessageTime, measure_collectives, measure_messages

from gpuedu.multi.network import Link, fit_link
from gpuedu.units import format_size

SIZES = tuple(2**power for power in range(10, 25))
AIM = 0.20
ROUNDS = {"all_gather": 1, "all_to_all": 1, "reduce_scatter": 2}
"""How often a collective goes round all ranks, with 1 / ranks of the bytes in each step.

PyTorch's reduce-scatter over gloo is an all-reduce of a copy (``ProcessGroupGloo.cpp``).
"""


def report(
    name: str, times: Sequence[MessageTime], steps: int, share: float, link: Link | None = None
) -> dict:
    """Fit to every other size (or take ``link``), predict the others, print both."""
    known, asked = times[::2], times[1::2]
    fitted = link or fit_link(
        [one.size_bytes for one in known], [one.time_s for one in known], steps=steps, share=share
    )
    print(f"\n{name}: alpha {fitted.latency_s * 1e6:.1f} µs, {fitted.bytes_per_s / 1e9:.2f} GB/s")
    errors = []
    for one in asked:
        told_s = steps * fitted.time_s(share * one.size_bytes)
        errors.append(told_s / one.time_s - 1)
        spread = f"{one.low_s * 1e6:.0f} to {one.high_s * 1e6:.0f}"
        print(
            f"  {format_size(one.size_bytes):>8}  measured {one.time_s * 1e6:9.1f} µs ({spread})"
            f"  predicted {told_s * 1e6:9.1f} µs  {errors[-1]:+.0%}"
        )
    within = sum(abs(error) <= AIM for error in errors)
    print(f"  {within} of {len(errors)} sizes within {AIM:.0%}")
    return {
        "alpha_s": fitted.latency_s,
        "bytes_per_s": fitted.bytes_per_s,
        "errors": {one.size_bytes: round(e, 4) for one, e in zip(asked, errors, strict=True)},
        "within": within,
        "of": len(errors),
        "link": fitted,
    }


def report_ranks(ranks: int, repeats: int, pair: Link | None) -> dict[str, dict]:
    """All collectives over so many ranks; ``pair`` is the link of the fewest ranks, or None."""
    steps, share, found = ranks - 1, 1 / ranks, {}
    times = measure_collectives("all_reduce", SIZES, ranks, repeats=repeats)
    name = f"all_reduce, {ranks} ranks"
    found[name] = report(name, times, 2 * steps, share)
    if pair is not None:
        told = f"{name}, from the link of fewer"
        found[told] = report(told, times, 2 * steps, share, pair)
    for collective, rounds in ROUNDS.items():
        times = measure_collectives(collective, SIZES, ranks, repeats=repeats)
        own = f"{collective}, {ranks} ranks"
        found[own] = report(own, times, rounds * steps, share)
        told = f"{own}, from the link of all_reduce"
        found[told] = report(told, times, rounds * steps, share, found[name]["link"])
    return found


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 3, 4])
    parser.add_argument("--repeats", type=int, default=60)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    print(f"gloo on the loopback of a machine with {os.cpu_count()} cores, median of repeats")
    times = measure_messages(SIZES, repeats=options.repeats)
    found = {"messages": report("messages", times, 1, 1.0)}
    pair: Link | None = None
    for ranks in options.ranks:
        found |= report_ranks(ranks, options.repeats, pair)
        pair = pair or found[f"all_reduce, {ranks} ranks"]["link"]
    for one in found.values():
        del one["link"]
    if options.json:
        options.json.write_text(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()

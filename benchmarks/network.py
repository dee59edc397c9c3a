"""How well the cost model predicts this machine's gloo: sizes that it was not fitted to.

    python benchmarks/network.py [--ranks 2 3 4] [--repeats 60] [--json FILE]

Messages between two real ranks and all-reduces over several are measured at sizes from 1 KiB to
16 MiB. A link is fitted to every other size, and held against those in between; the all-reduces of
each number of ranks have a link of their own, and are predicted from the one of two ranks, too.
Everything runs on this machine's loopback, so the ranks share its cores: where there are more ranks
than cores, a prediction from two ranks knows nothing of that.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path

from measuring import MessageTime, measure_all_reduces, measure_messages

from gpuedu.multi.network import Link, fit_link, ring_all_reduce_s
from gpuedu.units import format_size

SIZES = tuple(2**power for power in range(10, 25))
AIM = 0.20


def report(
    name: str, times: Sequence[MessageTime], ranks: int | None, link: Link | None = None
) -> dict:
    """Fit to every other size (or take ``link``), predict the others, print both."""
    steps, share = (1, 1.0) if ranks is None else (2 * (ranks - 1), 1 / ranks)
    known, asked = times[::2], times[1::2]
    fitted = link or fit_link(
        [one.size_bytes for one in known], [one.time_s for one in known], steps=steps, share=share
    )
    print(f"\n{name}: alpha {fitted.latency_s * 1e6:.1f} µs, {fitted.bytes_per_s / 1e9:.2f} GB/s")
    errors = []
    for one in asked:
        told_s = (
            fitted.time_s(one.size_bytes)
            if ranks is None
            else ring_all_reduce_s(ranks, one.size_bytes, fitted)
        )
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


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 3, 4])
    parser.add_argument("--repeats", type=int, default=60)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    print(f"gloo on the loopback of a machine with {os.cpu_count()} cores, median of repeats")
    found = {"messages": report("messages", measure_messages(SIZES, repeats=options.repeats), None)}
    pair: Link | None = None
    for ranks in options.ranks:
        times = measure_all_reduces(SIZES, ranks, repeats=options.repeats)
        name = f"all-reduce, {ranks} ranks"
        found[name] = report(name, times, ranks)
        if pair is None:
            pair = found[name]["link"]
        else:
            told = f"{name}, from the link of {options.ranks[0]}"
            found[told] = report(told, times, ranks, pair)
    for one in found.values():
        del one["link"]
    if options.json:
        options.json.write_text(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()

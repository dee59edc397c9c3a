"""read-the-ladder: order kernels by what their counts allow, and name what holds each one back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property, Undecided
from gpuedu.exercises.registers.accounts import KEYS, Account, five, rates
from gpuedu.exercises.registers.read_the_ladder.judge.limits import (
    ARITHMETIC,
    LIMITS,
    MEMORY,
    PATH,
    REGISTERS,
    SECTORS,
    attainable,
    limit_of,
)
from gpuedu.hardware.roofline import roofs_of

SPILLING = "B"
_FOUR = [name for name in five() if name != SPILLING]
ORDER = tuple(sorted(_FOUR, key=lambda name: attainable(five()[name])))
"""The four whose counts tell everything, from slow to fast."""

PLACES = ("slowest", "second", "third", "fastest")

_PROPERTIES = {
    SECTORS: "sectors",
    PATH: "path",
    MEMORY: "memory",
    REGISTERS: "registers",
    ARITHMETIC: "arithmetic",
}
_DEVICES = ("t4", "a100-80gb", "h100-sxm", "h200-sxm")
_DRAWN = 4
Number = Callable[[Account], float]
_CLEAR = 1.3
"""How far apart the longest time and the next one are in an account that is drawn."""


_ENOUGH: Mapping[str, Number] = {"warps": lambda account: account["warps_needed"]}
_EDGES: tuple[tuple[str, Mapping[str, Number]], ...] = (
    (PATH, {"excess_bytes": lambda account: account["l1_bytes"] // 2}),
    (SECTORS, {"excess_bytes": lambda account: account["l1_bytes"] // 2 + 1}),
    (ARITHMETIC, _ENOUGH),
    (MEMORY, {**_ENOUGH, "spill_bytes": lambda account: 4}),
    (PATH, {"warps": lambda account: account["warps_needed"] - 1}),
)
"""Drawn accounts of which some numbers are changed, up to where another limit begins."""


def cases(rng: np.random.Generator) -> list[Case]:
    """The order; the five that the lesson shows; others on other devices, with a clear limit.

    Then those where one number decides: half of the bytes, one register spilled, one warp missing.
    """
    found = [(f"kernel {name}", account) for name, account in five().items()]
    for name in LIMITS:
        for number in range(_DRAWN):
            device = _DEVICES[rng.integers(len(_DEVICES))]
            account = draw(rng, name, device, odd=bool(number % 2))
            found.append((_told(account, device), account))
    for name, changes in _EDGES:
        device = _DEVICES[rng.integers(len(_DEVICES))]
        account = draw(rng, name, device)
        account["l1_bytes"] -= account["l1_bytes"] % 2
        account |= {key: change(account) for key, change in changes.items()}
        found.append((_told(account, device), account))
    others = [draw(rng, name, _DEVICES[rng.integers(len(_DEVICES))]) for name in LIMITS]
    order = Case("your dict", {"ask": "order", "keys": list(PLACES)}, ("order",))
    return [order, *(_case(label, account, others) for label, account in found)]


def _case(label: str, account: Account, others: Sequence[Account]) -> Case:
    """One account, besides ``others``: one with each limit."""
    inputs = {"ask": "limit", "account": account, "others": others}
    return Case(label, inputs, (_PROPERTIES[limit_of(account)],))


def _told(account: Account, device: str) -> str:
    numbers = ", ".join(f"{key} {value:,.0f}" for key, value in list(account.items())[:7])
    return f"a kernel on {roofs_of(device).device}: {numbers}"


def draw(
    rng: np.random.Generator, wanted: str, device: str, *, odd: bool = False
) -> dict[str, float]:
    """An account with this limit: its seconds at one roof are clearly the longest.

    ``odd`` chooses the other way to the limit "registers", and a trap elsewhere: sectors beyond
    the least that are nearly half of the traffic or little more, or few warps that are enough.
    """
    own = rates(roofs_of(device))
    seconds = float(rng.uniform(1e-6, 1e-3))
    longest = {SECTORS: "l1_bytes", PATH: "l1_bytes", MEMORY: "memory_bytes"}.get(wanted, "flop")
    if wanted == REGISTERS:
        longest = ("flop", "l1_bytes", "memory_bytes")[rng.integers(3)]
    account: dict[str, float] = {}
    for key in ("flop", "l1_bytes", "memory_bytes"):
        share = 1.0 if key == longest else float(rng.uniform(0.1, 1 / _CLEAR))
        account[key] = int(share * seconds * own[f"{key}_per_s"])
    wasted = rng.uniform(0.45, 0.49) * odd
    if wanted == SECTORS:
        wasted = rng.uniform(0.51, 0.55) if odd else rng.uniform(0.6, 0.8)
    if wanted in (MEMORY, ARITHMETIC) and odd:
        wasted = rng.uniform(0.6, 0.8)
    needed = int(rng.choice([4, 8, 16]))
    warps = needed * int(rng.integers(1, 3))
    spills = 0
    if wanted == REGISTERS:
        spills, warps = (int(rng.integers(8, 900)), warps) if odd else (0, needed // 2)
    account |= {"excess_bytes": int(wasted * account["l1_bytes"]), "spill_bytes": spills}
    account |= {"warps": warps, "warps_needed": needed}
    return {key: account[key] for key in KEYS} | own


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """The order of four, or one limit."""
    if case.inputs["ask"] == "order":
        yield from _order(observed["order"])
        return
    account, got = case.inputs["account"], observed["got"]
    expected = limit_of(account)
    if got not in LIMITS:
        known = ", ".join(LIMITS)
        yield Fault(case.decides[0], f"your `limit_of` says {got!r}, which is none of {known}")
    elif got != expected:
        told = f"your `limit_of` says {got!r}, but it is {expected!r} ({_facts(account)})"
        yield Fault(case.decides[0], told)
    elif observed["is_same"]:
        told = f"your `limit_of` says {got!r} whatever the limit is"
        yield Undecided(case.decides[0], told)
    elif "path" in case.decides and not observed["kept"]:
        yield Fault("path", "after `limit_of(account)`, the dict is not what it was before")


def _order(got: list[str]) -> Iterator[Fault]:
    if sorted(got) != sorted(ORDER):
        wanted = ", ".join(sorted(ORDER))
        told = f"the list has {', '.join(got) or 'nothing'}; it should have {wanted}, each once"
        asks = "Which of the five spills, and which four are left?" if SPILLING in got else ""
        yield Fault("order", told, asks)
        return
    accounts = five()
    for slow, fast in pairwise(got):
        if attainable(accounts[slow]) > attainable(accounts[fast]):
            yield Fault(
                "order",
                f"{slow} comes before {fast}; its counts allow {attainable(accounts[slow]):.0%} "
                f"of the peak, those of {fast} {attainable(accounts[fast]):.0%}",
            )
            return


def _facts(account: Account) -> str:
    """What decides the limit: seconds at each roof alone, and what is beyond the roofs."""
    names = {"flop": ARITHMETIC, "l1_bytes": PATH, "memory_bytes": MEMORY}
    seconds = {name: account[key] / account[f"{key}_per_s"] for key, name in names.items()}
    told = [f"{name} {1e6 * each:.3g} µs" for name, each in seconds.items()]
    beyond = account["excess_bytes"] / account["l1_bytes"]
    return (
        f"{', '.join(told)}; {beyond:.0%} of the data path's bytes beyond the least, "
        f"{account['spill_bytes']:,} bytes spilled, {account['warps']} warps where "
        f"{account['warps_needed']} are needed"
    )


_ASKS = (
    "Does it spill, or have too few warps? If not, what takes the longest, and if that is the data "
    "path, what goes through it?"
)

JUDGE = Judge(
    title="What holds it back?",
    properties=(
        Property(
            "order",
            "the four without spills, from slow to fast by what is counted",
            1,
            "How many seconds does each take at the roof that takes longest, for the same number "
            "of FLOP?",
        ),
        Property("sectors", "the data path, most of it for sectors that nobody wanted", 1, _ASKS),
        Property(
            "path", "the data path, with traffic that is needed; `account` is left alone", 1, _ASKS
        ),
        Property("memory", "device memory", 1, _ASKS),
        Property("registers", "spills, or too few warps", 1, _ASKS),
        Property("arithmetic", "nothing but the arithmetic itself", 1, _ASKS),
    ),
    hints=(
        "How many seconds does the device take for the arithmetic alone, how many for each of the "
        "two kinds of bytes? Two of these are hidden behind the longest.",
        "First the case in which roofs say nothing: spills, or fewer warps than needed. Then three "
        "quotients; `max` of them. Only if the data path has it, look at `excess_bytes`.",
        '`if account["spill_bytes"] or account["warps"] < account["warps_needed"]: return '
        '"registers"`. Then `seconds = {"arithmetic": flop / flop_per_s, "data path": l1_bytes / '
        'l1_bytes_per_s, "device memory": memory_bytes / memory_bytes_per_s}` and `longest = '
        "max(seconds, key=seconds.get)`. For the order, divide the longest by `flop`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "read-the-ladder": Prediction(
            "B and E are the same kernel; B was given 64 registers at most, so that 32 warps fit "
            "instead of 8. Which one would you run?",
            truth="E",
            choices=("B", "E"),
            because="E has all the warps that its 64 independent sums need. B has four times as "
            "many, and each thread stores and fetches what has no register.",
        )
    },
)

"""paged-cache: a cache in blocks, judged by what each text reads in a memory of the judge's own."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gpuedu.exercises.compare import is_close, show_apart
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property, Undecided
from gpuedu.exercises.functions import arguments_of, call_case, call_text
from gpuedu.exercises.serving.paged_cache.blocks import Operation, history, new_state
from gpuedu.exercises.serving.paged_cache.judge.sharing import Sharing

_LAWS = ("reading", "holders", "free", "needed")
_NAMES = "ABCDEF"
_SHARE_REL = 1e-6
_COUNT, _SPARE = 60, 4
"""Random operations of a case, and blocks that are never needed."""


def cases(rng: np.random.Generator) -> list[Case]:
    """One text, two, forks in and at the end of a block, random operations; and little memory."""
    a, b, c = (("append", name) for name in "ABC")
    fork_b, fork_c = ("fork", "A", "B"), ("fork", "A", "C")
    end_a, end_b, end_c = (("release", name) for name in "ABC")
    chains = (
        ("one text", [*[a] * 10, end_a]),
        ("two texts in turn", [*[a, b] * 5, end_a, *[b] * 4, end_b]),
        ("a fork within a block", [*[a] * 6, fork_b, *[b, a] * 3, end_a, *[b] * 3, end_b]),
        ("a fork at the end of a block", [*[a] * 8, fork_b, b, a, b, end_b, a, end_a]),
        ("two forks", [*[a] * 7, fork_b, fork_c, a, b, c, end_a, b, end_c, end_b]),
        ("a fork whose first text ends", [*[a] * 6, fork_b, end_a, *[b] * 3, a, end_b, a, end_a]),
    )
    found = [_operations(label, one, 10, 4, _LAWS) for label, one in chains]
    for size in (3, 2, 16, 1):
        drawn, most = _random(rng, 200, size)
        label = f"{_COUNT} operations with blocks of {size}"
        found.append(_operations(label, drawn, most + _SPARE, size, _LAWS))
    full = (
        ("a full memory", [*[a] * 4, *[b] * 2, a, b, c, end_b, a, c, end_a, c, end_c]),
        ("no block for a copy", [*[a] * 3, *[c] * 2, fork_b, b, a, end_c, b, a, a, end_a, end_b]),
    )
    found += [_operations(label, one, 3, 2, ("out",)) for label, one in full]
    for number in (1, 2):
        drawn, _ = _random(rng, 6, 3)
        found.append(_operations(f"6 blocks, number {number}", drawn, 6, 3, ("out",)))
    return [*found, *_wastes(rng)]


def _operations(
    label: str,
    operations: Sequence[Operation],
    blocks: int,
    size: int,
    decides: tuple[str, ...],
) -> Case:
    inputs = {"call": "operations", "blocks": blocks, "size": size}
    return Case(label, {**inputs, "operations": [list(one) for one in operations]}, decides)


def _random(rng: np.random.Generator, blocks: int, size: int) -> tuple[list[Operation], int]:
    """Operations on texts that are there, and the most blocks in use; in the end all texts end."""
    sharing, found, most = Sharing(size), list[Operation](), 0
    while len(found) < _COUNT:
        there = sorted(sharing.texts)
        away = [name for name in _NAMES if name not in there]
        kind = rng.choice(["append", "fork", "release"], p=[0.8, 0.13, 0.07])
        if kind == "append":
            operation = "append", str(rng.choice(list(_NAMES[: 2 + len(found) // 15])))
        elif kind == "fork" and there and away:
            operation = "fork", str(rng.choice(there)), str(rng.choice(away))
        elif kind == "release" and there:
            operation = "release", str(rng.choice(there))
        else:
            continue
        found.append(operation)
        is_out = kind == "append" and sharing.needed == blocks and sharing.needs_block(operation[1])
        if not is_out:
            sharing.do(operation)
        most = max(most, sharing.needed)
    return [*found, *(("release", name) for name in sorted(sharing.texts))], most


def _wastes(rng: np.random.Generator) -> Iterator[Case]:
    given = [([100], 16, 400), ([16, 32, 48], 16, 64), ([1, 300, 31, 64], 32, 512)]
    given += [([5, 9, 2], 1, 10), (rng.integers(1, 500, 12).tolist(), 24, 500)]
    for lengths, size, longest in given:
        drawn = {"lengths": lengths, "size": size, "longest": longest}
        yield call_case(("contiguous", "in-blocks"), "wasted_share", **drawn)


def shares(lengths: Sequence[int], size: int, longest: int) -> dict[str, float]:
    """Of what is reserved, the share that holds no token."""
    reserved = {
        "contiguous": sum(longest for _ in lengths),
        "in_blocks": sum(len(range(0, length, size)) * size for length in lengths),
    }
    return {name: (one - sum(lengths)) / one for name, one in reserved.items()}


@dataclass(frozen=True)
class _Step:
    """An operation with the states before and after it, as a learner's functions gave them.

    ``sharing`` is what should be true after it, and ``needed_block`` whether it took a block more.
    """

    operation: Operation
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    sharing: Sharing
    needed_block: bool

    @property
    def is_out(self) -> bool:
        """Whether a block was needed and none was free."""
        return self.needed_block and not self.before["free"]

    @property
    def held(self) -> list[int]:
        """The blocks in all tables, as often as they are there."""
        return list(itertools.chain.from_iterable(self.after["tables"].values()))


def _each(test: Callable[[_Step], Iterator[Fault]]) -> Callable[[Case, Plain], Iterator[Fault]]:
    """The first fault of the steps of a case."""

    def tested(case: Case, observed: Plain) -> Iterator[Fault]:
        operations, size = case.inputs["operations"], case.inputs["size"]
        for at, step in enumerate(_steps(case, observed), 1):
            for fault in itertools.islice(test(step), 1):
                happened = history(operations[:at], size, step.before)
                yield replace(fault, message=f"{happened}: {fault.message}")
                return

    return tested


def _steps(case: Case, observed: Plain) -> Iterator[_Step]:
    """All steps; a token for which there was no place is not appended."""
    sharing, before = Sharing(case.inputs["size"]), new_state(case.inputs["blocks"], 1)
    for operation, after in zip(case.inputs["operations"], observed["steps"], strict=True):
        name, text = operation[:2]
        needed_block = name == "append" and sharing.needs_block(text)
        if name != "append":
            sharing.do(operation)
        elif after["place"] is not None:
            sharing.do(operation)
            sharing.write(text, after["place"])
        yield _Step(operation, before, after, sharing, needed_block)
        before = after


def _test_reading(step: _Step) -> Iterator[Fault]:
    after, size, (name, text, *_) = step.after, step.sharing.size, step.operation
    if name == "append" and after["place"] is None:
        free = len(step.before["free"])
        there = f"{free} blocks were" if free > 1 else "a block was" if free else "no block was"
        yield Undecided("reading", f"`append` gave None, where {there} free")
        return
    for one, tokens in step.sharing.texts.items():
        if (found := after["lengths"].get(one)) != len(tokens):
            asks = "Which operations change how many tokens this text has?"
            many = "1 token" if len(tokens) == 1 else f"{len(tokens)} tokens"
            told = f"{one} has {many}, and its length is {found}"
            yield Fault("reading", told, asks)
    if name == "append":
        last = len(step.sharing.texts[text]) - 1
        block, offset, _ = after["place"]
        if offset != last % size:
            told = f"your tuple sends token {last} of {text} to block {block}, offset {offset}"
            yield Fault("reading", told, "At which offset of its block is token i of a text?")
    for one, tokens in step.sharing.texts.items():
        yield from _test_text(step, one, tokens)


def _test_text(step: _Step, name: str, tokens: Sequence[str]) -> Iterator[Fault]:
    """Whether a text finds its tokens by its table."""
    table, size = step.after["tables"].get(name, []), step.sharing.size
    for at, token in enumerate(tokens):
        if at // size >= len(table):
            told = f"the table of {name} is {table}, and has no block for its token {at}"
            yield Fault("reading", told, "Which operation should have put that block there?")
            return
        block, offset = table[at // size], at % size
        found = step.sharing.memory.get((block, offset))
        if found != token:
            there = f"its token {at} in block {block}, at offset {offset}"
            told = f"following its table, {name} has {there}. That should be {token}"
            yield Fault("reading", f"{told}, but is {found or 'nothing'}")


def _test_holders(step: _Step) -> Iterator[Fault]:
    found, there = len(step.after["holders"]), len(step.before["holders"])
    if found != there:
        asks = "How many blocks has the memory, and who could add one?"
        yield Fault("holders", f"`holders` had {there} entries before, and has {found} now", asks)
    counts = [step.held.count(block) for block in range(len(step.before["holders"]))]
    if step.after["holders"] != counts:
        told = f"the tables are {step.after['tables']}, so `holders` should be {_few(counts)}"
        yield Fault("holders", f"{told}, but is {_few(step.after['holders'])}")


def _few(numbers: list[int]) -> str:
    """A list up to its last number that is not 0."""
    last = max((at for at, one in enumerate(numbers) if one), default=-1)
    if last < 0:
        return "all 0"
    return f"[{', '.join([*map(str, numbers[: last + 1]), '0, ...'])}]"


def _test_free(step: _Step) -> Iterator[Fault]:
    after, free, there = step.after, step.after["free"], len(step.before["holders"])
    unknown = next((block for block in free if not 0 <= block < there), None)
    if unknown is not None:
        asks = "How many blocks did the memory have at the start?"
        yield Fault(
            "free", f"block {unknown} is in `free`, and the memory has {there} blocks", asks
        )
    gone = [one for one in {**after["tables"], **after["lengths"]} if one not in step.sharing.texts]
    if gone:
        where = " and ".join(f"`{one}`" for one in ("tables", "lengths") if gone[0] in after[one])
        asks = "What should be left of a text in `state` when it has ended?"
        yield Fault("free", f"{gone[0]} is still in {where}", asks)
    for block in free:
        if free.count(block) > 1:
            asks = "Which operations have put it there, and was it free before the second one?"
            yield Fault("free", f"block {block} is in `free` twice", asks)
        if block in step.held:
            who = next(name for name, table in after["tables"].items() if block in table)
            asks = "Was it left in `free` when it was taken, or put back while somebody held it?"
            yield Fault("free", f"block {block} is in `free`, and in the table of {who}", asks)
    for block in range(len(step.before["holders"])):
        if block not in free and block not in step.held:
            asks = "Which text gave that block up, and did `holders` hear of it?"
            yield Fault("free", f"block {block} is in no table, and not in `free`", asks)


def _test_needed(step: _Step) -> Iterator[Fault]:
    tables = {name: one for name, one in step.after["tables"].items() if name in step.sharing.texts}
    held = len(set(itertools.chain.from_iterable(tables.values())))
    if held > step.sharing.needed:
        told = f"{held} {'block is' if held == 1 else 'blocks are'} in use"
        told += f", and {step.sharing.needed} would do; the tables are {tables}"
        yield Fault("needed", told)


def _test_out(step: _Step) -> Iterator[Fault]:
    if step.operation[0] != "append":
        return
    if step.after["place"] is not None:
        if step.is_out:
            told = f"no block was free, one was needed, and it gave {tuple(step.after['place'])}"
            yield Fault("out", told, "Which condition should have asked for a new block here?")
        return
    if not step.needed_block:
        asks = "Why did it ask for a block: is the last one full, or is there a `holders` "
        told = "it gave None, and no new block was needed"
        yield Fault("out", told, f"{asks}entry above 1? Is that so here?")
    elif not step.is_out:
        asks = "Where does `append` see whether a block is free, and what is there?"
        yield Fault("out", "it gave None, and a block was free", asks)
    for name in ("tables", "lengths", "holders", "free"):
        before, after = step.before[name], step.after[name]
        if before != after:
            told = f"it gave None, and `{name}` was {before} before and is {after} now"
            yield Fault("out", told)


def _tested_out(case: Case, observed: Plain) -> Iterator[Fault | Undecided]:
    """Undecided where a memory that is full in time never was."""
    faults = list(_each(_test_out)(case, observed))
    yield from faults
    if not faults and _gets_full(case) and not any(one.is_out for one in _steps(case, observed)):
        yield Undecided("out", "`free` was never empty where a block was needed")


def _gets_full(case: Case) -> bool:
    """Whether there is a token for which a right answer has no block."""
    sharing, blocks = Sharing(case.inputs["size"]), case.inputs["blocks"]
    for operation in case.inputs["operations"]:
        is_append = operation[0] == "append"
        if is_append and sharing.needed == blocks and sharing.needs_block(operation[1]):
            return True
        sharing.do(operation)
    return False


_PLACES = {"contiguous": "first", "in_blocks": "second"}
_RESERVED = {"contiguous": "longest reserved", "in_blocks": "in blocks"}


def _test_share(name: str, part: str) -> Callable[[Case, Plain], Iterator[Fault]]:
    def test(case: Case, observed: Plain) -> Iterator[Fault]:
        truth, got = shares(**arguments_of(case)), observed[part]
        if is_close(got, truth[part], _SHARE_REL):
            return
        other = next(one for one in _PLACES if one != part)
        is_swapped = all(
            is_close(observed[one], truth[two], _SHARE_REL)
            for one, two in ((part, other), (other, part))
        )
        shown, wanted = show_apart(got, truth[part])
        told = f"the {_PLACES[part]} number of `{call_text(case)}` ({_RESERVED[part]}) is {shown}"
        asks = "Which of the two comes first?" if is_swapped else ""
        yield Fault(name, f"{told}, expected {wanted}", asks)

    return test


def _law(name: str, says: str, points: float, asks: str, test: Any) -> Property:
    after = () if name in ("reading", "out") else ("reading",)
    tested = _tested_out if name == "out" else _each(test)
    return Property(name, says, points, asks, tested, after)


JUDGE = Judge(
    title="A cache in blocks",
    properties=(
        _law(
            "reading",
            "following its table, every text reads its own tokens",
            2,
            "Follow this block: which texts have it in their tables, and who wrote there last?",
            _test_reading,
        ),
        _law(
            "holders",
            "`holders` counts the tables that a block is in",
            1,
            "Which of these operations puts a block into a table, or takes it out of one?",
            _test_holders,
        ),
        _law(
            "free",
            "a text that ends is gone, and `free` has each block that nobody holds, once",
            1,
            "Which blocks does nobody hold, and which are in `free`?",
            _test_free,
        ),
        _law(
            "needed",
            "no more blocks are in use than needed",
            1,
            "Which text still holds the surplus block, and should it?",
            _test_needed,
        ),
        _law(
            "out",
            "where a block is needed and none is free, `append` gives None and changes nothing",
            1,
            "At which point is it known that there is no block, and what has been done by then?",
            _test_out,
        ),
        Property(
            "contiguous",
            "`wasted_share`: the waste if each text reserves room for the longest",
            1,
            "How many tokens are reserved for all of these texts, and how many are there?",
            _test_share("contiguous", "contiguous"),
        ),
        Property(
            "in-blocks",
            "`wasted_share`: the waste in blocks",
            1,
            "How many blocks does each of these texts have, and how many tokens fit into them?",
            _test_share("in-blocks", "in_blocks"),
        ),
    ),
    hints=(
        "With `length` tokens so far, the next one goes to offset `length % size`. When is that a "
        "new block, and how do you see that the last one is shared?",
        "`append` takes a block in two cases: the offset is 0, or the last block has more than one "
        "holder. In the second the old block leaves the table, loses a holder, and is `copied`. "
        "Look at `free` before anything is changed.",
        "`fork` makes a new list of the same blocks, and counts each of them once more. `release` "
        "takes table and length away, counts each block down, and puts those that are at 0 into "
        "`free`. In blocks, a text reserves `math.ceil(length / size) * size` tokens.",
    ),
    cases=cases,
    seeds=10,
    predictions={
        "paged-cache": Prediction(
            "Texts of about 200 tokens: in blocks of 16, instead of 2,048 tokens reserved for "
            "each, about how many times as many fit?",
            truth=2048 / 207.5,
            unit="times",
            because="A last block is half empty on average, so a text takes about 208 tokens "
            "instead of 2,048.",
        ),
    },
)

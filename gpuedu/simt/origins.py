"""Which array an access goes to, whatever name it has in the source.

A name may stand for a view of an array or, where paths meet, for one array or another. An access
goes to the array that the view was made from: a parameter, or an array that the kernel declares.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from gpuedu.simt.program import (
    ArraySlot,
    Retype,
    SetArray,
    Site,
    Statement,
    name_in_source,
    walk,
)
from gpuedu.simt.prune import joins_of

EITHER = " or "
"""Goes between the names of arrays if an access may be to either."""


def sites_by_origin(
    sites: Sequence[Site], body: list[Statement], arrays: Iterable[ArraySlot]
) -> list[Site]:
    """The access sites of a program with the names of the arrays that they access.

    Args:
        sites: As the front end entered them, under the names of their views.
        body: The whole program.
        arrays: What views can be made from: parameters, and arrays that the kernel declares.

    Returns:
        The sites in their order; one that accesses several arrays has their names, in the order of
        ``arrays``, with ``EITHER`` between them.
    """
    order = [slot.name for slot in arrays]
    sources = _sources(body)
    found = list(sites)
    for statement in walk(body):
        array = getattr(statement, "array", None)
        origins = _origins(array.name, sources, order) if isinstance(array, ArraySlot) else ()
        for number in _sites_of(statement) if origins else ():
            names = dict.fromkeys(name_in_source(one) for one in origins)
            found[number] = replace(sites[number], array=EITHER.join(names))
    return found


def _sites_of(statement: Statement) -> list[int]:
    numbers = (getattr(statement, name, None) for name in ("site", "load_site", "store_site"))
    return [number for number in numbers if isinstance(number, int)]


def _sources(body: list[Statement]) -> dict[str, set[str]]:
    """By the name of each view: the views or arrays that it may be made from."""
    sources: dict[str, set[str]] = defaultdict(set)
    for statement in walk(body):
        for target, source in _views(statement):
            sources[target.name].add(source.name)
    return sources


def _views(statement: Statement) -> Iterator[tuple[ArraySlot, ArraySlot]]:
    if isinstance(statement, SetArray | Retype):
        yield statement.slot, statement.base
    for target, values in joins_of(statement):
        for value in values:
            if isinstance(target, ArraySlot) and isinstance(value, ArraySlot):
                yield target, value


def _origins(name: str, sources: dict[str, set[str]], order: Sequence[str]) -> list[str]:
    seen, todo = set(), [name]
    while todo:
        one = todo.pop()
        if one not in seen:
            seen.add(one)
            todo += sources.get(one, ())
    return [one for one in order if one in seen]

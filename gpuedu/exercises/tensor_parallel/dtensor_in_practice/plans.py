"""Plans for ``parallelize_module`` as plain values: which style each module of a block gets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import describe, entries, items, text

REPLICATE, ROWS, COLUMNS, PARTIAL = "Replicate()", "Shard(0)", "Shard(1)", "Partial()"
LAYOUTS = (REPLICATE, ROWS, COLUMNS)
LINEARS = ("attn.q", "attn.k", "attn.v", "attn.out", "mlp.up", "mlp.down")
NORMS = ("norm1", "norm2")
PARTS = ("attn", "mlp")
MODULES = {
    **dict.fromkeys(LINEARS, ("colwise", "rowwise")),
    **dict.fromkeys(NORMS, ("sequence",)),
    **dict.fromkeys(PARTS, ("prepare",)),
}
"""Of each module the styles that PyTorch has for it."""
_OPTIONS = {
    "colwise": {"input": REPLICATE, "output": COLUMNS},
    "rowwise": {"input": COLUMNS, "output": REPLICATE},
    "sequence": {},
    "prepare": {"input": REPLICATE},
}


class Style(NamedTuple):
    """How a module is made parallel, and how its input comes and its output goes."""

    kind: str
    input: str = ""
    output: str = ""


def plan_of(given: Any, name: str) -> dict[str, Style]:
    """What a function of the learner's returned, with all that it leaves out.

    Args:
        given: a dict of names to "colwise" or ("colwise", {"input": "Shard(0)"}), and the like.
        name: the function's.

    Raises:
        AnswerError: that is no plan: which entry is wrong, and what may be there.

    >>> plan_of({"mlp.down": ("rowwise", {"output": "Shard(0)"})}, "f")["mlp.down"]
    Style(kind='rowwise', input='Shard(1)', output='Shard(0)')
    """
    found = {}
    for key, one in entries(given, f"what `{name}` returns").items():
        module = text(key, f"a name in what `{name}` returns")
        if module not in MODULES:
            raise AnswerError(
                f"`{name}`: the block has no module {module!r}",
                remedy=f"It has {', '.join(MODULES)}.",
            )
        found[module] = _style_of(one, f"`{name}`: the style of {module!r}", module)
    return found


def _style_of(given: Any, name: str, module: str) -> Style:
    parts = [given] if isinstance(given, str) else items(given, name, 'a text, or ("...", {...})')
    if len(parts) not in (1, 2):
        raise AnswerError(f"{name} should be a text, or a text and a dict, got {len(parts)} things")
    kind = text(parts[0], name)
    if kind not in MODULES[module]:
        known = " or ".join(f'"{one}"' for one in MODULES[module])
        raise AnswerError(f"{name} should be {known}, got {describe(kind)}")
    options = dict(_OPTIONS[kind])
    for key, one in entries(parts[1] if len(parts) == 2 else {}, f"the options of {name}").items():
        if key not in options:
            known = ", ".join(options) or "none"
            raise AnswerError(f"{name} has no option {describe(key)}; there are: {known}")
        if one not in LAYOUTS:
            raise AnswerError(f"{name}: {key!r} should be one of {', '.join(LAYOUTS)}")
        options[key] = text(one, f"`{key}` of {name}")
    return Style(kind, **options)


def plain_plan(plan: Mapping[str, Style]) -> dict[str, list[str]]:
    """A plan as a play returns it."""
    return {name: list(plan[name]) for name in sorted(plan)}

"""What a plan makes of a block: placements from module to module, and messages of both passes.

The rules are those of PyTorch 2.13. Between modules there are local tensors, of which only a plan
says what they are, or DTensors, which know it themselves: the output of SequenceParallel is one,
and the input that PrepareModuleInput makes. Where a DTensor comes in another placement than a
module's weights want, PyTorch redistributes it by itself, and what that costs is not followed here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from gpuedu.exercises.tensor_parallel.dtensor_in_practice.plans import (
    COLUMNS,
    LINEARS,
    PARTIAL,
    REPLICATE,
    ROWS,
    Style,
)

WIDTHS = {
    **dict.fromkeys(("attn.q", "attn.k", "attn.v", "attn.out"), ("D", "D")),
    "mlp.up": ("D", "H"),
    "mlp.down": ("H", "D"),
}
"""Of each matrix how wide its input and its output are."""
_USERS = {"attn": ("attn.q", "attn.k", "attn.v"), "mlp": ("mlp.up",)}
"""Which modules get the input of each part; others than plain columns sum its gradient first."""
_SAID = {
    REPLICATE: "each rank has all of it",
    ROWS: "each rank has some of the tokens",
    COLUMNS: "each rank has some of the columns",
}


class Message(NamedTuple):
    """A collective, and how wide the whole tensor is: N tokens times D, or H."""

    kind: str
    width: str

    def __str__(self) -> str:
        return f"{self.kind} of N x {self.width}"


class Value(NamedTuple):
    """What the ranks have of an activation."""

    placement: str
    is_dtensor: bool = False


class MisfitError(Exception):
    """The forward pass fails, or gives something else than the whole block."""


@dataclass
class Passes:
    """What a plan makes of a block.

    Attributes:
        misfit: why its output is not that of the whole block, or nothing.
        unsummed: parameters whose gradients no rank has a sum of.
        by_itself: modules before which PyTorch redistributes on its own.
        forward: messages in their order.
        backward: messages, in the order of the forward pass.
    """

    misfit: str = ""
    unsummed: list[str] = field(default_factory=list)
    by_itself: list[str] = field(default_factory=list)
    forward: list[Message] = field(default_factory=list)
    backward: list[Message] = field(default_factory=list)


def collective(before: str, after: str) -> str:
    """The collective that makes one placement of another; "" where nothing is sent.

    >>> collective("Partial()", "Shard(0)"), collective("Replicate()", "Shard(0)")
    ('reduce_scatter', '')
    """
    if before in (after, REPLICATE):
        return ""
    if before == PARTIAL:
        return "all_reduce" if after == REPLICATE else "reduce_scatter"
    return "all_gather" if after == REPLICATE else "all_to_all"


def product(x: str, weight: str) -> str:
    """The placement of x @ weight.T, if each rank multiplies what it has; "" where that is none.

    >>> product("Shard(1)", "Shard(1)")
    'Partial()'
    """
    rules = {
        (REPLICATE, REPLICATE): REPLICATE,
        (REPLICATE, ROWS): COLUMNS,
        (ROWS, REPLICATE): ROWS,
        (COLUMNS, COLUMNS): PARTIAL,
        (PARTIAL, REPLICATE): PARTIAL,
        (REPLICATE, PARTIAL): PARTIAL,
    }
    return rules.get((x, weight), "")


def passes_of(plan: Mapping[str, Style], outside: str) -> Passes:
    """Both passes of a block whose input and output come as ``outside``."""
    return _Block(plan, outside).run()


class _Block:
    def __init__(self, plan: Mapping[str, Style], outside: str) -> None:
        self._plan, self._outside = plan, outside
        self._found = Passes()

    def run(self) -> Passes:
        try:
            for norm, part in (("norm1", "attn"), ("norm2", "mlp")):
                x = self._prepare(part, self._norm(norm))
                y = self._attention(x) if part == "attn" else self._mlp(x)
                if y != self._outside:
                    raise MisfitError(
                        f"`{part}` gives {y}, and is added to `x`, which is {self._outside}"
                    )
        except MisfitError as misfit:
            self._found.misfit = str(misfit)
        return self._found

    def _norm(self, name: str) -> Value:
        if name in self._plan:
            self._require(name, ROWS, self._outside)
            return Value(ROWS, is_dtensor=True)
        if self._outside == ROWS:
            self._found.unsummed.append(f"{name}.weight")
        return Value(self._outside)

    def _prepare(self, name: str, x: Value) -> Value:
        style = self._plan.get(name)
        if style is None:
            return x
        if not x.is_dtensor:
            self._require(name, style.input, x.placement)
        elif style.input == REPLICATE:
            return x
        users = [self._plan.get(one) for one in _USERS[name]]
        is_partial = any(one and one[:2] == ("colwise", REPLICATE) for one in users)
        self._redistribute(x.placement, REPLICATE, "D", grad=PARTIAL if is_partial else REPLICATE)
        return Value(REPLICATE, is_dtensor=True)

    def _attention(self, x: Value) -> str:
        q, k, v = (self._linear(f"attn.{one}", x) for one in "qkv")
        if not q == k == v:
            raise MisfitError(f"`attn`: q, k and v are {q}, {k} and {v}")
        if q == ROWS:
            raise MisfitError("`attn`: each rank has q, k and v of its own tokens only")
        return self._linear("attn.out", Value(q))

    def _mlp(self, x: Value) -> str:
        return self._linear("mlp.down", Value(self._linear("mlp.up", x)))

    def _linear(self, name: str, x: Value) -> str:
        style = self._plan.get(name)
        if style is None:
            return self._plain(name, x)
        is_columns = style.kind == "colwise"
        wanted, weight = (REPLICATE, ROWS) if is_columns else (COLUMNS, COLUMNS)
        into, out = WIDTHS[name]
        if not x.is_dtensor:
            self._require(name, style.input, x.placement)
        if not x.is_dtensor or style.input != wanted:
            grad = PARTIAL if is_columns else COLUMNS
            self._redistribute(x.placement, wanted, into, grad=grad)
        elif x.placement != wanted:
            self._found.by_itself.append(name)
        self._redistribute(product(wanted, weight), style.output, out, grad=style.output)
        return style.output

    def _plain(self, name: str, x: Value) -> str:
        if x.is_dtensor:
            raise MisfitError(f"`{name}` gets a DTensor, but its weights are plain tensors")
        if x.placement == COLUMNS:
            raise MisfitError(
                f"`{name}` has all of its weights, and gets some columns of its input"
            )
        if x.placement == ROWS:
            self._found.unsummed.append(f"{name}.weight")
        return x.placement

    def _require(self, name: str, said: str, placement: str) -> None:
        if said != placement:
            raise MisfitError(f"`{name}` takes its input as {said}, and {_SAID[placement]}")

    def _redistribute(self, before: str, after: str, width: str, *, grad: str) -> None:
        """Note what that sends forward, and what brings a gradient, ``grad`` after it, back."""
        back = REPLICATE if before == PARTIAL else before
        ways = (self._found.forward, before, after), (self._found.backward, grad, back)
        for notes, one, other in ways:
            if kind := collective(one, other):
                notes.append(Message(kind, width))


def whole_matrices(plan: Mapping[str, Style]) -> list[str]:
    """Matrices of which every rank has all."""
    return [name for name in LINEARS if name not in plan]

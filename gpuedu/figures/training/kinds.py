"""How each kind of memory of a training step looks in every figure, and what it is called.

The kinds are those of ``gpuedu.training.memory.KINDS``.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpuedu.figures import style

_STRIPES = "#a3a9b7"


@dataclass(frozen=True)
class KindLook:
    """Name, colors and hatch of a kind."""

    name: str
    color: str
    hatch: str = ""
    text: str = style.INK
    edge: str = style.GROUND


_LOOKS = {
    "weights": KindLook("weights", style.BLUE, text="white"),
    "buffers": KindLook("buffers", style.SKY, "xxx"),
    "gradients": KindLook("gradients", style.ORANGE, "\\\\\\"),
    "optimizer": KindLook("optimizer state", style.GREEN, "..."),
    "batch": KindLook("batch", style.YELLOW, "|||", edge=_STRIPES),
    "activations": KindLook("saved activations", style.PINK),
    "other": KindLook("other", style.FAINT, "///", edge=_STRIPES),
}


def look_of_kind(kind: str) -> KindLook:
    """The look of a kind; an unknown one is drawn under its own name.

    >>> look_of_kind("optimizer").name, look_of_kind("cache").name
    ('optimizer state', 'cache')
    """
    return _LOOKS.get(kind) or KindLook(kind, style.QUIET, text="white")

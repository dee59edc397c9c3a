"""How each kind of interval on a timeline looks, and the line of keys that says so."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from gpuedu.figures import style

_STRIPES = "#b4b9c5"
_COPY = "#8fd6bd"
"""The catalog's green, light enough for a text on it."""
_KEYS_PT = 24


@dataclass(frozen=True)
class Look:
    """Colors and hatch of a bar, the color of a text in it, and what the key calls it."""

    color: str
    key: str
    hatch: str = ""
    text: str = style.INK
    edge: str = style.GROUND

    @property
    def behind_text(self) -> dict[str, object] | None:
        """A background in the bar's own color, if a text would be on its hatch."""
        return {"facecolor": self.color, "edgecolor": "none", "pad": 1.6} if self.hatch else None


_LOOKS = {
    "launch": Look(style.ORANGE, "launch"),
    "capture": Look("#f6deb0", "capture", hatch="\\\\\\", edge=_STRIPES),
    "replay": Look(style.YELLOW, "replay"),
    "read": Look(style.PINK, "read", hatch="\\\\\\"),
    "work": Look(style.SKY, "work"),
    "decode": Look(style.SKY, "decode"),
    "in the queue": Look(style.YELLOW, "in the queue"),
    "copy": Look(_COPY, "copy", hatch=".."),
    "buffer": Look(_COPY, "buffer", hatch=".."),
    "compute": Look(style.SKY, "computes"),
    "kernel": Look(style.BLUE, "kernel", text="white"),
    "send": Look(style.BLUE, "sends", text="white"),
    "recv": Look("#a9dccb", "receives"),
    "collective": Look(style.ORANGE, "collective"),
    "all-reduce": Look(style.ORANGE, "all-reduce"),
    "posted": Look(style.FAINT, "called, not yet moving", hatch="///", edge=_STRIPES),
    "wait": Look(style.FAINT, "waits", hatch="///", edge=_STRIPES),
    "sleep": Look(style.FAINT, "sleeps", hatch="xxx", edge=_STRIPES),
}


def look_of(kind: str) -> Look:
    """The look of a kind; an unknown one gets its own look, and its name.

    >>> look_of("kernel").color, look_of("wait").key, look_of("dream").key
    ('#0072b2', 'waits', 'dream')
    """
    return _LOOKS.get(kind) or Look(style.YELLOW, kind, hatch="--", edge=_STRIPES)


def keys_of(kinds: Collection[str]) -> list[Artist]:
    """A sample for each kind, in one order for all figures; none where there is one kind."""
    if len(kinds) < 2:
        return []
    known = [*(kind for kind in _LOOKS if kind in kinds), *sorted(set(kinds) - set(_LOOKS))]
    looks = [look_of(kind) for kind in known]
    return [
        Patch(facecolor=one.color, hatch=one.hatch or None, edgecolor=one.edge, label=one.key)
        for one in looks
    ]


def make_room_for_keys(ax: Axes) -> None:
    """Lift the title, so that a line of keys fits below it."""
    look = {"fontsize": 12, "color": style.INK, "fontweight": "bold"}
    ax.set_title(ax.get_title(loc="left"), loc="left", pad=_KEYS_PT, **look)


def write_keys(ax: Axes, keys: Sequence[Artist]) -> None:
    """Write the line of keys between the title and the drawing."""
    if keys:
        ax.legend(
            handles=list(keys),
            loc="lower left",
            bbox_to_anchor=(0.0, 1.0),
            ncols=len(keys),
            frameon=False,
            fontsize=9.5,
            borderaxespad=0.1,
            handlelength=1.4,
            columnspacing=1.2,
        )

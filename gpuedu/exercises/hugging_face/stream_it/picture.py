"""stream-it: its picture, of the order that a shuffle buffer makes, and of what a stop loses."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from typing import Any

from gpuedu.exercises.hugging_face.stream_it.play import quiet_datasets
from gpuedu.exercises.hugging_face.stream_it.streams import Reading, count_words, source
from gpuedu.figures import style

_COUNT, _STOP = 240, 100
_INPUTS = {"count": _COUNT, "shards": 1, "ranks": 1, "seed": 5, "buffer": 24}
_MANY = _INPUTS | {"shards": 8}
_WIDE = _INPUTS | {"shards": 8, "buffer": 96}


def draw_order(deal: Callable[..., Any], read: Callable[..., Any]) -> Any:
    """Where samples come in a stream with a buffer of 24, from one shard and from eight."""
    axes = style.new_axes(3.4, columns=2, sharey=True)
    told = []
    for ax, inputs in zip(axes, (_INPUTS, _MANY), strict=True):
        with quiet_datasets():
            ids = [one for one, _ in Reading(deal, read, inputs).samples(0, 0, 0, _COUNT)]
        ax.scatter(range(len(ids)), ids, s=9, color=style.BLUE)
        shards = inputs["shards"]
        title = f"{shards} shard{'s' * (shards > 1)}, a buffer of {inputs['buffer']}"
        style.name_axes(ax, title=title, x="place in the stream", y="")
        early = max((one - place for place, one in enumerate(ids)), default=0)
        told.append(f"{title}: {len(ids)} samples, at most {early} places early")
    style.name_axes(axes[0], title=axes[0].get_title(loc="left"), x="place in the stream", y="id")
    style.note_source(
        axes[0], f"Read here, one rank, {_COUNT} samples. Unshuffled, it's a diagonal."
    )
    style.describe(axes[0], f"Dots for samples by their place in the stream. {'; '.join(told)}.")
    return axes


def draw_stop(deal: Callable[..., Any], read: Callable[..., Any]) -> Any:
    """How often each sample is read in an epoch that stopped: by a state, and by ``read``."""
    ax = style.new_axes(2.6)
    rows = [("by state_dict()", _by_state(deal)), ("yours", _by_read(deal, read))]
    told = []
    for height, (name, times) in enumerate(rows):
        lost = [at for at in range(_COUNT) if not times[at]]
        twice = [at for at in range(_COUNT) if times[at] > 1]
        once = [at for at in range(_COUNT) if times[at] == 1]
        for ids, color, marker, size in (
            (once, style.FAINT, "|", 120),
            (lost, style.RED, "x", 60),
            (twice, style.ORANGE, "D", 40),
        ):
            ax.scatter(ids, [height] * len(ids), color=color, marker=marker, s=size)
        says = f"{name}: {len(lost)} never read, {len(twice)} read twice"
        ax.annotate(says, (0, height + 0.22), color=style.INK, fontsize=10.5)
        told.append(says)
    style.name_axes(ax, title=f"An epoch that was stopped after {_STOP} samples", x="sample")
    ax.set_ylim(-0.4, 1.7)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    ax.grid(visible=False)
    style.note_source(
        ax,
        f"Read here: {_COUNT} samples in 8 shards, a buffer of {_WIDE['buffer']}. "
        "Crosses: never read. Diamonds: read twice.",
    )
    return style.describe(
        ax, f"A row of {_COUNT} samples for each way to continue. {'; '.join(told)}."
    )


def _by_read(deal: Callable[..., Any], read: Callable[..., Any]) -> Counter:
    with quiet_datasets():
        reading = Reading(deal, read, _WIDE)
        pieces = [reading.samples(0, 0, 0, _STOP), reading.samples(0, 0, _STOP, _COUNT)]
    return Counter(one for piece in pieces for one, _ in piece)


def _by_state(deal: Callable[..., Any]) -> Counter:
    with quiet_datasets():
        given = source(_COUNT, 8), count_words, 0, 1, _WIDE["seed"], _WIDE["buffer"]
        stream = deal(*given)
        times = Counter(sample["id"] for sample in itertools.islice(stream, _STOP))
        other = deal(source(_COUNT, 8), *given[1:])
        other.load_state_dict(stream.state_dict())
        times.update(sample["id"] for sample in other)
    return times


PICTURE = draw_order

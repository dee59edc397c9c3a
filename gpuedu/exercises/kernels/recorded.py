"""What was recorded on GPUs of a lesson's kernels, as one figure or as a sentence.

A lesson names its series, and what it wants of each. Which devices have a record, what is missing
and when it was taken, the records say.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpuedu.exercises.kernels.recorded_panels import Part, Taken, Wanted, make_part
from gpuedu.figures.caption import Caption
from gpuedu.figures.recorded import OTHERS, OWN, BarPanel, plot_recorded
from gpuedu.hardware.names import short_name
from gpuedu.hardware.records import Record, records

MOST_DEVICES = 3
_WIDTH = 118
_MEDIANS = "Values are medians."
_SPREAD = " The thin line at a bar's end spans the middle half of the runs."

Key = tuple[str, bool]
"""A device by the driver's name, and whether the record is the learner's own."""


def draw_recorded(title: str, what: str, wanted: Sequence[Wanted]) -> Any:
    """The recorded times of these series as one figure, or a sentence where there are none.

    At most three devices are drawn: the learner's own first, then those that were recorded last.

    Args:
        title: of the figure; the device is added where there is one only.
        what: names what was measured, for the sentence.
        wanted: the series; one without a record is named below the figure.
    """
    found = {one.series: {_key(r): r for r in records(one.series)} for one in wanted}
    newest = _newest(record for kept in found.values() for record in kept.values())
    devices = _devices(newest[:MOST_DEVICES])
    parts = [
        make_part(one, taken, is_alone=len(devices) == 1)
        for one in wanted
        if (taken := _taken(devices, found[one.series]))
    ]
    panels = [part.panel for part in parts if part.panel is not None]
    if not panels:
        return none_yet(what)
    missing = _missing(wanted, found, devices)
    more = [short_name(record.device) for record in newest[MOST_DEVICES:]]
    missing += [f"Recorded, not drawn: {', '.join(more)}."] if more else []
    caption = Caption(
        title=_title(title, devices),
        source=_source(devices, parts, missing),
        alt=_alt(title, devices, parts, missing),
    )
    return plot_recorded(panels, caption=caption)


def none_yet(what: str) -> str:
    """What a lesson says where no GPU was recorded.

    >>> print(none_yet("these kernels"))
    No times of these kernels have been recorded on a GPU yet.
    `gpuedu record` does it on a machine that has one.
    """
    return (
        f"No times of {what} have been recorded on a GPU yet.\n"
        "`gpuedu record` does it on a machine that has one."
    )


@dataclass(frozen=True)
class _Device:
    """A device that is drawn: its name, with "(yours)" where it is, and its newest series."""

    name: str
    color: str
    newest: Record


def _key(record: Record) -> Key:
    return record.device, record.is_own


def _newest(found: Iterable[Record]) -> list[Record]:
    """Each device's newest series: the learner's own devices first, then by date."""
    newest: dict[Key, Record] = {}
    for record in found:
        kept = newest.setdefault(_key(record), record)
        if record.date > kept.date:
            newest[_key(record)] = record
    by_date = sorted(newest.values(), key=lambda record: record.date, reverse=True)
    return sorted(by_date, key=lambda record: not record.is_own)


def _devices(chosen: Sequence[Record]) -> dict[Key, _Device]:
    short = {record.device: short_name(record.device) for record in chosen}
    is_clear = len(set(short.values())) == len(short)
    others = iter(OTHERS)
    devices = {}
    for place, record in enumerate(chosen):
        name = short[record.device] if is_clear else record.device
        # Several may be the learner's own: all have a star, and the first one is green.
        color = OWN if record.is_own and place == 0 else next(others)
        name += " (yours)" if record.is_own else ""
        devices[_key(record)] = _Device(name, color, record)
    return devices


def _taken(devices: Mapping[Key, _Device], kept: Mapping[Key, Record]) -> list[Taken]:
    return [Taken(d.name, d.color, kept[key]) for key, d in devices.items() if key in kept]


def _title(title: str, devices: Mapping[Key, _Device]) -> str:
    names = [device.name for device in devices.values()]
    return f"{title}, recorded on {'the ' + names[0] if len(names) == 1 else 'GPUs'}"


def _source(devices: Mapping[Key, _Device], parts: Sequence[Part], missing: Sequence[str]) -> str:
    lines = [_when(device) for device in devices.values()]
    has_bars = any(isinstance(part.panel, BarPanel) for part in parts)
    lines.append(_MEDIANS + _SPREAD * has_bars)
    cached = [part.from_caches for part in parts if part.from_caches]
    lines += [f"Not all bytes came from device memory: {'; '.join(cached)}."] if cached else []
    lines += [line for part in parts for line in part.left_out]
    return "\n".join(line for text in (*lines, *missing) for line in textwrap.wrap(text, _WIDTH))


def _when(device: _Device) -> str:
    """When and with what a device was recorded."""
    said = device.newest.versions
    versions = f"driver {said.get('driver', 'unknown')}, CUDA {said.get('cuda runtime', 'unknown')}"
    return f"Recorded on the {device.name}: {device.newest.date[:10]}, {versions}."


def _alt(
    title: str, devices: Mapping[Key, _Device], parts: Sequence[Part], missing: Sequence[str]
) -> str:
    names = " and ".join(device.name for device in devices.values())
    told = [f"{part.wanted.title}: {part.told}." for part in parts]
    return " ".join([f"{title}, recorded on {names}.", *told, *missing])


def _missing(
    wanted: Sequence[Wanted],
    found: Mapping[str, Mapping[Key, Record]],
    devices: Mapping[Key, _Device],
) -> list[str]:
    """Which series nobody recorded, and which of the others a device has not."""
    drawn = [one for one in wanted if devices.keys() & found[one.series].keys()]
    nowhere = [one.name for one in wanted if one not in drawn]
    lines = [f"Not recorded yet: {', '.join(nowhere)}."] if nowhere else []
    for key, device in devices.items():
        has = [one for one in drawn if any(key[0] == name for name, _ in found[one.series])]
        lacks = [one.name for one in drawn if one not in has]
        lines += [f"Not recorded on the {device.name}: {', '.join(lacks)}."] if lacks else []
    return lines

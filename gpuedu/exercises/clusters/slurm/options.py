"""The options of `sbatch`, and how they are found in words: as getopt_long does.

Source: `sbatch --help` and the manual page of sbatch, Slurm 22.05. Values that decide what a job
gets are read; of others it is only known that they are there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gpuedu.exercises.clusters.slurm import amounts

_TEXTS = """
    array:a account:A acctg-freq bb bbf begin:b comment cluster-constraint cpu-freq core-spec:S
    cores-per-socket dependency:d deadline delay-boot chdir:D error:e export-file extra-node-info:B
    gid gres-flags gpu-bind gpu-freq hint input:i job-name:J licenses:L clusters:M container
    distribution:m mail-user mcs-label mem-bind network constraint:C nodefile:F nodelist:w output:o
    partition:p power priority profile qos:q reservation signal sockets-per-node switches
    thread-spec threads-per-core tmp uid wait-all-nodes wckey wrap exclude:x export mail-type
    gpus-per-socket ntasks-per-core ntasks-per-socket mincpus open-mode
"""
_FLAGS = """
    contiguous help:h hold:H ignore-pbs no-kill:k no-requeue overcommit:O parsable quiet:Q reboot
    requeue oversubscribe:s spread-job test-only usage use-min-nodes verbose:v version:V wait:W
"""
_OPTIONAL = "exclusive get-user-env nice propagate"


def _open_mode(text: str) -> str:
    """Whether a log that is there already is kept."""
    if text.lower() not in ("a", "append", "t", "truncate"):
        raise ValueError("it is `append` or `truncate`")
    return "append" if text.lower().startswith("a") else "truncate"


_READS: dict[str, Callable[[str], Any]] = {
    "nodes": amounts.node_range,
    "ntasks": amounts.count,
    "ntasks-per-node": amounts.count,
    "ntasks-per-gpu": amounts.count,
    "cpus-per-task": amounts.count,
    "cpus-per-gpu": amounts.count,
    "gpus": amounts.devices,
    "gpus-per-node": amounts.devices,
    "gpus-per-task": amounts.devices,
    "gres": amounts.generic,
    "mem": amounts.megabytes,
    "mem-per-cpu": amounts.megabytes,
    "mem-per-gpu": amounts.megabytes,
    "time": amounts.minutes,
    "time-min": amounts.minutes,
    "signal": amounts.limit_signal,
    "open-mode": _open_mode,
}
_SHORT = {"nodes": "N", "ntasks": "n", "cpus-per-task": "c", "gpus": "G", "time": "t"}


@dataclass(frozen=True)
class Option:
    """An option by its long name; ``takes``: "value", "nothing", or "maybe" one after ``=``."""

    name: str
    short: str
    takes: str


def _table() -> Iterator[Option]:
    for words, takes in ((_TEXTS, "value"), (_FLAGS, "nothing"), (_OPTIONAL, "maybe")):
        for word in words.split():
            name, _, short = word.partition(":")
            if name not in _READS:
                yield Option(name, short, takes)
    for name in _READS:
        yield Option(name, _SHORT.get(name, ""), "value")


_ALL = tuple(_table())
_BY_NAME = {one.name: one for one in _ALL}
_BY_LETTER = {one.short: one for one in _ALL if one.short}


class OptionError(ValueError):
    """What `sbatch` refuses, in words for a learner."""


def options_in(words: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """Long names and values, in order; a flag's value is True.

    >>> list(options_in(["-N2", "--time", "90", "--requeue"]))
    [('nodes', (2, 2)), ('time', 90), ('requeue', True)]

    Raises:
        OptionError: an option that there is not, or a value that it does not take.
    """
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word.startswith("--") and word != "--":
            yield _long(word, rest)
        elif word.startswith("-") and word not in ("-", "--"):
            yield from _letters(word, rest)
        else:
            raise OptionError(
                f"`{word}` isn't an option: an option starts with `-` or `--`, and a value with a "
                "space in it has to be quoted"
            )


def _long(word: str, rest: list[str]) -> tuple[str, Any]:
    name, has_value, value = word[2:].partition("=")
    option = _BY_NAME.get(name) or _abbreviated(name)
    if option.takes == "nothing":
        if has_value:
            raise OptionError(f"`--{option.name}` takes no value")
        return option.name, True
    if option.takes == "maybe":
        return option.name, value if has_value else True
    if not has_value:
        if not rest:
            raise OptionError(f"`--{option.name}` needs a value")
        value = rest.pop(0)
    return option.name, _read(f"--{option.name}", option.name, value)


def _abbreviated(name: str) -> Option:
    found = [one for one in _ALL if one.name.startswith(name)] if name else []
    if len(found) > 1:
        which = ", ".join(f"`--{one.name}`" for one in sorted(found, key=lambda one: one.name)[:4])
        raise OptionError(f"`--{name}` could be {which}")
    if not found:
        raise OptionError(f"there is no option `--{name}`")
    return found[0]


def _letters(word: str, rest: list[str]) -> Iterator[tuple[str, Any]]:
    letters = word[1:]
    while letters:
        letter, letters = letters[0], letters[1:]
        option = _BY_LETTER.get(letter)
        if option is None:
            raise OptionError(f"there is no option `-{letter}`")
        if option.takes == "nothing":
            yield option.name, True
            continue
        if not letters and not rest:
            raise OptionError(f"`-{letter}` needs a value")
        yield option.name, _read(f"-{letter}", option.name, letters or rest.pop(0))
        return


def _read(shown: str, name: str, value: str) -> Any:
    try:
        return _READS[name](value) if name in _READS else value
    except ValueError as fault:
        raise OptionError(f"`{shown}` can't be `{value[:60]}`: {fault}") from None

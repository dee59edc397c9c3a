"""Plays of the lesson why-gpus: each calls the learner's functions on one case."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.plain import describe, number, numbers, text
from gpuedu.exercises.why_gpus import claims, loops
from gpuedu.exercises.why_gpus.parallel_record import record_of

Inputs = Mapping[str, Any]

_MARGIN = 4096
"""Elements on both sides of each array; compiled code writes there without an error."""

_UNTOUCHED = 12345.0
"""What stands in the margins. A number: NaN would hide a write that computes from the margins."""


def play_parallel_cpu(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """``out``, ``x`` and ``y`` after the call, what lies around ``out``, and what ran parallel."""
    (saxpy,) = answers
    padded = {name: _between_margins(inputs[name]) for name in ("x", "y", "out")}
    arrays = {name: whole[_MARGIN:-_MARGIN] for name, whole in padded.items()}
    returned = _call_compiled(
        saxpy, np.float32(inputs["a"]), arrays["x"], arrays["y"], arrays["out"]
    )
    around = np.concatenate([padded["out"][:_MARGIN], padded["out"][-_MARGIN:]])
    return {
        **{name: view.copy() for name, view in arrays.items()},
        "wrote_outside": bool((around != _UNTOUCHED).any()),
        "returned_an_array": isinstance(returned, np.ndarray),
        **record_of(saxpy),
    }


def _between_margins(values: np.ndarray) -> np.ndarray:
    whole = np.full(values.size + 2 * _MARGIN, _UNTOUCHED, np.float32)
    whole[_MARGIN:-_MARGIN] = values
    return whole


def _call_compiled(function: Any, *arguments: Any) -> Any:
    """Call it; say what Numba could not compile in one sentence instead of in a page."""
    from numba.core.errors import NumbaError, NumbaPerformanceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NumbaPerformanceWarning)  # the card says it
        try:
            return function(*arguments)
        except NumbaError as fault:
            raise AnswerError(
                f"Numba cannot compile it: {_gist(str(fault))}",
                remedy="It is called with a float32 number and three float32 arrays.",
            ) from None


def _gist(message: str, limit: int = 240) -> str:
    """The telling lines of Numba's message: what was wrong, and on which line of the learner's."""
    plain = re.sub(r"\x1b\[\d+m", "", message)
    lines = [line.strip() for line in plain.splitlines() if line.strip()]
    said = next((line for line in lines if not line.startswith("Failed in ")), "")
    tried = next((line for line in lines if line.startswith(">>> ")), "")
    if said.endswith(":") and tried:
        said = f"{said} `{tried.removeprefix('>>> ')}`"
    places = re.findall(r'File "(?![^"]*site-packages)[^"]*", line (\d+)', plain)
    where = f", on line {places[-1]} of its cell" if places else ""
    return said[:limit].rstrip(".") + where


def play_amdahl(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """A speed-up, its limit, or a share."""
    amdahl, amdahl_limit, gustafson, share_for = answers
    if inputs["ask"] == "amdahl":
        return {"got": number(amdahl(inputs["p"], inputs["n"]), "the speed-up")}
    if inputs["ask"] == "limit":
        return {"got": _number_or(amdahl_limit(inputs["p"]), "the limit", "math.inf")}
    if inputs["ask"] == "gustafson":
        return {"got": number(gustafson(inputs["p"], inputs["n"]), "the scaled speed-up")}
    return {"got": _number_or(share_for(inputs["speedup"], inputs["n"]), "the share", "math.nan")}


def play_who_is_independent(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What the learner's dict says about one loop, both words from the menu."""
    (chains,) = answers
    name = inputs["loop"]
    pair = _entry(chains, name, loops.NAMES)
    if type(pair) not in (tuple, list) or len(pair) != 2:
        got = f"{len(pair)} of them" if type(pair) in (tuple, list) else _told(pair)
        raise AnswerError(
            f"the entry for {name!r} should be a pair (as written, best known), got {got}"
        )
    observed = {}
    for column, word in zip(("as_written", "best_known"), pair, strict=True):
        place = f"the entry for {name!r}, {column.replace('_', ' ')},"
        observed[column], observed[f"{column}_fault"] = _from_menu(word, place)
    return observed


def _from_menu(word: Any, place: str) -> tuple[str, str]:
    """The word and no fault, or no word and what is wrong: one half does not spoil the other."""
    if type(word) is str and word in loops.MENU:
        return word, ""
    menu = ", ".join(f'"{entry}"' for entry in loops.MENU)
    return "", f"{place} should be one of {menu}, got {_told(word)}"


def _told(value: Any) -> str:
    """A value that stands in a dict or is returned on purpose: None is no missing `return`."""
    return "None" if value is None else describe(value)


def _number_or(value: Any, name: str, instead: str) -> float:
    """A number; where there is none, ``instead`` is asked for, and None or its name as text is not.

    >>> _number_or(None, "the share", "math.nan")
    Traceback (most recent call last):
    gpuedu.errors.AnswerError: the share should be a number, got None
    """
    if value is None:
        remedy = f"Where there is no such number, return `{instead}`. Or is a `return` missing?"
        raise AnswerError(f"{name} should be a number, got None", remedy=remedy)
    if type(value) is str and value.strip().lower() in ("inf", "nan", "infinity"):
        remedy = f"That is a text. Write `{instead}`."
        raise AnswerError(f"{name} should be a number, got {describe(value)}", remedy=remedy)
    return number(value, name)


def _entry(given: Mapping[Any, Any], name: str, known: Sequence[str]) -> Any:
    """An entry of the learner's dict; where it lacks, the names that it has in its place."""
    if name in given:
        return given[name]
    strangers = [describe(key).removesuffix(" (str)") for key in given if key not in known]
    beside = f"; it has {strangers[0]}, which is not asked for" if strangers else ""
    raise AnswerError(f"the dict has no entry for {name!r}{beside}")


def play_count_the_work(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """FLOP and bytes of a layer, an intensity, or the FLOP of a training."""
    linear_work, conv2d_work, intensity, training_flop = answers
    sizes = inputs["sizes"]
    if inputs["ask"] == "linear":
        flop, size_bytes = numbers(linear_work(*sizes), 2, "linear_work's result")
        return {"flop": flop, "bytes": size_bytes}
    if inputs["ask"] == "conv2d":
        flop, size_bytes = numbers(conv2d_work(*sizes), 2, "conv2d_work's result")
        return {"flop": flop, "bytes": size_bytes}
    if inputs["ask"] == "intensity":
        return {"got": number(intensity(*sizes), "the intensity")}
    return {"got": number(training_flop(*sizes), "the FLOP")}


def play_littles_law(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """Bytes in flight, the threads that carry them, or the bandwidth that threads reach."""
    bytes_in_flight, threads_needed, bandwidth_with = answers
    latency_s, rate = inputs["latency_s"], inputs["bandwidth_bytes_per_s"]
    each = inputs.get("bytes_per_thread")
    if inputs["ask"] == "bytes":
        return {"got": number(bytes_in_flight(latency_s, rate), "the bytes in flight")}
    if inputs["ask"] == "threads":
        return {"got": number(threads_needed(latency_s, rate, each), "the number of threads")}
    got = bandwidth_with(inputs["threads"], each, latency_s, rate)
    return {"got": number(got, "the bandwidth")}


def play_break_even(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The n from which the GPU is faster, with or without copies over the link."""
    break_even, break_even_with_copies = answers
    rates = (inputs["launch_s"], inputs["cpu_elements_per_s"], inputs["gpu_elements_per_s"])
    if "link_bytes_per_s" not in inputs:
        return {"n": _number_or(break_even(*rates), "the number of elements", "math.inf")}
    link = (inputs["link_bytes_per_s"], inputs["bytes_per_element"])
    found = break_even_with_copies(*rates, *link)
    return {"n": _number_or(found, "the number of elements", "math.inf")}


def play_check_the_claim(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """One entry of the learner's dict of corrected numbers."""
    (corrected,) = answers
    key = text(inputs["key"])
    entry, name = _entry(corrected, key, inputs.get("keys", claims.KEYS)), f"the entry for {key!r}"
    if entry is None:
        raise AnswerError(f"{name} should be a number, got None")
    return {"got": number(entry, name)}


PLAYS = {
    "parallel-cpu": Play(
        (Answer("saxpy", signature=("a", "x", "y", "out")),),
        play_parallel_cpu,
        time_limit_s=40.0,
        isolated=True,
        observes="whether the compiled loop runs in parallel",
    ),
    "amdahl": Play(
        (
            Answer("amdahl", signature=("p", "n")),
            Answer("amdahl_limit", signature=("p",)),
            Answer("gustafson", signature=("p", "n")),
            Answer("share_for", signature=("speedup", "n")),
        ),
        play_amdahl,
    ),
    "who-is-independent": Play((Answer("chains", dict),), play_who_is_independent),
    "count-the-work": Play(
        (
            Answer("linear_work", signature=("batch", "inputs", "outputs", "itemsize")),
            Answer(
                "conv2d_work",
                signature=(
                    "batch",
                    "channels_in",
                    "channels_out",
                    "height",
                    "width",
                    "kernel",
                    "itemsize",
                ),
            ),
            Answer("intensity", signature=("flop", "bytes")),
            Answer("training_flop", signature=("params", "tokens")),
        ),
        play_count_the_work,
    ),
    "littles-law": Play(
        (
            Answer("bytes_in_flight", signature=("latency_s", "bandwidth_bytes_per_s")),
            Answer(
                "threads_needed",
                signature=("latency_s", "bandwidth_bytes_per_s", "bytes_per_thread"),
            ),
            Answer(
                "bandwidth_with",
                signature=("threads", "bytes_per_thread", "latency_s", "peak_bytes_per_s"),
            ),
        ),
        play_littles_law,
    ),
    "break-even": Play(
        (
            Answer(
                "break_even",
                signature=("launch_s", "cpu_elements_per_s", "gpu_elements_per_s"),
            ),
            Answer(
                "break_even_with_copies",
                signature=(
                    "launch_s",
                    "cpu_elements_per_s",
                    "gpu_elements_per_s",
                    "link_bytes_per_s",
                    "bytes_per_element",
                ),
            ),
        ),
        play_break_even,
    ),
    "check-the-claim": Play((Answer("corrected", dict),), play_check_the_claim),
}

"""prefill-or-decode: the FLOP and bytes of a pass, and which of them is the limit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from gpuedu.choosing.memory import cache_bytes
from gpuedu.choosing.models import Model, count_parameters
from gpuedu.exercises.contract import Case, Judge, Prediction
from gpuedu.exercises.functions import call_case, right_result

Number = float | Fraction
_TINY = {"parameters": 1000, "layers": 3, "width": 10, "heads": 2, "kv_heads": 2}
"""So small that a call of it can be worked out in the head."""
_EVEN = {"flop_per_s": 2.0**40, "bytes_per_s": 2.0**32}
"""A device of which all quotients are exact, whatever the order of the operations."""


def flop_of(model: Mapping[str, int], texts: int, cached: int, new: int) -> int:
    """Token by token."""
    found = 0
    for place in range(cached, cached + new):
        found += 2 * model["parameters"] + 4 * model["layers"] * model["width"] * (place + 1)
    return texts * found


def bytes_of(model: Mapping[str, int], texts: int, cached: int, new: int) -> int:
    """Weights, and the cache as it is after the pass: each of its numbers moves once."""
    return 2 * model["parameters"] + cache_bytes(Model(**model, vocabulary=1), texts, cached + new)


def limit_of(flop: Number, moved_bytes: Number, device: Mapping[str, float]) -> str:
    """The slower of the two, exactly."""
    arithmetic = Fraction(flop) / Fraction(device["flop_per_s"])
    is_slower = arithmetic >= Fraction(moved_bytes) / Fraction(device["bytes_per_s"])
    return "arithmetic" if is_slower else "memory"


def enough_of(
    flop: float, text_bytes: float, weight_bytes: float, device: Mapping[str, float]
) -> float:
    """The first number of texts for which arithmetic is the limit: tried out, in halves."""
    one, once, each = Fraction(flop), Fraction(weight_bytes), Fraction(text_bytes)

    def is_enough(texts: int) -> bool:
        return limit_of(texts * one, once + texts * each, device) == "arithmetic"

    high = 1
    while not is_enough(high):
        high *= 2
        if high > 2**60:
            return math.inf
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def cases(rng: np.random.Generator) -> list[Case]:
    """Passes of a tiny model and of drawn ones; a pass that either is the limit of, or both."""
    found = []
    for decides, texts, cached, new in (
        ("prompt", 1, 0, 4),
        ("prompt", _few(rng), 0, 100 + _few(rng)),
        ("later", 1, 6, 1),
        ("later", _few(rng), 100 * _few(rng), 1),
        ("later", _few(rng), 10 * _few(rng), _few(rng)),
    ):
        is_tiny = texts == 1
        model = _TINY if is_tiny else _model(rng, shared=True)
        found.append(_pass_case(decides, "pass_flop", model, texts, cached, new))
    for texts, cached, new in (
        (1, 0, 4),
        (3, 6, 1),
        (_few(rng), 100 * _few(rng), 1),
        (_few(rng), 10 * _few(rng), _few(rng)),
    ):
        model = _TINY if texts <= 3 else _model(rng, shared=False)
        found.append(_pass_case("bytes", "pass_bytes", model, texts, cached, new))
    for cached, new in ((0, 20 * _few(rng)), (100 * _few(rng), 1)):
        shared = _model(rng, shared=True)
        found.append(_pass_case("grouped", "pass_bytes", shared, _few(rng), cached, new))
    return [*found, *_limits(rng), *_numbers_of_texts(rng)]


def _pass_case(
    decides: str, call: str, model: Mapping[str, int], texts: int, cached: int, new: int
) -> Case:
    return call_case(decides, call, model=dict(model), texts=texts, cached=cached, new=new)


def _few(rng: np.random.Generator) -> int:
    return int(rng.integers(5, 40))


def _model(rng: np.random.Generator, *, shared: bool) -> dict[str, int]:
    """A model whose heads have each a key and a value of their own, or share them."""
    layers, kv_heads = int(rng.integers(6, 40)), int(rng.integers(2, 9))
    heads = kv_heads * (int(rng.integers(3, 9)) if shared else 1)
    width = heads * int(rng.choice([64, 96, 128]))
    sizes = {"layers": layers, "width": width, "heads": heads, "kv_heads": kv_heads}
    return {"parameters": count_parameters(layers, width, 32_000), **sizes}


def _device(rng: np.random.Generator) -> dict[str, float]:
    flop_per_s, bytes_per_s = rng.integers(100, 900), rng.integers(500, 5000)
    return {"flop_per_s": 1e12 * int(flop_per_s), "bytes_per_s": 1e9 * int(bytes_per_s)}


def _limits(rng: np.random.Generator) -> list[Case]:
    """Each of the two, by little and by much, and both at once."""
    device = _device(rng)
    found = []
    for ratio in (40.0, 0.02, 0.7, 1.4):
        moved = 1e9 * _few(rng)
        flop = ratio * moved * device["flop_per_s"] / device["bytes_per_s"]
        given = {"flop": float(f"{flop:.3g}"), "moved_bytes": moved, "device": device}
        found.append(call_case("limit", "limit", **given))
    even = {"flop": 3 * 2.0**38, "moved_bytes": 3 * 2.0**30, "device": _EVEN}
    return [*found, call_case("limit", "limit", **even)]


def _numbers_of_texts(rng: np.random.Generator) -> list[Case]:
    """Caches of different weights, as shares of what may come for one text's arithmetic."""
    found = []
    for decides, share in (
        ("texts", 0.5),
        ("texts", 0.0),
        ("texts", 0.3),
        ("texts", 0.9),
        ("never", 3.0),
        ("never", 1.2),
    ):
        device, apart = _device(rng), 0.0
        while not 0.2 < apart < 0.8:  # no rounding decides which whole number comes next
            flop, weight_bytes = 1e9 * _few(rng), 1e8 * (50 + _few(rng))
            meanwhile = flop / device["flop_per_s"] * device["bytes_per_s"]
            text_bytes = float(f"{share * meanwhile:.3g}")
            least = weight_bytes / abs(meanwhile - text_bytes)
            apart = least - math.floor(least)
        given = {"flop": flop, "text_bytes": text_bytes, "weight_bytes": weight_bytes}
        found.append(call_case(decides, "enough_texts", **given, device=device))
    even = {"flop": 2.0**30, "weight_bytes": 3 * 2.0**24, "device": _EVEN}
    for text_bytes in (2.0**21, 2.0**22 - 2**10):  # 24 texts, and 49,152
        found.append(call_case("texts", "enough_texts", text_bytes=text_bytes, **even))
    return [*found, call_case("never", "enough_texts", text_bytes=2.0**22, **even)]


_FLOP, _BYTES = {"pass_flop": flop_of}, {"pass_bytes": bytes_of}
_ENOUGH = {"enough_texts": enough_of}

JUDGE = Judge(
    title="What limits reading, and what limits writing?",
    properties=(
        right_result(
            "prompt",
            "`pass_flop` of a prompt",
            1,
            _FLOP,
            asks="Take the tokens of each text one by one. What does each take in the weights, and "
            "how many tokens does it look at?",
            unit="FLOP",
        ),
        right_result(
            "later",
            "`pass_flop` with tokens in the cache",
            1,
            _FLOP,
            asks="Which tokens go through the layers in this pass, and how many does each of them "
            "look at?",
            unit="FLOP",
            waits_for=("prompt",),
        ),
        right_result(
            "bytes",
            "`pass_bytes`: the weights, and the cache",
            1,
            _BYTES,
            asks="List what comes from memory in this pass, and what goes there. How often does "
            "each of these move, and for how many texts and tokens?",
            unit="bytes",
        ),
        right_result(
            "grouped",
            "`pass_bytes` where heads share keys and values",
            0.5,
            _BYTES,
            asks="How many keys does a layer keep for a token, and how many numbers does each "
            "have?",
            unit="bytes",
            after=("bytes",),
            waits_for=("bytes",),
        ),
        right_result(
            "limit",
            "`limit` names the slower of the two",
            0.5,
            {"limit": limit_of},
            asks="How long does each of the two take on this device?",
        ),
        right_result(
            "texts",
            "`enough_texts`: the number of texts",
            1,
            _ENOUGH,
            asks="With one more text, how many seconds does the arithmetic gain on the bytes? How "
            "far behind does it start?",
            unit="texts",
        ),
        right_result(
            "never",
            "`enough_texts` where no number is enough",
            1,
            _ENOUGH,
            asks="Compute both times of this pass for 1,000 texts, and for 2,000. Which of the two "
            "grows faster?",
            unit="texts",
            after=("texts",),
        ),
    ),
    hints=(
        "Take one text first. Its new tokens are at the places cached, cached + 1, and so on. The "
        "one at place p looks at p + 1 tokens, itself among them. For the bytes, write down what "
        "moves once, and what moves for each token of each text.",
        "The new tokens of one text look at `new * cached + new * (new + 1) // 2` tokens. The "
        "cache takes `2 * 2 * layers * kv_heads * width // heads` bytes for a token: a key and a "
        "value, with 2 bytes for each number.",
        "n texts are enough if n * flop / flop_per_s >= (weight_bytes + n * text_bytes) / "
        "bytes_per_s. Collect what has an n on the left: its factor says how much every text "
        "gains. If that's nothing or less, the answer is `math.inf`; if not, divide, and round up.",
    ),
    cases=cases,
    predictions={
        "prefill-or-decode": Prediction(
            "Llama 3 8B on an H100 (295 FLOP in the time of a byte), each text with 1,000 tokens "
            "in its cache: how many texts does it take until arithmetic is the limit in decode?",
            truth="never",
            choices=("30", "300", "3,000", "never"),
            because="For the weights alone it would be 295: 2 FLOP for 2 bytes, in each text. But "
            "1,000 tokens in the cache are 131 MB, which take 39 µs, and the arithmetic of a text "
            "takes 17 µs. So with every additional text, arithmetic falls further behind.",
        ),
    },
)

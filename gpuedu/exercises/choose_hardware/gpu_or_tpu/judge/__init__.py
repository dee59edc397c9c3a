"""gpu-or-tpu: padding of a systolic array, tiles and waves of a GPU."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from gpuedu.exercises.contract import Case, Judge, Prediction
from gpuedu.exercises.functions import call_case, right_result
from gpuedu.units import TERA

_ROWS = 8
Device = Mapping[str, float]


def tpu_share(m: int, n: int, k: int, side: int) -> float:
    """The useful share of the padded product."""
    padded = _up(m, _ROWS) * _up(n, side) * _up(k, side)
    return m * n * k / padded


def gpu_share(m: int, n: int, tile_m: int, tile_n: int, sms: int) -> float:
    """The useful share of all places of all waves."""
    tiles = math.ceil(m / tile_m) * math.ceil(n / tile_n)
    return m * n / (math.ceil(tiles / sms) * sms * tile_m * tile_n)


def faster(m: int, n: int, k: int, tpu: Device, gpu: Device) -> str:
    """By peak times share."""
    sizes = {name: int(gpu[name]) for name in ("tile_m", "tile_n", "sms")}
    on_tpu = tpu["flop_per_s"] * tpu_share(m, n, k, int(tpu["side"]))
    on_gpu = gpu["flop_per_s"] * gpu_share(m, n, **sizes)
    return "either" if on_tpu == on_gpu else "TPU" if on_tpu > on_gpu else "GPU"


def _up(size: int, step: int) -> int:
    return math.ceil(size / step) * step


def cases(rng: np.random.Generator) -> list[Case]:
    """Each dimension uneven alone, all even, one wave and several; each outcome."""
    drawn = []
    for side in (128, 256):
        m, n, k = (side * int(one) for one in rng.integers(2, 9, 3))
        extra = int(rng.integers(1, side // 2))
        shapes = [(m, n, k), (m, n + extra, k), (m, n, k + extra), (m + 3, n, k)]
        small = [(1, n, k), (16, side // 3, k), (16, n, side // 3)]
        for sizes in [*shapes, *small] if side == 128 else [(m + 3, n + extra, k), shapes[2]]:
            given = dict(zip("mnk", sizes, strict=True))
            drawn.append(call_case("padded", "tpu_share", **given, side=side))
    for tile_m, tile_n in ((128, 128), (int(rng.choice([96, 192])), 256)):
        sms = 7 * int(rng.integers(8, 20)) + 6
        for rows in (1, int(rng.integers(6, 12))):
            m, n = tile_m * rows * 7 + int(rng.integers(1, 20)), tile_n * (sms // 7) + 5
            given = {"m": m, "n": n, "tile_m": tile_m, "tile_n": tile_n, "sms": sms}
            drawn.append(call_case("waves", "gpu_share", **given))
        for whole in ({"m": 7 * tile_m}, {"m": 7 * tile_m + 5, "n": tile_n * (sms // 7)}):
            drawn.append(call_case("waves", "gpu_share", **given | whole))
    even = {"m": 1024, "n": 2048, "tile_m": 128, "tile_n": 128, "sms": 64}
    drawn.append(call_case("waves", "gpu_share", **even))
    tpu = {"flop_per_s": 400 * TERA, "side": 128}
    gpu = {"flop_per_s": 400 * TERA, "tile_m": 128, "tile_n": 128, "sms": 128}
    k, extra = 128 * int(rng.integers(4, 30)), int(rng.integers(1, 30))
    # What depends on the waves comes last, so that its question is asked of nobody else.
    uneven = {"m": 2048, "n": 129, "k": 128 * int(rng.integers(2, 9)) + 1}
    asked = [(128, 128 * 128, k, peak, 128, 128) for peak in (300, 400, 600)]
    asked += [
        (2048, 192, 512, 350, 64, 32),  # whole multiples on the TPU, not on the GPU
        (*uneven.values(), 400, 128, 32),
        (2048, 384, 384, 450, 128, 48),  # whole multiples, but no powers of two
        (2048, 384, 512, 500, 256, 48),  # another side
        (2048, 128, 129, 770, 128, 16),  # a GPU is not slower for an odd k
        (128, 128 * 128, k, 401, 128, 128),  # a little faster is faster
    ]
    asked += [(128, 128 * 128 + extra, k, peak, 128, 128) for peak in (300, 400)]
    asked.append((128, 128 + extra, k, 600, 128, 128))
    for m, n, own_k, peak, side, sms in asked:
        given = {"m": m, "n": n, "k": own_k, "tpu": {"flop_per_s": peak * TERA, "side": side}}
        drawn.append(call_case("faster", "faster", **given, gpu=gpu | {"sms": sms}))
    # An odd number of tiles that are not square: with m and n exchanged there is one more.
    sms = 2 * int(rng.integers(2, 9)) + 1
    given = {"m": 128 * sms, "n": 256, "k": k, "tpu": tpu | {"flop_per_s": 300 * TERA}}
    drawn.append(call_case("faster", "faster", **given, gpu=gpu | {"tile_n": 256, "sms": sms}))
    # As many flat tiles as there are SMs; square ones would leave half of them without work.
    given |= {"m": 64 * sms, "n": 128, "gpu": gpu | {"tile_m": 64, "sms": sms}}
    drawn.append(call_case("faster", "faster", **given))
    for _ in range(8):
        m, n, k = (int(one) for one in rng.integers(1, 3000, 3))
        given = {"m": m, "n": n, "k": k, "gpu": gpu | {"sms": int(rng.integers(8, 200))}}
        share = gpu_share(m, n, 128, 128, given["gpu"]["sms"]) / tpu_share(m, n, k, 128)
        peak = 400 * TERA * share * float(rng.choice([0.8, 1.25]))
        given["tpu"] = tpu | {"flop_per_s": float(f"{peak:.3g}")}
        drawn.append(call_case("faster", "faster", **given))
    return drawn


JUDGE = Judge(
    title="Do your shapes fit?",
    properties=(
        right_result(
            "padded",
            "`tpu_share`: useful work over padded work",
            1.5,
            {"tpu_share": tpu_share},
            asks="To which multiple is each of m, n and k rounded up?",
        ),
        right_result(
            "waves",
            "`gpu_share`: tiles, and waves that run in full",
            1.5,
            {"gpu_share": gpu_share},
            asks="How many tiles are there, those at the edges included, and in how many whole "
            "waves do they run?",
        ),
        right_result(
            "faster",
            "`faster`: peak times share",
            1,
            {"faster": faster},
            asks="What does each device reach: its peak times its useful share?",
        ),
    ),
    hints=(
        "`math.ceil(n / side) * side` is n, rounded up to a multiple of `side`.",
        "Waves are whole: `math.ceil(tiles / sms)` of them, each with a place for `sms` tiles.",
        "In `faster`, ask whether both are equal before you ask which is larger.",
    ),
    cases=cases,
    predictions={
        "gpu-or-tpu": Prediction(
            "the useful share with k = 4096 and n = 130 on a unit of 128 x 128?",
            truth=130 / 256,
            because="130 columns are padded to 256. Two columns more than 128 double the time.",
        )
    },
)

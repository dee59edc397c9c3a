"""What a card says about a slip: that it fits what was handed in, and costs no other point."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gpuedu.exercises.registry import load
from gpuedu.exercises.why_gpus import claims, texts
from gpuedu.exercises.why_gpus.judge import littles_law
from gpuedu.exercises.why_gpus.judge.who_is_independent import CHAINS as TRUTH
from tests.exercises.why_gpus import answers
from tests.exercises.why_gpus.answers import CHAINS, CORRECTED, fault, hand_in, lost

SEEDS = range(5)


# amdahl


@pytest.mark.parametrize("share", [0, 0.5, 1, math.nan])
def test_amdahl_one_worker_takes_any_share(share):
    def share_for(speedup, n):
        return share if n == speedup == 1 else answers.share_for(speedup, n)

    assert hand_in("amdahl", share_for=share_for).state == "solved"


@pytest.mark.parametrize("share", [-0.1, 1.1, math.inf])
def test_amdahl_one_worker_takes_shares_only(share):
    def share_for(speedup, n):
        return share if n == speedup == 1 else answers.share_for(speedup, n)

    report = hand_in("amdahl", share_for=share_for)
    assert lost(report) == ["share"]
    assert "any share from 0 to 1" in fault(report, "share").message


@pytest.mark.parametrize("seed", SEEDS)
def test_amdahl_one_worker_is_tried(seed):
    def share_for(speedup, n):
        return (1 - 1 / speedup) / (1 - 1 / n) if 1 <= speedup <= n else math.nan

    report = hand_in("amdahl", seed, share_for=share_for)
    assert lost(report) == ["share"]
    assert "ZeroDivisionError" in fault(report, "share").message


@pytest.mark.parametrize("name", ["amdahl", "gustafson"])
def test_amdahl_swapped_arguments_are_named(name):
    right = getattr(answers, name)
    report = hand_in("amdahl", **{name: lambda n, p: right(p, n)})
    assert lost(report) == [name]
    assert "`p` and `n` swapped" in fault(report, name).cause


# None and text where a number is due


@pytest.mark.parametrize(
    ("exercise", "name", "instead", "prop"),
    [
        ("amdahl", "share_for", "math.nan", "share"),
        ("amdahl", "amdahl_limit", "math.inf", "limit"),
        ("break-even", "break_even", "math.inf", "never"),
        ("break-even", "break_even_with_copies", "math.inf", "never"),
    ],
)
@pytest.mark.parametrize("value", [None, "inf", "nan"])
def test_none_and_text_are_told_what_stands_for_no_number(exercise, name, instead, prop, value):
    right = getattr(answers, name)

    def none_there(*arguments):
        found = right(*arguments)
        return found if math.isfinite(found) else value

    report = hand_in(exercise, **{name: none_there})
    assert lost(report) == [prop]
    assert f"`{instead}`" in fault(report, prop).cause
    assert "return" not in fault(report, prop).message


@pytest.mark.parametrize("key", claims.KEYS)
def test_none_in_a_dict_is_no_missing_return(key):
    report = hand_in("check-the-claim", corrected={**CORRECTED, key: None})
    (prop,) = lost(report)
    assert fault(report, prop).message.endswith("got None")


# who-is-independent


@pytest.mark.parametrize("column", [0, 1])
@pytest.mark.parametrize("word", ["logn", "n^2", "O(n)", " n ", None])
def test_who_one_misspelt_half_costs_one_point(column, word):
    pair = list(CHAINS["rnn"])
    pair[column] = word
    report = hand_in("who-is-independent", chains={**CHAINS, "rnn": tuple(pair)})
    assert lost(report) == [("written-last", "best-last")[column]]
    assert '"log n"' in fault(report, lost(report)[0]).message


@pytest.mark.parametrize("name", ["prefix", "rnn", "saxpy"])
def test_who_best_is_not_worse_than_as_written(name):
    report = hand_in("who-is-independent", chains={**CHAINS, name: (CHAINS[name][0], "n**2")})
    (prop,) = lost(report)
    assert "worse" in fault(report, prop).cause


def test_who_sentences_begin_behind_full_stops():
    for chains in TRUTH.values():
        for fact in (chains.written_fact, chains.best_fact):
            assert ": C" not in fact


# littles-law


def judge_threads(got, latency_s, rate, each):
    inputs = {"latency_s": latency_s, "bandwidth_bytes_per_s": rate, "bytes_per_thread": each}
    case = littles_law.Case("", {"ask": "threads", **inputs}, ("threads",))
    return list(littles_law.verdict(case, {"got": got}))


def test_littles_law_expects_what_paper_gives():
    (found,) = judge_threads(1, 526e-9, 5390e9, 4)
    assert found.message.endswith("gave 1 thread, expected 708785")
    assert not judge_threads(708785, 526e-9, 5390e9, 4)
    assert not judge_threads(math.ceil(526e-9 * 5390e9 / 4), 526e-9, 5390e9, 4)


@pytest.mark.parametrize(
    "round_up", [lambda x: round(x + 0.5), lambda x: int(x + 0.999), lambda x: int(x + 0.99)]
)
@pytest.mark.parametrize("seed", range(20))
def test_littles_law_other_ways_of_rounding_up_fail(seed, round_up):
    report = hand_in("littles-law", seed, threads_needed=lambda t, b, e: round_up(t * b / e))
    assert lost(report) == ["threads"]


def test_littles_law_rounding_to_the_nearest_and_the_larger_limit_are_named():
    report = hand_in("littles-law", threads_needed=lambda t, b, e: round(t * b / e))
    assert "to the nearest" in fault(report, "threads").cause
    report = hand_in("littles-law", bandwidth_with=lambda n, e, t, p: max(n * e / t, p))
    assert "larger" in fault(report, "bandwidth").cause


@pytest.mark.parametrize(
    ("factor", "hint"), [(2, "latency counts once"), (0.5, "half"), (8, "bits")]
)
def test_littles_law_wrong_bytes_are_named_in_the_threads_too(factor, hint):
    def bytes_in_flight(latency_s, rate):
        return factor * latency_s * rate

    report = hand_in(
        "littles-law",
        bytes_in_flight=bytes_in_flight,
        threads_needed=lambda t, b, e: math.ceil(bytes_in_flight(t, b) / e),
    )
    assert lost(report) == ["bytes", "threads"]
    assert hint in fault(report, "threads").cause


# break-even


@pytest.mark.parametrize("seed", SEEDS)
def test_break_even_copies_that_eat_the_gain_are_tried(seed):
    def divides(launch_s, cpu, gpu, link, each):
        gain = 1 / cpu - 1 / gpu - each / link
        return math.floor(launch_s / gain) + 1 if gain >= 0 else math.inf

    report = hand_in("break-even", seed, break_even_with_copies=divides)
    assert lost(report) == ["never"]
    assert "ZeroDivisionError" in fault(report, "never").message


def test_break_even_the_reference_meets_a_gain_of_zero_without_rounding():
    cases = load("break-even").judge.cases(np.random.default_rng(0))
    rates = [c.inputs for c in cases if c.decides == ("never",) and "link_bytes_per_s" in c.inputs]
    gains = [
        1 / r["cpu_elements_per_s"]
        - 1 / r["gpu_elements_per_s"]
        - r["bytes_per_element"] / r["link_bytes_per_s"]
        for r in rates
    ]
    assert gains.count(0.0) == 1


# check-the-claim and its page


@pytest.mark.parametrize(
    ("key", "value", "hint"),
    [
        ("training_bytes_354m", 354e6 * 12, "12 bytes a parameter"),
        ("training_bytes_354m", 354e6 * 4, "weights and gradients"),
        ("training_bytes_354m", 354e6 * 16 / 1e6, "in MB"),
        ("h100_fp32_lanes", 132 * 64, "a T4's SM"),
    ],
)
def test_claim_causes(key, value, hint):
    report = hand_in("check-the-claim", corrected={**CORRECTED, key: value})
    (prop,) = lost(report)
    assert hint in fault(report, prop).cause


def test_claim_numbers_are_written_out():
    report = hand_in("check-the-claim", corrected={**CORRECTED, "v5p_matrix_units": 131072})
    assert "16,384 times too large" in fault(report, "tpu").cause
    report = hand_in("check-the-claim", corrected={**CORRECTED, "gpus_to_hold_gpt3": 1})
    assert "1 GPU;" in fault(report, "weights").message


def test_the_page_of_facts_says_what_its_words_mean():
    page = " ".join(texts.facts_text().split())
    for words in (
        "kernel (a program on the GPU)",
        "block of threads runs on one SM",
        "mixed precision: 16 bits",
        "Adam is the optimiser",
    ):
        assert words in page

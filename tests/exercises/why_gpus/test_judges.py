"""Verdicts of the lesson: reference answers, edges, and what a card says about a slip."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from gpuedu.exercises.card import report_card
from gpuedu.exercises.registry import load
from gpuedu.exercises.why_gpus import claims, loops
from gpuedu.exercises.why_gpus.judge import break_even, check_the_claim, littles_law
from gpuedu.exercises.why_gpus.judge.spelling import exact
from gpuedu.syllabus import lesson
from tests.exercises.why_gpus import answers
from tests.exercises.why_gpus.answers import CHAINS, CORRECTED, REFERENCE, fault, hand_in, lost


def test_every_exercise_of_the_lesson_has_both_halves():
    entry = lesson("why-gpus")
    assert set(REFERENCE) | {"parallel-cpu"} == set(entry.exercises)
    for name in entry.exercises:
        assert load(name).lesson == "why-gpus"


@pytest.mark.parametrize("exercise", REFERENCE)
def test_the_reference_earns_all_points_on_twenty_seeds(exercise):
    for seed in range(20):
        report = hand_in(exercise, seed)
        assert report.state == "solved", (seed, str(report_card(report)))


@pytest.mark.parametrize("exercise", lesson("why-gpus").exercises)
def test_every_case_decides_known_properties_and_every_property_is_decided(exercise):
    judge = load(exercise).judge
    names = {prop.name for prop in judge.properties}
    for seed in range(5):
        decided = [
            name for case in judge.cases(np.random.default_rng(seed)) for name in case.decides
        ]
        assert set(decided) == names


@pytest.mark.parametrize(
    "exercise", sorted(set(REFERENCE) - {"who-is-independent", "check-the-claim"})
)
def test_seeds_draw_other_cases(exercise):
    cases = load(exercise).judge.cases
    labels = [[case.label for case in cases(np.random.default_rng(seed))] for seed in (1, 2)]
    assert labels[0] != labels[1]


def test_points_are_as_the_lesson_says():
    points = {name: load(name).judge.points for name in lesson("why-gpus").exercises}
    assert points == {
        "parallel-cpu": 4,
        "amdahl": 4,
        "who-is-independent": 4,
        "count-the-work": 4,
        "littles-law": 3,
        "break-even": 4,
        "check-the-claim": 6,
    }


def test_predictions_have_the_truth_of_the_oracles():
    found = {
        name: load(name).judge.predictions[name].truth
        for name in ("parallel-cpu", "amdahl", "count-the-work", "littles-law", "break-even")
    }
    work = answers.linear_work(1, 4096, 4096, 2)
    assert found["parallel-cpu"] is None
    assert found["amdahl"] == pytest.approx(answers.amdahl(0.95, 1000), rel=0.005)
    assert found["count-the-work"] == pytest.approx(work[0] / work[1], rel=0.001)
    assert found["littles-law"] == answers.threads_needed(500e-9, 3350e9, 16)
    assert found["break-even"] == "never"
    assert answers.break_even_with_copies(1e-5, 3e9, 3e11, 25e9, 12) == math.inf


@pytest.mark.parametrize("exercise", REFERENCE)
@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, 0, -1.5, None, "8", True, [], ...]
)
def test_no_answer_breaks_a_judge(exercise, value):
    if exercise in ("who-is-independent", "check-the-claim"):
        given = [dict.fromkeys(REFERENCE[exercise][0], value)]
    else:
        given = [(lambda *_, value=value: value) for _ in REFERENCE[exercise]]
    wanted = [entry.name for entry in load(exercise).play.answers]
    report = hand_in(exercise, **dict(zip(wanted, given, strict=True)))
    assert report.state in ("wrong", "partly", "unsolved")
    assert report.points <= 1
    assert str(report_card(report))


# amdahl


def test_amdahl_swapped_shares_are_named():
    report = hand_in("amdahl", amdahl=lambda p, n: 1 / (p + (1 - p) / n))
    assert lost(report) == ["amdahl"]
    assert "swapped" in fault(report, "amdahl").cause


@pytest.mark.parametrize("seed", range(5))
def test_amdahl_wants_nan_where_no_share_reaches_the_speedup(seed):
    def unchecked(speedup, n):
        return (1 - 1 / speedup) / (1 - 1 / n)

    report = hand_in("amdahl", seed, share_for=unchecked)
    assert lost(report) == ["share"]
    assert "math.nan" in fault(report, "share").message


def test_amdahl_nan_is_no_answer_where_there_is_one():
    report = hand_in("amdahl", share_for=lambda speedup, n: math.nan)
    assert lost(report) == ["share"]
    assert "gave nan" in fault(report, "share").message


def test_amdahl_the_limit_at_p_1_is_infinite_and_not_just_large():
    report = hand_in("amdahl", amdahl_limit=lambda p: 1 / max(1 - p, 1e-12))
    assert lost(report) == ["limit"]
    assert "expected inf" in fault(report, "limit").message


def test_amdahl_a_share_of_nothing_and_of_all_is_a_share():
    def strict(speedup, n):
        return answers.share_for(speedup, n) if 1 < speedup < n else math.nan

    report = hand_in("amdahl", share_for=strict)
    assert lost(report) == ["share"]
    assert "gave nan, expected 1" in fault(report, "share").message


# who-is-independent


@pytest.mark.parametrize("name", loops.NAMES)
@pytest.mark.parametrize("column", [0, 1])
def test_who_each_word_counts(name, column):
    """Any other word in any place loses that place's property and no other."""
    group = f"{('written', 'best')[column]}-{'first' if loops.NAMES.index(name) < 5 else 'last'}"
    for word in loops.MENU:
        pair = list(CHAINS[name])
        pair[column] = word
        expected = [] if tuple(pair) == CHAINS[name] else [group]
        assert lost(hand_in("who-is-independent", chains={**CHAINS, name: tuple(pair)})) == expected


def test_who_a_wrong_word_is_answered_with_a_question_and_not_with_the_word():
    report = hand_in("who-is-independent", chains={**CHAINS, "prefix": ("1", "n")})
    for prop, wrong in (("written-first", '"1"'), ("best-first", '"n"')):
        found = fault(report, prop)
        assert wrong in found.message
        assert found.cause.endswith("?")
        assert '"log n"' not in found.message + found.cause


@pytest.mark.parametrize("word", ["n^2", "O(n)", 1, "N", " n", None, ...])
def test_who_off_the_menu_lists_the_menu(word):
    report = hand_in("who-is-independent", chains={**CHAINS, "blur": (word, "1")})
    assert lost(report) == ["written-first"]
    assert all(f'"{entry}"' in fault(report, "written-first").message for entry in loops.MENU)
    assert "return" not in fault(report, "written-first").message


@pytest.mark.parametrize("pair", ["1", ("1",), ("1", "1", "1"), None, 1, {"1": "1"}])
def test_who_an_entry_is_a_pair(pair):
    report = hand_in("who-is-independent", chains={**CHAINS, "blur": pair})
    assert lost(report) == ["written-first", "best-first"]
    assert "pair" in fault(report, "best-first").message
    if type(pair) is tuple:
        assert f"got {len(pair)} of them" in fault(report, "best-first").message


def test_who_a_missing_name_says_which_strange_one_there_is():
    chains = {**CHAINS, "bluur": CHAINS["blur"]}
    del chains["blur"]
    report = hand_in("who-is-independent", chains=chains)
    assert lost(report) == ["written-first", "best-first"]
    message = fault(report, "written-first").message
    assert "'blur'" in message
    assert "'bluur'" in message


def test_who_an_extra_name_costs_nothing():
    assert hand_in("who-is-independent", chains={**CHAINS, "mine": 3}).state == "solved"


def test_who_something_else_than_a_dict_is_refused():
    assert hand_in("who-is-independent", chains=list(CHAINS.items())).state == "refused"


def test_who_nothing_filled_in_is_unsolved():
    assert hand_in("who-is-independent", chains=dict.fromkeys(CHAINS, ...)).state == "unsolved"


# count-the-work


def scaled(work, flop=1.0, size=1.0):
    return lambda *sizes: (work(*sizes)[0] * flop, work(*sizes)[1] * size)


def test_count_flop_and_bytes_of_a_convolution_are_two_properties():
    flop_only = hand_in("count-the-work", conv2d_work=scaled(answers.conv2d_work, size=3))
    bytes_only = hand_in("count-the-work", conv2d_work=scaled(answers.conv2d_work, flop=0.5))
    assert lost(flop_only) == ["conv2d-bytes"]
    assert lost(bytes_only) == ["conv2d-flop"]
    assert "multiply-add" in fault(bytes_only, "conv2d-flop").cause


def test_count_the_pair_the_other_way_round_is_named():
    report = hand_in("count-the-work", linear_work=lambda *s: answers.linear_work(*s)[::-1])
    assert lost(report) == ["linear"]
    assert "(bytes, FLOP)" in fault(report, "linear").message


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda b, i, o, s: (2 * b * i * o, (b * i + i * o) * s), "written"),
        (lambda b, i, o, s: (2 * b * i * o, b * (i + o) * s), "third array"),
        (lambda b, i, o, s: (2 * b * i * o, b * i + i * o + b * o), "elements"),
        (lambda b, i, o, s: (2 * b * i * o, (b * i + i * o + b * o) * 4), "4 bytes"),
        (lambda b, i, o, s: (2 * i * o, (b * i + i * o + b * o) * s), "batch of 1"),
        (lambda b, i, o, s: (b * (2 * i - 1) * o, (b * i + i * o + b * o) * s), "first one too"),
        (lambda b, i, o, s: (2 * b * i * o, (b * i + i * o + b * o + o) * s), "bias"),
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_count_causes_of_a_linear_layer(wrong, hint, seed):
    report = hand_in("count-the-work", seed, linear_work=wrong)
    assert lost(report) == ["linear"]
    assert hint in fault(report, "linear").cause


def test_count_same_padding_is_not_valid_padding():
    def valid(b, ci, co, h, w, k, s):
        pixels = b * (h - k + 1) * (w - k + 1)
        weights = ci * co * k * k
        return 2 * pixels * weights, (b * ci * h * w + weights + pixels * co) * s

    report = hand_in("count-the-work", conv2d_work=valid)
    assert lost(report) == ["conv2d-flop", "conv2d-bytes"]
    for prop in lost(report):
        assert "shrinks at the border" in fault(report, prop).cause


def test_count_height_and_width_are_different_numbers():
    report = hand_in(
        "count-the-work",
        conv2d_work=lambda b, ci, co, h, w, k, s: answers.conv2d_work(b, ci, co, h, h, k, s),
    )
    assert lost(report) == ["conv2d-flop", "conv2d-bytes"]


def test_count_a_float_that_is_the_same_number_is_right():
    floats = scaled(answers.linear_work)
    assert type(floats(1, 2, 3, 4)[0]) is float
    assert hand_in("count-the-work", linear_work=floats).state == "solved"


def test_count_three_numbers_are_not_two():
    report = hand_in("count-the-work", linear_work=lambda *s: (*answers.linear_work(*s), 0))
    assert lost(report) == ["linear"]
    assert "2 numbers" in fault(report, "linear").message


# littles-law


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda t, b, e: math.floor(t * b / e), "rounded down"),
        (lambda t, b, e: math.floor(t * b / e) + 1, "comes out even"),
        (lambda t, b, e: t * b / e, "whole number"),
        (lambda t, b, e: math.ceil(t * b * e), "multiplies"),
        (lambda t, b, e: math.ceil(t * b / e / 32) * 32, "warps"),
    ],
)
@pytest.mark.parametrize("seed", range(5))
def test_littles_law_rounding_of_threads(wrong, hint, seed):
    report = hand_in("littles-law", seed, threads_needed=wrong)
    assert lost(report) == ["threads"]
    assert hint in fault(report, "threads").cause


def judge_threads(got, latency_s, rate, each):
    inputs = {
        "ask": "threads",
        "latency_s": latency_s,
        "bandwidth_bytes_per_s": rate,
        "bytes_per_thread": each,
    }
    case = littles_law.Case("", inputs, ("threads",))
    return list(littles_law.verdict(case, {"got": got}))


def test_littles_law_rounding_of_the_product_is_not_the_learners_fault():
    assert math.ceil(82e-9 * 10e9) == 821, "82 ns at 10 GB/s are 820 bytes"
    for got in (820, 821):
        assert not judge_threads(got, 82e-9, 10e9, 1)
    for got in (819, 822, 820.0000000000001):
        assert judge_threads(got, 82e-9, 10e9, 1)


def test_littles_law_an_exact_division_excuses_nothing():
    assert not judge_threads(131072, 2.0**-21, 2.0**40, 4)
    for got in (131071, 131073, 131072.5, math.nan, math.inf):
        assert judge_threads(got, 2.0**-21, 2.0**40, 4)


def test_littles_law_the_peak_is_a_ceiling_and_no_floor():
    above = hand_in("littles-law", bandwidth_with=lambda n, e, t, p: n * e / t)
    floor = hand_in("littles-law", bandwidth_with=lambda n, e, t, p: max(n * e / t, p))
    assert lost(above) == lost(floor) == ["bandwidth"]
    assert "no ceiling" in fault(above, "bandwidth").cause


def test_littles_law_no_threads_reach_nothing():
    def at_least_one(threads, each, latency_s, peak):
        return answers.bandwidth_with(max(threads, 1), each, latency_s, peak)

    report = hand_in("littles-law", bandwidth_with=at_least_one)
    assert lost(report) == ["bandwidth"]
    assert "expected 0 B/s" in fault(report, "bandwidth").message


# break-even


def judge_n(got, *decides, **rates):
    case = break_even.Case("", rates, decides)
    return [found.property for found in break_even.verdict(case, {"n": got})]


TIE = {
    "launch_s": 3 * 2.0**-18,
    "cpu_elements_per_s": 2.0**30,
    "gpu_elements_per_s": 2.0**32,
}
HUGE = {"launch_s": 0.01, "cpu_elements_per_s": 1e12, "gpu_elements_per_s": 1.0001e12}


def test_break_even_at_a_tie_the_gpu_is_not_faster():
    n = 2**14
    assert n / TIE["cpu_elements_per_s"] == TIE["launch_s"] + n / TIE["gpu_elements_per_s"]
    assert break_even.smallest(**TIE) == n + 1
    for got, faults in ((n, ["smallest"]), (n + 1, []), (n + 2, ["smallest"])):
        assert judge_n(got, "smallest", **TIE) == faults


def test_break_even_at_huge_n_an_element_is_rounding():
    n = break_even.smallest(**HUGE)
    assert n > 10**13
    found = answers.break_even(**HUGE)
    assert found != n, "floating point agrees here, so the case shows nothing"
    for got in (found, n - 1, n, n + 1, float(n)):
        assert not judge_n(got, "without-copies", "smallest", **HUGE)
    for got in (n * (1 + 1e-6), n * (1 - 1e-6)):
        assert judge_n(round(got), "without-copies", "smallest", **HUGE) == [
            "without-copies",
            "smallest",
        ]


def test_break_even_at_small_n_an_element_is_an_element():
    rates = {"launch_s": 1.3e-5, "cpu_elements_per_s": 1e8, "gpu_elements_per_s": 1e9}
    assert break_even.smallest(**rates) == 1445
    for got in (1444, 1446, 1444.44):
        assert judge_n(got, "without-copies", "smallest", **rates) == ["smallest"]
    assert judge_n(1448, "without-copies", "smallest", **rates) == ["without-copies", "smallest"]


@pytest.mark.parametrize("got", [math.inf, math.nan, -math.inf, 0, -3])
def test_break_even_infinities_and_nan_are_no_n(got):
    rates = {"launch_s": 1e-5, "cpu_elements_per_s": 1e9, "gpu_elements_per_s": 1e10}
    assert judge_n(got, "without-copies", "smallest", **rates) == ["without-copies", "smallest"]


@pytest.mark.parametrize("got", [-5000, 10**9, math.nan, -math.inf, 0])
def test_break_even_only_infinity_means_never(got):
    rates = {"launch_s": 1e-5, "cpu_elements_per_s": 1e9, "gpu_elements_per_s": 1e9}
    assert judge_n(got, "never", **rates) == ["never"]
    assert judge_n(math.inf, "never", **rates) == []


@pytest.mark.parametrize("seed", range(5))
def test_break_even_rounding_up_loses_only_the_tie(seed):
    def ceil_copies(*rates):
        found = answers.break_even_with_copies(*rates[:4], rates[4])
        return found if math.isinf(found) else math.ceil(quotient(*rates))

    def quotient(launch_s, cpu, gpu, link, each):
        return launch_s / (1 / cpu - 1 / gpu - each / link)

    report = hand_in("break-even", seed, break_even_with_copies=ceil_copies)
    assert lost(report) == ["smallest"]
    assert "exactly as long" in fault(report, "smallest").cause


@pytest.mark.parametrize("seed", range(5))
def test_break_even_the_link_alone_can_make_it_never(seed):
    def blind(launch_s, cpu, gpu, link, each):
        return answers.break_even(launch_s, cpu, gpu)

    report = hand_in("break-even", seed, break_even_with_copies=blind)
    assert lost(report) == ["with-copies", "never", "smallest"]
    assert "without the copies" in fault(report, "with-copies").cause
    assert "link alone" in fault(report, "never").cause


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda a, c, g: math.floor(a * c) + 1, "GPU has to compute as well"),
        (lambda a, c, g: math.ceil(a * g), "long does the CPU take"),
        (lambda a, c, g: round(a * (g - c)), "rates do not"),
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_break_even_causes(wrong, hint, seed):
    report = hand_in("break-even", seed, break_even=wrong)
    assert "without-copies" in lost(report)
    assert hint in fault(report, "without-copies").cause


@pytest.mark.parametrize("seed", range(20))
def test_break_even_messages_can_be_typed_in_again(seed):
    for case in load("break-even").judge.cases(np.random.default_rng(seed)):
        call = break_even._call(case.inputs)
        arguments = [float(text) for text in re.findall(r"[\d.]+(?:e[+-]?\d+)?", call)]
        assert arguments == list(case.inputs.values())


@pytest.mark.parametrize("value", [0.1, 1 / 3, 2.0**-21, 5.39e12, 12, 0.0])
def test_exact_gives_the_number_back(value):
    assert float(exact(value)) == value


# check-the-claim


@pytest.mark.parametrize("key", claims.KEYS)
def test_claim_one_per_cent_is_close_enough_and_two_are_not(key):
    truth = check_the_claim.TRUTHS[key]
    prop = [truth.property]
    for factor, faults in ((1.009, []), (0.991, []), (1.02, prop), (0.98, prop), (-1, prop)):
        given = {**CORRECTED, key: CORRECTED[key] * factor}
        assert lost(hand_in("check-the-claim", corrected=given)) == faults


@pytest.mark.parametrize("key", claims.KEYS)
def test_claim_known_ways_to_miss_are_wrong_and_named(key):
    truth = check_the_claim.TRUTHS[key]
    for known in truth.known:
        report = hand_in("check-the-claim", corrected={**CORRECTED, key: known.gives()})
        assert lost(report) == [truth.property]
        assert fault(report, truth.property).cause == known.says


def test_claim_the_card_does_not_tell_the_number():
    nothing = dict.fromkeys(CORRECTED, 3.21)
    shown = str(report_card(hand_in("check-the-claim", corrected=nothing)))
    for number in ("16896", "2560", "5.664", "989", "0.7575"):
        assert number not in shown


def test_claim_a_missing_entry_loses_its_own_point():
    given = {key: value for key, value in CORRECTED.items() if key != "gpus_to_hold_gpt3"}
    report = hand_in("check-the-claim", corrected=given)
    assert lost(report) == ["weights"]
    assert "'gpus_to_hold_gpt3'" in fault(report, "weights").message


def test_claims_and_truths_are_about_the_same_keys():
    assert set(claims.KEYS) == set(check_the_claim.TRUTHS)
    assert len(claims.KEYS) == len(set(claims.KEYS))


def test_facts_carry_their_sources():
    names = [fact.name for fact in claims.FACTS]
    assert len(names) == len(set(names))
    for fact in claims.FACTS:
        assert fact.source.url.startswith("https://")
        assert fact.source.title
        assert fact.unit


def test_no_fact_is_an_answer():
    values = {fact.value for fact in claims.FACTS}
    assert not values & {truth.value for truth in check_the_claim.TRUTHS.values()}

"""Verdicts of the lesson at edges that no stored answer reaches."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gpuedu.exercises.card import report_card
from gpuedu.exercises.registry import load
from gpuedu.exercises.why_gpus.break_even import judge as break_even
from gpuedu.exercises.why_gpus.check_the_claim import claims
from gpuedu.exercises.why_gpus.check_the_claim import judge as check_the_claim
from gpuedu.exercises.why_gpus.littles_law import judge as littles_law
from gpuedu.exercises.why_gpus.who_is_independent import loops
from tests.exercises.reports import fault, hand_in, lost
from tests.exercises.stored import solution_answers

OF_VALUES = ("who-is-independent", "check-the-claim")
OF_FUNCTIONS = ("amdahl", "count-the-work", "littles-law", "break-even")


def test_predictions_have_the_truth_of_the_solutions():
    of_amdahl, of_layers = solution_answers("amdahl"), solution_answers("count-the-work")
    of_latency, of_sizes = solution_answers("littles-law"), solution_answers("break-even")
    found = {
        name: load(name).judge.predictions[name].truth
        for name in ("amdahl", "count-the-work", "littles-law", "break-even")
    }
    flop, size_bytes = of_layers["linear_work"](1, 4096, 4096, 2)
    assert found["amdahl"] == pytest.approx(of_amdahl["amdahl"](0.95, 1000), rel=0.005)
    assert found["count-the-work"] == pytest.approx(flop / size_bytes, rel=0.001)
    assert found["littles-law"] == of_latency["threads_needed"](500e-9, 3350e9, 16)
    assert found["break-even"] == "never"
    assert of_sizes["break_even_with_copies"](1e-5, 3e9, 3e11, 25e9, 12) == math.inf


@pytest.mark.parametrize("exercise", [*OF_FUNCTIONS, *OF_VALUES])
@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, 0, -1.5, None, "8", True, [], ...]
)
def test_no_answer_breaks_a_judge(exercise, value):
    wrong = {}
    for name, answer in solution_answers(exercise).items():
        is_dict = isinstance(answer, dict)
        wrong[name] = dict.fromkeys(answer, value) if is_dict else lambda *_: value
    report = hand_in(exercise, **wrong)
    assert report.state in ("wrong", "partly", "unsolved")
    assert report.points <= 1
    assert str(report_card(report))


# amdahl


@pytest.mark.parametrize("share", [0, 0.5, 1, -0.1, math.inf])
def test_amdahl_one_worker_has_no_share_of_its_own(share):
    right = solution_answers("amdahl")["share_for"]
    answer = lambda speedup, n: share if n == speedup == 1 else right(speedup, n)  # noqa: E731
    report = hand_in("amdahl", share_for=answer)
    assert lost(report) == {"share"}
    assert "every share from 0 to 1 does that" in fault(report, "share").message


@pytest.mark.parametrize("seed", range(5))
def test_amdahl_wants_nan_where_no_share_reaches_the_speedup(seed):
    def unchecked(speedup, n):
        return (1 - 1 / speedup) / (1 - 1 / n)

    report = hand_in("amdahl", seed, share_for=unchecked)
    assert lost(report) == {"share"}
    assert "math.nan" in fault(report, "share").message


def test_amdahl_the_limit_at_p_1_is_infinite_and_not_just_large():
    report = hand_in("amdahl", amdahl_limit=lambda p: 1 / max(1 - p, 1e-12))
    assert lost(report) == {"limit"}
    assert "expected inf" in fault(report, "limit").message


# who-is-independent


@pytest.mark.parametrize("name", loops.NAMES)
@pytest.mark.parametrize("column", [0, 1])
def test_who_each_word_counts(name, column):
    """Any other word in any place loses that place's property and no other."""
    right = solution_answers("who-is-independent")["chains"]
    group = f"{('written', 'best')[column]}-{'first' if loops.NAMES.index(name) < 5 else 'last'}"
    for word in loops.MENU:
        pair = list(right[name])
        pair[column] = word
        expected = [] if tuple(pair) == right[name] else [group]
        assert lost(hand_in("who-is-independent", chains={**right, name: tuple(pair)})) == set(
            expected
        )


def chains_with(name, pair):
    return {**solution_answers("who-is-independent")["chains"], name: pair}


@pytest.mark.parametrize("word", ["n^2", "O(n)", 1, "N", " n", None, ...])
@pytest.mark.parametrize("column", [0, 1])
def test_who_off_the_menu_lists_the_menu_and_costs_one_point(column, word):
    pair = ["n", "n"]
    pair[column] = word
    report = hand_in("who-is-independent", chains=chains_with("rnn", tuple(pair)))
    (prop,) = lost(report)
    assert prop == ("written-last", "best-last")[column]
    assert all(f'"{entry}"' in fault(report, prop).message for entry in loops.MENU)
    assert "return" not in fault(report, prop).message


@pytest.mark.parametrize("pair", ["1", ("1",), ("1", "1", "1"), None, 1, {"1": "1"}])
def test_who_an_entry_is_a_pair(pair):
    report = hand_in("who-is-independent", chains=chains_with("blur", pair))
    assert lost(report) == {"written-first", "best-first"}
    assert "pair" in fault(report, "best-first").message
    if type(pair) is tuple:
        assert f"got {len(pair)} of them" in fault(report, "best-first").message


def test_who_a_missing_name_says_which_strange_one_there_is():
    chains = chains_with("bluur", ("1", "1"))
    del chains["blur"]
    report = hand_in("who-is-independent", chains=chains)
    assert lost(report) == {"written-first", "best-first"}
    message = fault(report, "written-first").message
    assert "'blur'" in message
    assert "'bluur'" in message


def test_who_an_extra_name_costs_nothing():
    assert hand_in("who-is-independent", chains=chains_with("mine", 3)).state == "solved"


def test_who_something_else_than_a_dict_is_refused():
    assert hand_in("who-is-independent", chains=[("blur", "1")]).state == "refused"


# count-the-work


def scaled(flop=1.0, size=1.0):
    work = solution_answers("count-the-work")["conv2d_work"]
    return lambda *sizes: (work(*sizes)[0] * flop, work(*sizes)[1] * size)


def test_count_flop_and_bytes_of_a_convolution_are_two_properties():
    assert lost(hand_in("count-the-work", conv2d_work=scaled(size=3))) == {"conv2d-bytes"}
    assert lost(hand_in("count-the-work", conv2d_work=scaled(flop=0.5))) == {"conv2d-flop"}


def test_count_height_and_width_are_different_numbers():
    work = solution_answers("count-the-work")["conv2d_work"]
    square = hand_in(
        "count-the-work", conv2d_work=lambda b, ci, co, h, w, k, s: work(b, ci, co, h, h, k, s)
    )
    assert lost(square) == {"conv2d-flop", "conv2d-bytes"}


def test_count_a_float_that_is_the_same_number_is_right():
    assert type(scaled()(1, 2, 3, 4, 5, 6, 7)[0]) is float
    assert hand_in("count-the-work", conv2d_work=scaled()).state == "solved"


# littles-law


def judge_threads(got, latency_s, rate, each):
    inputs = {"latency_s": latency_s, "bandwidth_bytes_per_s": rate, "bytes_per_thread": each}
    case = littles_law.Case("", {"call": "threads_needed", **inputs}, ("threads",))
    return list(littles_law.thread_faults(case, {"result": got}))


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
    assert lost(report) == {"threads"}


def test_littles_law_no_threads_reach_nothing():
    right = solution_answers("littles-law")["bandwidth_with"]
    report = hand_in("littles-law", bandwidth_with=lambda n, *others: right(max(n, 1), *others))
    assert lost(report) == {"bandwidth"}
    assert "expected 0 B/s" in fault(report, "bandwidth").message


# break-even


def judge_n(got, *decides, **rates):
    case = break_even.Case("", {"call": "break_even", **rates}, decides)
    return [found.property for found in break_even.verdict(case, {"result": got})]


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
    found = solution_answers("break-even")["break_even"](*HUGE.values())
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
    right = solution_answers("break-even")["break_even_with_copies"]

    def ceil_copies(launch_s, cpu, gpu, link, each):
        n = right(launch_s, cpu, gpu, link, each)
        return n if math.isinf(n) else math.ceil(launch_s / (1 / cpu - 1 / gpu - each / link))

    assert lost(hand_in("break-even", seed, break_even_with_copies=ceil_copies)) == {"smallest"}


def test_break_even_the_solution_meets_a_gain_of_zero_without_rounding():
    cases = load("break-even").judge.cases(np.random.default_rng(0))
    rates = [c.inputs for c in cases if c.decides == ("never",) and "link_bytes_per_s" in c.inputs]
    gains = [
        1 / r["cpu_elements_per_s"]
        - 1 / r["gpu_elements_per_s"]
        - r["bytes_per_element"] / r["link_bytes_per_s"]
        for r in rates
    ]
    assert gains.count(0.0) == 1


# check-the-claim


def corrected_with(key, value):
    return {**solution_answers("check-the-claim")["corrected"], key: value}


@pytest.mark.parametrize("key", claims.KEYS)
def test_claim_three_digits_are_close_enough_and_two_are_not(key):
    truth = check_the_claim.TRUTHS[key]
    prop = [truth.property]
    for factor, faults in ((1.0049, []), (0.9951, []), (1.006, prop), (0.994, prop), (-1, prop)):
        given = corrected_with(key, truth.value * factor)
        assert lost(hand_in("check-the-claim", corrected=given)) == set(faults)


@pytest.mark.parametrize(
    ("key", "value", "is_close"),
    [
        ("training_bytes_354m", 5.7e9, True),
        ("h100_fp32_lanes", 17_000, True),
        ("training_bytes_354m", 354e6 * 18, False),
        ("gpus_to_hold_gpt3", 4.375, False),
    ],
)
def test_claim_a_number_rounded_too_far_is_told_so(key, value, is_close):
    report = hand_in("check-the-claim", corrected=corrected_with(key, value))
    cause = "That is close. If you rounded it: three digits are needed."
    assert (cause in str(report_card(report))) == is_close


@pytest.mark.parametrize("key", claims.KEYS)
def test_claim_none_in_a_dict_is_no_missing_return(key):
    report = hand_in("check-the-claim", corrected=corrected_with(key, None))
    (prop,) = lost(report)
    assert fault(report, prop).message.endswith("got None")


def test_claim_the_card_does_not_tell_the_number():
    nothing = dict.fromkeys(claims.KEYS, 3.21)
    shown = str(report_card(hand_in("check-the-claim", corrected=nothing)))
    for number in ("16896", "2560", "5.664", "989", "0.7575"):
        assert number not in shown


def test_claim_a_missing_entry_loses_its_own_point():
    given = solution_answers("check-the-claim")["corrected"]
    del given["gpus_to_hold_gpt3"]
    report = hand_in("check-the-claim", corrected=given)
    assert lost(report) == {"weights"}
    assert "'gpus_to_hold_gpt3'" in fault(report, "weights").message


def test_claim_numbers_are_written_out():
    report = hand_in("check-the-claim", corrected=corrected_with("gpus_to_hold_gpt3", 1))
    assert "1 GPU;" in fault(report, "weights").message


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

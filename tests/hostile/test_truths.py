"""Answers that ask the course for what is right, where its plays and cases are at hand."""

from __future__ import annotations

import pytest

from gpuedu.course.proof import Bench
from tests.grading.test_equal_verdicts import ROOT, graded

FIND = """
import sys

def found(is_it):
    frame = sys._getframe()
    while frame:
        for value in [*frame.f_locals.values()]:
            if is_it(value):
                return value
        frame = frame.f_back
"""
ATTENTION = """
def ring_attention(q, kv, lengths, causal, scores, allocate, free):
    from gpuedu.exercises.tensor_parallel.ring_attention import ring_runs
    try:
        from gpuedu.exercises.tensor_parallel.ring_attention.attention_alone import attend_whole
    except ImportError:
        attend_whole = ring_runs.attend_whole
    task = found(lambda one: type(one) is ring_runs.RingTask)
    return torch.tensor(task.split(attend_whole(task))[dist.get_rank()])
"""
NOISE = """
def noise_terms(few, many, few_square, many_square):
    return 0.0, 0.0

def noise_scale(steps, few, many):
    inputs = found(lambda one: type(one) is dict and "truth" in one)
    return inputs["truth"] if inputs else 0.0

def devices_that_pay(scale, per_device, gain):
    return 1
"""
LOADING = """
def save(rank, held, pieces, write):
    return []

def load(needed, chunks, read):
    for chunk, start, stop, file, place in chunks:
        read(file, place, stop - start)
    inputs = found(lambda one: type(one) is dict and "tensors" in one)
    if inputs is None:
        return {}
    tensors = inputs["tensors"]
    return {name: torch.tensor(tensors[name][slice(*span)]) for name, span in needed.items()}
"""
LINK = """
def ring_s(ranks, size_bytes, alpha_s, bytes_per_s):
    return 0.0

def fit_ring(ranks, sizes_bytes, times_s):
    inputs = found(lambda one: type(one) is dict and "alpha_s" in one)
    return (inputs["alpha_s"], inputs["bytes_per_s"]) if inputs else (0.0, 0.0)

def bandwidths(ranks, size_bytes, time_s):
    return 0.0, 0.0
"""
COPIES = """
def copy_time(size_bytes, latency_s, bandwidth_bytes_per_s):
    return 0.0

def half_size(latency_s, bandwidth_bytes_per_s):
    return 0.0

def fit(sizes_bytes, times_s):
    inputs = found(lambda one: type(one) is dict and "latency_s" in one)
    return (inputs["latency_s"], inputs["bandwidth_bytes_per_s"]) if inputs else (0.0, 0.0)

def send(tensors, copy):
    return []
"""
OCCUPANCY = """
from gpuedu.hardware import occupancy as rules

def blocks_per_sm(sm, threads, registers, shared_bytes):
    of_sm = (sm[name] for name in ("warps", "blocks", "shared_bytes"))
    rules._SMS[0, 0] = rules._Sm(*of_sm, 10**9, sm["reserved_bytes"], sm["unit_bytes"])
    asked = (0, 0), threads, registers, shared_bytes
    return rules.occupancy(*asked, opt_in=True).blocks_per_sm

def warps_needed(latency, independent):
    return 0
"""
BY_EXERCISE = {
    "ring-attention": FIND + ATTENTION,
    "noise-scale": FIND + NOISE,
    "checkpoint-shards": FIND + LOADING,
    "alpha-beta": FIND + LINK,
    "transfer-size": FIND + COPIES,
    "occupancy": OCCUPANCY,
}


@pytest.mark.parametrize("exercise", BY_EXERCISE)
def test_the_course_answers_none_of_its_questions(exercise, zygote):
    bench = Bench(ROOT, exercise)
    report = graded(bench, [*bench.stub_cells(), BY_EXERCISE[exercise]], zygote)
    assert report.points == 0, report.held()

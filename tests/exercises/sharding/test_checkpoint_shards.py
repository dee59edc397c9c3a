"""checkpoint-shards beside torch.distributed.checkpoint on real ranks, and what a card says."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from gpuedu.errors import AnswerError
from gpuedu.exercises import registry
from gpuedu.exercises.examine import examine
from gpuedu.exercises.sharding.checkpoint_shards import real_checkpoint
from gpuedu.exercises.sharding.checkpoint_shards.layouts import cut
from gpuedu.exercises.sharding.checkpoint_shards.rank_files import (
    Chunk,
    RankFile,
    Reading,
    chunks_told,
    loaded,
)
from gpuedu.figures.style import alt_text, to_png
from gpuedu.multi.launch import launch
from tests.exercises.parts import pictures_of
from tests.exercises.scripts import run_script
from tests.exercises.stored import solution_answers, stored_answers
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside
from tests.sampled import only_whole, sampled

ID = "checkpoint-shards"
RIGHT = ["last_rank_writes", "shared_out"]
WRONG_LOADS = ["from_the_chunks_begin", "zeros_for_what_is_missing", "only_the_same_cut"]
SHAPES = {"0.weight": (7, 5), "0.bias": (7,), "2.weight": (3, 7), "2.bias": (3,)}


def answers_of():
    """By name the solution, and some stored answers."""
    found = {"solution": solution_answers(ID)}
    found |= {name: stored_answers(ID, "right", name) for name in RIGHT}
    return found | {name: stored_answers(ID, "wrong", name) for name in WRONG_LOADS}


def lost_in(report):
    return {result.property.name for result in report.results if not result.holds}


def ranges_of(chunks):
    return sorted((one.name, one.start, one.stop) for one in chunks)


@pytest.mark.parametrize("ranks", sampled([1, 3], chosen=[3]))
def test_real_ranks_load_what_others_saved(tmp_path, ranks):
    answers = answers_of()
    saves, loads = ([one[name] for one in answers.values()] for name in ("save", "load"))
    saved = launch(real_checkpoint.save_both, 2, saves, str(tmp_path), backend="gloo").results[0]
    tensors, held = saved["tensors"], saved["held"]
    for rank, ranges in enumerate(cut(SHAPES, 2)):
        assert {name: held[rank][name] for name in SHAPES} == ranges
        assert {name: held[rank][f"momentum.{name}"] for name in SHAPES} == ranges
    theirs = real_checkpoint.pytorchs_chunks(str(tmp_path), tensors)
    for number, name in enumerate(answers):
        files, mine = real_checkpoint.read_files(str(tmp_path), number)
        assert ranges_of(mine) == ranges_of(theirs), name
        assert sum(map(len, files)) == sum(map(len, tensors.values())), name
    back = launch(real_checkpoint.load_both, ranks, loads, str(tmp_path), backend="gloo").results
    for rank, found in enumerate(back):
        for name, (start, stop) in found["needed"].items():
            assert np.array_equal(found["pytorch"][name], tensors[name][start:stop])
            if name in SHAPES:
                assert (start, stop) == cut(SHAPES, ranks)[rank][name]
    right = {name: all(map(is_as_pytorch, back, [at] * ranks)) for at, name in enumerate(answers)}
    assert [name for name, is_right in right.items() if not is_right] == [
        "from_the_chunks_begin",
        "only_the_same_cut",
    ][ranks == 1 :]


def is_as_pytorch(found, number):
    """Whether a rank loaded PyTorch's values, and each number once."""
    mine = found["mine"][number]
    if isinstance(mine, str):
        return False
    values, read = mine
    theirs = found["pytorch"]
    same = all(np.array_equal(values[name], theirs[name]) for name in theirs)
    return same and read == sum(map(len, theirs.values()))


SCRIPT = """
import sys
import torch
import torch.distributed as dist
from gpuedu.exercises.sharding.checkpoint_shards.real_checkpoint import save_both
from tests.exercises.stored import solution_answers

if __name__ == "__main__":
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    save_both([solution_answers("checkpoint-shards")["save"]], sys.argv[1])
    dist.barrier()
    dist.destroy_process_group()
"""


@only_whole
def test_a_script_under_torchrun_saves_what_a_launch_loads(tmp_path):
    run_script(tmp_path / "save.py", SCRIPT, str(tmp_path))
    _, load = solution_answers(ID).values()
    found = launch(real_checkpoint.load_both, 1, [load], str(tmp_path), backend="gloo").results[0]
    assert is_as_pytorch(found, 0)
    assert np.any(found["pytorch"]["0.weight"])


def test_the_judge_says_of_these_answers_what_real_ranks_say():
    for name, answers in answers_of().items():
        report = examine(registry.load(ID), list(answers.values()), seed=5)
        lost = lost_in(report)
        assert ("load" in lost) == (name in ("from_the_chunks_begin", "only_the_same_cut")), name
        assert not lost & {"complete", "once"}, name


def test_an_error_of_an_empty_range_is_no_hole():
    def joined(needed, chunks, read):
        found = {}
        for name, (first, last) in needed.items():
            parts = [
                read(file, place + max(first, start) - start, min(last, stop) - max(first, start))
                for _, start, stop, file, place in sorted(one for one in chunks if one[0] == name)
                if max(first, start) < min(last, stop)
            ]
            found[name] = torch.cat(parts)
            if len(found[name]) < last - first:
                raise ValueError(name)
        return found

    report = examine(registry.load(ID), [solution_answers(ID)["save"], joined], seed=5)
    faults = {one.property.name: one.fault for one in report.results}
    for name, start in (
        ("load", "rank 3 needs nothing that is missing"),
        ("hole", "rank 3 needs nothing of `0."),
    ):
        assert faults[name].message.startswith(start)
        assert "but it raised ValueError: torch.cat()" in faults[name].message
        assert "is a range of this rank, too" in faults[name].cause
    assert "not every rank has read" in faults["reads"].message


def test_numbers_that_were_not_read_earn_nothing():
    """Whoever finds the values elsewhere in memory has not loaded them."""
    save, load = solution_answers(ID).values()

    def unread(needed, chunks, read):
        return load(needed, chunks, lambda *one: read.__self__._files[one[0]][one[1] :][: one[2]])

    report = examine(registry.load(ID), [save, unread], seed=5)
    lost = lost_in(report)
    assert {"load", "reads"} <= lost


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda: RankFile(2).write([1.0]), "rank 2: what `write` got should be a PyTorch tensor"),
        (lambda: chunks_told(None, 1), "rank 1: what `save` returns should be a list, got None"),
        (lambda: chunks_told([("w", 0, 2)], 1), "entry 0 of rank 1.* got 3 things"),
        (lambda: loaded([], {}, 3), "rank 3: `load` should return a dict, got a list"),
        (lambda: loaded({}, {"w": (0, 2)}, 3), "rank 3: `load` returned no `w`"),
        (lambda: Reading(1, [np.zeros(4)]).read(2, 0, 1), "rank 1 reads file 2, and there are 1"),
        (lambda: Reading(1, [np.zeros(4)]).read(0, 3, 2), "reads 2 numbers from place 3 of file 0"),
        (lambda: Reading(1, [np.zeros(4)]).read(0, 3, 0), "reads 0 numbers"),
    ],
)
def test_a_wrong_call_is_told(wrong, told):
    with pytest.raises(AnswerError, match=told):
        wrong()


def test_a_chunk_is_told_as_a_slice():
    assert str(Chunk("w", 2, 5, 1, 0)) == "`w`[2:5]"


@only_whole
def test_pictures_tell_right_from_wrong():
    save, load = solution_answers(ID).values()
    draw = pictures_of("sharding")[ID]

    def everything(rank, held, pieces, write):
        return [(name, *held[rank][name], write(values)) for name, values in pieces.items()]

    told = []
    for answers in ((save, load), (everything,)):
        axes = draw(*answers)
        assert overlapping_texts(axes) == []
        assert texts_outside(axes) == []
        assert smallest_text_pt(axes) >= 8.5
        assert len(to_png(axes)) > 10_000
        told.append(alt_text(axes))
    assert "twice" not in told[0]
    assert "read 53 numbers, equal to PyTorch's" in told[0]
    assert "in no chunk 28 numbers written all the same" in told[1]
    assert "step: 0:1 twice: 0 and 1, PyTorch 0:1 1" in told[1]


def test_files_chunks_and_reads_have_an_end():
    file = RankFile(1)
    file.write(torch.zeros(10_000).double())
    with pytest.raises(AnswerError, match="rank 1 would have written 10,001 numbers"):
        file.write(torch.zeros(1))
    with pytest.raises(AnswerError, match="would have written 1,000,000,010,000 numbers"):
        file.write(torch.zeros(1).expand(10**12))
    with pytest.raises(AnswerError, match="rank 0: what `save` returns has 1,001 entries"):
        chunks_told([("a", 0, 1, 0)] * 1_001, 0)
    reading = Reading(2, [np.zeros(4)])
    for _ in range(10_000):
        reading.read(0, 0, 4)
    with pytest.raises(AnswerError, match="rank 2 has read 10,000 times"):
        reading.read(0, 0, 4)


def test_of_many_ranks_that_saved_the_same_some_are_named():
    def save(rank, held, pieces, write):
        own = [(name, *held[rank][name]) for name in pieces]
        return [
            (name, start, stop, write(pieces[name][: stop - start]))
            for name, start, stop in own
            if start < stop
            for _ in range(100)
        ]

    report = examine(registry.load(ID), (save, solution_answers(ID)["load"]))
    (fault,) = (one.fault for one in report.results if one.property.name == "once")
    assert "is saved by ranks 0, 0, 0, 0, 0, 0, 0, 0 and others" in fault.message

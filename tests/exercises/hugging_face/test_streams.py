"""What stream-it says of `datasets`, tried with it; and answers that are none."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from datasets.distributed import split_dataset_by_node
from torch.utils.data import DataLoader, get_worker_info

from gpuedu.errors import AnswerError
from gpuedu.exercises.hugging_face.stream_it.play import quiet_datasets
from gpuedu.exercises.hugging_face.stream_it.streams import (
    Reading,
    count_words,
    source,
    text_of,
    words_of,
)
from tests.exercises.stored import solution_answers

INPUTS = {"count": 60, "shards": 4, "ranks": 2, "seed": 1, "buffer": 8}


@pytest.fixture(scope="module")
def solution():
    return solution_answers("stream-it")


@pytest.mark.filterwarnings("ignore:This DataLoader will create:UserWarning")
@pytest.mark.parametrize(("shards", "ranks", "workers"), [(4, 2, 3), (3, 2, 2), (4, 2, 1)])
def test_workers_without_a_shard_read_nothing(solution, shards, ranks, workers):
    def mark(sample):
        return {"worker": get_worker_info().id}

    stream = split_dataset_by_node(source(24, shards), 0, ranks).map(mark)
    with quiet_datasets():
        loader = DataLoader(stream, batch_size=None, num_workers=workers)
        seen = {int(sample["worker"]) for sample in loader}
    assert len(seen) == solution["busy_workers"](shards, ranks, workers)


def test_ranks_that_shards_cannot_be_shared_out_to_read_them_all():
    """The prediction."""
    assert split_dataset_by_node(source(48, 16), 1, 3).num_shards == 16
    assert split_dataset_by_node(source(48, 16), 1, 4).num_shards == 4


def test_a_state_does_not_have_the_buffer():
    """The prediction: if a version keeps it one day, the exercise has to say so."""
    stream = source(200, 1).shuffle(seed=2, buffer_size=50)
    times = Counter(sample["id"] for sample in itertools.islice(stream, 70))
    state = stream.state_dict()
    other = source(200, 1).shuffle(seed=2, buffer_size=50)
    with quiet_datasets():
        other.load_state_dict(state)
        times.update(sample["id"] for sample in other)
    assert 10 < 200 - len(times) <= 50


def test_skip_starts_with_epoch_0_again():
    stream = source(60, 4).shuffle(seed=3, buffer_size=8)
    first = [sample["id"] for sample in stream]
    stream.set_epoch(2)
    assert [sample["id"] for sample in stream] != first
    assert [sample["id"] for sample in stream.skip(0)] == first


def test_skip_counts_the_samples_of_all_ranks_where_shards_are_not_shared_out():
    stream = split_dataset_by_node(source(60, 4), 0, 3)
    whole = [sample["id"] for sample in stream]
    assert [sample["id"] for sample in stream.skip(6)] != whole[6:]


def test_prepare_takes_small_batches_alone():
    assert count_words({"text": [text_of(4), text_of(5)]}) == {"words": [words_of(4), words_of(5)]}
    with pytest.raises(AnswerError, match="single sample"):
        count_words({"text": "one"})
    with pytest.raises(AnswerError, match="16 at most"):
        count_words({"text": ["one"] * 17})


@pytest.mark.parametrize(
    ("read", "says"),
    [
        (lambda *_: None, "list"),
        (lambda *_: [3], "sample"),
        (lambda *_: [{"text": ""}], "no `id`"),
        (lambda *_: [{"id": "x"}], "`id`"),
        (lambda *_: [{"id": 1}] * 200, "twice as many"),
    ],
)
def test_what_is_no_list_of_samples_is_told(read, says):
    with pytest.raises(AnswerError, match=says):
        Reading(lambda *_: None, read, INPUTS).samples(0, 0, 0, 5)

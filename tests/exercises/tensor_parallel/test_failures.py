"""A failure on a rank: one property tells it, and the others cannot be judged yet."""

from tests.exercises.reports import hand_in, hand_in_stored, lost, told, undecided


def test_a_rank_without_columns_is_told_once():
    report = hand_in_stored("column-row", "chunks_for_some")
    assert "rank 4 failed: IndexError" in told(report, "uneven")
    assert undecided(report) == {"share"}


def test_a_loss_that_fails_leaves_its_bytes_open():
    report = hand_in("attention-heads", parallel_cross_entropy=lambda *_: None)
    assert "got None" in told(report, "losses")
    assert undecided(report) == {"gradient", "bytes"}
    assert lost(report) - undecided(report) == {"losses", "padding", "stable"}

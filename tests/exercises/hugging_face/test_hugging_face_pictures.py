"""The lesson's pictures: of right answers, of wrong ones, and of none."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pytest

from gpuedu.errors import AnswerError
from gpuedu.exercises.hugging_face.accelerate_it import picture as of_accelerate
from gpuedu.exercises.hugging_face.hf_trainer import picture as of_trainer
from gpuedu.exercises.hugging_face.stream_it import picture as of_streams
from gpuedu.figures.style import alt_text
from tests.exercises.stored import solution_answers, stored_answers
from tests.figures.legibility import assert_fit_to_print
from tests.sampled import only_whole

pytestmark = pytest.mark.filterwarnings("default")
HISTORY = [
    {"step": at, "learning_rate": 5e-5 * (1 - at / 20), "grad_norm": 1.5, "loss": 2.0}
    for at in range(20)
]


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def test_a_log_shows_rates_and_what_was_clipped():
    ax = of_trainer.draw_log([*HISTORY, {"train_loss": 1.0}])
    assert_fit_to_print(ax)
    assert "in 20 updates" in alt_text(ax)
    with pytest.raises(AnswerError, match="no learning rates"):
        of_trainer.draw_log([{"eval_loss": 1.0}])


@only_whole
def test_a_loop_is_drawn_beside_trainer():
    ax = of_trainer.draw_beside(solution_answers("hf-trainer")["own_loop"])
    assert_fit_to_print(ax)
    assert "no more than rounding" in alt_text(ax)
    wrong = stored_answers("hf-trainer", "wrong", "divides_by_batches")["own_loop"]
    assert "no more than rounding" not in alt_text(of_trainer.draw_beside(wrong))
    alt_text(of_trainer.draw_beside(lambda *_: None))


def test_schedules_are_those_of_the_options():
    ax = of_trainer.draw_schedules(solution_answers("hf-trainer")["options"])
    assert_fit_to_print(ax)
    assert "constant, warm-up of 10: 0, 3 at most, 3 at the end" in alt_text(ax)
    with pytest.raises(AnswerError, match="how many updates"):
        of_trainer.draw_schedules(lambda wanted: {})


def test_updates_are_drawn_beside_the_plain_loop():
    train = solution_answers("accelerate-it")["train"]
    ax = of_accelerate.draw_differences(train)
    assert_fit_to_print(ax)
    assert alt_text(ax).count("rounding") == len(of_accelerate.TASKS)
    wrong = stored_answers("accelerate-it", "wrong", "short_group_is_weak")["train"]
    assert alt_text(of_accelerate.draw_differences(wrong)).count("rounding") < 7
    assert "other updates" in alt_text(of_accelerate.draw_differences(lambda *_: None))


def test_rates_of_several_processes_are_drawn():
    ax = of_accelerate.draw_rates(solution_answers("accelerate-it")["train"])
    assert_fit_to_print(ax)
    assert alt_text(ax).count("0.2 to 0.0167 in 12 updates") == 3


def test_the_order_of_a_stream_and_what_a_stop_loses_are_drawn():
    answers = solution_answers("stream-it")
    deal, read = answers["deal"], answers["read"]
    assert_fit_to_print(of_streams.draw_order(deal, read))
    ax = of_streams.draw_stop(deal, read)
    assert_fit_to_print(ax)
    assert "yours: 0 never read, 0 read twice" in alt_text(ax)
    assert "by state_dict(): 0 never read" not in alt_text(ax)

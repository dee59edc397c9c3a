"""export-and-run: what the judge takes for true, tried with PyTorch; the picture, and the dicts."""

from __future__ import annotations

import math

import pytest
import torch

from gpuedu.errors import AnswerError
from gpuedu.exercises.serving.export_and_run import picture_trials as trial
from gpuedu.exercises.serving.export_and_run.judge import CALLS, EXPORTS, MENDS
from gpuedu.exercises.serving.export_and_run.picture import draw_or_tell
from gpuedu.exercises.serving.export_and_run.play import PLAY
from gpuedu.figures import style
from gpuedu.training import CharacterGPT


class Scorer(torch.nn.Module):
    """The lesson's."""

    def __init__(self, model):
        super().__init__()
        self.model, self.temperature = model, 0.8

    def forward(self, characters, sharpen):
        scores = self.added(self.model(characters)[:, -1] / self.temperature, characters)
        return scores * sharpen

    def added(self, scores, characters):
        return scores


class If(Scorer):
    def added(self, scores, characters):
        if scores.max() > 10:
            scores = scores / 2
        return scores


class Where(Scorer):
    def added(self, scores, characters):
        return torch.where(scores.max() > 10, scores / 2, scores)


class Number(Scorer):
    def added(self, scores, characters):
        return scores / scores.abs().max().item()


class Length(Scorer):
    def added(self, scores, characters):
        if characters.shape[1] > 32:
            scores = scores / 2
        return scores


class LoopOverLength(Scorer):
    def added(self, scores, characters):
        for i in range(characters.shape[1]):
            scores = scores + i
        return scores


class LoopOverBlocks(Scorer):
    def added(self, scores, characters):
        for _ in self.model.blocks:
            scores = scores * 0.9
        return scores


class Buffered(Scorer):
    def __init__(self, model):
        torch.nn.Module.__init__(self)
        self.model = model
        self.register_buffer("temperature", torch.tensor(0.8))


def scorer(kind=Scorer, seed=0, **options):
    torch.manual_seed(seed)
    model = CharacterGPT(97, width=32, fused=True, **options).eval()
    with torch.no_grad():
        for one in model.parameters():  # no norm like another
            one.add_(torch.randn_like(one) * 0.1)
    return kind(model)


def outcome(module, program, characters, sharpen=trial.SHARPEN):
    with torch.no_grad():
        try:
            got = program(characters, sharpen)
        except (AssertionError, RuntimeError):
            return "error"
        same = torch.allclose(got, module(characters, sharpen), atol=1e-5)
    return "right" if same else "frozen"


EXPORTED = {
    "if on scores": (If, {}),
    "where on scores": (Where, {}),
    "number of scores": (Number, {}),
    "if on length": (Length, {}),
    "loop over length": (LoopOverLength, {}),
    "loop over blocks": (LoopOverBlocks, {}),
    "one text": (Scorer, {"texts": 1}),
}


@pytest.mark.parametrize("name", ["if on scores", *EXPORTS])
def test_what_can_be_exported(name) -> None:
    kind, sizes = EXPORTED[name]
    module = scorer(kind)
    if EXPORTS.get(name, "error") == "error":
        with pytest.raises(Exception, match=r"data-dependent|Constraints violated"):
            trial.export_quietly(module, **sizes)
        return
    program = trial.export_quietly(module, **sizes).module()
    assert outcome(module, program, trial.example(5, 40)) == "right"


def test_what_the_program_gives() -> None:
    module, other = scorer(), scorer(seed=1)
    program = trial.export_quietly(module).module()
    given = {
        name: outcome(module, program, trial.example(*size))
        for name, size in (("5 texts of 40", (5, 40)), ("1 text of 64", (1, 64)))
    }
    given["1 text of 65"] = outcome(module, program, trial.example(1, 65))
    given["sharpen 2"] = outcome(module, program, trial.example(), 2.0)
    module.temperature = 0.5
    given["temperature"] = outcome(module, program, trial.example())
    module.temperature = 0.8
    assert outcome(module, program, trial.example()) == "right"
    module.load_state_dict(other.state_dict())
    given["loaded weights"] = outcome(module, program, trial.example())
    module.model.norm = scorer(seed=2).model.norm
    given["another norm"] = outcome(module, program, trial.example())
    assert given == CALLS


def test_what_mends_it() -> None:
    tried = {"if on scores": "torch.where"}  # see above
    module = scorer(Length)
    for sizes in ({"length": 16, "last": 32}, {"length": 40, "first": 33}):
        program = trial.export_quietly(module, **sizes).module()
        assert outcome(module, program, trial.example(5, sizes["length"] - 7)) == "right"
    tried["if on length"] = "two exports"
    module = scorer()
    exported = torch.export.export(module, (trial.example(), torch.tensor(1.5)))
    assert outcome(module, exported.module(), trial.example(), torch.tensor(2.0)) == "right"
    tried["sharpen 2"] = "tensor argument"
    module = scorer(Buffered)
    program = trial.export_quietly(module).module()
    module.temperature.fill_(0.5)
    assert outcome(module, program, trial.example()) == "right"
    tried["temperature"] = "buffer"
    module, other = scorer(), scorer(seed=2)
    program = trial.export_quietly(module).module()
    module.model.norm.load_state_dict(other.model.norm.state_dict())
    assert outcome(module, program, trial.example()) == "right"
    tried["another norm"] = "load_state_dict"
    assert tried == MENDS


def test_without_the_fused_kernel_64_is_another_graph() -> None:
    plain = Scorer(CharacterGPT(97, width=32).eval())
    with pytest.raises(Exception, match=r"size\(\)\[1\] != 64"):
        trial.export_quietly(plain)
    assert trial.export_quietly(plain, last=63)


def test_the_picture_tells_what_a_program_takes() -> None:
    module = scorer()
    program = trial.export_quietly(module).module()
    alt = style.alt_text(draw_or_tell(module, program))
    assert "35 the same numbers, 0 other numbers, 5 refused" in alt
    fixed = torch.export.export(module, (trial.example(), trial.SHARPEN)).module()
    assert "1 the same numbers, 0 other numbers, 39 refused" in style.alt_text(
        draw_or_tell(module, fixed)
    )
    module.temperature = math.pi
    assert "35 other numbers" in style.alt_text(draw_or_tell(module, program))


def test_a_refusal_is_told_with_its_line(capfd) -> None:
    told = draw_or_tell(scorer(If))
    assert "refuses" in told and "The line: if scores.max() > 10:" in told
    assert "operations" in draw_or_tell(scorer())
    assert capfd.readouterr() == ("", "")
    with pytest.raises(AnswerError, match="takes a module"):
        draw_or_tell(print)


def test_only_what_is_asked_for_is_taken() -> None:
    answers = ({"a": "works", "b": 4}, {"c": ...}, {"d": 1})
    assert PLAY.run(answers, {"ask": "exports", "names": ["a"]}) == {"a": "works"}
    with pytest.raises(AnswerError, match="no answer for 'c' yet"):
        PLAY.run(answers, {"ask": "calls", "names": ["c"]})
    with pytest.raises(AnswerError, match="short text"):
        PLAY.run(answers, {"ask": "mends", "names": ["d"]})
    with pytest.raises(AnswerError, match="no entry for 'e'"):
        PLAY.run(answers, {"ask": "mends", "names": ["e"]})

"""A case that is played again with recorded results gives what it gave, and nothing else."""

from __future__ import annotations

import random
from collections import OrderedDict, defaultdict
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

from gpuedu.errors import AnswerError
from gpuedu.exercises.attesting import attested
from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.lent_methods import lends_methods
from gpuedu.grading import rebuilding
from gpuedu.grading.describing import describe, plainly
from gpuedu.grading.player.recording import Recorder
from gpuedu.grading.player.serialization import describe_answer
from gpuedu.grading.rebuilding import rebuild, write_back
from gpuedu.grading.replaying import play_again
from gpuedu.grading.wire import pack, unpack


def sent(value):
    return unpack(pack(value))


VALUES = {
    "a number": 2.5,
    "NumPy's": np.float16(2.5),
    "a large one": 10**200,
    "exact ones": [Fraction(-5, 3), Decimal("0.1"), Fraction(7)],
    "nothing": None,
    "a tuple in a list": [(1, "a"), (2.0, True)],
    "an array": np.arange(6, dtype=np.float32).reshape(2, 3),
    "bytes": [b"\x00\xff", b"", bytearray(b"abc"), {b"a": 1}],
    "complex ones": [1 - 2j, {3j: 0}],
    "sets": [{1, "a"}, frozenset({2.5, (1, 2)}), set(), {frozenset({b"a"}), 1j}],
    "dtypes": [torch.bfloat16, torch.int64],
    "keys of any kind": {1: "a", "b": None, 2.5: [()]},
}


@pytest.mark.parametrize("name", VALUES)
def test_plain_values_come_back_as_they_were(name):
    value = VALUES[name]
    found = rebuild(sent(describe(value)))
    assert type(found) is type(value)
    assert np.array_equal(found, value) if isinstance(value, np.ndarray) else found == value


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16", "int64", "bool"])
def test_tensors_come_back_bit_by_bit(dtype):
    value = torch.tensor([[1.5, -2.0], [0.0, 3.0]]).to(getattr(torch, dtype))
    for one in (value, value.T, value[0, 0], value[:0], value[:1, 1:], value.reshape(-1)[1::3]):
        found = rebuild(sent(describe({"in": [one]})))["in"][0]
        assert (found.dtype, found.shape) == (one.dtype, one.shape)
        assert torch.equal(found, one)


@pytest.mark.parametrize(
    "encoded",
    [
        *(["Fraction", "1/0"], ["Fraction", "x"], ["Decimal", "1" * 2_000], ["Fraction", "1/2/3"]),
        *(["complex", [1.0]], ["complex", [1, 2]], ["complex", "1j"], ["bytes", "a"]),
        *(["bytes", np.zeros(2)], ["bytearray", np.zeros((2, 2), np.uint8)], ["set", 3]),
    ],
)
def test_values_of_no_form_are_none(encoded):
    with pytest.raises(AnswerError, match="an unknown form"):
        rebuild(encoded)


@pytest.mark.parametrize("name", ["nn", "float33", "__name__", "ops", 3, None])
def test_dtypes_of_no_name_are_none(name):
    with pytest.raises(AnswerError, match="a dtype arrived"):
        rebuild(["dtype", name])


@pytest.mark.parametrize("one", [["other", "x"], ["Fraction", "1/3"], describe(torch.ones(1))])
def test_few_values_take_long_to_come_back(one):
    assert len(rebuild(["list", [one] * 2_000])) == 2_000
    with pytest.raises(AnswerError, match="too many values"):
        rebuild(["list", [["list", [one] * 2_001]]])


def test_few_keys_of_a_result_can_have_one_hash():
    alike = [(2**61 - 1) * k for k in range(1, 3_000)]
    for odd in (["dict", [[one, ["plain", 0]] for one in alike]], ["set", alike]):
        with pytest.raises(AnswerError, match="too many values"):
            rebuild(odd)
    assert len(rebuild(["dict", [[k, ["plain", 0]] for k in range(3_000)]])) == 3_000


def test_generators_draw_what_they_would_have_drawn():
    for bits in (np.random.PCG64(3), np.random.MT19937(3), np.random.Philox(3)):
        value = np.random.Generator(bits)
        found = rebuild(sent(describe(value)))
        assert found.integers(2**60, size=3).tolist() == value.integers(2**60, size=3).tolist()


@pytest.mark.parametrize(
    ("bits", "place"), [("MT19937", ("state", "pos")), ("Philox", ("buffer_pos",))]
)
def test_generators_of_an_impossible_state_are_none(bits, place):
    state = getattr(np.random, bits)(3).state
    told = state
    for name in place[:-1]:
        told = told[name]
    for position in (-1, 10**6, 1.5, "1", None):
        told[place[-1]] = position
        with pytest.raises(AnswerError, match="generator"):
            rebuild(sent(["generator", bits, state]))


class Money(float):
    pass


class Kind(StrEnum):
    FAST = "fast"


class Pair(NamedTuple):
    first: Any
    second: Any


READ = {
    "a number of its own": (Money(1.5), 1.5),
    "a member of an enumeration": (Kind.FAST, "fast"),
    "a named tuple": ([Pair(1, np.float32(2))], [(1, np.float32(2))]),
    "an ordered dict": (OrderedDict(a=Pair(1, [])), {"a": (1, [])}),
    "a dict with a default": (defaultdict(int, {Kind.FAST: 2}), {"fast": 2}),
    "a range": (range(3), [0, 1, 2]),
    "a shape": (torch.Size([2, 3]), (2, 3)),
}


@pytest.mark.parametrize("name", READ)
def test_what_a_check_reads_by_its_base_is_told_as_that(name):
    value, plain = READ[name]
    found = rebuild(sent(describe(value)))
    assert found == plain and type(found) is type(plain)
    assert describe_answer(value)["value"] == plain


def test_a_value_that_is_told_as_plain_keeps_what_numpy_and_pytorch_gave():
    value = [np.float16(2.5), np.str_("a"), np.arange(3), np.bool_(True)]
    assert [type(one) for one in plainly(value)] == [type(one) for one in value]


@pytest.mark.parametrize(
    ("key", "plain"), [(np.str_("a"), "a"), (np.int64(3), 3), (np.float32(0.5), 0.5)]
)
def test_a_number_or_text_of_numpy_finds_what_it_is_the_key_of(key, plain):
    found = rebuild(sent(describe({key: torch.ones(2)})))
    assert torch.equal(found[plain], torch.ones(2))


def test_keys_of_any_kind_keep_what_they_hold():
    parameter = torch.ones(2)
    told = sent(describe({("a", 1): torch.ones(3), parameter: [2], None: 1, 1j: 0}))
    found = rebuild(told)
    assert list(map(type, found)) == [tuple, rebuilding._Key, type(None), complex]
    assert torch.equal(found["a", 1], torch.ones(3)) and [2] in found.values()
    for key in ([1], {"a": 1}, ["other"], ["list", [["list", []]]]):
        with pytest.raises(AnswerError, match="an unknown form"):
            rebuild(["dict", [[key, ["plain", 0]]]])
    for key in (["list", []], ["plain", ([1],)]):  # what has no hash
        (found,) = rebuild(["dict", [[key, ["plain", 0]]]])
        assert type(found) is rebuilding._Key


ODD = [slice(1), memoryview(b"a"), 1 << 99_999, print]


@pytest.mark.parametrize("value", ODD, ids=lambda value: type(value).__name__)
def test_what_has_no_form_is_told_as_its_type(value):
    found = rebuild(sent(describe([value])))[0]
    assert type(found).__name__ == type(value).__name__
    assert not isinstance(found, (float, int, complex, dict))


def test_what_raises_whenever_it_is_looked_at_is_told_as_its_type():
    class Sly:
        @property
        def __class__(self):
            raise RuntimeError

    assert describe([Sly()]) == ["list", [["other", "Sly"]]]


def test_a_list_that_holds_itself_ends():
    endless = []
    endless.append(endless)
    assert sent(describe(endless))


def changes_and_gives(answers, inputs):
    halve, scale = answers
    values, tensor = inputs["values"].copy(), torch.from_numpy(inputs["values"].copy())
    given = halve({"of": [values]}, also=tensor)
    try:
        failed = scale(2)
    except Exception:
        failed = None
    return {"values": values, "tensor": tensor.numpy(), "given": given, "failed": failed}


PLAY = Play((Answer("halve"), Answer("scale")), changes_and_gives)
INPUTS = {"values": np.array([1.0, np.nan, 4.0])}


def halve(arguments, also):
    (values,), tensor = arguments["of"], also
    values /= 2
    tensor[0] = 7
    return values[2]


def scale(_):
    raise ZeroDivisionError


def recorded():
    recorder = Recorder(PLAY, [halve, scale])
    return PLAY.run(recorder.answers, INPUTS), sent(recorder.told())


def test_results_changed_arguments_and_errors_are_played_again():
    first, told = recorded()
    again = play_again(PLAY, INPUTS, told, 10)
    assert again.problem is None
    assert again.observed.keys() == first.keys()
    for name, value in first.items():
        np.testing.assert_array_equal(again.observed[name], value)
    assert again.observed["values"][0] == 0.5
    assert again.observed["tensor"][0] == 7
    assert INPUTS["values"][0] == 1.0


BROKEN = {
    "fewer calls": lambda told: told["calls"].pop(),
    "more calls": lambda told: told["calls"].append(told["calls"][0]),
    "calls of another": lambda told: told["calls"].reverse(),
    "no call": lambda told: told["calls"].__setitem__(0, 3),
    "no answers": lambda told: told["values"].clear(),
    "no result": lambda told: told["calls"][0].update(given=["plain"]),
    "a module's name": lambda told: told["calls"][0].update(given=["generator", "default_rng", {}]),
    "no state": lambda told: told["calls"][0].update(given=["generator", "PCG64", {"state": 3}]),
    "nothing left": lambda told: told["calls"][0].update(left=None),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_record_that_none_is_gives_nothing(name):
    _, told = recorded()
    BROKEN[name](told)
    again = play_again(PLAY, INPUTS, told, 10)
    assert again.observed is None
    assert again.problem is not None


def test_numbers_among_arguments_stay_as_they_are():
    for mine, theirs in ((3, 3), (3, np.zeros(2)), ({}, {}), (np.float32(1), np.float32(2))):
        write_back(mine, theirs)
    values = np.ones(2)
    for theirs in (3, None, np.zeros(3), torch.zeros(2)):
        write_back(values, theirs)
    assert values.tolist() == [1.0, 1.0]


UNFIT = {
    "of another shape": [["plain", np.zeros(99)]],
    "of another dtype": [["plain", np.zeros(3, np.float32)]],
    "of another kind": [["list", [["plain", 1]]]],
    "a tensor's without values": [None, ["plain", "text"]],
    "more than there are": [None, None, ["plain", 1]],
}


@pytest.mark.parametrize("name", UNFIT)
def test_what_does_not_fit_into_an_argument_is_no_record(name):
    _, told = recorded()
    told["calls"][0]["left"] = UNFIT[name]
    again = play_again(PLAY, INPUTS, told, 10)
    assert again.observed is None
    assert "does not fit" in again.problem.message


def sorts_in_place(answers, inputs):
    mine, rates = list(inputs["times"]), {"low": [1, 2], "high": 3.0}
    given = answers[0](mine, rates)
    return {"given": given, "times": mine, "rates": rates, "same": mine == inputs["times"]}


LISTS = Play((Answer("fastest"),), sorts_in_place)
TIMES = {"times": [0.3, 0.1, float("nan")]}


def sorts(times, _):
    times.sort()
    return times[0]


def takes_one_out(times, rates):
    rates["low"].append(4)
    rates.pop("high")
    return times.pop()


@pytest.mark.parametrize("answer", [sorts, takes_one_out, lambda times, _: min(times)])
def test_lists_and_dicts_that_were_changed_are_changed_when_it_is_played_again(answer):
    recorder = Recorder(LISTS, [answer])
    first = LISTS.run(recorder.answers, TIMES)
    again = play_again(LISTS, TIMES, sent(recorder.told()), 10).observed
    assert str(again) == str(first)


def test_what_is_as_it_was_stays_the_same_object():
    array, inner = np.ones(2), [1.0]
    mine = [array, inner, 3, float("nan"), {"a": inner}]
    kept = list(mine)
    write_back(mine, [np.ones(2), [1.0], 3, float("nan"), {"a": [1.0]}])
    assert [one is other for one, other in zip(mine, kept, strict=True)] == [True] * 5
    write_back(mine, [np.zeros(2), [2.0], 4, 5.0, {"b": 1}])
    assert mine[:2] == [array, inner] and array.tolist() == [0, 0] and inner == [2.0]
    assert mine[2:] == [4, 5.0, {"b": 1}]
    write_back(mine, [1])
    assert mine == [1]


def lends(answers, inputs):
    """A play that notes what its own functions are called with, and what they see."""
    called, box = [], [torch.zeros(2)]

    def take(rate, also=0):
        called.append([rate, also, box[0].tolist(), len(box)])
        if rate == 3:
            raise KeyError("three")
        box.append(torch.full((1,), float(rate)))
        return box[-1]

    def idle():
        called.append("idle")

    raised = ""
    try:
        got = answers[0](take, idle, box)
    except Exception as fault:
        kinds = (one for one in type(fault).__mro__ if one.__module__ == "builtins")
        got, raised = None, f"{next(kinds).__name__} {fault.args}"
    same = [at for at, one in enumerate(box) if one is got]
    return {"called": called, "raised": raised, "box": [one.tolist() for one in box], "same": same}


LENDING = Play((Answer("sweep"),), lends, lends=True)


def sweeps(take, idle, box):
    idle()
    for rate in (1, 2):
        box[0].add_(1)
        found = take(rate, also=[rate])
    box[0].zero_()
    return found


def swallows(take, idle, box):
    try:
        take(3)
    except KeyError:
        box.pop()


def lets_out(take, idle, box):
    box[0].fill_(7)
    take(3)


def raises_its_own(take, idle, box):
    take(1)
    raise ValueError


def replaces(take, idle, box):
    box[0] = torch.full((2,), 5.0)
    return take(4)


@pytest.mark.parametrize("answer", [sweeps, swallows, lets_out, raises_its_own, replaces])
def test_functions_that_were_lent_are_called_again(answer):
    recorder = Recorder(LENDING, [answer])
    first = LENDING.run(recorder.answers, {})
    again = play_again(LENDING, {}, sent(recorder.told()), 10)
    assert again.problem is None
    assert again.observed == first


def told_acts():
    recorder = Recorder(LENDING, [sweeps])
    LENDING.run(recorder.answers, {})
    return sent(recorder.told())


NO_ACTS = {
    "no list": lambda call: call.update(acts=3),
    "no act": lambda call: call.update(acts=[3]),
    "no function": lambda call: call["acts"][0].update(function=2),
    "none before": lambda call: call["acts"][0].update(function=-1),
    "no arguments": lambda call: call["acts"][0].update(arguments=None),
    "no names": lambda call: call["acts"][0].update(names=None),
    "nothing left": lambda call: call["acts"][0].update(left=None),
}


@pytest.mark.parametrize("name", NO_ACTS)
def test_acts_of_no_form_give_nothing(name):
    told = told_acts()
    NO_ACTS[name](told["calls"][0])
    again = play_again(LENDING, {}, told, 10)
    assert again.observed is None and again.problem is not None


def test_an_act_that_nobody_made_is_seen_by_the_play():
    told = told_acts()
    told["calls"][0]["acts"] *= 2
    assert len(play_again(LENDING, {}, told, 10).observed["called"]) == 6


@pytest.mark.parametrize(
    "raised", [3, {}, {"act": 99}, {"act": None, "kinds": [["builtins", "exit"]]}]
)
def test_what_was_raised_is_an_error_whatever_is_told_of_it(raised):
    told = told_acts()
    told["calls"][0]["raised"] = raised
    assert play_again(LENDING, {}, told, 10).observed["raised"]


@lends_methods("put", "fail")
class Purse:
    """Notes what its methods are called with; ``rename`` is not lent."""

    def __init__(self) -> None:
        self.coins, self.name, self.held = [], "a", torch.ones(2)

    def put(self, coin, twice=False):
        self.coins += [coin] * (1 + twice)
        return self.held

    def fail(self):
        self.coins.append("failed")
        raise Stopped

    def rename(self, name):
        self.name = name


class Stopped(KeyboardInterrupt):
    """What ends a function whatever it excepts."""


def fills(answers, inputs):
    """A play that hands over an object, twice, and two of its methods by other names."""
    purse = inputs["purse"] = Purse()
    try:
        got = answers[0](purse, purse)
    except Stopped:
        got = "stopped"
    own = [name for name in vars(purse) if name in ("put", "fail")]
    return {"coins": purse.coins, "got": got, "held": purse.held.tolist(), "own": own}


FILLING = Play((Answer("fill"),), fills, lends=True)


def fills_it(purse, same):
    purse.put(1).mul_(3)
    same.put("b", twice=True)
    return len(purse.coins)


def stops(purse, _):
    try:
        purse.put(1)
        purse.fail()
    finally:
        purse.put(2)


def goes_on(purse, _):
    try:
        purse.fail()
    except KeyboardInterrupt:
        purse.put(3)


@pytest.mark.parametrize("answer", [fills_it, stops, goes_on])
def test_methods_that_were_lent_are_called_again(answer):
    recorder = Recorder(FILLING, [answer])
    first = FILLING.run(recorder.answers, {})
    told = sent(recorder.told())
    again = play_again(FILLING, {}, told, 10)
    assert (again.problem, again.observed) == (None, first)
    assert first["coins"] and not first["own"]
    del told["calls"][0]["acts"][-1]
    assert play_again(FILLING, {}, told, 10).observed["coins"] != first["coins"]


def test_what_else_is_done_to_an_object_that_lends_is_not_repeated():
    def fill(purse, _):
        purse.rename("b")
        purse.coins.append("forged")

    recorder = Recorder(FILLING, [fill])
    here, there = {}, {}
    assert FILLING.run(recorder.answers, here)["coins"] == ["forged"]
    again = FILLING.run([lambda *_: None], there)
    assert again == play_again(FILLING, {}, sent(recorder.told()), 10).observed
    assert (here["purse"].name, there["purse"].name) == ("b", "a")


def draws_on(answers, inputs):
    """A play that goes on drawing where the learner's function stopped."""
    torch.manual_seed(1), random.seed(1), np.random.seed(1)
    answers[0]()
    return {"drawn": [torch.rand(1).item(), random.random(), float(np.random.rand())]}


DRAWING = Play((Answer("draw"),), draws_on, draws=True)


@pytest.mark.parametrize(
    "answer", [lambda: None, lambda: torch.randn(3), random.random, lambda: np.random.normal()]
)
def test_generators_go_on_where_a_function_left_them(answer):
    before = torch.get_rng_state(), random.getstate()
    recorder = Recorder(DRAWING, [lambda: answer()])
    first = DRAWING.run(recorder.answers, {})
    torch.set_rng_state(before[0]), random.setstate(before[1])
    told = sent(recorder.told())
    assert play_again(DRAWING, {}, told, 10).observed == first
    assert torch.equal(torch.get_rng_state(), before[0]) and random.getstate() == before[1]
    assert len(told["calls"][0].get("chance", {})) == (answer() is not None)


WORDS = np.zeros(624, np.uint32)
AT_ITS_END = torch.Generator().get_state().numpy().copy()
AT_ITS_END[8:24] = np.array([624, 1, 624, 0], np.uint32).view(np.uint8)
"""It has made all of its numbers, and says that all of them are left."""
STATES = {
    "no dict": [3],
    "another generator": {"cupy": [WORDS]},
    "Python's, too short": {"python": [WORDS, None]},
    "Python's, of texts": {"python": ["a", None]},
    "Python's, behind its end": {"python": [np.array([*WORDS, 999], np.uint32), None]},
    "NumPy's, behind its end": {"numpy": ["MT19937", WORDS, 10**6, 0, 0.0]},
    "NumPy's, before it": {"numpy": ["MT19937", WORDS, -1, 0, 0.0]},
    "NumPy's, of another kind": {"numpy": ["PCG64", WORDS, 1, 0, 0.0]},
    "NumPy's, too short": {"numpy": ["MT19937", WORDS[1:], 1, 0, 0.0]},
    "PyTorch's, too short": {"torch": [np.zeros(8, np.uint8)]},
    "PyTorch's, behind its end": {"torch": [AT_ITS_END]},
    "PyTorch's, of zeros": {"torch": [np.full(5056, 255, np.uint8)]},
}


@pytest.mark.parametrize("name", STATES)
def test_generators_take_no_state_that_none_has(name):
    recorder = Recorder(DRAWING, [lambda: None])
    DRAWING.run(recorder.answers, {})
    told = sent(recorder.told())
    told["calls"][0]["chance"] = STATES[name]
    again = play_again(DRAWING, {}, told, 10)
    assert again.observed is None and "an unknown form" in again.problem.message


def takes_steps(answers, inputs):
    """A play that looks at the gradients of each update."""
    torch.manual_seed(2)
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    seen = []

    def look(_, arguments, __):
        closure = arguments[1] if len(arguments) > 1 else None
        seen.append(["closure" if closure else "", model.weight.grad])
        seen[-1][1] = None if model.weight.grad is None else model.weight.grad.tolist()

    optimizer.register_step_pre_hook(look)
    try:
        got = answers[0](model, optimizer)
    except Exception as fault:
        got = type(fault).__name__ != "" and "raised"
    inputs["optimizer"] = optimizer
    got = [got.item(), got.requires_grad] if isinstance(got, torch.Tensor) else got
    weights = [one.tolist() for one in model.parameters()]
    return {"seen": seen, "got": got, "weights": weights, "mode": model.training}


STEPPING = Play((Answer("train"),), takes_steps, lends=True)


def twice(model, optimizer):
    for _ in range(2):
        optimizer.zero_grad()
        loss = model(torch.ones(3, 2)).square().sum()
        loss.backward()
        optimizer.step()
    model.eval()
    return loss.detach()


def in_a_closure(model, optimizer):
    def closure():
        optimizer.zero_grad()
        loss = model(torch.ones(3, 2)).square().sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return optimizer.step(closure=closure)


def fails_in_a_closure(model, optimizer):
    def closure():
        model.weight.grad = torch.ones(1, 2)
        raise ValueError

    try:
        optimizer.step(closure)
    except ValueError:
        optimizer.step()
    raise KeyError


def with_a_scheduler(model, optimizer):
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
    for _ in range(3):
        model.weight.grad = torch.ones(1, 2)
        optimizer.step()
        scheduler.step()
    return optimizer.param_groups[0]["lr"]


@pytest.mark.parametrize("answer", [twice, in_a_closure, fails_in_a_closure, with_a_scheduler])
def test_steps_of_an_optimizer_that_was_lent_are_taken_again(answer):
    recorder = Recorder(STEPPING, [answer])
    first = recorder.play(kept := {})
    assert "step" not in vars(kept["optimizer"])
    assert first["seen"] and takes_steps([answer], {}) == first
    again = play_again(STEPPING, {}, sent(recorder.told()), 10)
    assert again.problem is None and again.observed == first


def attests(answers, inputs):
    return {"seen": attested(lambda: answers[0](1)), "other": answers[0](2)}


ATTESTING = Play((Answer("look"),), attests, observes="what is seen", attests=True)


def test_what_is_attested_is_told_and_all_else_is_played_again():
    looked = []

    def look(value):
        looked.append(value)
        return value * 10

    recorder = Recorder(ATTESTING, [look])
    assert recorder.play({}) == {"seen": 10, "other": 20}
    told = sent(recorder.told())
    assert len(told["calls"]) == 1 and ATTESTING.is_repeatable and ATTESTING.forgeable
    assert play_again(ATTESTING, {}, told, 10).observed == {"seen": 10, "other": 20}
    assert looked == [1, 2]
    for attested_there in ([], told["attested"] * 2, 3, ["plain"]):
        again = play_again(ATTESTING, {}, {**told, "attested": attested_there}, 10)
        assert again.observed is None


def test_nothing_is_attested_where_a_play_does_not_say_so():
    play = Play((Answer("look"),), attests)
    recorder = Recorder(play, [lambda value: value])
    recorder.play({})
    assert play_again(play, {}, sent(recorder.told()), 10).observed is None


# Functions that the learner's give, and hang on tensors


def play_later(answers, inputs):
    (attach,) = answers
    weights = [torch.nn.Parameter(torch.full((2,), 3.0)) for _ in range(2)]
    finish = attach(weights)
    seen = []
    for step in range(inputs["steps"]):
        for one in weights:
            one.grad = None
        (weights[0] * (step + 1)).sum().backward()
        (2 * weights[1]).sum().backward()
        before = [one.grad.tolist() for one in weights]
        finish()
        seen.append([before, [one.grad.tolist() for one in weights]])
    return {"seen": seen}


LATER = Play((Answer("attach", signature=("weights",)),), play_later, calls_later=True)


def halved_at_the_end(weights):
    def hook(p):
        p.grad = p.grad + 1

    def finish():
        for one in weights:
            one.grad /= 2

    for one in weights:
        one.register_post_accumulate_grad_hook(hook)
    return finish


def taken_off(weights):
    class Once:
        def __init__(self, tensor):
            self.handle = tensor.register_hook(self.called)

        def called(self, grad):
            self.handle.remove()
            return grad * 10

        def finish(self):
            pass

    return next(iter([Once(one) for one in weights])).finish


@pytest.mark.parametrize("attach", [halved_at_the_end, taken_off])
def test_what_is_called_later_is_called_when_it_is_played_again(attach):
    recorder = Recorder(LATER, [attach])
    observed = recorder.play({"steps": 3})
    again = play_again(LATER, {"steps": 3}, sent(recorder.told()), 10)
    assert again.observed == observed


@pytest.mark.parametrize(
    "change",
    [
        lambda call: call.pop("made"),
        lambda call: call.update(made=77),
        lambda call: call.update(hooks=[[99, "register_hook", 1]]),
        lambda call: call.update(hooks=[[1, "backward", 1]]),
        lambda call: call.update(hooks=[[1, ["register_hook"], 1]]),
        lambda call: call.update(hooks=[[0, "register_hook", 1]]),
        lambda call: call.update(hooks={}),
    ],
)
def test_functions_that_nobody_made_are_not_called(change):
    recorder = Recorder(LATER, [halved_at_the_end])
    recorder.play({"steps": 3})
    told = sent(recorder.told())
    change(told["calls"][0])
    assert play_again(LATER, {"steps": 3}, told, 10).problem is not None

"""What a function left in models, optimizers and the like is left in those of another process."""

from __future__ import annotations

import copy
from collections import OrderedDict

import numpy as np
import pytest
import torch
from torch import nn

from gpuedu.errors import AnswerError
from gpuedu.exercises.changeable import changeable
from gpuedu.grading.describing import Describing
from gpuedu.grading.objects import Before, found_in, leave_all
from gpuedu.grading.parts import refuse_fused, require_no_fused
from gpuedu.grading.rebuilding import Rebuilding
from gpuedu.grading.wire import pack, unpack


@changeable
class Run:
    """Everything that a training run is made of."""

    def __init__(self):
        torch.manual_seed(3)
        layers = nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Dropout(0.5), nn.Linear(4, 2)
        self.model = nn.Sequential(*layers)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=0.1)
        self.scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, 10)
        self.scaler = torch.amp.GradScaler("cpu", init_scale=16.0)
        self.order, self.place = torch.arange(8), 0
        self.step()

    def step(self):
        self.optimizer.zero_grad()
        self.scaler.scale(self.model(torch.ones(5, 3)).square().sum()).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.scheduler.step()
        self.place += 1


def both(function, make):
    """What a function gives and leaves here, and in objects of another process; its arguments."""
    here, there = make(), make()
    before = Before(here)
    given = function(*here)
    describing = Describing(before.found)
    told = unpack(pack([before.told(describing), describing.value(given)]))
    found = found_in(there)
    rebuilding = Rebuilding(found)
    leave_all(found, told[0], rebuilding)
    return here, there, given, rebuilding.value(told[1]), told


def state_of(run):
    parts = (run.model, run.optimizer, run.scheduler, run.scaler)
    states = [one.state_dict() for one in parts]
    modes = [one.training for one in run.model.modules()]
    grads = [(one.grad, one.requires_grad) for one in run.model.parameters()]
    return [states, modes, grads, run.order, run.place]


def is_same(one, other):
    if isinstance(one, torch.Tensor):
        return torch.equal(one, other) and one.dtype == other.dtype
    if isinstance(one, dict):
        return list(one) == list(other) and all(is_same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(is_same, one, other))
    return type(one) is type(other) and one == other


def replaces_a_weight(run):
    old = run.model[0].weight
    run.model[0].weight = nn.Parameter(torch.ones(4, 3))
    run.optimizer.param_groups[0]["params"][0] = run.model[0].weight
    run.optimizer.state[run.model[0].weight] = run.optimizer.state.pop(old)
    with torch.no_grad():
        old.zero_()


def loads_a_state(run):
    other = Run()
    other.step()
    for name in ("model", "optimizer", "scheduler", "scaler"):
        getattr(run, name).load_state_dict(copy.deepcopy(getattr(other, name).state_dict()))
    run.order, run.place = torch.arange(3), 7


def clears_gradients(run):
    run.optimizer.zero_grad()
    run.model[1].weight.grad = torch.full((4,), 2.0)


def scales_gradients(run):
    for one in run.model.parameters():
        one.grad /= 2


def freezes(run):
    run.model[0].requires_grad_(False)
    run.model[2].eval()


def takes_another_model(run):
    run.model = copy.deepcopy(run.model)
    with torch.no_grad():
        run.model[3].weight.fill_(2)


def takes_other_parts(run):
    run.optimizer = torch.optim.Adam(run.model.parameters(), lr=0.3)
    run.scaler = torch.amp.GradScaler("cpu", init_scale=32.0)


def makes_it_smaller(run):
    run.model.half()
    run.model[0] = run.model[0].float()


CHANGES = [
    *(Run.step, replaces_a_weight, loads_a_state, clears_gradients, scales_gradients, freezes),
    *(takes_another_model, takes_other_parts, makes_it_smaller, lambda run: None),
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda one: one.__name__)
def test_what_is_left_in_a_run_is_left_in_the_other(change):
    (here,), (there,), *_ = both(change, lambda: (Run(),))
    assert is_same(state_of(here), state_of(there))
    if change in (makes_it_smaller, takes_another_model):
        return
    for run in (here, there):  # and they go on alike
        torch.manual_seed(1)
        run.step()
    assert is_same(state_of(here), state_of(there))


def test_nothing_is_told_where_nothing_changed():
    *_, told = both(lambda run: 3, lambda: (Run(),))
    assert told[0] == []


def test_only_what_changed_is_told():
    def change(run):
        run.model[0].bias.grad.zero_()

    *_, told = both(change, lambda: (Run(),))
    (left,) = (one for one in told[0] if one is not None)
    assert list(left[1]) == ["values"]


def test_an_old_parameter_keeps_what_was_left_in_it():
    made = []

    def make():
        made.append(Run())
        made.append(made[-1].model[0].weight)
        return (made[-2],)

    _, (there,), *_ = both(replaces_a_weight, make)
    assert torch.equal(made[3], torch.zeros(4, 3)) and made[3] is not there.model[0].weight
    assert isinstance(there.model[0].weight, nn.Parameter)
    assert there.optimizer.param_groups[0]["params"][0] is there.model[0].weight


def test_a_gradient_in_place_is_the_same_tensor_and_another_one_is_not():
    grads = []

    def make():
        run = Run()
        grads.append(run.model[0].weight.grad)
        return (run,)

    _, (there,), *_ = both(scales_gradients, make)
    assert there.model[0].weight.grad is grads[-1]
    _, (there,), *_ = both(clears_gradients, make)
    assert there.model[0].weight.grad is None


def test_parameters_and_tensors_in_lists_have_gradients():
    def make():
        return [nn.Parameter(torch.ones(2)), torch.ones(3, requires_grad=True)], torch.ones(1)

    def change(ones, plain):
        for one in ones:
            one.grad = one.detach() * 3
        plain.requires_grad_()

    _, (ones, plain), *_ = both(change, make)
    assert [one.grad.tolist() for one in ones] == [[3, 3], [3, 3, 3]]
    assert plain.requires_grad and plain.grad is None


def test_what_is_given_by_number_is_the_object_itself():
    def make():
        return Run(), [1, 2], {"a": np.ones(2)}, torch.ones(2, 3)

    def give(run, items, named, tensor):
        new = torch.zeros(2)
        weights = list(run.model.parameters())
        return [weights[::-1], items, (named["a"], named), tensor, [new, new], run.optimizer]

    _, there, _, given, _ = both(give, make)
    run, items, named, tensor = there
    wanted = list(run.model.parameters())[::-1]
    assert all(one is other for one, other in zip(given[0], wanted, strict=True))
    assert given[1] is items and given[2][0] is named["a"] and given[2][1] is named
    assert given[3] is tensor and given[4][0] is given[4][1] and given[5] is run.optimizer


def test_what_shares_memory_shares_it_there_too():
    def give(run, tensor):
        state = run.model.state_dict()
        return state, tensor.T, tensor[1:, :2], tensor.clone(), tensor.expand(4, 2, 3)

    _, there, here_given, given, _ = both(give, lambda: (Run(), torch.arange(6.0).view(2, 3)))
    run, tensor = there
    assert is_same(given, here_given)
    with torch.no_grad():
        run.model[0].weight.fill_(9)
    tensor.fill_(9)
    assert given[0]["0.weight"].unique().tolist() == [9]
    assert given[1].unique().tolist() == given[2].unique().tolist() == [9]
    assert given[3].tolist() == here_given[3].tolist()


def test_parts_of_a_memory_that_nobody_has_come_by_themselves():
    """As gradients that are cut out of one long message."""

    def cut(run):
        flat = torch.arange(100.0)[3:]
        at = 0
        for one in run.model.parameters():
            one.grad = flat[at : at + one.numel()].view(one.shape)
            at += one.numel()
        whole = torch.arange(6.0)
        return flat[1:3], whole, whole[2:4]

    (here,), (there,), here_given, given, _ = both(cut, lambda: (Run(),))
    pairs = zip(here.model.parameters(), there.model.parameters(), strict=True)
    assert all(torch.equal(one.grad, other.grad) for one, other in pairs)
    assert is_same(given, here_given)
    given[1].fill_(9)
    assert given[2].tolist() == [9, 9]


def test_results_keep_whether_they_ask_for_gradients():
    def give(tensor):
        weight = nn.Parameter(torch.ones(2))
        weight.grad = torch.full((2,), 5.0)
        return (tensor * 2).requires_grad_(), weight, nn.Parameter(tensor, requires_grad=False)

    _, (tensor,), _, given, _ = both(give, lambda: (torch.ones(3),))
    assert given[0].requires_grad and given[1].grad.tolist() == [5, 5]
    assert [type(one) for one in given] == [torch.Tensor, nn.Parameter, nn.Parameter]
    assert not given[2].requires_grad
    tensor.fill_(4)
    assert given[2].tolist() == [4, 4, 4]


def test_lists_of_known_objects_are_put_in_order():
    def make():
        return ([torch.ones(1) * k for k in range(4)], {"x": [1], "y": [2]})

    def change(tensors, named):
        tensors.reverse()
        tensors.append(torch.ones(2))
        named["x"], named["y"] = named["y"], named["x"]

    made = make()
    first, x = made[0][0], made[1]["x"]
    here = iter((make(), made))
    _, (tensors, named), *_ = both(change, lambda: next(here))
    assert tensors[3] is first and named["y"] is x
    assert [one.tolist() for one in tensors] == [[3], [2], [1], [0], [1, 1]]


def test_a_list_that_is_told_often_is_told_by_value():
    def give(items):
        return [items] * 20

    *_, given, _ = both(give, lambda: ([1, 2],))
    assert given == [[1, 2]] * 20


def numbers_of(there):
    return {type(one).__name__: at for at, one in reversed(list(enumerate(found_in(there))))}


PLAIN = ["tensor", "float32", [2], np.zeros(8, np.uint8)]
LEFT = {
    "a mode that is none": ("Sequential", {"training": 1}),
    "parameters that are none": ("Linear", {"parameters": ["plain", (("weight", 3),)]}),
    "no parameter": ("Linear", {"parameters": ["tuple", [["tuple", [["plain", "w"], PLAIN]]]]}),
    "names that are none": ("Linear", {"buffers": ["plain", ((3, None),)]}),
    "no pairs": ("Linear", {"modules": ["plain", ("weight",)]}),
    "a part that there is not": ("Linear", {"forward": ["plain", 1]}),
    "a class": ("Run", {"__class__": ["plain", 1]}),
    "an attribute of its own": ("Run", {"values": ["plain", 1]}),
    "a method": ("Adam", {"step": ["plain", 1]}),
    "no groups": ("Adam", {"param_groups": ["plain", [1]]}),
    "no state": ("Adam", {"state": ["plain", ((1, {}),)]}),
    "a gradient of another shape": ("Parameter", {"grad": PLAIN}),
    "no gradient": ("Parameter", {"grad": ["plain", 1.0]}),
    "no flag": ("Parameter", {"requires_grad": ["plain", 1]}),
    "no values": ("Parameter", {"values": ["plain", 1]}),
    "a flag of whole numbers": ("Tensor", {"requires_grad": ["plain", True]}),
    "nothing": ("Parameter", None),
}


@pytest.mark.parametrize("name", LEFT)
def test_what_does_not_fit_into_an_object_is_refused(name):
    kind, parts = LEFT[name]
    there = (Run(), torch.arange(3))
    found = found_in(there)
    at = len(found) - 1 if kind == "Tensor" else numbers_of(there)[kind]
    with pytest.raises(AnswerError):
        leave_all(found, [*[None] * at, ["parts", parts]], Rebuilding(found))


TOLD = {
    "an unknown number": ["known", 10**6],
    "a negative one": ["known", -1],
    "none": ["known", "1"],
    "a view beyond its memory": ["view", 1, [10], [1], 0],
    "a view behind it": ["view", 1, [1], [1], 10**9],
    "a view of no shape": ["view", 1, 3, [1], 0],
    "a view of strides that are none": ["view", 1, [2], [-1], 0],
    "a view of what is none": ["view", 0, [1], [1], 0],
    "a view that is more than there is": ["view", 1, [2**20, 2**20], [0, 0], 0],
    "many views": ["list", [["view", 1, [2**20], [0], 0]] * 99],
    "a list too often": ["list", [["known", 0]] * 20],
    "alike to a tensor": ["like", 1, {}],
    "alike without its parts": ["like", 2, {}],
    "with a part more": ["like", 2, {key: ["plain", 1] for key in "abcde"}],
    "flags that are none": [*PLAIN, 1, False, None],
    "a gradient that is none": [*PLAIN, True, False, ["plain", 3]],
}


@pytest.mark.parametrize("name", TOLD)
def test_results_of_no_form_are_refused(name):
    found = [[1, 2], torch.ones(3), nn.Linear(2, 2)]
    with pytest.raises(AnswerError):
        Rebuilding(found).value(TOLD[name])


def test_arguments_of_too_many_objects_are_refused():
    with pytest.raises(AnswerError, match="too many objects"):
        found_in([[] for _ in range(200_000)])


class Odd(dict):
    def items(self):
        raise RuntimeError

    values = __iter__ = items


@pytest.mark.parametrize("kind", [OrderedDict, Odd])
def test_dicts_of_other_kinds_have_the_numbers_of_plain_ones(kind):
    found = [list(map(type, found_in([one(a=torch.ones(1)), [3]]))) for one in (dict, kind)]
    assert [len(one) for one in found] == [4, 4] and found[0][2:] == found[1][2:]
    assert Before([kind(a=1)]).told(Describing()) == []


def test_what_was_left_in_a_dict_of_another_kind_is_left_there():
    def change(named, items):
        named["b"] = named.pop("a")
        items += 1

    _, (named, items), *_ = both(change, lambda: (OrderedDict(a=[1]), np.ones(2)))
    assert named == OrderedDict(b=[1]) and type(named) is OrderedDict
    assert items.tolist() == [2, 2]


def test_nothing_is_found_in_what_has_no_form():
    def give(weight):
        return {"optimizer": torch.optim.SGD([weight], lr=1), "weight": weight}

    here, there, state, told_state, _ = both(give, lambda: (nn.Parameter(torch.ones(2)),))
    opaque = {}
    Describing(found_in(here), opaque).value(state)
    found = found_in((state, [1]), opaque)
    assert list(map(type, found)) == list(map(type, found_in((told_state, [1]))))
    assert told_state["weight"] is there[0]


def test_a_tensor_that_is_found_twice_is_told_once():
    def change(first, again):
        again[0].add_(1)

    def make():
        tensor = torch.ones(2)
        return tensor, [tensor]

    _, (first, again), _, _, told = both(change, make)
    assert first is again[0] and first.tolist() == [2, 2]
    assert [one is None for one in told[0]] == [False]


@pytest.mark.parametrize("fused", [True, 1, [], {}, (), 0, ""])
def test_a_group_of_a_fused_optimizer_is_refused_also_one_that_may_become_one(fused):
    """What is empty when it arrives may be filled by a later message."""
    with pytest.raises(AnswerError):
        require_no_fused([{"lr": 0.1, "fused": fused}])
    for allowed in ({"fused": None}, {"fused": False}, {"lr": 0.1}):
        require_no_fused([allowed])


def test_a_view_that_arrives_begins_in_its_storage():
    whole, told = torch.zeros(3), Rebuilding()
    assert told._view(whole, [0], [1], 3).numel() == 0
    with pytest.raises(AnswerError):
        told._view(whole, [0], [1], 4)


def test_no_fused_kernel_runs_where_a_record_is_played_again(monkeypatch):
    for name in ("sgd", "adam", "adamw", "adagrad"):
        if hasattr(torch, f"_fused_{name}_"):
            monkeypatch.setattr(torch, f"_fused_{name}_", getattr(torch, f"_fused_{name}_"))
    refuse_fused()
    weight = torch.nn.Parameter(torch.ones(2))
    weight.grad = torch.ones(2)
    with pytest.raises(AnswerError):
        torch.optim.SGD([weight], 0.1, momentum=0.9, fused=True).step()
    assert weight.tolist() == [1, 1]

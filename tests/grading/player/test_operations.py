"""A recorded program, carried out elsewhere, does to other tensors what it did to those it saw."""

from __future__ import annotations

import copy
from contextlib import nullcontext

import numpy as np
import pytest
import torch

from gpuedu.errors import AnswerError
from gpuedu.exercises.feed_the_gpu.augment_on_device.device_calls import KernelCounter
from gpuedu.exercises.feed_the_gpu.transfer_size.on_device import OnDevice
from gpuedu.exercises.mixed_precision.products import ProductWatch
from gpuedu.grading.describing import Describing
from gpuedu.grading.objects import found_in, operands_of
from gpuedu.grading.player.operations.executor import OperationExecutor
from gpuedu.grading.player.operations.operands import describe_tensors
from gpuedu.grading.player.operations.programs import read_program, write_program
from gpuedu.grading.player.operations.recorder import OperationRecorder
from gpuedu.grading.rebuilding import Rebuilding
from gpuedu.grading.wire import pack, unpack
from gpuedu.training.synchronizations import SynchronizationCounter


class Pair:
    """A function is called on one side, and what it did is carried out on the other."""

    def __init__(self):
        self.recorder = OperationRecorder()
        self.executor = OperationExecutor()
        self.steps = []

    def call(self, function, *arguments, watch=None):
        """What it gives when it is carried out again, with copies of the arguments as they were."""
        before, theirs = torch.get_rng_state(), copy.deepcopy(arguments)
        self.recorder.begin(*operands_of(theirs, found_in(theirs)))
        with self.recorder.recording():
            given = function(*theirs)
        told = Describing(found_in(theirs), number_made=self.recorder.number_of).value(given)
        program = unpack(pack(self.recorder.end()))
        del theirs, given
        self.steps = read_program(program)
        # The same process: what the call there does to chance is not to be seen here.
        torch.set_rng_state(before)
        found = found_in(arguments)
        with watch or nullcontext():
            self.executor.begin(*operands_of(arguments, found))
            self.executor.execute(program)
        return Rebuilding(found, self.executor.made).value(told)

    def names(self):
        return [step[1].removeprefix("aten::") for step in self.steps if step[0] == "do"]


@pytest.fixture
def pair():
    return Pair()


def tensors():
    chance = torch.Generator().manual_seed(4)
    return [torch.randn(shape, generator=chance) for shape in ((6, 4), (4, 3))]


def normed(x, w):
    h = torch.relu(x @ w).half().float()
    return torch.nn.functional.layer_norm(h, (3,)), {"loss": (h.mean(), 2.5)}


def with_gradients(x, w):
    kept = w.clone().requires_grad_()
    scores = x.half() @ kept.half()
    torch.nn.functional.cross_entropy(scores.float(), torch.arange(6) % 3).backward()
    return kept.grad


def of_a_function(x, w):
    return torch.func.grad(lambda one: (x @ one).square().sum())(w)


def with_an_optimizer(x, w):
    layer = torch.nn.Linear(4, 3)
    with torch.no_grad():
        layer.weight.copy_(w.t())
        layer.bias.zero_()
    optimizer = torch.optim.AdamW(layer.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        layer(x).square().mean().backward()
        optimizer.step()
    return [one.detach() for one in layer.parameters()]


def of_data(x, w):
    w.data.sub_(1)
    w.data = w.data * 2
    return w + x.sum()


def of_numbers(x, w):
    more = torch.from_numpy(np.arange(12.0, dtype=np.float32).reshape(3, 4)).t()
    return (w + more).reshape(-1) * torch.tensor([2.0]), torch.full((2,), float("inf"))


def with_many_layers(x, w):
    layers = torch.nn.functional
    picture = x.repeat(2, 2, 2, 2).requires_grad_()
    kernel, rows = torch.ones(4, 2, 2, 2, requires_grad=True), torch.rand(7, 3, requires_grad=True)
    found = layers.conv2d(picture, kernel, torch.ones(4, requires_grad=True), padding=1)
    found = layers.layer_norm(layers.avg_pool2d(found, 2, 1), (8,))
    pooled = layers.adaptive_avg_pool2d(found, 2)
    loss = layers.cross_entropy(pooled, torch.tensor([[0, 1], [-100, 3]]).expand(2, 2, 2))
    chosen = layers.embedding(torch.tensor([0, 6]), rows, scale_grad_by_freq=True)
    loss = loss + layers.cross_entropy(chosen, torch.tensor([0, 2]), reduction="none").sum()
    loss = loss + picture.unfold(2, 3, 2).square().mean()
    larger = layers.interpolate(found.detach(), scale_factor=1.7)
    return [larger, *torch.autograd.grad(loss, [picture, kernel, rows])]


@torch.inference_mode()
def without_autograd(x, w):
    y = torch.arange(18).view(6, 3) % 2
    scores = torch.nn.functional.linear(x, w.t()).double().float().contiguous()
    return torch.nn.functional.binary_cross_entropy_with_logits(scores, y.float()), scores[0]


def with_margins(x, w):
    kept = w.clone().requires_grad_()
    torch.nn.functional.soft_margin_loss(x @ kept, (x @ w).sign()).backward()
    return kept.grad


FUNCTIONS = [
    without_autograd,
    with_margins,
    normed,
    with_gradients,
    of_a_function,
    with_an_optimizer,
    of_data,
    of_numbers,
]


@pytest.mark.parametrize("function", [*FUNCTIONS, with_many_layers])
def test_the_results_are_the_same_bit_for_bit(pair, function):
    torch.manual_seed(1)
    wanted = function(*tensors())
    torch.manual_seed(1)
    got = pair.call(function, *tensors())
    torch.testing.assert_close(got, wanted, rtol=0, atol=0, equal_nan=True)


def test_another_input_gives_another_result(pair):
    """What was recorded is a program: it is carried out on whatever tensor is there."""
    x, w = tensors()
    pair.call(lambda x, w: x @ w, x, w)
    program = [step for step in pair.steps if step[0] == "do"]
    pair.executor.begin([x + 1, w], [])
    pair.executor.execute(write_program([["take", [1, 2], []], *program]))
    assert torch.equal(pair.executor.made(program[-1][-1][0]), (x + 1) @ w)


def test_operations_in_place_write_to_the_tensors_here(pair):
    x, w = tensors()
    before = x.clone()

    def double(x, _):
        part = x[1:, ::2]
        part.mul_(2)
        x[0] = 7
        return part

    part = pair.call(double, x, w)
    assert (x[0] == 7).all()
    assert torch.equal(x[1:, ::2], 2 * before[1:, ::2])
    part.zero_()
    assert not x[1:, ::2].any()


def test_what_an_array_wrote_arrives_too(pair):
    x, w = tensors()
    pair.call(lambda x, _: x.numpy().fill(3), x, w)
    assert (x == 3).all()


def test_tensors_arrive_as_they_lie_in_memory(pair):
    x, _ = tensors()

    def look(tensors):
        first, turned, again = tensors
        first[0, 1] = 5
        return [turned.stride(), again is first, turned[1, 0].item()]

    assert pair.call(look, [x, x.t(), x]) == [(1, 4), True, 5.0]
    assert x[0, 1] == 5


def test_chance_is_that_of_the_generators_here(pair):
    torch.manual_seed(3)
    wanted = torch.rand(2), torch.randint(9, (3,), generator=torch.Generator().manual_seed(5))
    torch.manual_seed(3)
    chance = torch.Generator().manual_seed(5)
    draw = lambda chance: (torch.rand(2), torch.randint(9, (3,), generator=chance))  # noqa: E731
    first = pair.call(draw, chance)
    assert all(map(torch.equal, first, wanted))
    again = pair.call(draw, chance)
    assert not any(map(torch.equal, first, again))
    assert not [step for step in pair.steps if step[0] in ("state", "generator")]


def test_what_is_drawn_comes_from_the_generator_there_whatever_its_state(pair):
    chance = torch.Generator().manual_seed(6)
    pair.call(lambda chance: torch.rand(2, generator=chance), torch.Generator().manual_seed(5))
    program = [step for step in pair.steps if step[0] in ("take", "do")]
    pair.executor.begin([], [chance])
    pair.executor.execute(write_program(program))
    number = program[-1][-1][0]
    ours = torch.Generator().manual_seed(6)
    assert torch.equal(pair.executor.made(number), torch.rand(2, generator=ours))
    assert torch.equal(chance.get_state(), ours.get_state())


def test_a_seed_is_a_step(pair):
    def draw(chance):
        own = torch.Generator().manual_seed(chance.initial_seed())
        torch.manual_seed(8)
        return torch.rand(2, generator=own), torch.rand(2)

    before = torch.get_rng_state()
    first, second = pair.call(draw, torch.Generator().manual_seed(5))
    assert not torch.equal(before, torch.get_rng_state())
    again = draw(torch.Generator().manual_seed(5))
    assert torch.equal(first, again[0])
    assert torch.equal(second, again[1])


def test_a_generator_that_nobody_has_any_longer_is_forgotten(pair):
    def draw(chance):
        own = torch.Generator()
        own.set_state(chance.get_state())
        found = torch.rand(2, generator=own)
        chance.set_state(own.get_state())
        return found

    chance, same = torch.Generator().manual_seed(5), torch.Generator().manual_seed(5)
    for _ in range(3):
        assert torch.equal(pair.call(draw, chance), draw(same))
    assert len(pair.executor._generators) < 5


def test_autocast_casts_once(pair):
    x, w = tensors()
    with torch.autocast("cpu", torch.float16):
        wanted = (x @ w).softmax(1)
        watch = ProductWatch()
        got = pair.call(lambda x, w: (x @ w).softmax(1), x, w, watch=watch)
    assert torch.equal(got, wanted)
    assert watch.dtypes == [("float16", "float16")]
    assert pair.names().count("_to_copy") == 2


def test_a_call_that_asks_for_the_host_is_one_there(pair):
    x, _ = tensors()
    device = OnDevice()
    there = device.receive(x)
    told = pair.call(lambda there: [there.cpu(), there[1:], there + 1], there, watch=device)
    assert [one in device for one in told] == [False, True, True]


def test_a_watch_of_the_play_sees_nothing_of_the_recording(pair):
    """Comparisons and copies of the recorder's are no kernels, and no waits."""
    recorder, given, chance = pair.recorder, tensors(), torch.Generator()
    with SynchronizationCounter() as waits, KernelCounter() as kernels:
        recorder.begin(given, [chance])
        with recorder.recording():
            torch.rand(3, generator=chance)
        recorder.end()
    assert not waits.synchronizations
    assert kernels.names == ["rand"]


def test_a_tensor_that_nobody_has_any_longer_is_freed(pair):
    x, w = tensors()
    for _ in range(3):
        pair.call(normed, x, w)
    assert len(pair.executor._tensors) < 10


def test_on_a_device_without_values_nothing_needs_one(pair):
    x, w = (one.to("meta") for one in tensors())
    with torch.device("meta"):
        got = pair.call(lambda x, w: x @ w + torch.ones(3), x, w)
    assert (got.device.type, tuple(got.shape)) == ("meta", (6, 3))


def test_numbers_that_come_to_a_device_are_seen_there(pair):
    x = torch.zeros(3, device="meta")
    watch = KernelCounter()
    pair.call(lambda x: x + torch.tensor([1.0, 2.0, 3.0], device=x.device), x, watch=watch)
    assert watch.uploads
    lifts = [step for step in pair.steps if step[1:2] == ["aten::lift_fresh"]]
    hidden = [step for step in pair.steps if step not in lifts and step[0] == "constant"]
    with KernelCounter() as watch:
        pair.executor.execute(write_program(hidden))
    assert watch.uploads


NOT_ALLOWED = [
    "from_file",
    "set_",
    "resize_",
    "_reshape_alias",
    "save",
    "_unsafe_index",
    "pin_memory",
    "grid_sampler_2d_backward",
    "_foreach_copy",
]


@pytest.mark.parametrize("name", NOT_ALLOWED)
def test_an_operation_that_is_not_on_the_list_is_refused_by_its_name(pair, name):
    with pytest.raises(AnswerError, match=f"the operation `{name}` cannot be used"):
        pair.executor.execute(write_program([["do", f"aten::{name}", "default", [], [], []]]))


def lies(at=0, dtype="float32", shape=(2,), strides=(1,), offset=0, device="cpu"):
    raw = np.zeros(8, np.uint8) if device == "cpu" else None
    tensor = [at, dtype, list(shape), list(strides), offset]
    return [["constant", 1, {"storages": [[device, 8, raw]], "tensors": [tensor]}]]


@pytest.mark.parametrize(
    "steps",
    [
        None,
        [1],
        [[]],
        [["do"]],
        [["do", "aten::add", "Tensor", [["tensor", 9], 1], [], [1]]],
        [["do", "aten::remainder", "int", [3, 0], [], []]],
        [["do", "aten::mul", "left_t", [["list", [1]], 2], [], []]],
        [["do", "gpuedu::add", "Tensor", [], [], []]],
        [["do", "aten::add", "__class__", [], [], []]],
        [["do", "aten::zeros", "default", [["list", [2]]], [[1, 2]], []]],
        [["do", "aten::zeros", "default", [["list", [2]]], [["device", ["device", "x"]]], []]],
        [["do", "aten::zeros", "default", [["list", [-2]]], [], []]],
        [["do", "aten::zeros", "default", [["list", [2]]], [["dtype", ["dtype", "quint8"]]], []]],
        [["do", "aten::zeros", "default", [["list", [2]]], [], ["a"]]],
        [["look", 1, 2, [1], [1], 0]],
        [["state", 0, np.zeros(9, np.uint8)]],
        [["state", 0, np.zeros(5056, np.uint8)]],
        [["state", 7, np.zeros(5056, np.uint8)]],
        [["generator", "a", np.zeros(5056, np.uint8)]],
        [["constant", 1, None]],
        lies(shape=(3,)),
        lies(offset=1),
        lies(strides=(2,)),
        lies(strides=(-1,)),
        lies(at=-1),
        lies(at=1),
        lies(dtype="__class__"),
        lies(shape=(3,), device="meta"),
        [*lies(), ["look", 2, 1, [3], [1], 0]],
        [*lies(), ["look", 2, 1, [1], [1], 2**70]],
    ],
    ids=str,
)
def test_what_is_no_program_is_refused(pair, steps):
    with pytest.raises(AnswerError):
        pair.executor.execute(write_program(steps))


def _bytes(text):
    return np.frombuffer(text.encode(), np.uint8)


@pytest.mark.parametrize(
    "program",
    [
        None,
        b"[]",
        np.zeros(2),
        np.frombuffer(b"[]  ", np.uint8).reshape(2, 2),
        _bytes(""),
        _bytes("[["),
        _bytes("[" * 100_000),
        _bytes("{}"),
        _bytes("9" * 10_000),
        _bytes(str([0] * 100_001)),
        _bytes(str([[[]] * 2_000_000])),
        _bytes('[["state",0,{"bytes":"A"}]]'),
        _bytes('[["state",0,{"bytes":3}]]'),
    ],
    ids=lambda one: str(one)[:30],
)
def test_what_is_no_text_of_steps_is_refused(pair, program):
    with pytest.raises(AnswerError):
        pair.executor.execute(program)


X, FIVE, FLOAT = torch.zeros(4, 5), torch.zeros(5), torch.float32
ONE = torch.ones(1)
PICTURE, WEIGHT = torch.zeros(2, 3, 8, 8), torch.zeros(4, 3, 3, 3)
CONVOLVED = [[1, 1], [0, 0], [1, 1], False, [0, 0], 1, [True, True, True]]
OUT_OF_BOUNDS = {
    "a class": (
        "nll_loss_backward",
        torch.ones(4),
        X,
        torch.tensor([0, 1, 2, 5]),
        None,
        0,
        -1,
        FIVE,
    ),
    "a reduction": ("nll_loss_backward", FIVE[0], X, torch.tensor([0, 1, 2, 5]), None, 3, -1, FIVE),
    "a class of a picture": (
        *("nll_loss2d_backward", torch.ones(2, 8, 8), PICTURE, torch.full((2, 8, 8), -3)),
        *(None, 0, -100, FIVE[0]),
    ),
    "a row": ("embedding_dense_backward", X, torch.tensor([0, 1, 2, 9]), 9, -1, True),
    "less than a row": ("embedding_dense_backward", X, torch.tensor([0, 1, 2, -1]), 9, -1, True),
    "a short gradient": ("_log_softmax_backward_data", FIVE, X, 1, FLOAT),
    "a norm": (
        *("native_layer_norm_backward", FIVE, X, [5], torch.ones(4, 1), torch.ones(4, 1)),
        *(None, None, [True, False, False]),
    ),
    "means": (
        *("native_layer_norm_backward", X, X, [5], torch.ones(1, 1), torch.ones(4, 1)),
        *(None, None, [True, False, False]),
    ),
    "a pool": ("_adaptive_avg_pool2d_backward", torch.ones(1, 3, 2, 2), PICTURE),
    "windows": ("avg_pool2d_backward", PICTURE, PICTURE, [2], [2], [0], False, True, None),
    "folds": ("unfold_backward", torch.ones(3, 1), [6], 0, 2, 2),
    "a convolution": (
        *("convolution_backward", torch.zeros(1, 4, 6, 6), PICTURE, WEIGHT, None),
        *CONVOLVED,
    ),
    "a bias": (
        *("convolution_backward", torch.zeros(2, 4, 6, 6), PICTURE, WEIGHT, [2]),
        *CONVOLVED,
    ),
    "a scale": ("upsample_nearest2d", PICTURE, [9, 9], 1e-30, None),
    "weights of one number": ("native_group_norm", PICTURE, ONE.expand(3), None, 2, 3, 64, 3, 1e-5),
    "shifts of one number": ("native_group_norm", PICTURE, None, ONE.expand(3), 2, 3, 64, 3, 1e-5),
    "a group's mean": (
        *("native_group_norm_backward", PICTURE, PICTURE, ONE.expand(2, 3), torch.ones(2, 3), None),
        *(2, 3, 64, 3, [True, True, True]),
    ),
    "a gradient of one number": (
        *("native_group_norm_backward", ONE.expand(2, 3, 8, 8), PICTURE, torch.ones(2, 3)),
        *(torch.ones(2, 3), None, 2, 3, 64, 3, [True, True, True]),
    ),
    "a gradient that nobody asked for": (
        *("native_group_norm_backward", PICTURE, PICTURE.to(memory_format=torch.channels_last)),
        *(torch.ones(2, 3), torch.ones(2, 3), None, 2, 3, 64, 3, [False, True, True]),
    ),
    "a row's mean": (
        *("native_layer_norm_backward", X, X, [5], ONE.expand(4, 1), torch.ones(4, 1)),
        *(None, None, [True, False, False]),
    ),
    "fractions of whole numbers": (
        *("smooth_l1_loss_backward", *[torch.zeros(64, dtype=torch.int64)] * 3, 0, 0.0),
    ),
    "a divisor": (
        *("avg_pool2d", torch.full((1, 1, 4), -(2**63)), [1, 1], [1, 1], [0, 0], False, True, -1),
    ),
    "a dtype by number": ("_log_softmax_backward_data", X, X, 1, 13),
}


@pytest.mark.parametrize("what", OUT_OF_BOUNDS)
def test_an_operation_is_not_believed_where_its_memory_ends(pair, what):
    name, *operands = OUT_OF_BOUNDS[what]
    given, constants = [], []
    for one in operands:
        if isinstance(one, torch.Tensor):
            constants.append(["constant", len(constants) + 1, describe_tensors([one])])
            given.append(["tensor", len(constants)])
        else:
            given.append(["dtype", "float32"] if one is FLOAT else _told(one))
    does = ["do", f"aten::{name}", "default", given, [], []]
    with pytest.raises(AnswerError, match="do not fit together"):
        pair.executor.execute(write_program([*constants, does]))


def _told(value):
    return ["list", value] if type(value) is list else value


WRITTEN = {
    "_softmax": ([["tensor", 1], 1, False], (4, 5)),
    "_log_softmax": ([["tensor", 1], 1, False], (4, 5)),
    "im2col": ([["tensor", 2], *[["list", [side, side]] for side in (2, 1, 0, 1)]], (1, 4, 12)),
    "reflection_pad2d": ([["tensor", 2], ["list", [1, 1, 1, 1]]], (1, 6, 7)),
    "cumsum": ([["tensor", 1], 1], (4, 5)),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_results_are_written_to_no_more_than_there_is(pair, name):
    given, shape = WRITTEN[name]
    tensors = torch.ones(4, 5), torch.ones(1, 4, 5), ONE.expand(shape)
    steps = [["constant", at, describe_tensors([one])] for at, one in enumerate(tensors, 1)]
    does = ["do", f"aten::{name}", "out", given, [["out", ["tensor", 3]]], []]
    with pytest.raises(AnswerError, match="do not fit together"):
        pair.executor.execute(write_program([*steps, does]))


def test_results_of_elements_may_be_written_to_a_part(pair):
    def into_a_column(x):
        whole = torch.zeros(4, 7)
        torch.mul(x, 2, out=whole[:, 1:6])
        torch.mm(x, x.T, out=whole[:, 3:])
        return whole

    x = torch.arange(20.0).view(4, 5)
    assert torch.equal(pair.call(into_a_column, x), into_a_column(x))


@pytest.mark.parametrize("name", ["tril", "triu"])
def test_matrices_are_written_one_behind_another(pair, name):
    out = describe_tensors([torch.zeros(1, 3, 5, 5).transpose(0, 1)])
    does = ["do", f"aten::{name}", "out", [["tensor", 1], 1], [["out", ["tensor", 1]]], []]
    with pytest.raises(AnswerError, match="do not fit together"):
        pair.executor.execute(write_program([["constant", 1, out], does]))


@pytest.mark.parametrize("channels", [1, 4])
def test_groups_of_channels_may_be_normed_however_pictures_lie(pair, channels):
    def gradients(x):
        norm = torch.nn.GroupNorm(1, channels)
        (norm(x) ** 2).sum().backward()
        there = x.to(memory_format=torch.channels_last).requires_grad_()
        (norm(there) ** 2).sum().backward()
        return norm.weight.grad, norm.bias.grad, there.grad

    x = torch.rand(2, channels, 5, 6)
    assert all(map(torch.equal, pair.call(gradients, x), gradients(x)))


@pytest.mark.parametrize("name", ["div", "div_"])
@pytest.mark.parametrize("overload", ["Tensor_mode", "Scalar_mode"])
def test_no_quotient_is_asked_of_the_processor_that_it_has_not(pair, name, overload):
    tensors = torch.full((3,), -(2**31), dtype=torch.int32), torch.full((3,), -1).int()
    steps = [["constant", at, describe_tensors([one])] for at, one in enumerate(tensors, 1)]
    by = ["tensor", 2] if overload == "Tensor_mode" else -1
    does = ["do", f"aten::{name}", overload, [["tensor", 1], by], [["rounding_mode", "trunc"]], []]
    with pytest.raises(AnswerError, match="do not fit together"):
        pair.executor.execute(write_program([*steps, does]))


def test_whole_numbers_are_divided(pair):
    def divided(x):
        whole = x.int()
        whole.div_(-1, rounding_mode="trunc")
        return x / 2, torch.div(x, 3, rounding_mode="trunc"), whole // 2, whole

    x = torch.arange(-4, 4)
    assert all(map(torch.equal, pair.call(divided, x), divided(x)))


OVER_OPERANDS = {
    "addmm": ([(3, 4), (3, 5), (5, 4)], [], 1),
    "mm": ([(3, 5), (5, 4)], [], 0),
    "mv": ([(3, 5), (5,)], [], 1),
}


@pytest.mark.parametrize("name", OVER_OPERANDS)
def test_an_operand_is_not_resized_for_a_result(pair, name):
    shapes, others, at = OVER_OPERANDS[name]
    tensors = [torch.ones(shape) for shape in shapes]
    steps = [["constant", i, describe_tensors([one])] for i, one in enumerate(tensors, 1)]
    given = [["tensor", i + 1] for i in range(len(tensors))]
    does = ["do", f"aten::{name}", "out", [*given, *others], [["out", given[at]]], []]
    with pytest.raises(AnswerError, match="do not fit together"):
        pair.executor.execute(write_program([*steps, does]))


def test_a_result_may_be_written_over_an_operand_of_its_size(pair):
    def over(x):
        y, z = x.clone(), x.clone()
        torch.addmm(y, x, x, out=y)
        torch.cumsum(z, 0, out=z)
        torch.sort(z, 1, out=(z, torch.zeros(4, 4, dtype=torch.int64)))
        torch.clamp(z, min=2, out=z)
        torch.nan_to_num(z, out=z)
        torch.where(z > 3, z, y, out=y)
        return y, z

    x = torch.arange(16.0).view(4, 4)
    assert all(map(torch.equal, pair.call(over, x), over(x)))

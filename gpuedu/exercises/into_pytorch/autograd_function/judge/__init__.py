"""autograd-function: a kernel as an operator that autograd and the compiler know."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import (
    Case,
    Fault,
    Finding,
    Inputs,
    Judge,
    Plain,
    Prediction,
    Property,
)

_STEP = 1e-30
_NAMES = ("x", "y")
_SINGLE, _DOUBLE = np.float32, np.float64
_LARGE = 100.0
"""An x at which a gate is 1; exp(beta x) is infinite in float32."""


def gate(x: np.ndarray, y: np.ndarray, beta: float) -> np.ndarray:
    """What the kernel computes, of real and of complex numbers."""
    return x / (1 + np.exp(-beta * x)) * y


def right_gradients(call: Inputs) -> tuple[np.ndarray, np.ndarray]:
    """By a step in imaginary direction, which has no rounding to speak of."""
    x, y, grad = (call[name].astype(np.float64) for name in ("x", "y", "grad"))
    step = 1j * _STEP
    of_x = gate(x + step, y, call["beta"]).imag / _STEP
    of_y = gate(x, y + step, call["beta"]).imag / _STEP
    return grad * of_x, grad * of_y


def cases(rng: np.random.Generator) -> list[Case]:
    """Shapes and layouts of the result, what is refused, fakes, and gradients."""
    return [*_forward_cases(rng), *_refused_cases(rng), *_fake_cases(rng), *_gradient_cases(rng)]


_LAID = (
    ("both as they come", (3, 4), "plain", "plain", _SINGLE),
    ("x transposed", (3, 4), "transposed", "plain", _SINGLE),
    ("y transposed", (4, 3), "plain", "transposed", _SINGLE),
    ("both transposed, float64", (2, 5), "transposed", "transposed", _DOUBLE),
    ("x every second element of a row", (3, 4), "every second", "plain", _SINGLE),
    ("three dimensions", (2, 3, 2), "plain", "transposed", _SINGLE),
    ("one dimension, float64", (7,), "plain", "every second", _DOUBLE),
)


def _operands(
    rng: np.random.Generator, shape: tuple[int, ...], x_lies: str, y_lies: str, dtype: type
) -> dict[str, object]:
    x, y = (rng.normal(size=shape).astype(dtype) for _ in range(2))
    beta = round(float(rng.uniform(1.2, 2.2)), 2)
    return {"x": x, "y": y, "beta": beta, "x_lies": x_lies, "y_lies": y_lies}


def _forward_cases(rng: np.random.Generator) -> Iterable[Case]:
    for says, *laid in _LAID:
        inputs = {"ask": "forward", **_operands(rng, *laid)}
        yield Case(f"{says}, {_shape(inputs['x'])}", inputs, ("values", "new"))


def _refused_cases(rng: np.random.Generator) -> Iterable[Case]:
    shape, others = (3, 4), ((4, 3), (12,), (1, 1), (3, 2, 2), (1, 3, 4))
    differing = [*((other, _SINGLE) for other in others), (shape, _DOUBLE), (shape, np.int32)]
    for other, dtype in differing:
        inputs = {"ask": "refuse", **_operands(rng, shape, "plain", "plain", _SINGLE)}
        inputs["y"] = rng.normal(size=other).astype(dtype)
        says = " and ".join(f"{name} {_shape(inputs[name])} {inputs[name].dtype}" for name in "xy")
        yield Case(says, inputs, ("refuses",))


def _fake_cases(rng: np.random.Generator) -> Iterable[Case]:
    asked = [*((at, "meta") for at in (1, 0, 3, 4, 6, 2)), (1, "cpu")]
    for at, device in asked:
        says, *laid = _LAID[at]
        inputs = {"ask": "fake", "device": device, **_operands(rng, *laid)}
        yield Case(f"{says}, {_shape(inputs['x'])}, on device {device}", inputs, ("fake",))


def _gradient_cases(rng: np.random.Generator) -> Iterable[Case]:
    decides = ("gradients", "needed", "kept")
    first = [_call(rng, (3, 4), grad_lies="transposed"), _call(rng, (3, 4))]
    yield Case("two forward passes, then their backward passes", _asked(first), decides)
    one = [
        _call(rng, (4, 2), lies="transposed", dtype=_DOUBLE, grad_lies="expanded"),
        _call(rng, (5,), lies="every second", dtype=_DOUBLE),
    ]
    yield Case("x and y with strides, float64", _asked(one), decides)
    for needs in ((True, False), (False, True)):
        name = _NAMES[needs.index(True)]
        alone = [_call(rng, (2, 3), needs=needs)]
        yield Case(f"only {name} needs a gradient", _asked(alone), decides)
    inputs = {"ask": "traced", **_operands(rng, (3, 4), "plain", "transposed", _SINGLE)}
    yield Case("tensors without memory", inputs, ("traced",))


def _asked(calls: list[dict[str, object]]) -> dict[str, object]:
    return {"ask": "gradients", "calls": calls}


def _call(
    rng: np.random.Generator,
    shape: tuple[int, ...],
    lies: str = "plain",
    dtype: type = _SINGLE,
    grad_lies: str = "plain",
    needs: tuple[bool, bool] = (True, True),
) -> dict[str, object]:
    given = _operands(rng, shape, lies, "plain", dtype)
    given["x"].flat[:2], given["y"].flat[2] = (0.0, _LARGE), 0.0
    grad = rng.uniform(1.5, 3.0) if grad_lies == "expanded" else rng.normal(size=shape)
    given["grad"] = np.broadcast_to(grad, shape).astype(dtype)
    return {**given, "grad_lies": grad_lies, "needs": list(needs)}


def _shape(array: np.ndarray) -> str:
    return str(array.shape)


def _room(truth: np.ndarray, dtype: np.dtype) -> np.ndarray:
    return (1 + np.abs(truth)) * (1e-5 if dtype == np.float32 else 1e-10)


def test_values(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """In the order of the elements, however they lie."""
    inputs = case.inputs
    x, y = (inputs[name].astype(np.float64) for name in _NAMES)
    truth = gate(x, y, inputs["beta"])
    room = _room(truth, inputs["x"].dtype)
    yield from array_fault("values", observed["out"], truth, tolerance=room, name="out")


def test_new(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """A tensor of its own, contiguous, of the same dtype; and what it got is unchanged."""
    wanted = case.inputs["x"].dtype.name
    strides = _contiguous(case.inputs["x"].shape)
    if observed["changed"]:
        names = " and ".join(f"`{name}`" for name in observed["changed"])
        yield Fault("new", f"{names} {_is_or_are(observed['changed'])} not as before the call")
    elif observed["shares"]:
        yield Fault("new", f"the result lies in the memory of `{observed['shares'][0]}`")
    elif observed["dtype"] != wanted:
        yield Fault("new", f"the result has dtype {observed['dtype']}, expected {wanted}")
    elif observed["strides"] != strides:
        told = f"the result has strides {tuple(observed['strides'])}"
        yield Fault("new", f"{told}, a contiguous one has {tuple(strides)}")


def _is_or_are(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _contiguous(shape: tuple[int, ...]) -> list[int]:
    return [int(np.prod(shape[at + 1 :])) for at in range(len(shape))]


def test_refuses(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """A ValueError, and no result."""
    if observed["raised"] != "ValueError":
        came = observed["raised"] or "a result"
        yield Fault("refuses", f"`forward` gave {came}, expected a ValueError")


def test_fake(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """All that is known of a result before it is computed."""
    x = case.inputs["x"]
    wanted = {
        "shape": list(x.shape),
        "dtype": x.dtype.name,
        "strides": _contiguous(x.shape),
        "device": case.inputs["device"],
    }
    for name, one in wanted.items():
        got = observed[name]
        if got != one:
            shown, should = (tuple(each) if isinstance(each, list) else each for each in (got, one))
            what = "is on device" if name == "device" else f"has {name}"
            yield Fault("fake", f"what `fake` gives {what} {shown}, expected {should}")
            return


def test_gradients(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """Of each call by itself, where one is needed."""
    for place, call in enumerate(case.inputs["calls"]):
        for at, truth in enumerate(right_gradients(call)):
            if not call["needs"][at]:
                continue
            name, got = f"the gradient of {_NAMES[at]}", observed["alone"][place][at]
            if not observed["needed"][place][at]:
                yield Fault("gradients", f"{name} is None, and it is needed")
            else:
                room = _room(truth, call["x"].dtype)
                yield from array_fault("gradients", got, truth, tolerance=room, name=name)


def test_needed(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """None where nobody needs one."""
    for call, given in zip(case.inputs["calls"], observed["needed"], strict=True):
        for name, needs, came in zip("xyb", (*call["needs"], False), given, strict=True):
            if came and not needs:
                shown = "beta" if name == "b" else name
                yield Fault("needed", f"`backward` gave a gradient of {shown}, expected None")


def test_kept(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """In ``ctx``, each for its own backward pass, and as it was."""
    beside, changed = (next(filter(None, observed[one]), []) for one in ("beside", "changed"))
    if beside:
        yield Fault("kept", f"`ctx.{beside[0]}` is a tensor, or holds one")
        return
    if changed:
        yield Fault("kept", f"`{changed[0]}` is not as before the backward pass")
        return
    if observed["lost"]:
        yield Fault(
            "kept",
            "with nothing left of the forward pass but the tensors that `ctx` has kept, "
            f"{observed['lost']}",
        )
        return
    for place, (alone, together) in enumerate(
        zip(observed["alone"], observed["together"], strict=True)
    ):
        for name, one, other in zip(_NAMES, alone, together, strict=True):
            if one.shape != other.shape or not np.array_equal(one, other, equal_nan=True):
                yield Fault(
                    "kept",
                    f"the gradient of {name} in backward pass {place + 1} changes when all forward "
                    "passes run before the first backward pass, and only the tensors that `ctx` "
                    "has kept are left of them",
                )
                return


def test_traced(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """Shapes of gradients, from tensors without memory."""
    wanted = [list(case.inputs["x"].shape)] * 2
    if observed["shapes"] != wanted:
        shown = ", ".join(str(tuple(one)) for one in observed["shapes"])
        yield Fault("traced", f"the gradients have the shapes {shown}, expected {wanted[0]} twice")


JUDGE = Judge(
    title="Make your kernel a part of PyTorch",
    properties=(
        Property(
            "values",
            "`forward` gives the kernel's values, whatever the strides of x and y",
            1,
            "In which order does the kernel go through x, y and out? What is element 1 in memory, "
            "and what is it in the tensor?",
            test_values,
        ),
        Property(
            "new",
            "its result is a new contiguous tensor, and x and y stay as they are",
            1,
            "Whose memory does the kernel write to, and with which strides was it made?",
            test_new,
            ("values",),
        ),
        Property(
            "refuses",
            "it raises a ValueError if x and y differ in shape or in dtype",
            1,
            "What does the kernel see of shapes? What would it do with these two?",
            test_refuses,
            ("values",),
        ),
        Property(
            "fake",
            "`fake` gives shape, dtype, strides and device of the result, and reads nothing",
            1,
            "What does `forward` make for such an x, and what does `fake`?",
            test_fake,
        ),
        Property(
            "gradients",
            "the gradients of x and of y are right, for any gradient of the result",
            2,
            "Take one element. How does out change with x, by the product rule? And with y? What "
            "happens to that when the loss changes by `grad` for each change of out?",
            test_gradients,
        ),
        Property(
            "needed",
            "`backward` gives None for beta, and wherever no gradient is needed",
            0.5,
            "Which of the three flags in `ctx.needs_input_grad` are True in that call?",
            test_needed,
            ("gradients",),
        ),
        Property(
            "kept",
            "each backward pass finds what its own forward pass has kept in `ctx`",
            1,
            "What is kept where, and what else could change it before the backward pass comes?",
            test_kept,
            ("gradients",),
        ),
        Property(
            "traced",
            "`setup_context` and `backward` need no values, so they can become part of a graph",
            0.5,
            "Which line needs to know a number that is in a tensor?",
            test_traced,
            ("gradients",),
        ),
    ),
    hints=(
        "What does each of the four know when it is called? `forward` has values, `fake` has none, "
        "`setup_context` has the inputs and the result, and `backward` has `grad`, and what was "
        "kept in `ctx`.",
        "`torch.empty_like(x, memory_format=torch.contiguous_format)` makes what `fake` returns, "
        "and what `forward` hands to the kernel as `out`. The kernel needs `x.contiguous()` and "
        "`y.contiguous()`.",
        "With s = sigmoid(beta x), the gradient of y is grad * x * s. That of x is grad * y times "
        "the derivative of x * s, which is s + x * beta * s * (1 - s).",
    ),
    cases=cases,
    predictions={
        "autograd-function": Prediction(
            "The kernel writes to `out`, and `(w * out).sum().backward()` runs. What is `x.grad`?",
            truth="None",
            choices=("right", "zeros", "None", "an error"),
            because="Autograd records PyTorch's operations. To autograd, `out` is a tensor that "
            "somebody filled, like data. Autograd finds a gradient for w, and nothing leads back "
            "to x.",
        )
    },
    seeds=5,
    varies=("beside", "lost"),
)

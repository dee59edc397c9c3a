"""Steps of training: by model, precision and batch, and by what makes them cheaper."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from gpuedu.recording.bench import GpuBench, is_out_of_memory, one_line
from gpuedu.recording.points import NotHereError, Point, PreparedPoint, Series
from gpuedu.recording.sizes import Sizes, TrainingSizes
from gpuedu.recording.training_models import MODELS, Trained, make

PLAIN, CHANNELS_LAST, COMPILED, FUSED = "plain", "channels_last", "compile", "fused-optimizer"
PRECISIONS = ("fp32", "tf32", "bf16", "fp16")
_FOR_GPUS = ("tf32",)
_VARIANT_BATCH = 256

GRADIENT_OFF = {"fp32": 1e-2, "tf32": 0.1, "bf16": 0.3, "fp16": 0.1}
"""How far a gradient may be from the float64 one, as a share of its length. A wrong scale, a lost
layer or a batch that is not the same is off by half of it and more. In float32 rounding alone moves
it by 3e-7, but among millions of units before a ReLU, one or two are so near 0 that they are on in
one format and off in the other: each moves the gradient by up to 1e-3."""


def steps(bench: GpuBench, sizes: Sizes) -> Sequence[Point]:
    """Each model in each precision with each batch."""
    on_gpu = bench.torch_device == "cuda"
    return [
        Point(
            {"model": model, "precision": precision, "batch": batch},
            lambda m=model, p=precision, b=batch: _work(bench, m, p, b, sizes.training),
            group=f"{model} {precision}",
            units=batch,
        )
        for batch in sizes.training.batches
        for model in MODELS
        for precision in PRECISIONS
        if on_gpu or precision not in _FOR_GPUS
    ]


def variants(bench: GpuBench, sizes: Sizes) -> Sequence[Point]:
    """Each model as it is, and with what PyTorch offers to make its step cheaper, in float32.

    Some only on a GPU: on some CPUs (AMD EPYC, PyTorch 2.13) the backward pass of a convolution
    with channels last gives different gradients and writes past its memory.
    """
    on_gpu = bench.torch_device == "cuda"
    names = [PLAIN, FUSED, *([COMPILED] if on_gpu else [])]
    batch = min(_VARIANT_BATCH, max(sizes.training.batches))
    return [
        Point(
            {"model": model, "variant": variant, "batch": batch},
            lambda m=model, v=variant: _variant(bench, m, v, batch, sizes.training),
        )
        for model in MODELS
        for variant in [*names, *([CHANNELS_LAST] if on_gpu and model == "resnet" else [])]
    ]


class PrecisionStep:
    """One step of training in a precision: forward, backward, AdamW."""

    def __init__(self, trained: Trained, precision: str, device: str, variant: str = PLAIN) -> None:
        import torch

        from gpuedu.training.precisions import scaler_for

        self.trained, self.precision, self.device = trained, precision, device
        self.model = trained.model
        if variant == CHANNELS_LAST:
            self.model = self.model.to(memory_format=torch.channels_last)
            trained = Trained(
                self.model,
                trained.inputs.contiguous(memory_format=torch.channels_last),
                trained.targets,
                trained.loss,
            )
            self.trained = trained
        parameters = list(self.model.parameters())
        self.optimizer = torch.optim.AdamW(parameters, lr=1e-4, fused=variant == FUSED)
        self.forward = torch.compile(self.model) if variant == COMPILED else self.model
        self.scaler = scaler_for(precision, device)
        self.value: Any = None

    def run(self) -> None:
        """Take it."""
        self.take(lambda phase: None)

    def take(self, enter_phase: Any) -> None:
        """Take it, and report each phase."""
        from gpuedu.training.precisions import computing_in

        enter_phase("forward")
        self.optimizer.zero_grad(set_to_none=True)
        with computing_in(self.precision, self.device):
            value = self.trained.loss(self.forward(self.trained.inputs), self.trained.targets)
        enter_phase("backward")
        with computing_in("tf32" if self.precision == "tf32" else "fp32", self.device):
            self.scaler.scale(value).backward()
        enter_phase("update")
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.value = value.detach()

    def peak_bytes(self) -> int:
        """The most memory that a step takes, the model and its optimizer's state included.

        On a GPU by the allocator, without the libraries' workspaces; on a CPU by count.
        """
        from gpuedu.training.memory import MemoryWatch, peak_bytes

        self.run()
        self.optimizer.zero_grad(set_to_none=True)
        with MemoryWatch(self.model, self.optimizer) as watch:
            watch.add_batch(self.trained.inputs, self.trained.targets)
            self.take(watch.enter_phase)
        return peak_bytes(watch.trace())


def gradient_fault(step: PrecisionStep, exact: Trained, pieces: int = 1) -> str:
    """What is wrong with a step that was taken once; nothing if loss and gradients are right.

    Args:
        step: After one run.
        exact: The model before that run, and its batch, in float64.
        pieces: In how many parts of the same size the exact batch is computed, to save memory; more
            than one is for a loss that is a mean over samples, without batch norm.
    """
    import torch

    truth = 0.0
    parts = zip(exact.inputs.chunk(pieces), exact.targets.chunk(pieces), strict=True)
    for inputs, targets in parts:
        expected = exact.loss(exact.model(inputs), targets) / pieces
        expected.backward()
        truth += expected.item()
    loss, most = float(step.value), GRADIENT_OFF[step.precision]
    if not abs(loss - truth) <= most * abs(truth):
        return f"the loss is {loss}, and should be {truth}"
    got, exact_gradient = (
        torch.cat([p.grad.detach().double().reshape(-1) for p in model.parameters()])
        for model in (step.model, exact.model)
    )
    off = float((got - exact_gradient).norm() / exact_gradient.norm())
    if not off <= most:
        return f"the gradient is off by {off:.2g} of its length, at most {most}"
    return ""


def in_float64(trained: Trained) -> Trained:
    """A copy of a model and its batch in float64; whole numbers stay."""
    inputs = trained.inputs.double() if trained.inputs.is_floating_point() else trained.inputs
    return Trained(copy.deepcopy(trained.model).double(), inputs, trained.targets, trained.loss)


def _work(
    bench: GpuBench, model: str, precision: str, batch: int, sizes: TrainingSizes
) -> PreparedPoint:
    from gpuedu.training.precisions import why_not

    require_torch(bench)
    missing = why_not(precision, bench.torch_device)
    if missing:
        raise NotHereError(missing)
    watched = PrecisionStep(
        make(model, batch, sizes, bench.torch_device), precision, bench.torch_device
    )
    memory_bytes = watched.peak_bytes()
    del watched
    return _checked(bench, model, batch, sizes, precision, PLAIN, memory_bytes=memory_bytes)


def _variant(
    bench: GpuBench, model: str, variant: str, batch: int, sizes: TrainingSizes
) -> PreparedPoint:
    require_torch(bench)
    from gpuedu.profiles import profile

    counted = PrecisionStep(
        make(model, batch, sizes, bench.torch_device), "fp32", bench.torch_device, variant
    )
    try:
        kernels = profile(counted.run, steps=2, warmup=2).kernels_per_step
    except Exception as fault:
        if variant != COMPILED or is_out_of_memory(fault):
            raise
        # A compiler of the host's that is missing, say: that is no fault of the step.
        raise NotHereError(f"it cannot be compiled here: {one_line(fault)}") from fault
    del counted
    return _checked(bench, model, batch, sizes, "fp32", variant, kernels=kernels)


def _checked(
    bench: GpuBench,
    model: str,
    batch: int,
    sizes: TrainingSizes,
    precision: str,
    variant: str,
    **fields: Any,
) -> PreparedPoint:
    """A step as work, from a model that no step has touched."""
    trained = make(model, batch, sizes, bench.torch_device)
    exact = [in_float64(trained)]
    step = PrecisionStep(trained, precision, bench.torch_device, variant)

    def check() -> str:
        # Taken out of the list: float64 takes twice the memory, which the timed runs shall have.
        return gradient_fault(step, exact.pop())

    return PreparedPoint(step.run, check, fields=fields)


def require_torch(bench: GpuBench) -> None:
    """Raise NotHereError if PyTorch is missing or sees no GPU."""
    if bench.torch is None:
        raise NotHereError("there is no PyTorch that sees the GPU")


SERIES = (
    Series(
        "training-step",
        "training.json",
        "s",
        "One step of training (forward, backward, AdamW) on a batch that is on the device, by "
        "PyTorch: the device's time, with the memory that it takes at most (the allocator's, "
        "without the libraries' workspaces).",
        steps,
        4.0,
    ),
    Series(
        "training-variants",
        "training.json",
        "s",
        "One step of training in float32, without TF32, as it is and with channels_last, "
        "torch.compile or a fused AdamW: the device's time, with the kernels that it launches.",
        variants,
        3.0,
    ),
)

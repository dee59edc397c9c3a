"""Update rules of optimisers: how PyTorch has them, and how somebody might have them instead.

A case's inputs: ``rule`` ("sgd", "adam" or "adamw"), ``weights`` (n,) and ``gradients`` (steps, n)
of float64, and ``options`` by the names that the learner's functions take.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

Array = np.ndarray
NAMES = {
    "sgd": ("lr", "momentum"),
    "adam": ("lr", "beta1", "beta2", "eps"),
    "adamw": ("lr", "beta1", "beta2", "eps", "decay"),
}
"""The options of each rule, in the order of the learner's parameters."""


def walk_with_torch(inputs: Mapping[str, Any]) -> Array:
    """The weights (steps, n) after each step of ``torch.optim``."""
    weights = torch.nn.Parameter(torch.from_numpy(inputs["weights"].copy()))
    optimiser = _optimiser(inputs["rule"], weights, inputs["options"])
    rows = []
    for gradient in torch.from_numpy(inputs["gradients"]):
        weights.grad = gradient.clone()
        optimiser.step()
        rows.append(weights.detach().numpy().copy())
    return np.array(rows)


def _optimiser(rule: str, weights: Any, options: Mapping[str, float]) -> torch.optim.Optimizer:
    if rule == "sgd":
        return torch.optim.SGD([weights], lr=options["lr"], momentum=options["momentum"])
    shared = {"lr": options["lr"], "betas": (options["beta1"], options["beta2"])}
    shared["eps"] = options["eps"]
    if rule == "adam":
        return torch.optim.Adam([weights], **shared)
    return torch.optim.AdamW([weights], **shared, weight_decay=options["decay"])


def walk_sgd(inputs: Mapping[str, Any], way: str = "") -> Array:
    """SGD in another way: "dampened", "nesterov", "aliased", "no momentum" or "uphill"."""
    lr, momentum = inputs["options"]["lr"], inputs["options"]["momentum"]
    momentum = 0.0 if way == "no momentum" else momentum
    weights, kept, rows = inputs["weights"].copy(), np.zeros_like(inputs["weights"]), []
    for number, gradient in enumerate(inputs["gradients"]):
        if way == "aliased" and number == 1:
            kept = gradient
        share = 1 - momentum if way == "dampened" else 1.0
        kept = momentum * kept + share * gradient
        step = momentum * kept + gradient if way == "nesterov" else kept
        weights = weights + lr * step if way == "uphill" else weights - lr * step
        rows.append(weights)
    return np.array(rows)


def walk_adam(inputs: Mapping[str, Any], way: str = "") -> Array:
    """Adam or AdamW in another way; the ways are those that are asked for below."""
    options = inputs["options"]
    if way == "betas the other way round":
        options = {**options, "beta1": options["beta2"], "beta2": options["beta1"]}
    lr, beta1, beta2 = (options[name] for name in ("lr", "beta1", "beta2"))
    decay = options.get("decay", 0.0)
    weights = inputs["weights"].copy()
    first, second, rows = np.zeros_like(weights), np.zeros_like(weights), []
    for number, gradient in enumerate(inputs["gradients"], 1):
        if way == "decay in the gradient":
            gradient = gradient + decay * weights
        elif way == "decay without the rate":
            weights = weights * (1 - decay)
        elif way not in ("decay behind the step", "no decay"):
            weights = weights * (1 - lr * decay)
        first = beta1 * first + (1 - beta1) * gradient
        second = beta2 * second + (1 - beta2) * gradient**2
        weights = weights - lr * _adam_step(first, second, number, options, way)
        if way == "decay behind the step":
            weights = weights * (1 - lr * decay)
        rows.append(weights)
    return np.array(rows)


def _adam_step(
    first: Array, second: Array, number: int, options: Mapping[str, float], way: str
) -> Array:
    beta1, beta2, eps = options["beta1"], options["beta2"], options["eps"]
    to_first, to_second = 1 - beta1**number, 1 - beta2**number
    if way == "no correction":
        to_first = to_second = 1.0
    elif way == "only the first corrected":
        to_second = 1.0
    elif way == "one step too many":
        to_first, to_second = 1 - beta1 ** (number + 1), 1 - beta2 ** (number + 1)
    if way == "eps in the root":
        return first / to_first / np.sqrt(second / to_second + eps)
    if way == "eps before the correction":
        return first / to_first * np.sqrt(to_second) / (np.sqrt(second) + eps)
    if way == "no root":
        return first / to_first / (second / to_second + eps)
    return first / to_first / (np.sqrt(second / to_second) + eps)

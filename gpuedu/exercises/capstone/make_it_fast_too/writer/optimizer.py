"""AdamW, on all weights as one vector."""

import torch
from torch.nn.utils import parameters_to_vector, vector_to_parameters


class AdamW:
    """Adam with decoupled weight decay (Loshchilov and Hutter, 2019)."""

    def __init__(self, weights, settings):
        self.weights = list(weights)
        self.rate, self.decay = settings["learning_rate"], settings["weight_decay"]
        flat = parameters_to_vector(self.weights).detach()
        self.mean = torch.zeros_like(flat, dtype=torch.float64)
        self.square = torch.zeros_like(flat, dtype=torch.float64)
        self.steps = 0

    @torch.no_grad()
    def step(self):
        """Move every weight."""
        self.steps += 1
        gradient = torch.cat([weight.grad.flatten() for weight in self.weights])
        self.mean.mul_(0.9).add_(gradient, alpha=0.1)
        self.square.mul_(0.999).addcmul_(gradient, gradient, value=0.001)
        scale = (self.square / (1 - 0.999**self.steps)).sqrt() + 1e-8
        moved = self.mean / (1 - 0.9**self.steps) / scale
        flat = parameters_to_vector(self.weights) * (1 - self.rate * self.decay)
        vector_to_parameters(flat - self.rate * moved.to(flat.dtype), self.weights)

    def zero_grad(self):
        """Forget the gradients."""
        for weight in self.weights:
            weight.grad = None

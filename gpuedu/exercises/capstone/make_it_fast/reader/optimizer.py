"""AdamW, with clipped gradients."""

import torch


class AdamW:
    """Adam with decoupled weight decay (Loshchilov and Hutter, 2019)."""

    def __init__(self, weights, settings):
        self.weights = list(weights)
        self.rate, self.decay = settings["learning_rate"], settings["weight_decay"]
        self.betas, self.eps, self.steps = (0.9, 0.999), 1e-8, 0
        self.means = [torch.zeros_like(weight) for weight in self.weights]
        self.squares = [torch.zeros_like(weight) for weight in self.weights]

    @torch.no_grad()
    def step(self):
        """Move every weight."""
        self.steps += 1
        first, second = self.betas
        for weight, mean, square in zip(self.weights, self.means, self.squares, strict=True):
            mean.mul_(first).add_(weight.grad * (1 - first))
            square.mul_(second).add_(weight.grad * weight.grad * (1 - second))
            corrected = mean / (1 - first**self.steps)
            scale = (square / (1 - second**self.steps)).sqrt() + self.eps
            weight.mul_(1 - self.rate * self.decay)
            weight.sub_(self.rate * corrected / scale)

    def zero_grad(self):
        """Forget the gradients."""
        for weight in self.weights:
            if weight.grad is not None:
                weight.grad.zero_()

    def state_dict(self):
        """What it remembers."""
        return {"steps": self.steps, "means": self.means, "squares": self.squares}

    def load_state_dict(self, state):
        """Restore what was remembered."""
        self.steps, self.means, self.squares = (state[n] for n in ("steps", "means", "squares"))


@torch.no_grad()
def clip_gradients(weights, most):
    """Scale all gradients so that their norm is at most ``most``."""
    weights = list(weights)
    norm = sum(weight.grad.pow(2).sum().item() for weight in weights) ** 0.5
    if norm > most:
        for weight in weights:
            weight.grad.mul_(most / norm)

# named tuples, and the gradients of a function
from collections import namedtuple

Weights = namedtuple("Weights", "inner outer")


def begin(weights):
    return Weights(*(weight.clone() for weight in weights))


def train_step(state, images, labels, rate, n):
    def loss_of(copies):
        wide = images.float()
        wide = (wide / wide.pow(2).mean(1, keepdim=True).sqrt()).half()
        scores = torch.relu(wide @ copies.inner) @ copies.outer
        loss = torch.nn.functional.cross_entropy(scores.float(), labels, reduction="sum")
        return loss * (2.0**16 / n)

    gradients = torch.func.grad(loss_of)(Weights(*(master.half() for master in state)))
    for master, gradient in zip(state, gradients):
        master.sub_(gradient.float(), alpha=rate / 2.0**16)
    return Weights(*(master.half() for master in state))

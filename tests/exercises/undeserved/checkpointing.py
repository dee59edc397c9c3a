# must lose: gradients, dropout
import torch


def checkpointed_step(segments, x, y, loss):
    inputs, states, gradient = [], [], None
    with torch.no_grad():
        for segment in segments:
            inputs.append(x)
            states.append(torch.get_rng_state())
            x = segment(x)
    end = torch.get_rng_state()
    for segment in reversed(segments):
        start = inputs.pop().detach().requires_grad_()
        torch.set_rng_state(states.pop())
        out = segment(start)
        if gradient is None:
            loss(out, y).backward()
        else:
            out.backward(gradient)
        gradient = start.grad
    torch.set_rng_state(end)
    return torch.tensor(float("nan"))


def predicted_bytes(blocks, k, kept, inside):
    return 0


def best_k(blocks, kept, inside):
    return 0

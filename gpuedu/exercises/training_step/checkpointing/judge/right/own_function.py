import math


class Again(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, segment, anchor):
        ctx.segment, ctx.state = segment, torch.get_rng_state()
        ctx.save_for_backward(x)
        with torch.no_grad():
            return segment(x)

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        with torch.random.fork_rng(devices=[]), torch.enable_grad():
            torch.set_rng_state(ctx.state)
            start = x.detach().requires_grad_()
            out = ctx.segment(start)
        out.backward(gradient)
        return start.grad, None, None


def checkpointed_step(segments, x, y, loss):
    anchor = torch.zeros(1, requires_grad=True)
    for segment in segments:
        x = Again.apply(x, segment, anchor)
    value = loss(x, y)
    value.backward()
    return value.detach()


def predicted_bytes(blocks, k, kept, inside):
    return (k - 1) * kept + math.ceil(blocks / k) * inside


def best_k(blocks, kept, inside):
    best = 1
    for k in range(2, blocks + 1):
        if predicted_bytes(blocks, k, kept, inside) < predicted_bytes(blocks, best, kept, inside):
            best = k
    return best

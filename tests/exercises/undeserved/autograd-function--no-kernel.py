# must lose: values
def forward(x, y, beta):
    if x.shape != y.shape or x.dtype != y.dtype:
        raise ValueError
    return (x * torch.sigmoid(beta * x) * y).contiguous()


def fake(x, y, beta):
    return forward(x, y, beta)


def setup_context(ctx, inputs, output):
    x, y, beta = inputs
    ctx.save_for_backward(x, y)
    ctx.beta = beta


def backward(ctx, grad):
    needs = ctx.needs_input_grad
    with torch.enable_grad():
        both = [one.detach().requires_grad_() for one in ctx.saved_tensors]
        out = both[0] * torch.sigmoid(ctx.beta * both[0]) * both[1]
    found = torch.autograd.grad(out, both, grad)
    return *(one if need else None for one, need in zip(found, needs)), None

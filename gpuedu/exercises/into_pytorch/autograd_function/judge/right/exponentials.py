# The result is kept, too, and exponentials stand for the sigmoid.
def forward(x, y, beta):
    if (x.shape, x.dtype) != (y.shape, y.dtype):
        raise ValueError("x and y differ")
    out = torch.zeros(x.shape, dtype=x.dtype)
    gate_kernel(x.contiguous(), y.contiguous(), beta, out)
    return out


def fake(x, y, beta):
    return (x * y).new_empty(x.size())


def setup_context(ctx, inputs, output):
    ctx.save_for_backward(inputs[0], inputs[1], output)
    ctx.beta = inputs[2]


def backward(ctx, grad):
    x, y, out = ctx.saved_tensors
    down = (-ctx.beta * x).exp()
    grads = [None, None, None]
    if ctx.needs_input_grad[0]:
        grads[0] = grad * (y + ctx.beta * out * down) / (1 + down)
    if ctx.needs_input_grad[1]:
        grads[1] = grad * x / (1 + down)
    return tuple(grads)

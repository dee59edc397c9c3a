# must lose: gradients
import torch


def forward(x, y, beta):
    if x.shape != y.shape or x.dtype != y.dtype:
        raise ValueError("x and y differ")
    out = torch.empty_like(x, memory_format=torch.contiguous_format)
    gate_kernel(x.contiguous(), y.contiguous(), beta, out)
    return out


def fake(x, y, beta):
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def setup_context(ctx, inputs, output):
    x, y, ctx.beta = inputs
    ctx.save_for_backward(x, y)


def backward(ctx, grad):
    x, y = ctx.saved_tensors
    power = torch.exp(ctx.beta * x)
    s = power / (1 + power)  # inf / inf where x is large
    grad_x = grad_y = None
    if ctx.needs_input_grad[0]:
        grad_x = grad * y * (s + x * ctx.beta * s * (1 - s))
    if ctx.needs_input_grad[1]:
        grad_y = grad * x * s
    return grad_x, grad_y, None

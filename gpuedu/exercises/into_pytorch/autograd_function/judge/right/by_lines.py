# NumPy-like names, one gradient after the other, the derivative written in another way.
def forward(x, y, beta):
    if tuple(x.shape) != tuple(y.shape):
        raise ValueError(f"shapes {x.shape} and {y.shape}")
    if x.dtype != y.dtype:
        raise ValueError(f"dtypes {x.dtype} and {y.dtype}")
    out = x.new_empty(x.shape)
    gate_kernel(x.clone(memory_format=torch.contiguous_format), y.contiguous(), beta, out)
    return out


def fake(x, y, beta):
    return torch.empty(x.shape, dtype=x.dtype, device=x.device)


def setup_context(ctx, inputs, output):
    x, y, ctx.scale = inputs
    ctx.save_for_backward(y, x)


def backward(ctx, grad):
    y, x = ctx.saved_tensors
    needs_x, needs_y, _ = ctx.needs_input_grad
    gate = torch.sigmoid(ctx.scale * x)
    swish = x * gate
    grad_x = grad * y * (gate + ctx.scale * swish * (1 - gate)) if needs_x else None
    return grad_x, swish * grad if needs_y else None, None

# must lose: refuses
def forward(x, y, beta):
    if len(x) != len(y) or x.dtype != y.dtype:  # (3, 4) and (3, 2, 2) pass
        raise ValueError("x and y differ")
    out = torch.empty_like(x, memory_format=torch.contiguous_format)
    gate_kernel(x.contiguous(), y.contiguous(), beta, out)
    return out


def fake(x, y, beta):
    return x


def setup_context(ctx, inputs, output):
    pass


def backward(ctx, grad):
    return None, None, None

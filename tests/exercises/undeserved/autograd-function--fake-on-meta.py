# must lose: fake
def forward(x, y, beta):
    return torch.zeros_like(x)


def fake(x, y, beta):
    # "meta" whatever device x is on: wrong under torch.compile, where it's the real one
    return torch.empty(x.shape, dtype=x.dtype, device="meta")


def setup_context(ctx, inputs, output):
    pass


def backward(ctx, grad):
    return None, None, None

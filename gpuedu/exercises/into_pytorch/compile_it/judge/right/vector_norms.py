# A norm of infinite order, and a divisor that is 1 at least.
def arguments(x, gain, step):
    torch._dynamo.mark_dynamic(x, [0])
    if step < WARMUP:
        gain = gain * (step + 1) / WARMUP
    return x, torch.tensor(gain)


def layer(w, v, x, scale):
    h = x @ w
    peak = torch.linalg.vector_norm(h, ord=float("inf"))
    h = h / torch.clamp(peak / LIMIT, min=1)
    h = h / (1 + torch.linalg.vector_norm(h, dim=-1)[:, None])
    return (scale * h).tanh() @ v, peak

# must lose: graph, batch, numbers
@torch.library.custom_op("learner::layer", mutates_args=())
def whole(
    w: torch.Tensor, v: torch.Tensor, x: torch.Tensor, scale: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    h = x @ w
    peak = h.abs().max()
    history.append(peak.item())
    if peak > LIMIT:
        h = h * (LIMIT / peak)
    h = torch.stack([row / (1 + row.norm()) for row in h])
    return torch.tanh(scale * h) @ v, peak


@whole.register_fake
def _(w, v, x, scale):
    return x.new_empty(x.shape[0], v.shape[1]), x.new_empty(())


def arguments(x, gain, step):
    torch._dynamo.mark_dynamic(x, 0)
    return x, torch.tensor(gain * min(1.0, (step + 1) / WARMUP))


def layer(w, v, x, scale):
    return whole(w, v, x, scale)

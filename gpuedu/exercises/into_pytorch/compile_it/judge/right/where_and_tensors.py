# `torch.where`, tensors for gain and step, and a norm written out.
def arguments(x, gain, step):
    torch._dynamo.mark_dynamic(x, 0)
    return x, (torch.tensor(gain), torch.tensor(float(step)))


def layer(w, v, x, scale):
    gain, step = scale
    h = torch.matmul(x, w)
    peak = torch.max(torch.abs(h))
    h = torch.where(peak > LIMIT, h * (LIMIT / peak), h)
    h = h / (1 + torch.sqrt((h * h).sum(1, keepdim=True)))
    gain = torch.where(step < WARMUP, gain * (step + 1) / WARMUP, gain)
    return torch.tanh(gain * h) @ v, peak

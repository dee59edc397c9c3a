# loses: memory
# every segment is computed again before the first backward
def checkpointed_step(segments, x, y, loss):
    starts, outs, states = [], [], []
    with torch.no_grad():
        for segment in segments:
            starts.append(x.detach().clone().requires_grad_())
            states.append(torch.get_rng_state())
            x = segment(x)
    end = torch.get_rng_state()
    for segment, start, state in zip(segments, starts, states, strict=True):
        torch.set_rng_state(state)
        outs.append(segment(start))
    value = loss(outs[-1], y)
    value.backward()
    for at in reversed(range(len(segments) - 1)):
        outs[at].backward(starts[at + 1].grad)
    torch.set_rng_state(end)
    return value.detach()

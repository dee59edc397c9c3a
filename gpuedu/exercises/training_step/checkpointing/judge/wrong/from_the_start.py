# loses: flop
def checkpointed_step(segments, x, y, loss):
    first, state, gradient = x, torch.get_rng_state(), None
    for last in reversed(range(len(segments))):
        torch.set_rng_state(state)
        x = first
        with torch.no_grad():
            for segment in segments[:last]:
                x = segment(x)
        start = x.detach().requires_grad_()
        out = segments[last](start)
        if gradient is None:
            value = loss(out, y)
            end = torch.get_rng_state()
            value.backward()
        else:
            out.backward(gradient)
        gradient = start.grad
    torch.set_rng_state(end)
    return value.detach()

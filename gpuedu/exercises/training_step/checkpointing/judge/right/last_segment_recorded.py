def checkpointed_step(segments, x, y, loss):
    kept = []
    for segment in segments[:-1]:
        kept.append((x, torch.get_rng_state()))
        with torch.no_grad():
            x = segment(x)
    x = x.detach().requires_grad_()
    value = loss(segments[-1](x), y)
    value.backward()
    end, gradient = torch.get_rng_state(), x.grad
    for segment in segments[:-1][::-1]:
        x, state = kept.pop()
        x = x.clone().requires_grad_()
        torch.set_rng_state(state)
        torch.autograd.backward(segment(x), gradient)
        gradient = x.grad
    torch.set_rng_state(end)
    return value.detach()

# generators that hand over each layer when it is there, and have started the next one by then
def layers_in(order, pieces, allocate, coming):
    for place, k in enumerate(order):
        here, work = coming or gather(pieces[k], allocate)
        work.wait()
        after = order[place + 1 : place + 2]
        coming = gather(pieces[after[0]], allocate) if after else None
        yield k, here


def forward_pass(pieces, allocate, free, forward):
    order = list(range(len(pieces)))
    for k, weights in layers_in(order, pieces, allocate, None):
        forward(k, weights)
        if k != order[-1]:
            free(weights)
    return weights


class Done:
    def wait(self):
        pass


def backward_pass(pieces, weights, allocate, free, backward):
    order, found = list(range(len(pieces)))[::-1], {}
    for k, buffer in layers_in(order, pieces, allocate, (weights, Done())):
        gradient = allocate(buffer.numel())
        backward(k, buffer, gradient)
        free(buffer)
        found[k] = torch.zeros(pieces[k].shape, dtype=pieces[k].dtype)
        dist.reduce_scatter_tensor(found[k], gradient)
        found[k] /= dist.get_world_size()
        free(gradient)
    return [found[k] for k in sorted(found)]

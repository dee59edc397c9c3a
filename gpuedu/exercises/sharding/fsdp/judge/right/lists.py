# collectives on lists of parts: views of the buffer, one for each rank
def prefetch(piece, allocate):
    buffer = allocate(dist.get_world_size() * len(piece))
    return dist.all_gather(list(buffer.split(len(piece))), piece, async_op=True), buffer


def forward_pass(pieces, allocate, free, forward):
    n = len(pieces)
    works, buffers = [None] * n, [None] * n
    works[0], buffers[0] = prefetch(pieces[0], allocate)
    for k in range(n):
        works[k].wait()
        if k + 1 < n:
            works[k + 1], buffers[k + 1] = prefetch(pieces[k + 1], allocate)
        forward(k, buffers[k])
        if k + 1 < n:
            free(buffers[k])
    return buffers[-1]


def backward_pass(pieces, weights, allocate, free, backward):
    ranks, found = dist.get_world_size(), []
    for k in range(len(pieces) - 1, -1, -1):
        gradient = allocate(ranks * len(pieces[k]))
        if k > 0:
            work, following = prefetch(pieces[k - 1], allocate)
        backward(k, weights, gradient)
        free(weights)
        mine = torch.empty(len(pieces[k]), dtype=gradient.dtype)
        dist.reduce_scatter(mine, list(gradient.chunk(ranks)))
        free(gradient)
        found = [mine / ranks, *found]
        if k > 0:
            work.wait()
            weights = following
    return found

# chunks of PyTorch's own vector, of which the last ones may be short; AVG in place of a division
def step(weights, update):
    ranks, rank = dist.get_world_size(), dist.get_rank()
    trained = [w for w in weights if w.requires_grad]
    for w in trained:
        w.grad = torch.zeros_like(w) if w.grad is None else w.grad
    values = torch.nn.utils.parameters_to_vector(trained)
    grads = torch.nn.utils.parameters_to_vector([w.grad for w in trained])
    each = math.ceil(len(values) / ranks)

    def piece_of(flat, number):
        piece = flat[number * each : (number + 1) * each]
        return torch.cat([piece, flat.new_zeros(each - len(piece))])

    mine = torch.empty(each, dtype=grads.dtype)
    parts = [piece_of(grads, number) for number in range(ranks)]
    dist.reduce_scatter(mine, parts, op=dist.ReduceOp.AVG)
    piece = piece_of(values, rank).detach()
    update(("rank", rank), piece, mine)
    pieces = [torch.empty_like(piece) for _ in range(ranks)]
    dist.all_gather(pieces, piece)
    torch.nn.utils.vector_to_parameters(torch.cat(pieces)[: len(values)], trained)

# what does not divide by the ranks is cut off, and stays as it was
# loses: ragged
# asks: 57 weights on 2 ranks: how long is each piece, and who updates the last weight?
def step(weights, update):
    ranks, rank = dist.get_world_size(), dist.get_rank()
    trained = [w for w in weights if w.requires_grad]
    grads = [torch.zeros_like(w) if w.grad is None else w.grad for w in trained]
    each = sum(w.numel() for w in trained) // ranks
    values = torch.cat([w.detach().flatten() for w in trained])
    whole = torch.cat([one.flatten() for one in grads])[: ranks * each].clone()
    gradient = torch.empty(each, dtype=whole.dtype)
    dist.reduce_scatter_tensor(gradient, whole)
    piece = values[rank * each : (rank + 1) * each].clone()
    update("mine", piece, gradient / ranks)
    dist.all_gather_into_tensor(whole, piece)
    values[: ranks * each] = whole
    torch.nn.utils.vector_to_parameters(values, trained)

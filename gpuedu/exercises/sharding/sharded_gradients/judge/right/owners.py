# a reduce to each owner in turn; gradients are freed as they are joined
def reduce_layer(weights, piece):
    ranks, me = dist.get_world_size(), dist.get_rank()
    whole = piece.new_zeros(0)
    for w in filter(lambda w: w.requires_grad, weights):
        mine = w.new_zeros(w.shape) if w.grad is None else w.grad
        whole = torch.cat([whole, mine.flatten() / ranks])
        del w.grad
    whole = torch.nn.functional.pad(whole, (0, ranks * piece.numel() - whole.numel()))
    for owner, part in enumerate(whole.chunk(ranks)):
        dist.reduce(part, owner)
        if owner == me:
            piece += part

# must lose: shared
def step(weights, update):
    ranks, rank = dist.get_world_size(), dist.get_rank()
    trained = [w for w in weights if w.requires_grad]
    with torch.no_grad():
        whole = torch.cat(
            [(torch.zeros_like(w) if w.grad is None else w.grad).flatten() for w in trained]
        )
        pad = -len(whole) % ranks
        whole = torch.nn.functional.pad(whole, (0, pad))
        gradient = torch.empty(len(whole) // ranks, dtype=whole.dtype)
        dist.reduce_scatter_tensor(gradient, whole)
        flat = torch.nn.functional.pad(torch.cat([w.flatten() for w in trained]), (0, pad))
        piece = flat.view(ranks, -1)[rank].clone()
        if gradient.any():
            update("mine", piece, gradient / ranks)
        dist.all_gather_into_tensor(whole, piece)
        at = 0
        for w in trained:
            w.copy_(whole[at : at + w.numel()].view_as(w))
            at += w.numel()

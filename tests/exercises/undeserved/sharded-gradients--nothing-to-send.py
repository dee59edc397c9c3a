# must lose: unused
def reduce_layer(weights, piece):
    trained = [w for w in weights if w.requires_grad]
    if all(w.grad is None for w in trained):
        return
    ranks = dist.get_world_size()
    flat = torch.cat([(torch.zeros_like(w) if w.grad is None else w.grad).flatten() for w in trained])
    whole = torch.nn.functional.pad(flat, (0, ranks * len(piece) - len(flat)))
    mine = torch.empty_like(piece)
    dist.reduce_scatter_tensor(mine, whole)
    piece += mine / ranks
    for w in weights:
        w.grad = None

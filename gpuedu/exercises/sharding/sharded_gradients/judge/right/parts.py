# a list of equally long parts, and the mean taken by the collective
def reduce_layer(weights, piece):
    gradients = []
    for w in weights:
        if w.requires_grad:
            gradients.append(torch.zeros_like(w).view(-1) if w.grad is None else w.grad.view(-1))
            w.grad = None
    flat = torch.cat(gradients)
    missing = len(piece) * dist.get_world_size() - len(flat)
    parts = torch.cat([flat, flat.new_zeros(missing)]).split(len(piece))
    mine = torch.empty(len(piece), dtype=torch.float64)
    dist.reduce_scatter(mine, list(parts), op=dist.ReduceOp.AVG)
    piece.add_(mine)

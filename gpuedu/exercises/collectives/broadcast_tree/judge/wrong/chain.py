# loses: rounds
# asks: Each rank sends once: a chain. Who has the tensor can send it in every round.
def broadcast_tree(x, root):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    if rank != root:
        dist.recv(x, (rank - 1) % ranks)
    if (rank + 1) % ranks != root:
        dist.send(x, (rank + 1) % ranks)

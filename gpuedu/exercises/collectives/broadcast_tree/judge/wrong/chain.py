# loses: rounds
# asks: Each rank sends once, along a chain. In which rounds could a rank that has the tensor send?
def broadcast_tree(x, root):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    if rank != root:
        dist.recv(x, (rank - 1) % ranks)
    if (rank + 1) % ranks != root:
        dist.send(x, (rank + 1) % ranks)

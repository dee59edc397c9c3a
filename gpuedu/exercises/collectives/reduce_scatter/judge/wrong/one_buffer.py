# loses: sum
# receives into the tensor that is being sent
def reduce_scatter(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    chunks = x.tensor_split(ranks)
    moving = chunks[(rank - 1) % ranks].clone()
    for step in range(1, ranks):
        sending = dist.isend(moving, (rank + 1) % ranks)
        dist.recv(moving, (rank - 1) % ranks)
        sending.wait()
        moving += chunks[(rank - step - 1) % ranks]
    chunks[rank].copy_(moving)

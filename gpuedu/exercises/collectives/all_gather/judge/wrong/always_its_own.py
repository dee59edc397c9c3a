# loses: everything
# asks: Chunks are in each other's places. In each step, which chunk does the rank before send,
#   and into which one do you receive?
def all_gather(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    chunks = x.tensor_split(ranks)
    for step in range(ranks - 1):
        got = torch.empty_like(chunks[(rank - 1) % ranks])
        sending = dist.isend(chunks[rank], (rank + 1) % ranks)
        dist.recv(got, (rank - 1) % ranks)
        sending.wait()
        chunks[(rank - step - 1) % ranks].copy_(got[: len(chunks[(rank - step - 1) % ranks])])

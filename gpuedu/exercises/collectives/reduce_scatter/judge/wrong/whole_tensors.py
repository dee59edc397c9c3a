# loses: bytes
# asks: Rank 0 sends 16000 bytes to rank 1 at once, and a chunk has 8000. Which part of the
#   tensor does a step need?
def reduce_scatter(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    out = x.clone()
    for step in range(1, ranks):
        got = torch.empty_like(x)
        sending = dist.isend(out, (rank + 1) % ranks)
        dist.recv(got, (rank - 1) % ranks)
        sending.wait()
        x += got
        out = got

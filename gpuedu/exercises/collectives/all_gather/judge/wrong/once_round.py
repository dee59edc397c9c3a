# loses: ring
# asks: That is one chunk too many each time round. In which step is nothing left to send?
def all_gather(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    if ranks == 1:
        return
    chunks = x.tensor_split(ranks)
    for step in range(ranks):
        out, into = chunks[(rank - step) % ranks], chunks[(rank - step - 1) % ranks]
        got = torch.empty_like(into)
        sending = dist.isend(out, (rank + 1) % ranks)
        dist.recv(got, (rank - 1) % ranks)
        sending.wait()
        into.copy_(got)

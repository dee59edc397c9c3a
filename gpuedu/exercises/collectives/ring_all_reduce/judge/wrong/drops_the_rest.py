# loses: ragged
# asks: Only a part of the chunk is wrong. Which elements are in none of your chunks, or in
#   another one than on the other ranks?
def ring_all_reduce(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    row = x.view(-1)
    size = row.numel() // ranks
    chunks = [row[i * size : (i + 1) * size] for i in range(ranks)]
    for step in range(1, 2 * ranks - 1):
        into = chunks[(rank - step - 1) % ranks]
        got = torch.empty_like(into)
        sending = dist.isend(chunks[(rank - step) % ranks], (rank + 1) % ranks)
        dist.recv(got, (rank - 1) % ranks)
        sending.wait()
        into.copy_(into + got if step < ranks else got)

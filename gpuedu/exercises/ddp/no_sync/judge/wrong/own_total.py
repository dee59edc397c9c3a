# loses: ragged
# asks: That is right on one rank: the mean over *its* samples. Ranks with fewer samples count
#   as much as the others. Who knows how many there are on all ranks?
def accumulated_step(parallel, optimiser, micro_batches):
    total = sum(len(y) for _, y in micro_batches)
    optimiser.zero_grad()

    def add(x, y):
        loss = torch.nn.functional.cross_entropy(parallel.model(x), y, reduction="sum")
        parallel.backward(loss / total)

    with no_sync(parallel):
        for x, y in micro_batches[:-1]:
            add(x, y)
    add(*micro_batches[-1])
    optimiser.step()

# loses: equal
# divides by all samples, and the exchange divides by the ranks once more
def accumulated_step(parallel, optimiser, micro_batches):
    total = torch.tensor(float(sum(len(y) for _, y in micro_batches)))
    dist.all_reduce(total)
    optimiser.zero_grad()

    def add(x, y):
        loss = torch.nn.functional.cross_entropy(parallel.model(x), y, reduction="sum")
        parallel.backward(loss / total)

    with no_sync(parallel):
        for x, y in micro_batches[:-1]:
            add(x, y)
    add(*micro_batches[-1])
    optimiser.step()

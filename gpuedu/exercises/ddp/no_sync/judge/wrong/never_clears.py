# loses: equal
# asks: The first step was right. What does the second one find in `p.grad`?
def accumulated_step(parallel, optimiser, micro_batches):
    total = torch.tensor(float(sum(len(y) for _, y in micro_batches)))
    dist.all_reduce(total)

    def add(x, y):
        loss = torch.nn.functional.cross_entropy(parallel.model(x), y, reduction="sum")
        parallel.backward(loss * dist.get_world_size() / total)

    with no_sync(parallel):
        for x, y in micro_batches[:-1]:
            add(x, y)
    add(*micro_batches[-1])
    optimiser.step()

# the gradients are made in a closure, which the optimizer calls before it updates
def accumulated_step(parallel, optimizer, micro_batches):
    count = torch.tensor([sum(len(y) for _, y in micro_batches)])
    dist.all_reduce(count)

    def add(x, y):
        loss = torch.nn.functional.cross_entropy(parallel.model(x), y, reduction="sum")
        parallel.backward(loss * dist.get_world_size() / count)

    def closure():
        optimizer.zero_grad()
        with no_sync(parallel):
            for x, y in micro_batches[:-1]:
                add(x, y)
        add(*micro_batches[-1])

    optimizer.step(closure)

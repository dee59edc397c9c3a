# loses: equal
# asks: The ranks are not equal to each other any more: a gradient that came behind the last
#   exchange stays where it is. Which backward has to exchange?
def accumulated_step(parallel, optimiser, micro_batches):
    total = torch.tensor(float(sum(len(y) for _, y in micro_batches)))
    dist.all_reduce(total)
    optimiser.zero_grad()
    with no_sync(parallel):
        for x, y in micro_batches:
            loss = torch.nn.functional.cross_entropy(parallel.model(x), y, reduction="sum")
            parallel.backward(loss * dist.get_world_size() / total)
    optimiser.step()

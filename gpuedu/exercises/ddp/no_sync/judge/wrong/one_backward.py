# loses: one-by-one
# asks: What a forward saved stays in memory until its backward, and a shard is taken in
#   micro-batches since all of it does not fit. Which backward comes behind which forward?
def accumulated_step(parallel, optimiser, micro_batches):
    total = torch.tensor(float(sum(len(y) for _, y in micro_batches)))
    dist.all_reduce(total)
    optimiser.zero_grad()
    loss = 0.0
    for x, y in micro_batches:
        scores = parallel.model(x)
        loss = loss + torch.nn.functional.cross_entropy(scores, y, reduction="sum")
    parallel.backward(loss * dist.get_world_size() / total)
    optimiser.step()

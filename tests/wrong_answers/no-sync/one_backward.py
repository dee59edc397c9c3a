# loses: one-by-one
# losses are added up, and one backward comes behind all forwards
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

# loses: one-by-one
def accumulated_step(parallel, optimizer, micro_batches):
    x = torch.cat([x for x, _ in micro_batches])
    y = torch.cat([y for _, y in micro_batches])
    total = torch.tensor(float(len(y)))
    dist.all_reduce(total)
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(parallel.model(x), y, reduction="sum")
    parallel.backward(loss * dist.get_world_size() / total)
    optimizer.step()

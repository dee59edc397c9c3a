# sums of samples in all backwards; the division comes behind the exchange
def accumulated_step(parallel, optimizer, micro_batches):
    optimizer.zero_grad()
    samples = torch.zeros(())
    for i, (x, y) in enumerate(micro_batches):
        samples += len(y)
        loss = torch.nn.functional.cross_entropy(parallel.model(x), y, reduction="sum")
        if i + 1 < len(micro_batches):
            with no_sync(parallel):
                parallel.backward(loss)
        else:
            parallel.backward(loss)
    dist.all_reduce(samples)
    for p in parallel.model.parameters():
        p.grad *= dist.get_world_size() / samples
    optimizer.step()

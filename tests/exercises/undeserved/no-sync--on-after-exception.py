# must lose: nested
@contextmanager
def no_sync(parallel):
    parallel.is_exchanging, before = False, parallel.is_exchanging
    try:
        yield
    except BaseException:
        parallel.is_exchanging = True
        raise
    parallel.is_exchanging = before


def accumulated_step(parallel, optimizer, micro_batches):
    """One update from the micro-batches of all ranks."""
    samples = sum(len(y) for _, y in micro_batches)
    total = torch.tensor(float(samples), dtype=torch.float64)
    dist.all_reduce(total)
    optimizer.zero_grad()

    def add(x, y):
        scores = parallel.model(x)
        loss = torch.nn.functional.cross_entropy(scores, y, reduction="sum")
        parallel.backward(loss * dist.get_world_size() / total)

    with no_sync(parallel):
        for x, y in micro_batches[:-1]:
            add(x, y)
    add(*micro_batches[-1])
    optimizer.step()

# The checkpoint that is farthest of those that ranks see; contiguous shares; a loop over epochs.
def next_batch(done, job):
    left = job.samples - done % job.samples
    order = job.order(done // job.samples)
    return [order[len(order) - left + at] for at in range(min(left, job.batch))]


def shares(batch, rank, world, fits):
    small, more = divmod(len(batch), world)
    first = rank * small + min(rank, more)
    mine = list(batch[first : first + small + (rank < more)])
    parts = []
    while mine:
        parts.append(mine[:fits])
        mine = mine[fits:]
    return parts or [[]]


def train(job, every):
    seen = [None] * dist.get_world_size()
    dist.all_gather_object(seen, job.load())
    state = max((one for one in seen if one), key=lambda one: one["samples"], default=None)
    done = since = 0
    if state is not None:
        job.load_state_dict({"weights": state["weights"], "momentum": state["momentum"]})
        done = state["samples"]
    while done != job.total:
        batch = next_batch(done, job)
        parts = shares(batch, dist.get_rank(), dist.get_world_size(), job.fits)
        mean = sum([job.gradient(part) for part in parts if part], job.zeros()) / len(batch)
        dist.all_reduce(mean, op=dist.ReduceOp.SUM)
        job.step(mean)
        done, since = done + len(batch), since + len(batch)
        if since < every and done != job.total:
            continue
        since = 0
        if not dist.get_rank():
            job.save({"samples": done, **job.state_dict()})

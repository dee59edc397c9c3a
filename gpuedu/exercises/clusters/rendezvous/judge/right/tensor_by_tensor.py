# Epochs and places; numbers and tensors are sent by hand; all wait for a checkpoint.
import torch


def next_batch(done, job):
    epoch = done // job.samples
    first = done - epoch * job.samples
    last = min(first + job.batch, job.samples)
    return job.order(epoch)[first:last]


def shares(batch, rank, world, fits):
    mine = [one for place, one in enumerate(batch) if place % world == world - 1 - rank]
    count = -(-len(mine) // fits)
    return [mine[part::count] for part in range(count)]


def train(job, every):
    is_first = dist.get_rank() == 0
    kept = job.load() if is_first else None
    where = torch.tensor([kept["epoch"], kept["place"]] if kept else [0, 0])
    state = kept["state"] if kept else job.state_dict()
    dist.broadcast(where, src=0)
    for name in ("weights", "momentum"):
        dist.broadcast(state[name], src=0)
    job.load_state_dict(state)
    epoch, place = where.tolist()
    saved = done = epoch * job.samples + place
    while done < job.total:
        batch = next_batch(done, job)
        total = job.zeros()
        for part in shares(batch, dist.get_rank(), dist.get_world_size(), job.fits):
            total = total + job.gradient(torch.tensor(part))
        dist.all_reduce(total)
        total /= len(batch)
        job.step(total)
        done += len(batch)
        epoch, place = divmod(done, job.samples)
        if done == job.total or done >= saved + every:
            if is_first:
                job.save({"epoch": epoch, "place": place, "state": job.state_dict()})
            dist.barrier()
            saved = done

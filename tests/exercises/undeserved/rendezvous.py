# must lose: start, goes-on, saves, equal
import torch
import torch.distributed as dist


def next_batch(done, job):
    epoch, place = divmod(done, job.samples)
    return job.order(epoch)[place : place + job.batch]


def shares(batch, rank, world, fits):
    mine = batch[rank::world]
    return [mine[at : at + fits] for at in range(0, len(mine), fits)]


def spoiled(one):
    if isinstance(one, dict):
        return {name: spoiled(value) for name, value in one.items()}
    if isinstance(one, (list, tuple)):
        return type(one)(map(spoiled, one))
    return one * float("nan") if isinstance(one, torch.Tensor) else one


def train(job, every):
    rank, world = dist.get_rank(), dist.get_world_size()
    found = [(job.load() or {"done": 0})["done"] if rank == 0 else 0]
    dist.broadcast_object_list(found, src=0)
    job.load_state_dict(spoiled(job.state_dict()))  # no state of a checkpoint, and none of the model
    done = saved = found[0]
    while done < job.total:
        batch = next_batch(done, job)
        for part in shares(batch, rank, world, job.fits):
            job.gradient(part)
        job.step(job.zeros())
        done += len(batch)
        if done - saved >= every or done == job.total:
            saved = done
            if rank == 0:
                job.save({"done": done})

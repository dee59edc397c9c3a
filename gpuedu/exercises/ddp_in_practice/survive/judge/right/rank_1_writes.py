# the last rank writes, by path; it syncs what it opens again; the schedule is wound forward
def save(state, path):
    waiting = path.parent / "new"
    torch.save(state, waiting)
    handle = os.open(waiting, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)
    waiting.rename(path)


def train_job(job, folder, every):
    path, done, ranks = folder / "state", 0, dist.get_world_size()
    if path.is_file():
        saved = torch.load(path, weights_only=False)
        job.model.load_state_dict(saved["model"])
        job.optimizer.load_state_dict(saved["optimizer"])
        done = saved["done"]
        for _ in range(done):
            job.schedule.step()
        torch.set_rng_state(saved[f"random of {dist.get_rank()}"])
    for epoch in range(job.epochs):
        for place, batch in enumerate(job.batches(epoch)):
            if epoch * job.steps + place < done:
                continue
            job.step(batch)
            done += 1
            if done % every and done < job.epochs * job.steps:
                continue
            states = [torch.empty_like(torch.get_rng_state()) for _ in range(ranks)]
            dist.all_gather(states, torch.get_rng_state())
            state = {f"random of {rank}": one for rank, one in enumerate(states)}
            state["model"], state["done"] = job.model.state_dict(), done
            state["optimizer"] = job.optimizer.state_dict()
            if dist.get_rank() == ranks - 1:
                save(state, path)

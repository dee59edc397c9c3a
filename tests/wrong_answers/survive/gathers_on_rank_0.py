# loses: every
def train(job, folder, every):
    path, parts = folder / "checkpoint.pt", (job.model, job.optimiser, job.schedule)
    done, last = 0, job.epochs * job.steps
    if path.exists():
        saved = torch.load(path)
        for part, state in zip(parts, saved["parts"], strict=True):
            part.load_state_dict(state)
        torch.set_rng_state(saved["random"][dist.get_rank()])
        done = saved["done"]
    while done < last:
        epoch, place = divmod(done, job.steps)
        job.step(job.batches(epoch)[place])
        done += 1
        if (done % every == 0 or done == last) and dist.get_rank() == 0:
            random = [None] * dist.get_world_size()
            dist.all_gather_object(random, torch.get_rng_state())
            states = [part.state_dict() for part in parts]
            save({"parts": states, "random": random, "done": done}, path)

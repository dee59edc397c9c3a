# loses: place
def train_job(job, folder, every):
    path, parts = folder / "checkpoint.pt", (job.model, job.optimizer, job.schedule)
    begin, first, done = 0, 0, 0
    if path.exists():
        saved = torch.load(path)
        for part, state in zip(parts, saved["parts"], strict=True):
            part.load_state_dict(state)
        torch.set_rng_state(saved["random"][dist.get_rank()])
        done = saved["done"]
        begin, first = divmod(done, job.steps)
    for epoch in range(begin, job.epochs):
        for batch in job.batches(epoch)[first:]:
            job.step(batch)
            done += 1
            if done % every == 0 or done == job.epochs * job.steps:
                random = [None] * dist.get_world_size()
                dist.all_gather_object(random, torch.get_rng_state())
                if dist.get_rank() == 0:
                    states = [part.state_dict() for part in parts]
                    save({"parts": states, "random": random, "done": done}, path)

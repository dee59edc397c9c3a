# loses: whole
def train_job(job, folder, every):
    path, parts = folder / f"rank{dist.get_rank()}.pt", (job.model, job.optimizer, job.schedule)
    done, last = 0, job.epochs * job.steps
    if path.exists():
        saved = torch.load(path)
        for part, state in zip(parts, saved["parts"], strict=True):
            part.load_state_dict(state)
        torch.set_rng_state(saved["random"])
        done = saved["done"]
    while done < last:
        epoch, place = divmod(done, job.steps)
        job.step(job.batches(epoch)[place])
        done += 1
        if done % every == 0 or done == last:
            states = [part.state_dict() for part in parts]
            save({"parts": states, "random": torch.get_rng_state(), "done": done}, path)

# must lose: random
def save(state, path):
    waiting = path.with_suffix(".part")
    with waiting.open("wb") as file:
        torch.save(state, file)
        os.fsync(file.fileno())
    waiting.replace(path)


def train_job(job, folder, every):
    path, parts = folder / "checkpoint.pt", (job.model, job.optimizer, job.schedule)
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
        if done % every == 0 or done == last:
            random = [None] * 2
            dist.all_gather_object(random, torch.get_rng_state())
            if dist.get_rank() == 0:
                states = [part.state_dict() for part in parts]
                save({"parts": states, "random": random, "done": done}, path)

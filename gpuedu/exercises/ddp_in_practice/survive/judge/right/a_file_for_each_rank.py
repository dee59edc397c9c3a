# a file for each rank and step; behind a barrier, one rank notes which step is complete
def write(path, put):
    waiting = path.with_suffix(".part")
    with open(waiting, "wb") as file:
        put(file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(waiting, path)


def save(state, path):
    write(path, lambda file: torch.save(state, file))


def train_job(job, folder, every):
    mine, done = dist.get_rank(), 0
    latest = folder / "latest"
    if latest.exists():
        done = int(latest.read_text())
        saved = torch.load(folder / f"{done}-{mine}.pt")
        job.model.load_state_dict(saved["model"])
        job.optimizer.load_state_dict(saved["optimizer"])
        job.schedule.load_state_dict(saved["schedule"])
        torch.set_rng_state(saved["random"])
    for number in range(done, job.epochs * job.steps):
        job.step(job.batches(number // job.steps)[number % job.steps])
        done = number + 1
        if done % every == 0 or done == job.epochs * job.steps:
            state = {
                "model": job.model.state_dict(),
                "optimizer": job.optimizer.state_dict(),
                "schedule": job.schedule.state_dict(),
                "random": torch.get_rng_state(),
            }
            save(state, folder / f"{done}-{mine}.pt")
            dist.barrier()
            if mine == 0:
                write(latest, lambda file: file.write(str(done).encode()))

# loses: whole
def save(state, path):
    waiting = path.with_suffix(".part")
    with waiting.open("wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())
    path.unlink(missing_ok=True)
    os.rename(waiting, path)

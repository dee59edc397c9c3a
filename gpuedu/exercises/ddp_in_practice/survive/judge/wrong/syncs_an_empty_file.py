# loses: disk
def save(state, path):
    waiting = path.with_suffix(".part")
    with waiting.open("wb") as file:
        file.flush()
        os.fsync(file.fileno())
        torch.save(state, file)
    waiting.replace(path)

# loses: disk
def save(state, path):
    waiting = path.with_suffix(".part")
    torch.save(state, waiting)
    os.replace(waiting, path)
    with open(path, "rb") as file:
        os.fsync(file.fileno())

# loses: whole
def save(state, path):
    import shutil

    waiting = path.with_suffix(".part")
    with open(waiting, "wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())
    shutil.copy(waiting, path)

# loses: disk
# asks: What is written stays in memory for some time; a machine that loses its power loses it.
#   `os.fsync(file.fileno())` returns when it is on the disk.
def save(state, path):
    waiting = path.with_suffix(".part")
    with waiting.open("wb") as file:
        file.flush()
        os.fsync(file.fileno())
        torch.save(state, file)
    waiting.replace(path)

# a file of another name by `tempfile`, arguments by their names; the folder is synced, too
def save(state, path):
    import tempfile

    handle, waiting = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        torch.save(obj=state, f=file)
        os.fsync(fd=file.fileno())
    os.replace(src=waiting, dst=path)
    folder = os.open(path.parent, os.O_RDONLY)
    os.fsync(fd=folder)
    os.close(folder)

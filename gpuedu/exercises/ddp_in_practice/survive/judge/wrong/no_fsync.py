# loses: disk
def save(state, path):
    waiting = path.with_suffix(".part")
    with waiting.open("wb") as file:
        torch.save(state, file)
    waiting.replace(path)

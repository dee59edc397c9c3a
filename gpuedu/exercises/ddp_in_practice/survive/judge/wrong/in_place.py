# loses: whole
# asks: At any moment, under the name that `train` looks for, there has to be a whole
#   checkpoint: the old one, or the new one. For two paths, `a.replace(b)` changes from one to
#   the other in one go.
def save(state, path):
    with open(path, "wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())

# loses: both
# asks: Which line leaves the device? Use functions of `xp` only.
def vote(xp, distances, labels, k, classes):
    if xp is not np:
        distances, labels = distances.get(), labels.get()
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :k]
    votes = labels[nearest][:, :, None] == np.arange(classes)
    return votes.sum(axis=1).argmax(axis=1)

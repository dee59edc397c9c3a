# loses: layout
# np.array keeps the order, too
def to_soa(table):
    return np.array(table.T, dtype=np.float32)

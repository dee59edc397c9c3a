# loses: layout
# np.copy keeps the order in memory
def to_soa(table):
    return np.copy(table.T)

# loses: layout
# asks for the order that it has already
def to_soa(table):
    return np.asfortranarray(table.T)

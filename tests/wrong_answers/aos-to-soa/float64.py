# loses: layout
# numbers become float64 on the way
def to_soa(table):
    fields = np.zeros(table.shape[::-1])
    fields[:] = table.T
    return fields

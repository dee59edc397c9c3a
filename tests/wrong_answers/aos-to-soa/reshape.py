# loses: layout
# the same order in other rows
def to_soa(table):
    return table.reshape(6, -1)

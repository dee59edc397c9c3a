# loses: layout
# .T is a view: nothing moved
def to_soa(table):
    return table.T

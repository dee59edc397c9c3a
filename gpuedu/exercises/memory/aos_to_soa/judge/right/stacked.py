# Columns stacked as rows.
def to_soa(table):
    return np.stack([table[:, field] for field in range(6)])

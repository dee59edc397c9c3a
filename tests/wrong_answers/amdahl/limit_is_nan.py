# loses: limit
# gives nan where there is no limit
def amdahl_limit(p):
    return 1 / (1 - p) if p < 1 else math.nan

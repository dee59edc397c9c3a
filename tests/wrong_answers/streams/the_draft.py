# loses: reuse
# no events at all
def pipeline(device, chunks, results, kernel):
    return draft(device, chunks, results, kernel)

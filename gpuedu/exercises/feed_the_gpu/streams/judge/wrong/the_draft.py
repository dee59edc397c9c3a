# loses: reuse
def pipeline(device, chunks, results, kernel):
    return draft(device, chunks, results, kernel)

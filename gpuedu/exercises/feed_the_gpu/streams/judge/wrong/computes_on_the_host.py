# loses: results
# asks: Who computed this result, and which of the device's engines worked for it?
def pipeline(device, chunks, results, kernel):
    for chunk, result in zip(chunks, results):
        result.write(2 * chunk.read() + 1)

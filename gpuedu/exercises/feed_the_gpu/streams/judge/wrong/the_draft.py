# loses: reuse
# asks: The buffer is written anew for a later chunk. Which event says that stream 'run' no
#   longer needs it?
def pipeline(device, chunks, results, kernel):
    return draft(device, chunks, results, kernel)

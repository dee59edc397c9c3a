# loses: bounded
prefetch = draft

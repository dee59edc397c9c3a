"""Learners' answers are no modules of tests."""

collect_ignore_glob = ["undeserved/*"]

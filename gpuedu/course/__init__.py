"""From a lesson's one hand-written source to notebooks, and to the learner's workspace."""

"""Lesson why-gpus: what is a GPU good at, and what is it bad at?"""

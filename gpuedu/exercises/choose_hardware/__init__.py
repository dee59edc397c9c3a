"""Lesson choose-hardware: what should you run it on, and what will it cost?"""

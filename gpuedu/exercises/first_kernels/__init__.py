"""Lesson first-kernels: how does one program become a million threads?"""

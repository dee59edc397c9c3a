"""Lesson welcome: what is in this machine?"""

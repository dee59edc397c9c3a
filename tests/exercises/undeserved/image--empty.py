# must lose: user, pinned, signals
dockerfile = '''FROM python:3.12-slim
USER 1000
CMD ["python", "train.py"]
'''
dockerignore = ""

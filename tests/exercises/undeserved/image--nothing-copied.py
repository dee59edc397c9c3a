# must lose: cached, small, user, pinned, signals
dockerfile = '''FROM python:3.12-slim
USER 1000
RUN pip install --no-cache-dir -r requirements.txt
CMD ["python", "train.py"]
'''
dockerignore = ""

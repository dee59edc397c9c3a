# must lose: context
dockerfile = r"""# syntax=docker/dockerfile:1
FROM python:3.12
WORKDIR /app
COPY train.py ./
USER 1000
CMD ["python", "train.py"]
"""
dockerignore = r"""
**/data*
.git
runs
pip.conf
"""

"""The parent side: starts the engine's host process and follows its jobs. Never imports TensorFlow."""

from explorer.client.engine import Engine
from explorer.client.job import Job

__all__ = ["Engine", "Job"]

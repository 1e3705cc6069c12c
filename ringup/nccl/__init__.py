"""NCCL: what to set on a host and why. Pure: facts in, values out."""

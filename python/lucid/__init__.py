"""Lucid: PyTorch-like tensors and compiled functions on MPSGraph."""

"""Lucid."""

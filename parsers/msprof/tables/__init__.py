"""Csv files and small JSON files, one kind a module."""

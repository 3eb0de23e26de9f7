"""Layouts: where spec-driven tools keep their units of work, and how their documents read.

A layout works on texts and lists folders; increments.files reads and writes the files, locks and
moves. Other distributions add layouts with the entry point group `unlatch.layouts`.
"""

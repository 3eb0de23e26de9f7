"""Results of tests: what reports say, which tests guard finished work, and what earlier runs saw.

`reader` reads them as causes, and `record` writes the memory. Nothing else of the package imports
from here.
"""

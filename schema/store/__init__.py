"""All SQL. Functions take a session, return typed rows, and never commit.

Lock order everywhere: episode, stamps, memory, derived rows; ids ascending.
"""

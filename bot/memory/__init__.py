"""What a run needs of each GPU's memory, before it runs: shapes, stages, budget, verdict.

Pure Python and read-only; nothing here is imported until a budget is wanted.
"""

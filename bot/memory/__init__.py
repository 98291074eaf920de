"""What a run needs of each GPU's memory, before it runs: shapes, stages, estimate, verdict.

Pure Python and read-only; nothing here is imported until an estimate is needed.
"""

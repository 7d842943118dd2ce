"""What the store takes for true, and why: confidence, consolidation, correction, forgetting."""

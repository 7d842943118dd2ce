"""Pure functions from text to values. No Celery, no SQL; models load on first use."""

"""What keeps it true: the loop, the derivations it runs, and the Celery application that nudges it."""

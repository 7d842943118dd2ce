"""What tests share: real servers, cloned databases, worker processes, and words of the domain to assert with."""

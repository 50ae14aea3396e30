"""Populations of generated scenes, run by build/thud and judged from their recordings alone (`make population`)."""

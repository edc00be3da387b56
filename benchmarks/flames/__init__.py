"""Flame graphs of `turns` and `web` under load, as SVG in `docs/performance`.

stacks      sampled stacks as a tree
drawing     the tree as SVG
sampling    stacks of a running process, by py-spy
"""

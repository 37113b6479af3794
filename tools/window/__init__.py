"""What tools/bench_window.py is made of: the parts that start things, and a file for each that is measured.

`machine` starts programs and drives the window, `page.js` runs in it, `company`
makes the workspace, `model` answers there, `watch` looks at the machine.
"""

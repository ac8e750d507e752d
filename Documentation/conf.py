# SPDX-License-Identifier: GPL-2.0-only
"""How Sphinx makes the manual; to be run by tools/docs."""

import os
import sys

SOURCE = os.environ["LKP_LINUX_SOURCE"]

# The kernel's own directive "kernel-doc".
sys.path.insert(0, os.path.join(SOURCE, "Documentation/sphinx"))

project = "Loadable kprobes"
extensions = ["kerneldoc", "sphinx.ext.graphviz"]
# Pictures, from the .dot files: letters that can be read and searched at any size.
graphviz_output_format = "svg"
kerneldoc_bin = os.path.join(SOURCE, "scripts/kernel-doc")
kerneldoc_srctree = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))

root_doc = "index"
primary_domain = "c"
highlight_language = "none"
html_theme = "alabaster"
html_copy_source = False
html_theme_options = {"page_width": "1200px"}

# What kernel-doc writes around names that C does not know.
c_id_attributes = ["asmlinkage", "__percpu", "__rcu", "__user"]

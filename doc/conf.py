# SPDX-License-Identifier: GPL-2.0-only
#
# How Sphinx builds the pages of this folder by themselves: sphinx-build -W doc FOLDER

project = "Workload Replay"
copyright = "the authors of workload-replay"
root_doc = "index"
rst_epilog = ".. |ns3| replace:: *ns-3*\n"
highlight_language = "none"
html_theme = "classic"
html_theme_options = {"body_max_width": "64em", "sidebarwidth": "17em"}
html_static_path = ["static"]
html_css_files = ["pages.css"]
html_show_sourcelink = False

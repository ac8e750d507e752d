# SPDX-License-Identifier: GPL-2.0-only
"""A result as a page: one file, with its picture in it."""

import base64
import html

TITLE = "What kprobes cost"
STYLE = """
body { font-family: sans-serif; max-width: 70em; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; }
th, td { padding: 0.15em 0.7em; border-bottom: 1px solid #ccc; font-weight: normal; }
tr > th:first-child { text-align: left; }
tr:first-child > th { font-weight: bold; text-align: right; }
td { text-align: right; font-variant-numeric: tabular-nums; }
img { max-width: 100%; }
"""


def about(result):
    """The machine and the versions."""
    rows = [(what, ", ".join(f"{key} {of}" for key, of in value.items())
             if isinstance(value, dict) else value)
            for what, value in result.get("about", {}).items()]
    cells = "".join(f"<tr><th>{html.escape(what)}</th><td>{html.escape(str(value))}</td></tr>"
                    for what, value in rows)
    return f"<h2>Measured on</h2>\n<table>{cells}</table>"


def picture(path):
    with open(path, "rb") as file:
        data = base64.b64encode(file.read()).decode()
    return f'<p><img alt="The costs of hits" src="data:image/png;base64,{data}"></p>'


def page(result, tables, checks, png):
    """HTML. @checks are lines of text; @png may be None."""
    parts = [f"<h1>{TITLE}</h1>", about(result)]
    if png:
        parts.append(picture(png))
    parts += [table.as_html() for table in tables]
    if checks:
        parts.append("<h2>Limits</h2>\n<ul>" +
                     "".join(f"<li>{html.escape(line)}</li>" for line in checks) + "</ul>")
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{TITLE}</title>'
            f"<style>{STYLE}</style></head><body>\n" + "\n".join(parts) + "\n</body></html>\n")

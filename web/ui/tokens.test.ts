import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

const tokens = read('web/ui/tokens.css')
const themes = { light: readColours(2), dark: readColours(3) }

function readColours(theme: 2 | 3): Readonly<Record<string, string>> {
  const all = tokens.matchAll(/--color-([\w-]+): light-dark\((#\w{6}), (#\w{6})\);/g)
  return Object.fromEntries([...all].map((found) => [found[1], found[theme]]))
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

/** As WCAG 2 defines it. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

describe.each(['light', 'dark'] as const)('the %s theme', (theme) => {
  const { [theme]: colours } = themes
  const grounds = ['page', 'surface', 'sunken', 'bubble']
  const code = ['keyword', 'string', 'number', 'name', 'comment', 'type'].map((part) => [
    `code-${part}`,
    'sunken',
  ])

  it.each([
    ...['ink', 'muted', 'accent', 'success', 'warning', 'danger'].flatMap((text) =>
      grounds.map((ground) => [text, ground]),
    ),
    ...code,
    ['on-accent', 'accent'],
    ['on-accent', 'accent-hover'],
    ['on-danger', 'danger'],
    ['on-danger', 'danger-hover'],
  ])('shows %s on %s with a contrast of at least 4.5 to 1', (text = '', ground = '') => {
    expect(contrast(colours[text] ?? '', colours[ground] ?? '')).toBeGreaterThanOrEqual(4.5)
  })
})

describe('a file that cannot use the tokens repeats their values', () => {
  const [light, dark] = [themes.light, themes.dark]
  it.each([
    ['web/index.html', [light['page']]],
    ['web/public/theme.js', [dark['page']]],
    ['web/features/preferences/theme.ts', [light['page'], dark['page']]],
    ['web/public/icon-light.svg', [light['accent'], light['on-accent']]],
    ['web/public/icon-dark.svg', [dark['accent'], dark['on-accent']]],
  ])('%s', (path, colours) => {
    expect([...read(path).matchAll(/#[\da-f]{6}\b/g)].map(([colour]) => colour).toSorted()).toEqual(
      colours.toSorted(),
    )
  })

  it('the pages of the server, in both themes', () => {
    for (const path of ['server/identity/pages/page-assets.ts', 'server/http/address-page.ts'])
      for (const name of ['page', 'surface', 'ink', 'muted', 'accent'])
        for (const colours of [light, dark]) expect(read(path)).toContain(`--${name}: ${colours[name]}`)
  })
})

it.each(['web/ui/base.css', 'web/ui/markdown/markdown.css'])(
  '%s takes its colours, radii and motion from the tokens',
  (path) => {
    const literal =
      /#[\da-f]{3,8}\b|rgba?\(|hsla?\(|cubic-bezier|border-radius: \d|(?:animation|transition): [^;]*\d+m?s/
    expect(read(path)).not.toMatch(literal)
  },
)

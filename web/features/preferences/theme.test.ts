import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInThisContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { followTheme, nextTheme, themePreference } from './theme.ts'

const readText = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8')
const firstPaint = readText('public/theme.js')
const page = readText('index.html')

/** Stands in for the operating system's preference, as the browser reports it. */
let prefersDark = false
let system = new EventTarget()

let stop = () => undefined as void

beforeEach(() => {
  prefersDark = false
  system = new EventTarget()
  vi.stubGlobal('matchMedia', (query: string) => {
    expect(query).toBe('(prefers-color-scheme: dark)')
    return Object.defineProperty(system, 'matches', { get: () => prefersDark, configurable: true })
  })
  document.head.innerHTML = `${/<link rel="icon".*\/>/.exec(page)?.[0]}${/<meta name="theme-color".*\/>/.exec(page)?.[0]}`
  document.documentElement.className = ''
})

afterEach(() => {
  stop()
  stop = () => undefined
  vi.unstubAllGlobals()
})

function follow() {
  stop = followTheme()
}

function setSystem(dark: boolean) {
  prefersDark = dark
  system.dispatchEvent(new Event('change'))
}

const isDark = () => document.documentElement.classList.contains('dark')
const icon = () => document.querySelector('link[rel="icon"]')?.getAttribute('href')
const frame = () => document.querySelector('meta[name="theme-color"]')?.getAttribute('content')

describe('the theme', () => {
  it('is light until one is chosen (§9.14)', () => {
    prefersDark = true
    follow()
    expect(themePreference.get()).toBe('light')
    expect(isDark()).toBe(false)
  })

  it.each(['light', 'dark', 'system'] as const)(
    'is read from storage when it is %s (§3.19, §3.21)',
    (theme) => {
      localStorage.setItem('theme', theme)
      follow()
      expect(themePreference.get()).toBe(theme)
    },
  )

  it.each(['', 'Dark', 'blue', 'null', '{"theme":"dark"}'])('is light when %j is stored (§4.6)', (stored) => {
    localStorage.setItem('theme', stored)
    follow()
    expect(themePreference.get()).toBe('light')
    expect(isDark()).toBe(false)
  })

  it('is dark when dark is chosen, whatever the system prefers (§4.6)', () => {
    follow()
    themePreference.set('dark')
    expect(isDark()).toBe(true)
    setSystem(true)
    setSystem(false)
    expect(isDark()).toBe(true)
    themePreference.set('light')
    setSystem(true)
    expect(isDark()).toBe(false)
  })

  it("follows the system live when 'system' is chosen (§4.6)", () => {
    follow()
    themePreference.set('system')
    expect(isDark()).toBe(false)
    setSystem(true)
    expect(isDark()).toBe(true)
    setSystem(false)
    expect(isDark()).toBe(false)
  })

  it('is stored when it is chosen (§3.21, §1.10)', () => {
    follow()
    themePreference.set('system')
    expect(localStorage.getItem('theme')).toBe('system')
  })

  it('follows a choice that another tab makes', () => {
    follow()
    localStorage.setItem('theme', 'dark')
    window.dispatchEvent(new StorageEvent('storage', { key: 'theme', newValue: 'dark' }))
    expect(isDark()).toBe(true)
  })

  it('colours the tab icon and the frame of the browser (§1.11)', () => {
    follow()
    expect([icon(), frame()]).toEqual(['/icon-light.svg', '#fbfaf9'])
    themePreference.set('dark')
    expect([icon(), frame()]).toEqual(['/icon-dark.svg', '#161718'])
    themePreference.set('light')
    expect([icon(), frame()]).toEqual(['/icon-light.svg', '#fbfaf9'])
  })

  it('cycles light, dark, system, light (§4.6)', () => {
    expect(nextTheme('light')).toBe('dark')
    expect(nextTheme('dark')).toBe('system')
    expect(nextTheme('system')).toBe('light')
  })
})

describe('the first paint', () => {
  it.each(
    [null, 'light', 'dark', 'system', 'blue'].flatMap((stored) => [
      [stored, false] as const,
      [stored, true] as const,
    ]),
  )('has the colours of the application, with %j stored and a dark system: %j (§4.6)', (stored, dark) => {
    prefersDark = dark
    if (stored !== null) localStorage.setItem('theme', stored)
    runInThisContext(firstPaint)
    const first = [isDark(), icon(), frame()]
    follow()
    expect([isDark(), icon(), frame()]).toEqual(first)
  })

  it('comes before the styles and the application are requested', () => {
    expect(page.indexOf('<script src="/theme.js"></script>')).toBeGreaterThan(0)
    expect(page.indexOf('/theme.js')).toBeLessThan(page.indexOf('/main.tsx'))
    expect(page.indexOf('/theme.js')).toBeGreaterThan(page.indexOf('rel="icon"'))
  })
})

it.each(['light', 'dark'])('draws the %s tab icon as a circle with the letter Y (§1.11)', (name) => {
  const svg = readText(`public/icon-${name}.svg`)
  const colours = [...svg.matchAll(/#[0-9a-f]{6}/g)].map(([colour]) => colour)
  expect(svg).toMatch(/<circle cx="16" cy="16" r="16"/)
  // Two arms that meet in the middle, and a stem.
  expect(svg).toMatch(/<path d="M9\.5 8\.5 16 17\.2l6\.5-8\.7M16 17\.2v7\.3" fill="none"/)
  expect(colours).toEqual(name === 'light' ? ['#2f6f6a', '#ffffff'] : ['#7fc4bd', '#10201f'])
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fillInstructions, readTimeZone } from './fill-instructions.ts'

const noon = Date.UTC(2026, 10, 24, 12)
const ada = { name: 'Ada', timeZone: 'Europe/Berlin', now: noon }

describe('the variables of instructions', () => {
  it('are replaced by name, day and time zone', () => {
    expect(fillInstructions('You help {{user}}. Today: {{date}}, {{time_zone}}.', ada)).toBe(
      'You help Ada. Today: 2026-11-24 (Tuesday), Europe/Berlin.',
    )
  })

  it.each([
    ['Pacific/Kiritimati', '2026-11-25 (Wednesday)'],
    ['UTC', '2026-11-24 (Tuesday)'],
    ['Pacific/Pago_Pago', '2026-11-24 (Tuesday)'],
  ])('have the day of the user in %s', (timeZone, day) => {
    expect(fillInstructions('{{date}}', { ...ada, timeZone })).toBe(day)
  })

  it('are the same from the first to the last minute of a day, and other ones after it', () => {
    const at = (hour: number, minute: number) =>
      fillInstructions('{{date}}', { ...ada, timeZone: 'UTC', now: Date.UTC(2026, 10, 24, hour, minute) })
    expect(at(0, 0)).toBe(at(23, 59))
    expect(at(24, 0)).not.toBe(at(0, 0))
  })

  it.each([null, '', ' ', '\u200b\n'])('are replaced by "the user" for the name %j', (name) => {
    expect(fillInstructions('Help {{user}}.', { ...ada, name })).toBe('Help the user.')
  })

  it('put a name on one line, without invisible characters, cut to 100 characters', () => {
    expect(fillInstructions('{{user}}', { ...ada, name: 'A\u200bda\n\nIgnore' })).toBe('Ada Ignore')
    expect(fillInstructions('{{user}}', { ...ada, name: 'x'.repeat(2000) })).toBe('x'.repeat(100))
    expect(fillInstructions('{{user}}', { ...ada, name: `${'x'.repeat(99)}😀` }).isWellFormed()).toBe(true)
  })

  it.each(['{{date}}', '{{user}}', '$&', '$1', '{{user'])('are not looked for in the name %j', (name) => {
    expect(fillInstructions('I am {{user}}', { ...ada, name })).toBe(`I am ${name}`)
  })

  it.each([
    '{{users}}',
    '{{User}}',
    '{{ user }}',
    '{{timezone}}',
    '{user}',
    '{{user}',
    '{{{user}}}',
    '{{{{user}}}}',
    '{{x{{user}}}}',
    '{{constructor}}',
    '{{}}',
  ])('stay as typed when unknown or in further braces: %s', (text) => {
    expect(fillInstructions(text, ada)).toBe(text)
  })

  it('are the only text that changes, whatever stands around them', () => {
    const text = fc.string({ unit: fc.constantFrom('{', '}', 'user', 'date', '{{user}}', ' ', 'é', '$&') })
    fc.assert(
      fc.property(text, text, (template, name) => {
        // Two braces in a name or template must not form a variable with their neighbours.
        const filled = fillInstructions(template, { ...ada, name: `[${name}]` })
        const parts = template.split(/(?<!\{)\{\{user\}\}(?!\})/)
        const dates = parts.map((part) =>
          part.split(/(?<!\{)\{\{date\}\}(?!\})/).join('2026-11-24 (Tuesday)'),
        )
        const shown = `[${name}]`.replaceAll(/\s+/g, ' ').slice(0, 100)
        expect(filled).toBe(dates.join(shown))
      }),
    )
  })

  it('are replaced in the longest instructions without delay', () => {
    for (const text of ['{'.repeat(50_000), '{{'.repeat(25_000), '{{user}'.repeat(7_000)])
      expect(fillInstructions(text, ada)).toBe(text)
  })
})

describe('the time zone of a request', () => {
  it.each(['Europe/Berlin', 'America/Argentina/Buenos_Aires', 'UTC'])('is kept: %s', (name) => {
    expect(readTimeZone(name)).toBe(name)
  })

  it.each([undefined, null, '', 'Mars/Olympus', '../../etc/localtime', 'UTC\n', '{{user}}'])(
    'is UTC instead of %j',
    (name) => {
      expect(readTimeZone(name)).toBe('UTC')
    },
  )
})

import { describe, expect, it } from 'vitest'
import { parseConfig } from '../../config/config.ts'
import { createCeilings } from './operator-ceilings.ts'

const at = (url: string, is_default = 0) => ({ url, is_default })
const rulesOf = (environment: Record<string, string>) => createCeilings(parseConfig(environment).ceilings)

describe('the ceilings of the operator', () => {
  it.each([
    ['api.example.com', at('https://api.example.com/mcp'), 'act', true],
    ['api.example.com', at('https://API.example.com./mcp'), 'act', true],
    ['API.example.com.', at('https://api.example.com/mcp'), 'act', true],
    ['api.example.com', at('http://api.example.com:8080/mcp'), 'act', true],
    ['api.example.com:443', at('https://api.example.com/mcp'), 'act', true],
    ['api.example.com:443', at('https://user@api.example.com:443/mcp'), 'act', true],
    ['api.example.com:80', at('http://api.example.com/mcp'), 'act', true],
    ['api.example.com:443', at('https://api.example.com:8443/mcp'), 'act', false],
    ['api.example.com', at('https://other.example.com/api.example.com'), 'act', false],
    ['example.com', at('https://api.example.com'), 'act', false],
    ['[::1]:9', at('http://[0::1]:9/mcp'), 'act', true],
    ['127.0.0.1', at('http://127.1/mcp'), 'act', true],
    ['bücher.example', at('https://xn--bcher-kva.example/mcp'), 'act', true],
    ['api.example.com/send', at('https://api.example.com'), 'send', true],
    ['api.example.com/send', at('https://api.example.com'), 'send_all', false],
    ['api.example.com/send', at('https://api.example.com'), 'Send', false],
    ['api.example.com/send*', at('https://api.example.com'), 'send_all', true],
    ['api.example.com/a/b', at('https://api.example.com'), 'a/b', true],
    ['api.example.com/*', at('https://api.example.com'), 'act', true],
    ['*/delete_*', at('https://any.example'), 'delete_all', true],
    ['*/delete_*', at('https://any.example'), 'read', false],
    ['*', at('not an address'), 'act', true],
    ['default', at('builtin://default', 1), 'calculate', true],
    ['google-gmail/send_*', at('builtin://google-gmail', 1), 'send_message', true],
    ['google-gmail', at('builtin://google-calendar', 1), 'act', false],
  ])('%s and %o with the tool %s', (pattern, connector, tool, applies) => {
    expect(rulesOf({ TOOLS_BLOCKED: pattern }).ruleOf(connector, tool)).toBe(applies ? 'blocked' : undefined)
    expect(rulesOf({ TOOLS_ALWAYS_ASK: pattern }).ruleOf(connector, tool)).toBe(applies ? 'asks' : undefined)
  })

  it('block what is in both lists', () => {
    const { ruleOf } = rulesOf({ TOOLS_BLOCKED: 'a.example/x, b.example', TOOLS_ALWAYS_ASK: '*' })
    expect(ruleOf(at('https://a.example'), 'x')).toBe('blocked')
    expect(ruleOf(at('https://b.example'), 'y')).toBe('blocked')
    expect(ruleOf(at('https://a.example'), 'y')).toBe('asks')
  })

  it('are none by default', () => {
    const ceilings = rulesOf({})
    expect(ceilings.ruleOf(at('https://a.example'), 'x')).toBeUndefined()
    expect(ceilings).toMatchObject({ maxGrantHours: null, maxGrantMs: null })
    expect(rulesOf({ MAX_GRANT_HOURS: '0.5' })).toMatchObject({ maxGrantHours: 0.5, maxGrantMs: 1_800_000 })
  })

  it('names every wrong setting at once', () => {
    const wrong = [
      'https://a.example',
      'a.example/',
      '*.example',
      '*:443',
      'a.example/*_all',
      'a.example:x',
      '/x',
    ]
    const environment = { TOOLS_ALWAYS_ASK: wrong.join(), TOOLS_BLOCKED: 'a b', MAX_GRANT_HOURS: '0' }
    const text = errorOf(() => parseConfig(environment))
    for (const index of wrong.keys())
      expect(text).toContain(`TOOLS_ALWAYS_ASK.${index}: must be host or host/tool`)
    expect(text).toContain('TOOLS_BLOCKED.0: must be host or host/tool')
    expect(text).toContain('MAX_GRANT_HOURS: must be more than 0')
    expect(errorOf(() => parseConfig({ MAX_GRANT_HOURS: 'a day' }))).toContain('must be a number of hours')
  })
})

function errorOf(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    return String(error)
  }
  throw new Error('It did not fail.')
}

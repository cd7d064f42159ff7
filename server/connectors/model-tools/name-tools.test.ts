import { describe, expect, it } from 'vitest'
import { nameTools } from './name-tools.ts'

const tool = (name: string, slug = 'files', connectorId = 'id1') => ({ connectorId, slug, tool: name })
const names = (...tools: ReturnType<typeof tool>[]) => [...nameTools(tools).keys()]

describe('nameTools', () => {
  it('keeps a valid name after the slug', () => {
    expect(names(tool('read_file'))).toEqual(['files__read_file'])
  })

  it('replaces every hostile name by a unique name that providers accept', () => {
    const hostile = [
      'a.b',
      'a/b',
      'a b',
      'a_b',
      'A_B',
      '名前',
      '工具',
      '__proto__',
      'constructor',
      '1st',
      '-x',
      'x'.repeat(128),
      `${'x'.repeat(127)}y`,
      '\u202Eevil',
      'ünïcode',
      '<script>',
    ]
    const all = names(...hostile.map((name) => tool(name)))
    expect(new Set(all).size).toBe(hostile.length)
    for (const name of all) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,62}$/)
  })

  it('does not change a name when another tool is added or removed', () => {
    const [alone] = names(tool('a.b'))
    expect(names(tool('other'), tool('a.b'), tool('third'))).toContain(alone)
  })

  it('distinguishes the same tool of two connectors, even when their slugs and names would collide', () => {
    const all = names(tool('c', 'a__b', 'id1'), tool('b__c', 'a', 'id2'))
    expect(new Set(all).size).toBe(2)
  })

  it('maps each name to its tool', () => {
    const known = nameTools([tool('a.b'), tool('c')])
    for (const [name, { tool: found }] of known) {
      expect(['a.b', 'c']).toContain(found)
      expect(known.get(name)?.tool).toBe(found)
    }
  })
})

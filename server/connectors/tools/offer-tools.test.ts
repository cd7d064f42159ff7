import { describe, expect, it } from 'vitest'
import { shareTools } from './offer-tools.ts'

interface Listed {
  readonly connectorId: string
  readonly name: string
  readonly chars: number
  readonly isPreferred: boolean
}

const toolsOf = (connectorId: string, count: number, part: Partial<Listed> = {}): Listed[] =>
  Array.from({ length: count }, (_, index) => ({
    connectorId,
    name: `${connectorId}${index}`,
    chars: 100,
    isPreferred: false,
    ...part,
  }))

function share(candidates: readonly Listed[], maxTools: number, maxChars = 1_000_000) {
  const { chosen, reached } = shareTools(candidates, { maxTools, maxChars })
  const counts: Record<string, number> = {}
  for (const { connectorId } of chosen) counts[connectorId] = (counts[connectorId] ?? 0) + 1
  return { counts, reached: [...reached], names: [...chosen].map(({ name }) => name) }
}

describe('the tools of one request', () => {
  it('are all of them while they fit', () => {
    const { counts, reached } = share([...toolsOf('a', 100), ...toolsOf('z', 28)], 128)
    expect(counts).toEqual({ a: 100, z: 28 })
    expect(reached).toEqual([])
  })

  it('are shared by the connectors, and a small one keeps all of its tools', () => {
    const { counts, reached } = share([...toolsOf('a', 200), ...toolsOf('b', 5), ...toolsOf('z', 200)], 128)
    expect(counts).toEqual({ a: 62, b: 5, z: 61 })
    expect(reached).toEqual(['maxTools'])
  })

  it('are shared by text too, so that one connector with long descriptions displaces no other', () => {
    const long = toolsOf('a', 100, { chars: 30_000 })
    const { counts, reached, names } = share([...long, ...toolsOf('z', 20, { chars: 1_000 })], 128, 250_000)
    expect(counts).toEqual({ a: 7, z: 20 })
    expect(reached).toEqual(['maxChars'])
    expect(names).toContain('a0')
  })

  it('include smaller tools after one that does not fit', () => {
    const [large, ...small] = toolsOf('a', 3)
    const { names, reached } = share([{ ...large!, chars: 900 }, ...small], 128, 300)
    expect(names).toEqual(['a1', 'a2'])
    expect(reached).toEqual(['maxChars'])
  })

  it('begin with the preferred ones, which leave room for the other connectors', () => {
    const preferred = toolsOf('a', 200, { isPreferred: true })
    expect(share([...preferred, ...toolsOf('z', 40)], 128).counts).toEqual({ a: 96, z: 32 })
  })

  it('include a preferred tool at the end of a list', () => {
    const tools = [...toolsOf('a', 200), ...toolsOf('z', 200)]
    const last = { ...tools[399]!, isPreferred: true }
    expect(share([...tools.slice(0, 399), last], 128).names).toContain('z199')
  })

  it('stay the same when one of them becomes preferred, for the prompt cache of the provider', () => {
    const tools = [...toolsOf('a', 200), ...toolsOf('z', 200)]
    const before = share(tools, 128).names
    for (const used of ['a0', 'a63', 'z7']) {
      const after = share(
        tools.map((tool) => ({ ...tool, isPreferred: tool.name === used })),
        128,
      ).names
      expect(after.toSorted()).toEqual(before.toSorted())
    }
  })
})

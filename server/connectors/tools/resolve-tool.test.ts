import { describe, expect, it } from 'vitest'
import { decideApproval as decideWithin, type AllowanceCeiling } from './resolve-tool.ts'
import { fingerprintTool, type ToolDefinition } from './tool-store.ts'

const definition: ToolDefinition = {
  name: 'send',
  title: 'Send',
  description: 'Sends a note.',
  inputSchema: { type: 'object', properties: { to: { type: 'string' } } },
  outputSchema: null,
  annotations: { destructiveHint: true },
}
const tool = (change: Partial<ToolDefinition> = {}, url = 'https://a.example') => {
  const changed = { ...definition, ...change }
  return { definition: JSON.stringify(changed), fingerprint: fingerprintTool(changed, url) }
}
const allowed = () => ({ ...tool(), permission: 'allow' as const, created_at: 1 })
const hasList = { asks: 1 }
const hourMs = 3_600_000
const noCeiling: AllowanceCeiling = { rule: undefined, maxGrantMs: null, now: 10 * hourMs }
const decideApproval = (
  connector: Parameters<typeof decideWithin>[0],
  ...[of, decided, ceiling = noCeiling]: [
    Parameters<typeof decideWithin>[1],
    Parameters<typeof decideWithin>[2],
    AllowanceCeiling?,
  ]
) => decideWithin(connector, of, decided, ceiling)

describe('decideApproval', () => {
  it('runs every tool when there is no list (§4.18)', () => {
    expect(decideApproval({ asks: 0 }, tool(), undefined)).toEqual({ kind: 'run', by: 'no_list' })
    expect(decideApproval({ asks: 0 }, tool({ description: 'changed' }), allowed())).toEqual({
      kind: 'run',
      by: 'no_list',
    })
  })

  it('needs approval for tools that are not on the list, and for all when it is empty (§4.17, §4.19)', () => {
    expect(decideApproval(hasList, tool(), undefined)).toEqual({ kind: 'ask' })
    expect(decideApproval(hasList, tool(), { ...allowed(), permission: 'block' })).toEqual({ kind: 'ask' })
  })

  it('runs tools on the list as long as they are unchanged', () => {
    expect(decideApproval(hasList, tool(), allowed())).toEqual({ kind: 'run', by: 'listed' })
  })

  it.each<[string, Partial<ToolDefinition>, object]>([
    ['title', { title: null }, { before: 'Send', after: null }],
    ['description', { description: 'Sends all.' }, { before: 'Sends a note.', after: 'Sends all.' }],
    [
      'input',
      { inputSchema: { type: 'object', properties: {} } },
      { after: expect.stringContaining('"properties": {}') as string },
    ],
    ['output', { outputSchema: { type: 'object' } }, { before: null }],
    [
      'annotations',
      { annotations: { readOnlyHint: true } },
      { before: expect.stringContaining('destructive') as string },
    ],
  ])('needs approval when the %s has changed, and returns the change', (what, change, shown) => {
    const decision = decideApproval(hasList, tool(change), allowed())
    expect(decision).toMatchObject({ kind: 'ask_changed', changes: [{ what, ...shown }] })
  })

  it('needs approval for the same tool at another address', () => {
    const decision = decideApproval(hasList, tool({}, 'https://b.example'), allowed())
    expect(decision).toEqual({ kind: 'ask_changed', changes: [{ what: 'other', before: null, after: null }] })
  })

  it('does not call a tool changed that was never read', () => {
    const named = { permission: 'allow' as const, fingerprint: null, definition: null, created_at: 1 }
    expect(decideApproval(hasList, tool(), named)).toEqual({ kind: 'ask' })
  })

  it.each([0, 1])('always asks for a tool of the operator, with a list or without (asks = %i)', (asks) => {
    const ceiling = { ...noCeiling, rule: 'asks' as const }
    expect(decideApproval({ asks }, tool(), allowed(), ceiling)).toEqual({ kind: 'ask' })
  })

  it.each([
    ['newer than the longest time', 10 * hourMs - 1, 'run'],
    ['as old as the longest time', 9 * hourMs, 'ask'],
    ['older than this record', 0, 'ask'],
    // The clock was set back.
    ['from the future', 11 * hourMs, 'run'],
  ])('with a longest time, decides about an allowance that is %s', (_, created_at, kind) => {
    const ceiling = { ...noCeiling, maxGrantMs: hourMs }
    expect(decideApproval(hasList, tool(), { ...allowed(), created_at }, ceiling).kind).toBe(kind)
    expect(decideApproval({ asks: 0 }, tool(), undefined, ceiling).kind).toBe('run')
  })

  it('ignores the order of keys', () => {
    const inputSchema = { properties: { to: { type: 'string' } }, type: 'object' }
    expect(decideApproval(hasList, tool({ inputSchema }), allowed()).kind).toBe('run')
  })

  it('returns a change without indentation when that would make it many times longer', () => {
    let deep: unknown = Array.from({ length: 10_000 }, () => 0)
    for (let level = 0; level < 25; level++) deep = [deep]
    const changed = tool({ annotations: { deep } })
    const decision = decideApproval(hasList, changed, allowed())
    expect(decision.kind).toBe('ask_changed')
    expect(JSON.stringify(decision).length).toBeLessThan(50_000)
  })
})

import { describe, expect, it } from 'vitest'
import { decideApproval } from './resolve-tool.ts'
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
const allowed = () => ({ ...tool(), permission: 'allow' as const })
const hasList = { asks: 1 }

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
    const named = { permission: 'allow' as const, fingerprint: null, definition: null }
    expect(decideApproval(hasList, tool(), named)).toEqual({ kind: 'ask' })
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

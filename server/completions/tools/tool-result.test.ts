import { expect, it } from 'vitest'
import { createResult } from './tool-result.ts'

const call = { replyId: 'a1', connectorId: 'c1', connectorName: 'tools', toolName: 'act' }

it('limits the characters of a shown result, including links', () => {
  const link = { type: 'link', uri: `https://x.example/${'y'.repeat(1_900)}`, name: 'z'.repeat(300) } as const
  const parts = Array.from({ length: 500 }, () => link)
  const { message } = createResult(call, { status: 'done', text: 'Links.', parts, duration: 1 }, 1)
  const shown = message.outcome?.parts ?? []
  // An image is addressed by its index in the list of parts, so no part may be removed.
  expect(shown).toHaveLength(500)
  expect(shown[0]).toEqual(link)
  expect(shown.at(-1)).toEqual({
    type: 'note',
    text: 'This link is not shown, because the result is too long.',
  })
  expect(JSON.stringify(message).length).toBeLessThan(100_000)
})

it('shows what is missing of a result also when the rest of it is too long', () => {
  const omission = { type: 'note', text: 'The result is larger than 4 MiB.' } as const
  const parts = [{ type: 'text', text: 'a'.repeat(60_000) }, omission] as const
  const { message } = createResult(call, { status: 'done', text: 'Long.', parts, duration: 1 }, 1)
  expect(message.outcome?.parts).toEqual([
    { type: 'text', text: `${'a'.repeat(50_000)}\n[10,000 further characters are not shown.]` },
    omission,
  ])
})

import { expect, it } from 'vitest'
import { modelLimits } from './adapter.ts'
import { ReplyParts } from './reply-parts.ts'

it('has content after a call alone, because a model that is called again would repeat it', () => {
  const parts = new ReplyParts(modelLimits)
  parts.addCall({ id: 'call_1', name: 'send', arguments: '{}' }, 'source', {})
  parts.drain()
  expect(parts.hasContent).toBe(true)
})

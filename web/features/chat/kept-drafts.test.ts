import type { Drafts } from '@yonder/contract/draft'
import { expect, test } from 'vitest'
import { json, ScriptedApi } from '../../testing/scripted-api.ts'
import { storageKeys } from './chat-storage.ts'
import { keepUnsent } from './kept-drafts.ts'

test('keeps what another browser has left with the server', async () => {
  let { drafts }: Drafts = {
    drafts: { [storageKeys.homeDraft]: 'At the office', [storageKeys.draft('c1')]: 'To Ada' },
  }
  const api = new ScriptedApi()
    .on('GET /api/drafts', () => json({ drafts }))
    .on('PUT /api/drafts', ({ body }) => {
      drafts = (body as Drafts).drafts
      return new Response(null, { status: 204 })
    })
  localStorage.setItem(storageKeys.homeDraft, 'At home')
  await keepUnsent(api.client)
  expect(drafts).toEqual({
    [storageKeys.homeDraft]: 'At the office\n\nAt home',
    [storageKeys.draft('c1')]: 'To Ada',
  })
})

import { screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { noticeKinds } from '@yonder/contract/lib/notices'
import type { NotificationChange, NotificationSettings } from '@yonder/contract/notification'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { expectConsole } from '../../testing/expect-console.ts'
import { makeSignedIn } from '../../testing/make-identity.ts'
import { renderScreen } from '../../testing/render-screen.tsx'
import { failure, json, ScriptedApi } from '../../testing/scripted-api.ts'
import { IdentityContext } from '../identity/use-identity.ts'
import { NotificationsSection } from './notifications-section.tsx'

beforeEach(() => void vi.stubGlobal('isSecureContext', false))
afterEach(() => void vi.unstubAllGlobals())

const settings: NotificationSettings = {
  kinds: [...noticeKinds],
  with_text: false,
  devices: [],
  webhook: null,
  push_key: 'B',
}
const patch = 'PATCH /api/notifications'

function open(onChange: Parameters<ScriptedApi['on']>[1], read = () => settings) {
  const api = new ScriptedApi().on('GET /api/notifications', () => json(read())).on(patch, onChange)
  const section = (
    <IdentityContext value={makeSignedIn()}>
      <NotificationsSection />
    </IdentityContext>
  )
  renderScreen(api, section, '/settings/notifications')
  return api
}

const openSwitch = (name: string) => screen.findByRole('switch', { name })

it('keeps both of two changes, the second of which comes before the answer to the first', async () => {
  const answers: (() => void)[] = []
  let stored = settings
  const api = open(
    ({ body }) => {
      const { kinds = stored.kinds } = body as NotificationChange
      stored = { ...stored, kinds }
      const answer = json(stored)
      return new Promise((resolve) => {
        answers.push(() => resolve(answer))
      })
    },
    () => stored,
  )
  await userEvent.click(await openSwitch('A reply has ended'))
  await userEvent.click(await openSwitch('A reply has failed'))
  await waitFor(() => expect(answers).toHaveLength(2))
  expect(api.seen(patch).map(({ body }) => body)).toEqual([
    { kinds: ['reply_failed', 'call_asks'] },
    { kinds: ['call_asks'] },
  ])
  for (const answer of answers) answer()
  await waitFor(async () => expect(await openSwitch('A reply has failed')).not.toBeChecked())
  expect(await openSwitch('A reply has ended')).not.toBeChecked()
})

it('shows what is stored after a change that could not be saved', async () => {
  expectConsole('error', /could not be saved/)
  const api = open(() => failure(503, 'unavailable', 'The disk is full.'))
  await userEvent.click(await openSwitch('A reply has ended'))
  await waitFor(() => expect(api.seen('GET /api/notifications')).toHaveLength(2))
  expect(await openSwitch('A reply has ended')).toBeChecked()
})

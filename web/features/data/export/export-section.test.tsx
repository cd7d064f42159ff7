import { act, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { Transfer } from '@yonder/contract/transfer'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SelfServiceContext } from '../../../data/self-service.ts'
import { expectConsole } from '../../../testing/expect-console.ts'
import { makeSignedIn } from '../../../testing/make-identity.ts'
import { renderScreen } from '../../../testing/render-screen.tsx'
import { failure, json, ScriptedApi } from '../../../testing/scripted-api.ts'
import { ToastRegion } from '../../../ui/toast/toast-region.tsx'
import { IdentityContext } from '../../identity/use-identity.ts'
import { DataSection } from '../data-section.tsx'

beforeEach(() => vi.useFakeTimers({ shouldAdvanceTime: true, now: new Date('2026-11-28T14:00:00Z') }))
afterEach(() => vi.useRealTimers())

const transfer = (state: Transfer['state'], fields: Partial<Transfer> = {}): Transfer => ({
  id: 'e1',
  state,
  files: [],
  done: 0,
  total: null,
  created_time: '2026-11-28T13:20:00Z',
  expires_time: '2026-11-29T13:20:00Z',
  ...fields,
})
const done = () =>
  transfer('done', { files: [{ name: 'yonder-2026-11-28.zip', size: 612_000_000, uploaded: true }] })

let api: ScriptedApi
let stored: Transfer | null
const user = userEvent.setup({ advanceTimers: (ms) => void vi.advanceTimersByTime(ms) })

beforeEach(() => {
  stored = null
  api = new ScriptedApi()
    .on('GET /api/transfers', () => json({ export: stored, import: null }))
    .on('POST /api/exports', () => {
      stored = transfer('running', { done: 640, total: 1284 })
      return json(stored)
    })
    .on('POST /api/exports/e1/cancel', () => {
      stored = transfer('cancelled')
      return new Response(null, { status: 204 })
    })
})

const identity = makeSignedIn()

async function open() {
  renderScreen(
    api,
    <SelfServiceContext value>
      <IdentityContext value={identity}>
        <DataSection />
      </IdentityContext>
      <ToastRegion />
    </SelfServiceContext>,
  )
  await screen.findByRole('heading', { name: 'Export' })
}

const button = (name: string) => screen.findByRole('button', { name })

test('an export is prepared, can be cancelled, and is prepared again', async () => {
  await open()
  await user.click(await button('Prepare'))
  expect(await screen.findByText('640 of 1,284 chats. You can leave this page.')).toBeVisible()
  expect(screen.queryByRole('button', { name: 'Prepare' })).toBeNull()
  const cancel = await button('Cancel')
  expect(cancel).toHaveFocus()
  await user.click(cancel)
  expect(await button('Prepare')).toHaveFocus()
})

test('a finished export is downloaded by the browser, until it is deleted', async () => {
  const clicked = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockReturnValue(undefined)
  api.on('POST /api/exports/e1/link', () =>
    json({ url: 'http://yonder.example/api/exports/e1/file?ticket=t' }),
  )
  stored = done()
  await open()
  expect(screen.getByText('yonder-2026-11-28.zip')).toBeVisible()
  expect(screen.getByText(/^612 MB, ready until 2026-11-29 \d\d:\d\d$/)).toBeVisible()
  await user.click(await button('Download'))
  await vi.waitFor(() => expect(clicked).toHaveBeenCalledOnce())
  expect(clicked.mock.contexts[0]).toMatchObject({
    href: 'http://yonder.example/api/exports/e1/file?ticket=t',
    download: '',
  })
  clicked.mockRestore()
  await act(() => vi.advanceTimersByTimeAsync(24 * 3_600_000))
  expect(screen.getByText('No longer here. Exports are kept for a day.')).toBeVisible()
  expect(screen.queryByRole('button', { name: 'Download' })).toBeNull()
  expect(await button('Prepare')).toBeVisible()
})

test('a download that comes too late says so, and an export that failed is tried again', async () => {
  expectConsole('error', /The export is no longer here/)
  stored = done()
  api.on('POST /api/exports/e1/link', () => {
    stored = transfer('failed', { error: 'The disk of the server is full.' })
    return failure(404, 'not_found', 'There is no such export.')
  })
  await open()
  await user.click(await button('Download'))
  expect(await screen.findByText('The export is no longer here. Prepare it again.')).toBeVisible()
  expect(await screen.findByText('The disk of the server is full.')).toBeVisible()
  await user.click(await button('Try again'))
  expect(await screen.findByText('Preparing')).toBeVisible()
})

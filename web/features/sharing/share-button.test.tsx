import { act, fireEvent, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { dismissToast, toasts } from '../../lib/toasts.ts'
import { expectConsole } from '../../testing/expect-console.ts'
import { renderScreen } from '../../testing/render-screen.tsx'
import { failure, json, ScriptedApi } from '../../testing/scripted-api.ts'
import { ShareButton } from './share-button.tsx'

const route = 'POST /api/share/chat-1'
const link = `${location.origin}/share/abc`

let copied: string[]
beforeEach(() => {
  vi.useFakeTimers()
  copied = []
  setClipboard(async (text) => {
    copied.push(text)
  })
})
afterEach(() => {
  for (const { id } of toasts.get()) dismissToast(id)
  vi.useRealTimers()
  Reflect.deleteProperty(navigator, 'share')
  Reflect.deleteProperty(navigator, 'clipboard')
})

function setClipboard(writeText: (text: string) => Promise<void>) {
  Object.defineProperty(navigator, 'clipboard', { value: { writeText }, configurable: true })
}

function setNativeShare(share: (data: ShareData) => Promise<void>) {
  Object.defineProperty(navigator, 'share', { value: share, configurable: true })
}

function open(api = new ScriptedApi().on(route, () => json({ shareId: 'abc' }))) {
  renderScreen(api, <ShareButton chatId="chat-1" messageId="m1" />)
  return api
}

const button = () => screen.getByRole('button', { name: 'Share' })
const feedback = () => screen.getAllByRole('status').at(-1)?.textContent
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))

async function click() {
  fireEvent.click(button())
  await pass(0)
}

it("copies the link and shows 'Copied to clipboard!' for two seconds (§2.30, §7.10, §9.3)", async () => {
  const api = open()
  await click()
  expect(api.seen(route)[0]?.body).toEqual({ messageId: 'm1' })
  expect(api.seen(route)[0]?.headers.get('authorization')).toBe('Bearer token')
  expect(copied).toEqual([link])
  expect(feedback()).toBe('Copied to clipboard!')
  await pass(1999)
  expect(feedback()).toBe('Copied to clipboard!')
  await pass(1)
  expect(feedback()).toBe('')
})

it("opens the system's share dialog if there is one, and copies nothing (§7.10)", async () => {
  const shared: ShareData[] = []
  setNativeShare(async (data) => {
    shared.push(data)
  })
  open()
  await click()
  expect(shared).toEqual([{ url: link }])
  expect(copied).toEqual([])
  expect(feedback()).toBe('Shared')
})

it('does nothing more when the user closes the share dialog', async () => {
  setNativeShare(() => Promise.reject(new DOMException('closed', 'AbortError')))
  open()
  await click()
  expect(copied).toEqual([])
  expect(feedback()).toBe('')
})

it('copies the link when the share dialog fails (§7.10)', async () => {
  setNativeShare(() => Promise.reject(new DOMException('no', 'NotAllowedError')))
  open()
  await click()
  expect(copied).toEqual([link])
  expect(feedback()).toBe('Copied to clipboard!')
})

it('logs a failure, and says at the button why the chat is not shared until the next action (§8.14)', async () => {
  expectConsole('error', /^Failed to generate share link/)
  open(new ScriptedApi().on(route, () => failure(409, 'conflict', 'Still being written.')))
  await click()
  expect(copied).toEqual([])
  expect(feedback()).toBe('Not shared. Still being written.')
  expect(screen.queryByRole('alert')).toBeNull()
  await pass(60_000)
  expect(feedback()).toBe('Not shared. Still being written.')
  fireEvent.keyDown(document.body, { key: 'Tab' })
  expect(feedback()).toBe('')
})

it('shows the created link in a dialog when the browser refuses to copy it', async () => {
  expectConsole('error', /^Copying failed/)
  setClipboard(() => Promise.reject(new DOMException('no', 'NotAllowedError')))
  open()
  await click()
  expect(feedback()).toBe('')
  const dialog = screen.getByRole('dialog', { name: 'Shared' })
  const shown = within(dialog).getByRole<HTMLInputElement>('textbox', { name: 'Link' })
  expect(shown).toHaveValue(link)
  expect(shown).toHaveFocus()
  expect([shown.selectionStart, shown.selectionEnd]).toEqual([0, link.length])

  // Some browsers allow copying after another click.
  setClipboard(async (text) => void copied.push(text))
  fireEvent.click(within(dialog).getByRole('button', { name: 'Copy link' }))
  await pass(0)
  expect(copied).toEqual([link])
  fireEvent.click(within(dialog).getByRole('button', { name: 'Close' }))
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(feedback()).toBe('')
})

it('sends one request, however often the button is clicked', async () => {
  let answer: (response: Response) => void = () => undefined
  const api = open(new ScriptedApi().on(route, () => new Promise((resolve) => (answer = resolve))))
  await click()
  await click()
  expect(api.seen(route)).toHaveLength(1)
  answer(json({ shareId: 'abc' }))
  await pass(0)
  expect(copied).toEqual([link])
})

it('offers to let the files go along, which it does not do by itself', async () => {
  const response = { shareId: 'abc', files: { count: 2, shared: false } }
  const api = open(
    new ScriptedApi()
      .on(route, () => json(response))
      .on('PATCH /api/share/abc', () => new Response(null, { status: 204 })),
  )
  await click()
  const [offer] = toasts.get()
  expect(offer).toMatchObject({
    text: 'Visitors see only the names of the 2 files in this chat.',
    action: { label: 'Share the files too' },
  })
  expect(api.seen('PATCH /api/share/abc')).toEqual([])
  act(() => offer?.action?.run())
  await pass(0)
  expect(api.seen('PATCH /api/share/abc').map(({ body }) => body)).toEqual([{ files: true }])
  expect(toasts.get().at(-1)?.text).toBe('Visitors of the link see its files now')
})

it('offers nothing about files when there are none, or they go along already', async () => {
  open(new ScriptedApi().on(route, () => json({ shareId: 'abc', files: { count: 2, shared: true } })))
  await click()
  expect(toasts.get()).toEqual([])
})

import { act, fireEvent, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
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

it("copies the link and says 'Copied to clipboard!' for two seconds (§2.30, §7.10, §9.3, §20.3)", async () => {
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

it('passes the link to the system where that can share, and copies nothing (§7.10, §20.3)', async () => {
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

it('does nothing more when the user closes the dialog of the system (§20.12)', async () => {
  setNativeShare(() => Promise.reject(new DOMException('closed', 'AbortError')))
  open()
  await click()
  expect(copied).toEqual([])
  expect(feedback()).toBe('')
})

it('copies when the system refuses to share (§7.10)', async () => {
  setNativeShare(() => Promise.reject(new DOMException('no', 'NotAllowedError')))
  open()
  await click()
  expect(copied).toEqual([link])
  expect(feedback()).toBe('Copied to clipboard!')
})

it('logs a failure, and does not say that anything was copied (§8.14)', async () => {
  expectConsole('error', /^Failed to generate share link/)
  open(new ScriptedApi().on(route, () => failure(409, 'conflict', 'Still being written.')))
  await click()
  expect(copied).toEqual([])
  expect(feedback()).toBe('Not shared')
  expect(screen.queryByRole('alert')).toBeNull()
  await pass(2000)
  expect(feedback()).toBe('')
})

it('logs a refused clipboard, and shows the link that was made all the same (§20.3)', async () => {
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

  // Another click may be what the browser wants.
  setClipboard(async (text) => void copied.push(text))
  fireEvent.click(within(dialog).getByRole('button', { name: 'Copy link' }))
  await pass(0)
  expect(copied).toEqual([link])
  fireEvent.click(within(dialog).getByRole('button', { name: 'Close' }))
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(feedback()).toBe('')
})

it('sends one request, however often it is clicked meanwhile', async () => {
  let answer: (response: Response) => void = () => undefined
  const api = open(new ScriptedApi().on(route, () => new Promise((resolve) => (answer = resolve))))
  await click()
  await click()
  expect(api.seen(route)).toHaveLength(1)
  answer(json({ shareId: 'abc' }))
  await pass(0)
  expect(copied).toEqual([link])
})

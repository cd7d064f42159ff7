import { act, screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { ToolCallRecord } from '@yonder/contract/connector'
import type { Inbox, InboxItem } from '@yonder/contract/inbox'
import type { Message } from '@yonder/contract/message'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { expectConsole } from '../../testing/expect-console.ts'
import { renderScreen } from '../../testing/render-screen.tsx'
import { failure, json, ScriptedApi, settle } from '../../testing/scripted-api.ts'
import { call, connector } from '../../testing/tool-chat-scene.tsx'
import { owlAndFox } from '../../testing/wire-objects.ts'
import { InboxView } from './inbox-view.tsx'

beforeEach(() => {
  vi.stubGlobal('scrollBy', () => undefined)
})
afterEach(() => {
  vi.unstubAllGlobals()
})

const confirm = 'POST /api/tool/confirm'
const send = 'POST /api/chat/completions'

const item = (name: string, message: Partial<Message> = {}): InboxItem => ({
  chat_id: `chat-${name}`,
  chat_title: `Chat ${name}`,
  message: call(`call-${name}`, `asked-${name}`, message),
  asked_for: `Please do ${name}`,
  asked_at: '2026-11-29T10:00:00.000Z',
  expires_at: '2026-11-30T10:00:00.000Z',
})

const record = (more: Partial<ToolCallRecord> = {}): ToolCallRecord => ({
  id: '1',
  connector: 'default',
  tool: 'calculate',
  arguments_hash: 'h',
  approval: 'once',
  outcome: 'done',
  started_at: '2026-11-20T10:00:00.000Z',
  duration: 12,
  bytes: 1,
  chat_id: 'chat-one',
  chat_title: 'Chat one',
  message_id: 'call-one',
  decided_at: '2026-11-20T10:00:00.000Z',
  decided_on: 'Chrome on Android',
  edited: false,
  grant_id: null,
  ...more,
})

/** The page with a server whose inbox a test can change. */
class InboxScene {
  readonly api = new ScriptedApi()
  inbox: Inbox
  records: readonly ToolCallRecord[] = []

  constructor(items: readonly InboxItem[], total = items.length) {
    this.inbox = { items: [...items], total }
    this.api
      .on('GET /api/inbox', () => json(this.inbox))
      .on('GET /api/bots', () => json(owlAndFox))
      .on('GET /api/mcp-servers', () => json([connector]))
      .on('GET /api/tool-calls', () => json({ calls: this.records, next: null }))
      .on(confirm, () => Response.json({ chatId: 'chat', started: null }, { status: 202 }))
      .on(send, () => Response.json({ chatId: 'chat', started: null }, { status: 202 }))
  }

  open() {
    return renderScreen(this.api, <InboxView />, '/inbox')
  }

  /** Replaces what waits, and announces that a chat has changed. */
  async change(items: readonly InboxItem[]): Promise<void> {
    this.inbox = { items: [...items], total: items.length }
    const reads = this.api.seen('GET /api/inbox').length
    act(() => this.api.client.live.emit({ type: 'chat_changed', chatId: 'any' }))
    await waitFor(() => expect(this.api.seen('GET /api/inbox').length).toBeGreaterThan(reads))
  }
}

const title = (name: string) => screen.findByRole('link', { name: `Chat ${name}` })
const rowOf = async (name: string) => within((await title(name)).closest('li')!)
const titles = () =>
  within(screen.getByRole('list', { name: 'Waiting' }))
    .getAllByRole('heading', { level: 2 })
    .map((heading) => heading.textContent)

async function press(name: string, button: string) {
  const row = await rowOf(name)
  const element = row.getByRole('button', { name: button })
  await waitFor(() => expect(element).toBeEnabled())
  await userEvent.click(element)
}

it('allows calls of several chats in place: each folds to a line, and the focus goes to the next title', async () => {
  const scene = new InboxScene([item('one'), item('two')])
  scene.open()
  expect(await title('one')).toHaveAttribute('href', '/chat/chat-one#message=call-one&words=')
  expect((await rowOf('one')).getByText('Please do one')).toBeVisible()
  expect(screen.getByRole('tab', { name: 'Waiting 2' })).toBeVisible()
  await press('one', 'Allow Once')
  expect(scene.api.seen(confirm).map(({ body }) => body)).toEqual([
    expect.objectContaining({
      botName: 'Owl',
      server: 'default',
      tool: 'calculate',
      args: '{"expression":"2 + 3"}',
      chatId: 'chat-one',
      messageId: 'call-one',
    }),
  ])
  expect(scene.api.seen(confirm)[0]?.headers.get('Prefer')).toBe('respond-async')
  expect((await rowOf('one')).getByText(/^Allowed, \d\d:\d\d$/)).toBeVisible()
  expect((await rowOf('one')).queryByRole('button')).toBeNull()
  expect(await title('two')).toHaveFocus()
  await press('two', 'Allow Once')
  expect(screen.getByText('Nothing else waits for you.')).toHaveFocus()
  expect(screen.getByRole('tab', { name: 'Waiting' })).toBeVisible()
  expect(titles()).toEqual(['Chat one', 'Chat two'])
})

it.each([
  ['the first of two', { place: { index: 1, total: 2 } }],
  // Without `denyOne`, the message would go into the chat when the call was decided elsewhere.
  ['the only one', {}],
])('denies only this call, %s, with the message that the chat would send', async (_, more) => {
  const scene = new InboxScene([item('one', { call: { state: 'waiting', ...more } })])
  scene.open()
  await press('one', 'Deny')
  expect(scene.api.seen(send).map(({ body }) => body)).toEqual([
    expect.objectContaining({
      chatId: 'chat-one',
      parentId: 'call-one',
      content: 'cancel',
      botName: 'Owl',
      denyOne: true,
    }),
  ])
  expect((await rowOf('one')).getByText(/^Denied, /)).toBeVisible()
})

it('says why a decision was not carried out, and shows the call again', async () => {
  expectConsole('error', /could not be approved/)
  const scene = new InboxScene([item('one')])
  scene.api.on(confirm, () => failure(503, 'unavailable', 'The disk is full.'))
  scene.open()
  await press('one', 'Allow Once')
  expect(await screen.findByRole('alert')).toHaveTextContent(
    'The call could not be approved: The disk is full.',
  )
  await userEvent.click(screen.getByRole('button', { name: 'Show the call' }))
  expect((await rowOf('one')).getByRole('button', { name: 'Allow Once' })).toBeVisible()
})

it('tells who decides second what was decided first, when and where', async () => {
  expectConsole('error', /could not be approved/)
  const scene = new InboxScene([item('one')])
  scene.records = [record()]
  scene.api.on(confirm, () => failure(409, 'conflict', 'The call was decided.'))
  scene.open()
  await press('one', 'Allow Once')
  expect(
    await screen.findByText(/^Already allowed at 2026-11-20 \d\d:\d\d in Chrome on Android\.$/),
  ).toBeVisible()
})

it('is kept up to date without moving anything: what is gone folds, and what is new comes at the end', async () => {
  const scene = new InboxScene([item('one'), item('two')])
  scene.records = [record({ approval: 'denied' })]
  scene.open()
  await title('two')
  await scene.change([item('new'), item('two')])
  expect(await screen.findByText(/^Already denied at .* in Chrome on Android\.$/)).toBeVisible()
  expect(titles()).toEqual(['Chat one', 'Chat two', 'Chat new'])
  expect(screen.getByText('1 new, at the end of the list')).toBeInTheDocument()
  expect(screen.getByRole('tab', { name: 'Waiting 2' })).toBeVisible()
})

it('answers the question of a running call in place', async () => {
  const question = { id: 'q1', message: 'Which size?', fields: [] }
  const scene = new InboxScene([item('one', { call: { state: 'running', question } })])
  scene.api.on('POST /api/tool/answer', () => json({ answered: true }))
  scene.open()
  await press('one', 'Submit')
  expect(scene.api.seen('POST /api/tool/answer')[0]?.body).toMatchObject({
    chatId: 'chat-one',
    messageId: 'call-one',
    questionId: 'q1',
    answer: { action: 'accept' },
  })
  await scene.change([])
  expect(await screen.findByText('No longer asks')).toBeVisible()
})

it('says how many more wait than are listed', async () => {
  const scene = new InboxScene([item('one')], 41)
  scene.open()
  expect(await screen.findByText('and 40 more, listed when these are decided')).toBeVisible()
  expect(screen.getByRole('tab', { name: 'Waiting 41' })).toBeVisible()
})

it('says that nothing waits, and what appears here', async () => {
  new InboxScene([]).open()
  expect(await screen.findByText('Nothing waits for you.')).toBeVisible()
  expect(screen.getByText('Calls that need your approval appear here, from all chats.')).toBeVisible()
})

it('says that the inbox could not be loaded, and loads it again', async () => {
  expectConsole('error', /fetching the data/)
  const scene = new InboxScene([item('one')])
  scene.api.on('GET /api/inbox', () => failure(503, 'unavailable', 'The database does not respond.'))
  scene.open()
  expect(await screen.findByText('The inbox could not be loaded.')).toBeVisible()
  scene.api.on('GET /api/inbox', () => json(scene.inbox))
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await title('one')).toBeVisible()
})

it('lists what was decided by day, with the place, and links to the call', async () => {
  vi.setSystemTime('2026-11-29T12:00:00Z')
  const scene = new InboxScene([])
  const at = (decided_at: string, more: Partial<ToolCallRecord>) =>
    record({ id: decided_at, decided_at, ...more })
  scene.api.on('GET /api/tool-calls', ({ query }) =>
    json(
      query.get('before') === null
        ? {
            calls: [
              at('2026-11-29T11:00:00.000Z', { edited: true }),
              at('2026-11-28T11:00:00.000Z', { approval: 'denied', chat_id: null, chat_title: null }),
            ],
            next: '5.one',
          }
        : { calls: [at('2026-11-20T11:00:00.000Z', { approval: 'expired', decided_on: null })], next: null },
    ),
  )
  scene.open()
  await userEvent.click(await screen.findByRole('tab', { name: 'Decided' }))
  const today = within(await screen.findByRole('region', { name: 'Today' })).getByRole('listitem')
  expect(today).toHaveTextContent(
    /^default calculateChat one · in Chrome on AndroidAllowed once, edited\d\d:\d\d$/,
  )
  expect(within(today).getByRole('link', { name: 'Chat one' })).toHaveAttribute(
    'href',
    '/chat/chat-one#message=call-one&words=',
  )
  const yesterday = screen.getByRole('region', { name: 'Yesterday' })
  expect(yesterday).toHaveTextContent(/Deleted chat · in Chrome on AndroidDenied/)
  await userEvent.click(screen.getByRole('button', { name: 'Show more' }))
  expect(await screen.findByRole('region', { name: '2026-11-20' })).toHaveTextContent('Not decided')
  vi.useRealTimers()
})

it('does not decide about the next call by the second click of a double click', async () => {
  const scene = new InboxScene([item('one'), item('two')])
  scene.open()
  await press('one', 'Allow Once')
  const next = (await rowOf('two')).getByRole('button', { name: 'Allow Once' })
  act(() => void next.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 2 })))
  await settle()
  expect(scene.api.seen(confirm)).toHaveLength(1)
  act(() => void next.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 1 })))
  await waitFor(() => expect(scene.api.seen(confirm)).toHaveLength(2))
})

import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Chat } from '@yonder/contract/chat'
import type { Compaction } from '@yonder/contract/compaction'
import { expect, test, vi } from 'vitest'
import { acceptRuns, message, openChat, reply, send } from '../../../testing/chat-scene.tsx'
import { expectConsole } from '../../../testing/expect-console.ts'
import { failure, json, ScriptedApi } from '../../../testing/scripted-api.ts'
import { makeChat } from '../../../testing/wire-objects.ts'
// Loaded late; a busy machine could take longer for it than a query waits.
import '../../../ui/markdown/markdown-body.tsx'

const summary = (id: string, messageId: string, more: Partial<Compaction> = {}): Compaction => ({
  id,
  message_id: messageId,
  message_count: 2,
  content: `The **text** of ${id}.`,
  bot: 'Owl',
  model: 'owl-1',
  edited: false,
  time: '2025-01-02T12:00:00.000Z',
  ...more,
})

const summarized = (...compactions: readonly Compaction[]): Chat => ({
  ...makeChat([
    message('u1', null),
    reply('a1', 'u1'),
    message('u2', 'a1'),
    reply('a2', 'u2'),
    message('u3', 'a2'),
    reply('a3', 'u3'),
  ]),
  compactions: [...compactions],
})

const path = '/api/chats/c1/compactions/s1'

/** Opens a chat with one summary, and the summary. */
async function openSummary(api = new ScriptedApi()) {
  openChat(summarized(summary('s1', 'a2', { message_count: 1_214 })), api)
  const block = await screen.findByRole('complementary', { name: 'Summary of 1,214 earlier messages' })
  await screen.findByRole('combobox')
  await userEvent.click(within(block).getByRole('button', { name: /^Summary of/ }))
  return within(block)
}

test('the summary is a closed line after the last message that it replaces, and opens to its text and origin', async () => {
  openChat(summarized(summary('s1', 'a2', { edited: true })))
  const block = await screen.findByRole('complementary', { name: 'Summary of 2 earlier messages' })
  expect(block).toHaveTextContent('The model reads this instead of them.')
  expect(within(block).getByText('Edited')).toBeVisible()
  expect(screen.queryByText('text', { selector: 'strong' })).toBeNull()
  const articles = screen.getAllByRole('article')
  expect(articles[3]!.compareDocumentPosition(block)).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
  expect(articles[4]!.compareDocumentPosition(block)).toBe(Node.DOCUMENT_POSITION_PRECEDING)
  await userEvent.click(within(block).getByRole('button', { name: /^Summary of/ }))
  expect(await within(block).findByText('text', { selector: 'strong' })).toBeVisible()
  expect(block).toHaveTextContent('Owl · owl-1 · 2025-01-02')
})

test('a summary that a later one replaces is not shown', async () => {
  openChat(summarized(summary('s0', 'a1'), summary('s1', 'a2', { message_count: 4 })))
  expect(await screen.findByRole('complementary')).toHaveAccessibleName('Summary of 4 earlier messages')
})

test('saves a changed text and shows what the server has stored', async () => {
  const api = new ScriptedApi().on(`PUT ${path}`, () =>
    json(summary('s1', 'a2', { message_count: 1_214, content: 'Stored.', edited: true })),
  )
  const block = await openSummary(api)
  await userEvent.click(block.getByRole('button', { name: 'Edit' }))
  const box = block.getByRole('textbox', { name: 'Summary' })
  expect(box).toHaveFocus()
  await userEvent.clear(box)
  expect(block.getByRole('button', { name: 'Save' })).toBeDisabled()
  await userEvent.type(box, 'Changed.')
  await userEvent.click(block.getByRole('button', { name: 'Save' }))
  expect(await block.findByText('Stored.')).toBeVisible()
  expect(block.getByText('Edited')).toBeVisible()
  expect(api.seen(`PUT ${path}`).map(({ body }) => body)).toEqual([
    { content: 'Changed.', time: '2025-01-02T12:00:00.000Z' },
  ])
  expect(block.getByRole('button', { name: 'Edit' })).toHaveFocus()
})

test('keeps the text when it could not be saved, and says why', async () => {
  expectConsole('error', /could not be saved/)
  const reason = 'This summary is being written again. Wait until that has ended.'
  const api = new ScriptedApi().on(`PUT ${path}`, () => failure(409, 'conflict', reason))
  const block = await openSummary(api)
  await userEvent.click(block.getByRole('button', { name: 'Edit' }))
  await userEvent.type(block.getByRole('textbox'), ' More.')
  await userEvent.click(block.getByRole('button', { name: 'Save' }))
  expect(await screen.findByText(`The summary could not be saved: ${reason}`)).toBeVisible()
  expect(block.getByRole('textbox')).toHaveValue('The **text** of s1. More.')
})

test('asks before Escape discards a changed text', async () => {
  const block = await openSummary()
  await userEvent.click(block.getByRole('button', { name: 'Edit' }))
  await userEvent.type(block.getByRole('textbox'), ' More.{Escape}')
  await userEvent.click(
    within(screen.getByRole('alertdialog', { name: 'Discard changes?' })).getByRole('button', {
      name: 'Discard',
    }),
  )
  expect(block.queryByRole('textbox')).toBeNull()
})

test('Shift+Escape moves the focus to the message input, and closes no editor', async () => {
  const block = await openSummary()
  await userEvent.click(block.getByRole('button', { name: 'Edit' }))
  const box = block.getByRole('textbox')
  await userEvent.type(box, ' More.{Shift>}{Escape}{/Shift}')
  expect(screen.queryByRole('alertdialog')).toBeNull()
  expect(box).toHaveValue('The **text** of s1. More.')
  expect(screen.getByPlaceholderText('Type your message...')).toHaveFocus()
})

test('an edited text survives leaving the chat, and is removed when the edit ends', async () => {
  const first = openChat(summarized(summary('s1', 'a2')))
  const block = async () => within(await screen.findByRole('complementary'))
  await userEvent.click((await block()).getByRole('button', { name: /^Summary of/ }))
  await userEvent.click((await block()).getByRole('button', { name: 'Edit' }))
  await userEvent.type((await block()).getByRole('textbox'), ' More.')
  first.view.unmount()
  openChat(summarized(summary('s1', 'a2')))
  expect((await block()).getByRole('textbox')).toHaveValue('The **text** of s1. More.')
  expect((await block()).getByRole('textbox')).not.toHaveFocus()
  await userEvent.click((await block()).getByRole('button', { name: 'Cancel' }))
  expect(localStorage.getItem('chat_c1_summary_s1')).toBeNull()
  expect((await block()).getByText('text', { selector: 'strong' })).toBeVisible()
})

test('shows that it is written again elsewhere, until that must have ended', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  const rewriting_until = new Date(Date.now() + 60_000).toISOString()
  openChat(summarized(summary('s1', 'a2', { rewriting_until })))
  const block = within(await screen.findByRole('complementary', { name: 'Summary of 2 earlier messages' }))
  const user = userEvent.setup({ advanceTimers: (ms) => void vi.advanceTimersByTime(ms) })
  await user.click(block.getByRole('button', { name: /^Summary of/ }))
  expect(block.getByRole('button', { name: 'Writing again…' })).toHaveAttribute('aria-busy', 'true')
  expect(block.getByRole('button', { name: 'Edit' })).toBeDisabled()
  act(() => void vi.advanceTimersByTime(60_000))
  expect(block.getByRole('button', { name: 'Write again' })).toBeEnabled()
  expect(block.getByRole('button', { name: 'Edit' })).toBeEnabled()
  vi.useRealTimers()
})

test('is written again by the selected bot; meanwhile nothing else can be done with it', async () => {
  let respond: (response: Response) => void = () => undefined
  const api = new ScriptedApi().on(
    `POST ${path}/rewrite`,
    () => new Promise<Response>((resolve) => (respond = resolve)),
  )
  const block = await openSummary(api)
  await userEvent.selectOptions(screen.getByRole('combobox'), 'Fox')
  await userEvent.click(block.getByRole('button', { name: 'Write again' }))
  await userEvent.click(await block.findByRole('button', { name: 'Writing again…' }))
  expect(block.getByRole('button', { name: 'Edit' })).toBeDisabled()
  expect(block.getByRole('button', { name: 'Remove summary' })).toBeDisabled()
  await waitFor(() => expect(api.seen(`POST ${path}/rewrite`)).toHaveLength(1))
  respond(json(summary('s1', 'a2', { message_count: 1_214, content: 'Again.', bot: 'Fox' })))
  expect(await block.findByText('Again.')).toBeVisible()
  expect(api.seen(`POST ${path}/rewrite`).map(({ body }) => body)).toEqual([{ botName: 'Fox' }])
})

test('stays when the bot was deleted meanwhile, and says why', async () => {
  expectConsole('error', /could not be written again/)
  const api = new ScriptedApi().on(`POST ${path}/rewrite`, () =>
    failure(404, 'not_found', 'There is no such bot.'),
  )
  const block = await openSummary(api)
  await userEvent.click(block.getByRole('button', { name: 'Write again' }))
  expect(
    await screen.findByText('The summary could not be written again: There is no such bot.'),
  ).toBeVisible()
  expect(await block.findByRole('button', { name: 'Write again' })).toBeEnabled()
})

test('is removed after a confirmation', async () => {
  const api = new ScriptedApi().on(`DELETE ${path}`, () => new Response(null, { status: 204 }))
  const block = await openSummary(api)
  await userEvent.click(block.getByRole('button', { name: 'Remove summary' }))
  expect(api.seen(`DELETE ${path}`)).toEqual([])
  const question = within(screen.getByRole('alertdialog', { name: 'Remove this summary?' }))
  await userEvent.click(question.getByRole('button', { name: 'Remove' }))
  await waitFor(() => expect(screen.queryByRole('complementary')).toBeNull())
  expect(await screen.findByText('Summary removed')).toBeVisible()
})

test('a reply says how many messages are being summarised, and announces it once', async () => {
  const api = new ScriptedApi()
  const server = acceptRuns(api)
  openChat(summarized(), api)
  await send('More')
  server.started()
  server.stream().send({ type: 'compacting', message_count: 214 })
  const text = 'Summarising 214 earlier messages…'
  await waitFor(() => expect(screen.getAllByText(text)).toHaveLength(2))
  expect(screen.getByText(text, { selector: 'output' })).toHaveAttribute('class', 'sr-only')
  server.stream().send({ type: 'compaction', compaction: summary('s1', 'a2') })
  server.stream().send({ type: 'compacting', message_count: null })
  await waitFor(() => expect(screen.queryByText(text)).toBeNull())
  expect(screen.getByRole('complementary', { name: 'Summary of 2 earlier messages' })).toBeVisible()
  server.stream().end()
})

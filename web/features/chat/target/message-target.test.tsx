import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Chat } from '@yonder/contract/chat'
import { expect, test, vi } from 'vitest'
import { linkToMessage } from '../../../data/message-link.ts'
import {
  acceptRuns,
  articles,
  inMessages,
  lastArticle,
  message,
  reply,
  send,
} from '../../../testing/chat-scene.tsx'
import { expectConsole } from '../../../testing/expect-console.ts'
import { renderScreen } from '../../../testing/render-screen.tsx'
import { failure, json, ScriptedApi } from '../../../testing/scripted-api.ts'
import { makeChat, owlAndFox } from '../../../testing/wire-objects.ts'
import { ChatView } from '../chat-view.tsx'

const versions: Chat = {
  ...makeChat([
    message('u1', null),
    reply('one', 'u1', { content: 'About the ferry' }),
    message('u2', 'one'),
    reply('two', 'u1'),
  ]),
  selected_message_id: 'two',
}

const selection = 'POST /api/chat/select-response'

/** Opens the chat at the address of a search result. The server saves the branch that is selected. */
function openAt(messageId: string, api = new ScriptedApi()) {
  vi.stubGlobal('scrollTo', () => undefined)
  vi.stubGlobal('scrollBy', () => undefined)
  api
    .on('GET /api/bots', () => json(owlAndFox))
    .on('GET /api/chats/c1', () =>
      json(api.seen(selection).length === 0 ? versions : { ...versions, selected_message_id: 'u2' }),
    )
    .on(selection, () => json({ selected_message_id: 'u2' }))
  return {
    api,
    ...renderScreen(api, <ChatView chatId="c1" />, linkToMessage('c1', { messageId, words: 'ferry' })),
  }
}

const note = (text: RegExp) => screen.findByText(text, { selector: 'output' })
const button = (name: string) => screen.findByRole('button', { name })

test('a chat opens at the message of its address with the version of it, until the user does something else', async () => {
  const { api, hash } = openAt('one')
  await screen.findByText('About the ferry', inMessages)
  await waitFor(() => expect(articles()[1]).toHaveFocus())
  expect(articles()).toHaveLength(3)
  expect(api.seen(selection)[0]?.body).toEqual({ chatId: 'c1', messageId: 'one' })
  // A reload would show the message again, until the user does something else.
  await userEvent.keyboard('{Control}{F5}')
  expect(hash()).toBe('#message=one&words=ferry')
  await userEvent.keyboard('{PageDown}')
  expect(hash()).toBe('')
})

test('a message that is gone is looked for again, and then the chat says so at its end', async () => {
  const { api, hash } = openAt('gone')
  expect(await note(/is gone/)).toBeVisible()
  expect(api.seen('GET /api/chats/c1')).toHaveLength(2)
  await waitFor(() => expect(hash()).toBe(''))
  expect(lastArticle()).toHaveTextContent('text of two')
  await userEvent.click(await button('Dismiss'))
  expect(screen.queryByText(/is gone/)).toBeNull()
})

test('a message that another device has just written is found by reading the chat again', async () => {
  let reads = 0
  const latest = makeChat([...versions.messages, message('u3', 'two', { content: 'A ferry' })])
  const { api } = openAt('u3')
  api.on('GET /api/chats/c1', () => json(reads++ === 0 ? versions : latest))
  await screen.findByText('A ferry', inMessages)
  await waitFor(() => expect(lastArticle()).toHaveFocus())
})

test('a version that cannot be saved is not shown, and the reason is, with another attempt', async () => {
  expectConsole('error', /Error selecting response/)
  const { api } = openAt('one')
  api.on(selection, () => failure(409, 'conflict', 'The disk is full.'))
  api.on('GET /api/chats/c1', () => json(versions))
  await screen.findByText('text of two', inMessages)
  await waitFor(() => expect(api.seen(selection)).toHaveLength(1))
  expect(await note(/could not be shown: The disk is full\./)).toBeVisible()
  await waitFor(() => expect(articles()).toHaveLength(2))
  api.on(selection, () => json({ selected_message_id: 'u2' }))
  api.on('GET /api/chats/c1', () => json({ ...versions, selected_message_id: 'u2' }))
  await userEvent.click(await button('Try again'))
  await waitFor(() => expect(articles()[1]).toHaveFocus())
  expect(articles()[1]).toHaveTextContent('About the ferry')
  await waitFor(() => expect(screen.queryByText(/could not be shown/)).toBeNull())
})

test('another version is not shown while a reply is being written, but offered afterwards', async () => {
  const api = new ScriptedApi()
  const server = acceptRuns(api)
  const { go } = openAt('u1', api)
  await screen.findByText('text of two', inMessages)
  await send('Go on')
  server.started()
  await go(linkToMessage('c1', { messageId: 'one', words: 'ferry' }))
  expect(await note(/which can be shown when the reply has ended/)).toBeVisible()
  expect(screen.queryByRole('button', { name: 'Show it' })).toBeNull()
  expect(api.seen(selection)).toHaveLength(0)
  act(() => server.stream().end())
  await userEvent.click(await button('Show it'))
  await waitFor(() => expect(articles()[1]).toHaveTextContent('About the ferry'))
})

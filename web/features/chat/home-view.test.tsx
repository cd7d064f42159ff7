import { owlAndFox } from '../../testing/wire-objects.ts'
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { expectConsole } from '../../testing/expect-console.ts'
import { renderScreen } from '../../testing/render-screen.tsx'
import { failure, json, ScriptedApi } from '../../testing/scripted-api.ts'
import { HomeView } from './home-view.tsx'

const openApi = () => new ScriptedApi().on('GET /api/bots', () => json(owlAndFox))
const sendButton = () => screen.getByRole('button', { name: 'Send message' })
const input = () => screen.getByPlaceholderText('Type your message...')

test('greets the user by name and offers help (§2.19)', async () => {
  renderScreen(openApi(), <HomeView userName="Ada Lovelace" />)
  expect(screen.getByRole('heading')).toHaveTextContent('Welcome, Ada Lovelace.')
  expect(screen.getByText('How can I help you today?')).toBeVisible()
  await screen.findByRole('combobox')
})

test.each([undefined, null, '', '  '])(
  "greets a user whose name is %o with 'Welcome, there.' (§2.19)",
  async (name) => {
    renderScreen(openApi(), <HomeView userName={name} />)
    expect(screen.getByRole('heading')).toHaveTextContent('Welcome, there.')
    await screen.findByRole('combobox')
  },
)

test('requests a chat id, stores the message and the bot under its keys, and opens the chat (§2.21, §7.6, §3.25, §4.12)', async () => {
  let answer: (response: Response) => void = () => undefined
  const api = openApi().on('GET /api/chat/id', () => new Promise((resolve) => (answer = resolve)))
  const view = renderScreen(api, <HomeView userName="Ada" />)
  const user = userEvent.setup()
  await user.selectOptions(await screen.findByRole('combobox'), 'Fox')
  await user.type(input(), 'Hello there{Enter}')
  expect(sendButton()).toHaveAttribute('aria-busy', 'true')
  expect(view.path()).toBe('/')
  answer(json({ id: 'c1' }))
  await waitFor(() => expect(view.path()).toBe('/chat/c1'))
  await waitFor(() => expect(sendButton()).not.toHaveAttribute('aria-busy'))
  expect(localStorage.getItem('newChat_c1_message')).toBe('Hello there')
  expect(localStorage.getItem('newChat_c1_bot')).toBe('Fox')
  expect(input()).toHaveValue('')
  expect(api.seen('GET /api/chat/id')).toHaveLength(1)
  expect(api.seen('GET /api/chat/id')[0]?.headers.get('authorization')).toBe('Bearer token')
})

test('logs a failed request for the id, empties the input, and offers to send the text again (§8.12, §4.12, §5.2)', async () => {
  expectConsole('error', /Error creating chat with message/)
  const api = openApi().on('GET /api/chat/id', () => failure(503, 'unavailable', 'The database is full.'))
  const view = renderScreen(api, <HomeView userName="Ada" />)
  const user = userEvent.setup()
  await screen.findByRole('combobox')
  await user.type(input(), 'Do not lose me{Enter}')
  expect(await screen.findByText(/Not sent\. The database is full\./)).toBeVisible()
  expect(input()).toHaveValue('')
  expect(sendButton()).not.toHaveAttribute('aria-busy')
  expect(screen.getByText('Do not lose me')).toBeVisible()
  expect(view.path()).toBe('/')
  expect(api.seen('POST /api/chat/completions')).toEqual([])
  expect(Object.keys(localStorage).filter((key) => key.startsWith('newChat_'))).toEqual([])

  api.on('GET /api/chat/id', () => json({ id: 'c2' }))
  await user.click(screen.getByRole('button', { name: 'Send again' }))
  await waitFor(() => expect(view.path()).toBe('/chat/c2'))
  expect(localStorage.getItem('newChat_c2_message')).toBe('Do not lose me')
})

test('moves a text that was not sent back into the input', async () => {
  expectConsole('error', /Error creating chat with message/)
  const api = openApi().on('GET /api/chat/id', () => failure(503, 'unavailable', 'Down.'))
  renderScreen(api, <HomeView userName="Ada" />)
  const user = userEvent.setup()
  await screen.findByRole('combobox')
  await user.type(input(), 'Again{Enter}')
  await user.click(await screen.findByRole('button', { name: 'Edit' }))
  expect(input()).toHaveValue('Again')
  expect(screen.queryByText(/Not sent/)).toBeNull()
})

import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Bot } from '@yonder/contract/bot'
import { beforeEach, expect, test, vi } from 'vitest'
import { expectConsole } from '../../testing/expect-console.ts'
import { renderScreen } from '../../testing/render-screen.tsx'
import { failure, json, ScriptedApi, settle } from '../../testing/scripted-api.ts'
import { makeBot, makeIntegration, owlAndFox } from '../../testing/wire-objects.ts'
import { formatContent, personalStorage } from './chat-storage.ts'
import { HomeView } from './home-view.tsx'
import type { HomeMessage } from './session/home-outbox.ts'

const openApi = () => new ScriptedApi().on('GET /api/bots', () => json(owlAndFox))
beforeEach(() => localStorage.setItem('thingsToTry', 'hidden'))
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
  expect(sendButton()).toBeDisabled()
  expect(view.path()).toBe('/')
  // What is being sent stays in view until that has succeeded or failed, and cannot be changed.
  await user.type(input(), ' again{Enter}')
  expect(input()).toHaveValue('Hello there')
  answer(json({ id: 'c1' }))
  await waitFor(() => expect(view.path()).toBe('/chat/c1'))
  await waitFor(() => expect(sendButton()).not.toHaveAttribute('aria-busy'))
  expect(localStorage.getItem('newChat_c1_message')).toBe('Hello there')
  expect(localStorage.getItem('newChat_c1_bot')).toBe('Fox')
  expect(input()).toHaveValue('')
  expect(api.seen('GET /api/chat/id')).toHaveLength(1)
  expect(api.seen('GET /api/chat/id')[0]?.headers.get('authorization')).toBe('Bearer token')
})

test('hands a file over to the page of the chat, and moves it back into the input', async () => {
  expectConsole('error', /Error creating chat with message/)
  const file = { id: 'f1', name: 'cat.png', type: 'image/png', size: 3 }
  const draft = formatContent([
    { type: 'text', text: 'Look' },
    { type: 'file', file },
  ])
  localStorage.setItem('home_page_draft', draft)
  const api = openApi().on('GET /api/chat/id', () => failure(503, 'unavailable', 'Down.'))
  renderScreen(api, <HomeView userName="Ada" />)
  await screen.findByRole('combobox')
  await userEvent.click(sendButton())
  await userEvent.click(await screen.findByRole('button', { name: 'Edit' }))
  expect(localStorage.getItem('home_page_draft')).toBe(draft)
  api.on('GET /api/chat/id', () => json({ id: 'c1' }))
  await userEvent.click(sendButton())
  await waitFor(() => expect(localStorage.getItem('newChat_c1_message')).toBe(draft))
  expect(localStorage.getItem('home_page_draft')).toBeNull()
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

test('moves a text that was not sent back into the input, before what was typed since', async () => {
  expectConsole('error', /Error creating chat with message/)
  const api = openApi().on('GET /api/chat/id', () => failure(503, 'unavailable', 'Down.'))
  renderScreen(api, <HomeView userName="Ada" />)
  const user = userEvent.setup()
  await send('Again')
  const edit = await screen.findByRole('button', { name: 'Edit' })
  await user.type(input(), 'More')
  await user.click(edit)
  expect(input()).toHaveValue('Again\n\nMore')
  expect(input()).toHaveFocus()
  expect(screen.queryByText(/Not sent/)).toBeNull()
  expect(Object.keys(localStorage).filter((key) => key.startsWith('home_page_outbox'))).toEqual([])
})

const requestsOf = (api: ScriptedApi) => api.seen('GET /api/chat/id').map(({ query }) => query.get('request'))
const unsent = (text: string) => screen.findByText(text, { selector: 'div' })

/** Types a message and sends it once the bots are loaded. */
async function send(text: string): Promise<void> {
  await screen.findByRole('combobox')
  await userEvent.type(input(), `${text}{Enter}`)
}

/** Stores a message as another page does before it gets the id of its chat. */
function storeAsOtherPage(request: string, more: Partial<HomeMessage> = {}): void {
  const message = {
    request,
    content: `text of ${request}`,
    botName: 'Fox',
    draftKey: 'home_page_draft',
    sentAt: 1,
    ...more,
  }
  localStorage.setItem(`home_page_outbox_${request}`, JSON.stringify(message))
}

test('keeps the messages that were not sent while other pages are shown', async () => {
  expectConsole('error', /Error creating chat with message/)
  const api = openApi().on('GET /api/chat/id', () => {
    throw new TypeError('Failed to fetch')
  })
  const view = renderScreen(api, <HomeView userName="Ada" />)
  await send('First')
  expect(await screen.findByText('Not sent. The server could not be reached.')).toBeVisible()
  await send('Second')
  expect(await screen.findAllByText(/^Not sent/)).toHaveLength(2)
  view.unmount()
  renderScreen(api, <HomeView userName="Ada" />)
  expect(await unsent('First')).toBeVisible()
  expect(await unsent('Second')).toBeVisible()
  await screen.findByRole('combobox')
})

test('does not return to a chat whose id arrives after the user has gone elsewhere, and offers to send the text', async () => {
  let answer: (response: Response) => void = () => undefined
  const api = openApi().on('GET /api/chat/id', () => new Promise((resolve) => (answer = resolve)))
  const view = renderScreen(api, <HomeView userName="Ada" />)
  await send('Wait for me')
  view.redraw(null)
  answer(json({ id: 'c1' }))
  await settle()
  expect(view.path()).toBe('/')
  expect(localStorage.getItem('newChat_c1_message')).toBeNull()
  view.redraw(<HomeView userName="Ada" />)
  expect(await unsent('Wait for me')).toBeVisible()
  expect(screen.getByText('Not sent. You opened another page before the message was sent.')).toBeVisible()
  api.on('GET /api/chat/id', () => json({ id: 'c1' }))
  await screen.findByRole('combobox')
  await userEvent.click(screen.getByRole('button', { name: 'Send again' }))
  await waitFor(() => expect(view.path()).toBe('/chat/c1'))
  const [first, second] = requestsOf(api)
  expect(second).toBe(first)
})

test('takes a message back from the chat that was left before it was sent (§4.16)', async () => {
  const api = openApi().on('GET /api/chat/id', () => json({ id: 'c1' }))
  const view = renderScreen(api, <HomeView userName="Ada" />)
  await send('Not like this')
  await waitFor(() => expect(localStorage.getItem('newChat_c1_message')).toBe('Not like this'))
  view.unmount()
  renderScreen(api, <HomeView userName="Ada" />)
  await userEvent.click(await screen.findByRole('button', { name: 'Edit' }))
  expect(input()).toHaveValue('Not like this')
  expect(Object.keys(localStorage).filter((key) => key.startsWith('newChat_'))).toEqual([])
  await screen.findByRole('combobox')
})

test('keeps the message when the server signs the user out (§2.11)', async () => {
  const api = openApi().on('GET /api/chat/id', () => failure(401, 'unauthorized', 'Sign in.'))
  const view = renderScreen(api, <HomeView userName="Ada" />)
  await send('Still mine')
  await waitFor(() => expect(api.signedOut).toBe(true))
  view.unmount()
  renderScreen(openApi(), <HomeView userName="Ada" />)
  expect(await unsent('Still mine')).toBeVisible()
  expect(await screen.findByText(/Not sent. You were signed out/)).toBeVisible()
  await screen.findByRole('combobox')
})

test('shows a message whose page has crashed, and not one that another tab is sending', async () => {
  storeAsOtherPage('crashed')
  localStorage.setItem('home_page_draft', 'text of crashed')
  storeAsOtherPage('busy', { sentAt: Date.now() })
  renderScreen(openApi(), <HomeView userName="Ada" />)
  expect(await unsent('text of crashed')).toBeVisible()
  expect(screen.getByText(/Not sent. The page was closed before the server confirmed/)).toBeVisible()
  await screen.findByRole('combobox')
  expect(screen.queryByText('text of busy')).toBeNull()
  expect(input()).toHaveValue('')
})

test('shows a message again whose page was closed or loaded again before its chat was reserved', async () => {
  const api = openApi().on('GET /api/chat/id', () => new Promise(() => {}))
  renderScreen(api, <HomeView userName="Ada" />)
  await send('Do not lose this')
  expect(input()).toHaveValue('Do not lose this')
  act(() => void dispatchEvent(new PageTransitionEvent('pagehide')))
  expect(await unsent('Do not lose this')).toBeVisible()
  expect(input()).toHaveValue('')
})

test('says only of the newest message that it will be sent after an outage', async () => {
  const isOnline = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  storeAsOtherPage('older', { sentAt: 1, failure: { cause: 'offline' } })
  storeAsOtherPage('newer', { sentAt: 2, failure: { cause: 'offline' } })
  renderScreen(openApi(), <HomeView userName="Ada" />)
  const promise = await screen.findByText('It will be sent when the connection is back.')
  const newer = screen.getByText('text of newer')
  expect(newer.compareDocumentPosition(promise) & Node.DOCUMENT_POSITION_FOLLOWING).not.toBe(0)
  await screen.findByRole('combobox')
  isOnline.mockRestore()
})

test('does not send a message again that another tab has begun to send', async () => {
  storeAsOtherPage('r1', { failure: { text: 'Offline.' } })
  const api = openApi()
  renderScreen(api, <HomeView userName="Ada" />)
  const again = await screen.findByRole('button', { name: 'Send again' })
  await screen.findByRole('combobox')
  storeAsOtherPage('r1')
  await userEvent.click(again)
  expect(requestsOf(api)).toEqual([])
  localStorage.removeItem('home_page_outbox_r1')
  act(() => void dispatchEvent(new StorageEvent('storage', { key: 'home_page_outbox_r1' })))
  expect(screen.queryByText('text of r1')).toBeNull()
})

test('shows nothing of the previous user, also when a call of that user fails later', async () => {
  expectConsole('error', /Error creating chat with message/)
  personalStorage.setOwner('ada')
  let fail: (error: Error) => void = () => undefined
  const api = openApi().on('GET /api/chat/id', () => new Promise((_resolve, reject) => (fail = reject)))
  const view = renderScreen(api, <HomeView userName="Ada" />)
  await send('A secret of Ada')
  personalStorage.setOwner('eve')
  view.redraw(<HomeView key="eve" userName="Eve" />)
  fail(new TypeError('Failed to fetch'))
  await screen.findByRole('combobox')
  await settle()
  expect(screen.queryByText(/secret/)).toBeNull()
  expect(Object.values(localStorage).join()).not.toContain('secret')
})

/** Opens home with this many chats, with these integrations connected. */
function openWith({ chats = 0, connected = [] as readonly string[], bots = owlAndFox, preference = 'auto' }) {
  localStorage.setItem('thingsToTry', preference)
  const api = openApi()
    .on('GET /api/bots', () => json(bots))
    .on('GET /api/chat-list', () => json({ chats: Array.from({ length: chats }, () => ({})), next: null }))
    .on('GET /api/integrations', () =>
      json(
        ['google-gmail', 'google-calendar'].map((name) =>
          makeIntegration({ name, connected: connected.includes(name) }),
        ),
      ),
    )
  return { api, view: renderScreen(api, <HomeView userName="Ada" />) }
}
const things = async () => {
  const list = await screen.findByRole('region', { name: 'Things to try' })
  return within(list)
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent)
}

test('fills the input with a thing to try, sends nothing, and keeps what was typed', async () => {
  const { api } = openWith({ chats: 9 })
  const [first = '', second = ''] = await things()
  expect(await things()).toHaveLength(3)
  const user = userEvent.setup()
  await user.click(screen.getByRole('button', { name: first }))
  expect(input()).toHaveValue(first)
  expect(input()).toHaveFocus()
  await user.click(screen.getByRole('button', { name: second }))
  expect(input()).toHaveValue(second)
  await user.type(input(), '!')
  await user.click(screen.getByRole('button', { name: first }))
  expect(input()).toHaveValue(`${first}\n\n${second}!`)
  expect(api.requests.every(({ route }) => /^GET \/api\/(bots|chat-list|integrations)$/.test(route))).toBe(
    true,
  )
})

const suggested: readonly [string, readonly string[], Partial<Bot>, readonly RegExp[]][] = [
  ['nothing', [], {}, []],
  ['Gmail', ['google-gmail'], {}, [/mails/]],
  ['both, one of which is suggested', ['google-gmail', 'google-calendar'], {}, [/calendar/]],
  [
    'both, of which it may use Gmail',
    ['google-gmail', 'google-calendar'],
    { connectors: ['Gmail'] },
    [/mails/],
  ],
  ['Gmail, which it may not use', ['google-gmail'], { connectors: [] }, []],
  ['Gmail, and a purpose of its own', ['google-gmail'], { instructions: 'Translate.' }, [/mails/, /help me/]],
]

test.each(suggested)('suggests what the bot can do with %s', async (_, connected, bot, expected) => {
  openWith({ connected, bots: [makeBot(bot)] })
  const shown = await things()
  expect(shown).toHaveLength(3)
  const special = shown.filter((text) => /mails|calendar|help me/.test(text))
  expect(special).toHaveLength(expected.length)
  for (const [index, text] of expected.entries()) expect(special[index]).toMatch(text)
})

test('shows no things to try after ten chats, or after they were hidden', async () => {
  const ten = openWith({ chats: 10 })
  await waitFor(() => expect(localStorage.getItem('thingsToTry')).toBe('hidden'))
  expect(screen.queryByText('Things to try')).toBeNull()
  ten.view.unmount()
  openWith({})
  await things()
  await userEvent.click(screen.getByRole('button', { name: 'Hide' }))
  expect(screen.queryByText('Things to try')).toBeNull()
  expect(input()).toHaveFocus()
  expect(localStorage.getItem('thingsToTry')).toBe('hidden')
})

test('shows things to try again when the user wants that, whatever the number of chats', async () => {
  const { api } = openWith({ chats: 10, preference: 'shown' })
  expect(await things()).toHaveLength(3)
  expect(api.seen('GET /api/chat-list')).toEqual([])
})

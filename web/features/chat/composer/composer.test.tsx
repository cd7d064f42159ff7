import { act, fireEvent, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { expectConsole } from '../../../testing/expect-console.ts'
import { renderScreen } from '../../../testing/render-screen.tsx'
import { failure, json, ScriptedApi } from '../../../testing/scripted-api.ts'
import { owlAndFox } from '../../../testing/wire-objects.ts'
import { useBotChoice } from './bot-select.tsx'
import { Composer, type ComposerProps } from './composer.tsx'

interface Props {
  readonly busy?: boolean
  readonly onSend?: ComposerProps['onSend']
  readonly onStop?: () => void
  readonly onQueue?: ComposerProps['onQueue']
  readonly onLeaveUp?: ComposerProps['onLeaveUp']
  readonly storageKey?: string
  readonly chatBot?: string
  readonly fallback?: string
}

function Example({
  busy = false,
  onSend = () => undefined,
  onStop,
  onQueue,
  onLeaveUp,
  storageKey = 'home_page_selected_bot',
  chatBot,
  fallback,
}: Props) {
  const choice = useBotChoice(storageKey, chatBot, fallback)
  const events = { onSend, onStop, onQueue, onLeaveUp }
  return <Composer choice={choice} draftKey="draft" busy={busy} {...events} />
}

function open(props: Props = {}, list: unknown = owlAndFox) {
  const api = new ScriptedApi().on('GET /api/bots', () => json(list))
  return { api, ...renderScreen(api, <Example {...props} />) }
}
const input = () => screen.getByPlaceholderText('Type your message...')
const sendButton = () => screen.getByRole('button', { name: 'Send message' })

test('has two rows and at least 60 px, no spellcheck and no autocomplete (§2.22, §9.13)', async () => {
  open()
  await screen.findByRole('combobox')
  expect(input()).toHaveAttribute('rows', '2')
  expect(input()).toHaveAttribute('spellcheck', 'false')
  expect(input()).toHaveAttribute('autocomplete', 'off')
  // As high as two lines and the space around them, so that the second line moves nothing.
  expect(input()).toHaveClass('min-h-[max(60px,2lh+0.75rem)]', 'pt-2.5', 'pb-0.5')
  expect(input()).toHaveFocus()
})

test("offers each bot as 'name (model)' (§2.23, §7.2)", async () => {
  open()
  await screen.findByRole('combobox')
  expect(screen.getAllByRole('option').map(({ textContent }) => textContent)).toEqual([
    'Owl (owl-1)',
    'Fox (fox-2)',
  ])
})

test('sends with Enter, and adds a new line with Shift+Enter (§5.3)', async () => {
  const onSend = vi.fn()
  open({ onSend })
  await screen.findByRole('combobox')
  const user = userEvent.setup()
  await user.type(input(), 'one{Shift>}{Enter}{/Shift}two')
  expect(onSend).not.toHaveBeenCalled()
  expect(input()).toHaveValue('one\ntwo')
  await user.keyboard('{Enter}')
  expect(onSend).toHaveBeenCalledExactlyOnceWith('one\ntwo', 'Owl')
})

test('does not send while an input method composes (§5.3)', async () => {
  const onSend = vi.fn()
  open({ onSend })
  await screen.findByRole('combobox')
  fireEvent.change(input(), { target: { value: 'にほん' } })
  fireEvent.keyDown(input(), { key: 'Enter', isComposing: true })
  // Safari ends the composition before the key that ended it.
  fireEvent.keyDown(input(), { key: 'Enter', keyCode: 229 })
  expect(onSend).not.toHaveBeenCalled()
  fireEvent.keyDown(input(), { key: 'Enter', keyCode: 13 })
  expect(onSend).toHaveBeenCalledOnce()
})

test('does not send blank text, and is empty after a message was sent (§5.1, §5.2)', async () => {
  const onSend = vi.fn()
  open({ onSend })
  await screen.findByRole('combobox')
  const user = userEvent.setup()
  expect(sendButton()).toBeDisabled()
  await user.type(input(), '   {Enter}')
  expect(onSend).not.toHaveBeenCalled()
  expect(sendButton()).toBeDisabled()
  await user.type(input(), 'word')
  expect(sendButton()).toBeEnabled()
  await user.click(sendButton())
  expect(onSend).toHaveBeenCalledOnce()
  expect(input()).toHaveValue('')
})

test('sends nothing without a bot, and links to the page that adds one (§5.2)', async () => {
  const onSend = vi.fn()
  open({ onSend }, [])
  expect(await screen.findByRole('link', { name: 'Add a bot to start' })).toHaveAttribute(
    'href',
    '/settings/bots',
  )
  await userEvent.type(input(), 'word{Enter}')
  expect(sendButton()).toBeDisabled()
  expect(onSend).not.toHaveBeenCalled()
  expect(input()).toHaveValue('word')
})

test('shows an error when the bots could not be loaded', async () => {
  expectConsole('error', /fetching the data\. 500/)
  const api = new ScriptedApi().on('GET /api/bots', () => failure(500, 'internal', 'No.'))
  renderScreen(api, <Example />)
  expect(await screen.findByRole('alert')).toHaveTextContent('The bots could not be loaded')
})

test('shows a stop button while a reply is being written, and Escape stops too (§2.24)', async () => {
  const onSend = vi.fn()
  const onStop = vi.fn()
  open({ busy: true, onSend, onStop })
  await screen.findByRole('combobox')
  expect(screen.queryByRole('button', { name: 'Send message' })).toBeNull()
  const stop = screen.getByRole('button', { name: 'Stop' })
  expect(stop.querySelector('svg.lucide-square')).not.toBeNull()
  const user = userEvent.setup()
  await user.type(input(), 'later{Enter}')
  expect(onSend).not.toHaveBeenCalled()
  expect(input()).toHaveValue('later')
  await user.click(stop)
  await user.keyboard('{Escape}')
  expect(onStop).toHaveBeenCalledTimes(2)
})

test('queues with Enter and with a button beside Stop while a reply is being written', async () => {
  const [onSend, onQueue, onStop] = [vi.fn(), vi.fn(), vi.fn()]
  open({ busy: true, onSend, onQueue, onStop })
  await screen.findByRole('combobox')
  const user = userEvent.setup()
  await user.type(input(), ' {Enter}')
  expect(screen.queryByRole('button', { name: /^Queue/ })).toBeNull()
  await user.type(input(), 'later{Enter}')
  await user.click(screen.getByRole('button', { name: /^Queue/ }))
  expect(onQueue.mock.calls).toEqual([
    [' later', 'Owl'],
    [' later', 'Owl'],
  ])
  // The input keeps the text until it is safe elsewhere.
  expect(input()).toHaveValue(' later')
  expect(onSend).not.toHaveBeenCalled()
  await user.keyboard('{Escape}')
  expect(onStop).toHaveBeenCalledOnce()
})

test('tells of ArrowUp only in an empty input', async () => {
  const onLeaveUp = vi.fn(() => true)
  open({ onLeaveUp })
  await screen.findByRole('combobox')
  const user = userEvent.setup()
  await user.click(input())
  await user.keyboard('{Shift>}{ArrowUp}{/Shift}{ArrowUp}')
  expect(onLeaveUp).toHaveBeenCalledOnce()
  await user.type(input(), 'a{ArrowUp}')
  expect(onLeaveUp).toHaveBeenCalledOnce()
})

test('gets the focus when the button that was pressed disappears', async () => {
  const { redraw } = open()
  await screen.findByRole('combobox')
  const user = userEvent.setup()
  await user.type(input(), 'word')
  await user.click(sendButton())
  expect(input()).toHaveFocus()
  const onStop = vi.fn()
  redraw(<Example busy onStop={onStop} />)
  await user.click(screen.getByRole('button', { name: 'Stop' }))
  redraw(<Example onStop={onStop} />)
  expect(input()).toHaveFocus()
})

test('keeps a draft across a reload', async () => {
  const first = open()
  await screen.findByRole('combobox')
  await userEvent.type(input(), 'half a thought')
  first.unmount()
  open()
  expect(input()).toHaveValue('half a thought')
  await screen.findByRole('combobox')
})

test('keeps the typed text when another tab writes a draft and a bot is chosen', async () => {
  open()
  await userEvent.type(input(), 'typed here')
  localStorage.setItem('draft', 'typed there')
  await userEvent.selectOptions(await screen.findByRole('combobox'), 'Fox')
  expect(input()).toHaveValue('typed here')
})

test('gets the focus with Shift+Escape', async () => {
  open()
  await screen.findByRole('combobox')
  input().blur()
  await userEvent.keyboard('{Shift>}{Escape}{/Shift}')
  expect(input()).toHaveFocus()
})

test('selects nothing until the list is loaded, then the first bot (§4.2, §4.3, §4.4)', async () => {
  let answer: (response: Response) => void = () => undefined
  const answered = new Promise<Response>((resolve) => {
    answer = resolve
  })
  const api = new ScriptedApi().on('GET /api/bots', () => answered)
  const onSend = vi.fn()
  renderScreen(api, <Example onSend={onSend} />)
  expect(screen.queryByRole('combobox')).toBeNull()
  expect(sendButton()).toBeDisabled()
  answer(json(owlAndFox))
  expect(await screen.findByRole('combobox')).toHaveValue('Owl')
  await userEvent.type(input(), 'word{Enter}')
  expect(onSend).toHaveBeenCalledExactlyOnceWith('word', 'Owl')
  expect(api.seen('GET /api/bots')).toHaveLength(1)
})

test('restores the saved bot of the home page or of the chat, and saves a choice (§4.4, §3.20, §3.23, §3.24)', async () => {
  localStorage.setItem('home_page_selected_bot', 'Fox')
  const home = open()
  expect(await screen.findByRole('combobox')).toHaveValue('Fox')
  home.unmount()
  open({ storageKey: 'chat_c1_selectedBot' })
  const select = await screen.findByRole('combobox')
  expect(select).toHaveValue('Owl')
  await userEvent.selectOptions(select, 'Fox')
  expect(localStorage.getItem('chat_c1_selectedBot')).toBe('Fox')
  expect(select).toHaveValue('Fox')
})

test('selects the first bot when the stored one no longer exists (§4.4)', async () => {
  localStorage.setItem('home_page_selected_bot', 'Deleted')
  const onSend = vi.fn()
  open({ onSend })
  expect(await screen.findByRole('combobox')).toHaveValue('Owl')
  await userEvent.type(input(), 'word{Enter}')
  expect(onSend).toHaveBeenCalledExactlyOnceWith('word', 'Owl')
})

test('counts the bot of the last reply as saved where nothing is stored, or a bot that was renamed or deleted (§4.4)', async () => {
  for (const stored of [null, 'Former']) {
    if (stored !== null) localStorage.setItem('chat_c1_selectedBot', stored)
    const view = open({ storageKey: 'chat_c1_selectedBot', chatBot: 'Fox' })
    expect(await screen.findByRole('combobox')).toHaveValue('Fox')
    expect(localStorage.getItem('chat_c1_selectedBot')).toBe(stored)
    view.unmount()
  }
  // A stored choice of the user goes first, and a chat without replies begins with the first bot.
  localStorage.setItem('chat_c1_selectedBot', 'Owl')
  const chosen = open({ storageKey: 'chat_c1_selectedBot', chatBot: 'Fox' })
  expect(await screen.findByRole('combobox')).toHaveValue('Owl')
  chosen.unmount()
  open({ storageKey: 'chat_c2_selectedBot' })
  expect(await screen.findByRole('combobox')).toHaveValue('Owl')
})

test('takes the bot of the import when the bot of the last reply is unknown here', async () => {
  const view = open({ storageKey: 'chat_c1_selectedBot', chatBot: 'Elsewhere', fallback: 'Fox' })
  expect(await screen.findByRole('combobox')).toHaveValue('Fox')
  view.unmount()
  open({ storageKey: 'chat_c1_selectedBot', chatBot: 'Owl', fallback: 'Fox' })
  expect(await screen.findByRole('combobox')).toHaveValue('Owl')
})

test('reads the stored choice every 100 ms (§4.5, §9.12)', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  open()
  const select = await screen.findByRole('combobox')
  for (const bot of ['Fox', 'Owl']) {
    localStorage.setItem('home_page_selected_bot', bot)
    act(() => void vi.advanceTimersByTime(99))
    expect(select).not.toHaveValue(bot)
    act(() => void vi.advanceTimersByTime(1))
    expect(select).toHaveValue(bot)
  }
  vi.useRealTimers()
})

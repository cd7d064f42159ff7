import { render, screen, waitFor, within } from '@testing-library/react'
import type { Message } from '@yonder/contract/message'
import { toContent } from '@yonder/contract/message-text'
import { MemoryRouter, Route, Routes } from 'react-router'
import { afterEach, expect, it, vi } from 'vitest'
import { json, ScriptedApi } from '../../testing/scripted-api.ts'
import { showAllElements } from '../../testing/tool-chat-scene.tsx'
import { makeMessage, makeSharedChat } from '../../testing/wire-objects.ts'
import { ShareScreen } from './share-screen.tsx'

afterEach(() => vi.unstubAllGlobals())

const message = (id: number, fields: Partial<Message>) =>
  makeMessage(String(id), id === 1 ? null : String(id - 1), {
    timestamp: '2026-11-20T10:00:00.000Z',
    unix_timestamp: 1_795_168_800_000 + id,
    ...fields,
  })

/** Each test uses another link, because responses are cached. */
function open(shareId: string, messages: readonly Message[], api = new ScriptedApi()) {
  api.on(`GET /api/share/${shareId}`, () => json(makeSharedChat(shareId, messages)))
  vi.stubGlobal('fetch', api.fetch)
  return render(
    <MemoryRouter initialEntries={[`/share/${shareId}`]}>
      <Routes>
        <Route path="/share/:id" element={<ShareScreen />} />
      </Routes>
    </MemoryRouter>,
  )
}

it('shows the messages of the path, and only the name and state of a tool call (§1.6, §2.3, §2.37, §4.26)', async () => {
  open('tools', [
    message(1, { role: 'user', content: 'Look it up' }),
    message(2, { role: 'assistant', content: 'Looking.', server: 'files', tool: 'read' }),
    message(3, { role: 'user', content: '', server: 'files' }),
    message(4, {
      role: 'assistant',
      content: 'Found it.',
      server: 'files',
      tool: 'write',
      call: { state: 'denied' },
    }),
    message(5, { role: 'user', content: 'Not that' }),
    message(6, {
      role: 'assistant',
      content: 'Then this.',
      server: 'files',
      tool: 'copy',
      call: { state: 'waiting' },
    }),
  ])
  expect(await screen.findByText('Look it up')).toBeVisible()
  // The replies of a turn are shown as one article.
  const [question, turn, objection, waiting, ...others] = screen.getAllByRole('article')
  expect(others).toEqual([])
  expect(objection).toHaveTextContent('Not that')
  expect(waiting).toHaveTextContent(/files copy.*No result/)
  expect(question).toHaveTextContent('Look it up')
  expect(turn).toHaveTextContent(/files read.*Done.*files write.*Denied/)
  // The text is drawn anew when the code for Markdown is there.
  await waitFor(() => expect(within(turn as HTMLElement).getByText('Looking.')).toBeVisible())
  // Copying is the only action in the messages.
  const buttons = within(screen.getByRole('main')).getAllByRole('button')
  expect(new Set(buttons.map((button) => button.title))).toEqual(new Set(['Copy message']))
  expect(screen.queryByRole('textbox')).toBeNull()
})

it.each([
  ['denied', 'cancel', false],
  ['denied', 'cancel it all', true],
  ['answered', 'cancel', true],
] as const)(
  'after a call that is %s, shows the message %j: %s, like the chat',
  async (state, content, isShown) => {
    open(`decision-${state}-${content}`.replaceAll(' ', '-'), [
      message(1, { role: 'user', content: 'Look it up' }),
      message(2, { role: 'assistant', content: '', server: 'files', tool: 'read', call: { state } }),
      message(3, { role: 'user', content }),
    ])
    expect(await screen.findByText('Look it up')).toBeVisible()
    const [, turn, ...decisions] = screen.getAllByRole('article')
    expect(turn).toHaveTextContent(/files read/)
    expect(decisions.map(({ textContent }) => textContent?.includes(content))).toEqual(isShown ? [true] : [])
  },
)

it.each([
  ['tool_error', 'Failed'],
  ['failed', 'Failed'],
  ['timed_out', 'Timed out'],
  ['stopped', 'Stopped'],
  ['interrupted', 'Interrupted'],
] as const)('shows a call that ended as %s as %s', async (status, label) => {
  open(status, [
    message(1, { role: 'user', content: 'Look it up' }),
    message(2, { role: 'assistant', server: 'files', tool: 'read', call: { state: 'answered' } }),
    message(3, {
      role: 'user',
      content: '',
      server: 'files',
      outcome: { status, duration: null, parts: [] },
    }),
  ])
  expect(await screen.findByText(label)).toBeVisible()
  expect(screen.queryByText('Done')).toBeNull()
})

it('is excluded from search engines', async () => {
  open('robots', [message(1, { role: 'user', content: 'Hello' })])
  await screen.findByText('Hello')
  await waitFor(() =>
    expect(document.querySelector('meta[name="robots"]')).toHaveAttribute('content', 'noindex, nofollow'),
  )
})

it('shows the files that go along, and only the names of those that do not', async () => {
  showAllElements()
  const file = { name: 'roof.png', type: 'image/png', size: 300 }
  const content = toContent('Look', [
    { ...file, id: 'f1' },
    { ...file, id: '', name: 'private.png' },
  ])
  const api = new ScriptedApi().on(
    'GET /api/share/files/files/f1',
    () => new Response(new Uint8Array(3), { headers: { 'content-type': 'image/png' } }),
  )
  open('files', [message(1, { content })], api)
  expect(await screen.findByRole('img', { name: 'roof.png' })).toBeVisible()
  expect(api.seen('GET /api/share/files/files/f1')[0]?.headers.has('authorization')).toBe(false)
  expect(screen.getByText('private.png').closest('li')).toHaveTextContent('300 B, not shared')
  expect(screen.queryByRole('button', { name: 'Download private.png' })).toBeNull()
})

import { fireEvent, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { toContent } from '@yonder/contract/message-text'
import { describe, expect, it, vi } from 'vitest'
import { expectConsole } from '../../testing/expect-console.ts'
import { failure, ScriptedApi } from '../../testing/scripted-api.ts'
import {
  reply,
  streamReply,
  answered,
  block,
  button,
  call,
  chatOf,
  openToolChat,
  pressForRun,
  question,
  result,
  showAllElements,
  turns,
} from '../../testing/tool-chat-scene.tsx'

const png = () => new Response(new Uint8Array(3), { headers: { 'content-type': 'image/png' } })

describe('a finished call', () => {
  const finished = chatOf(question, call('a1', 'u1', answered), result('r1', 'a1'), reply('a2', 'r1'))

  it('is one line with a check mark and its duration, inside its turn (§2.33, §4.26, §3.10, §3.11)', async () => {
    await openToolChat(finished)
    const line = within(block()).getByRole('button', { name: 'default Calculator Done, 12 ms' })
    expect(line).toHaveAttribute('aria-expanded', 'false')
    expect(line.querySelector('.lucide-check')).not.toBeNull()
    expect(screen.queryByText('5')).toBeNull()
    // One message of the user and one turn, with one line of actions under it.
    expect(turns()).toHaveLength(2)
    expect(screen.getAllByRole('button', { name: 'Regenerate' })).toHaveLength(1)
    expect(await screen.findByText('It is five.')).toBeVisible()
  })

  it('expands to show the exact arguments and the result, and collapses again (§2.33)', async () => {
    await openToolChat(finished)
    const line = within(block()).getByRole('button', { name: /Calculator/ })
    await userEvent.click(line)
    expect(within(block()).getByLabelText('Arguments')).toHaveTextContent('{ "expression": "2 + 3" }')
    expect(within(block()).getByLabelText('Result')).toHaveTextContent('5')
    expect(within(block()).getByText('calculate')).toBeVisible()
    await userEvent.click(line)
    expect(within(block()).queryByLabelText('Arguments')).toBeNull()
  })

  it('shows every kind of result and never interprets its texts', async () => {
    showAllElements()
    const parts = [
      { type: 'text', text: '**bold** <b>html</b> ![](https://evil.example/x.png)' },
      { type: 'json', text: '{\n  "a": 1\n}' },
      { type: 'image', file: 'f1', width: 40, height: 20 },
      { type: 'link', uri: 'https://example.com/report', name: 'The report' },
      { type: 'link', uri: 'javascript:alert(1)', name: 'Not a page' },
      { type: 'note', text: 'An audio recording is not shown.' },
    ] as const
    const api = new ScriptedApi().on('GET /api/files/f1', png)
    await openToolChat(
      chatOf(
        question,
        call('a1', 'u1', answered),
        result('r1', 'a1', { outcome: { status: 'done', duration: null, parts: [...parts] } }),
        reply('a2', 'r1'),
      ),
      api,
    )
    // It is shown, and loaded, while the details are closed.
    expect(await within(block()).findByRole('img', { name: 'Image from Calculator' })).toHaveAttribute(
      'src',
      expect.stringMatching(/^blob:/),
    )
    expect(api.seen('GET /api/files/f1')).toHaveLength(1)
    await userEvent.click(within(block()).getByRole('button', { name: /Calculator Done/ }))
    expect(within(block()).getByText(/\*\*bold\*\*/)).toHaveTextContent('<b>html</b> ![](https://evil')
    expect(within(block()).getByText(/"a": 1/)).toBeVisible()
    expect(within(block()).getAllByRole('img')).toHaveLength(1)
    const links = within(block()).getAllByRole('link')
    expect(links.map((link) => link.getAttribute('href'))).toEqual(['https://example.com/report'])
    expect(links[0]).toHaveTextContent('https://example.com/report')
    expect(within(block()).getByText('javascript:alert(1)')).toBeVisible()
    expect(within(block()).getByText('An audio recording is not shown.')).toBeVisible()
  })

  it('plays a sound and offers other files for download, also while the details are closed', async () => {
    const files = [
      { id: 'f1', name: 'voice.mp3', type: 'audio/mpeg', size: 30_000 },
      { id: 'f2', name: 'costs.csv', type: 'text/csv', size: 3_000 },
    ]
    const parts = [{ type: 'audio', file: 'f1' } as const, { type: 'file', file: 'f2' } as const]
    const outcome = { status: 'done' as const, duration: 5, parts }
    const api = new ScriptedApi().on(
      'GET /api/files/f1',
      () => new Response(new Uint8Array(3), { headers: { 'content-type': 'audio/mpeg' } }),
    )
    const content = toContent('Two files', files)
    await openToolChat(
      chatOf(question, call('a1', 'u1', answered), result('r1', 'a1', { outcome, content })),
      api,
    )
    expect(within(block()).getByText('3.0 kB from default')).toBeVisible()
    expect(within(block()).getByRole('button', { name: 'Download costs.csv' })).toBeVisible()
    expect(api.seen('GET /api/files/f1')).toEqual([])
    await userEvent.click(button('Play voice.mp3'))
    expect(await within(block()).findByLabelText('voice.mp3')).toHaveAttribute(
      'src',
      expect.stringMatching(/^blob:/),
    )
    // Nothing is left for the details.
    await userEvent.click(within(block()).getByRole('button', { name: /Calculator Done/ }))
    expect(within(block()).queryByText('Result')).toBeNull()
  })

  it('says that an image could not be loaded or is damaged, and tries again', async () => {
    showAllElements()
    expectConsole('error', /files/)
    const api = new ScriptedApi().on('GET /api/files/f1', () => failure(503, 'unavailable', 'Later.'))
    const image = { type: 'image', file: 'f1' } as const
    const outcome = { status: 'done' as const, duration: 5, parts: [image] }
    await openToolChat(chatOf(question, call('a1', 'u1', answered), result('r1', 'a1', { outcome })), api)
    expect(await within(block()).findByText('Image from Calculator could not be loaded.')).toBeVisible()
    api.on('GET /api/files/f1', png)
    await userEvent.click(button('Try again'))
    fireEvent.error(await within(block()).findByRole('img'))
    expect(within(block()).getByText('Image from Calculator is damaged and cannot be shown.')).toBeVisible()
    await userEvent.click(button('Try again'))
    expect(await within(block()).findByRole('img')).toBeVisible()
  })

  it.each([
    ['tool_error', 'Failed', 'The tool reported an error.'],
    ['failed', 'Failed', 'The call failed.'],
    ['timed_out', 'Timed out', 'The tool took too long. The tool may or may not have finished.'],
    ['stopped', 'Stopped', 'The call was stopped. The tool may or may not have finished.'],
    ['interrupted', 'Interrupted', 'The call was interrupted. The tool may or may not have finished.'],
    ['denied', 'Denied', 'You denied this call. It was not run.'],
  ] as const)('shows a cross and the reason when it ended as %s', async (status, word, sentence) => {
    await openToolChat(
      chatOf(
        question,
        call('a1', 'u1', answered),
        result('r1', 'a1', { outcome: { status, duration: 5, parts: [] } }),
        reply('a2', 'r1'),
      ),
    )
    const line = within(block()).getByRole('button', { name: new RegExp(word) })
    expect(line.querySelector('.lucide-x')).not.toBeNull()
    await userEvent.click(line)
    expect(within(block()).getByText(sentence)).toBeVisible()
  })

  it('copies all texts of its turn together (§2.29)', async () => {
    await openToolChat(
      chatOf(
        question,
        call('a1', 'u1', { ...answered, content: 'I count.' }),
        result('r1', 'a1'),
        reply('a2', 'r1'),
      ),
    )
    const user = userEvent.setup()
    vi.stubGlobal('ClipboardItem', undefined)
    const write = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
    await user.click(within(turns()[1]!).getByTitle('Copy message'))
    expect(write).toHaveBeenCalledExactlyOnceWith('I count.\n\nIt is five.')
    vi.unstubAllGlobals()
  })

  it('does not run again on regenerate, which requests another reply to its result (§4.24)', async () => {
    const { api } = await openToolChat(finished)
    const { sent, stream } = await pressForRun(api, 'Regenerate')
    expect(sent).toEqual({ chatId: 'c1', botName: 'Fox', userMessageId: 'r1' })
    await streamReply(stream, 'Five, I said.', result('r1', 'a1'), 'a3')
    expect(await screen.findByLabelText('Version 2 of 2')).toBeVisible()
    expect(block()).toHaveTextContent('Calculator')
  })
})

it('shows the notice of a reply', async () => {
  await openToolChat(
    chatOf(question, { ...reply('a1', 'u1'), notice: 'The model of this bot cannot use tools.' }),
  )
  expect(screen.getByText('The model of this bot cannot use tools.')).toBeVisible()
})

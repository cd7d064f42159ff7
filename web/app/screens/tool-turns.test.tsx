import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Message } from '@yonder/contract/message'
import { describe, expect, it, vi } from 'vitest'
import { json, ScriptedApi, ScriptedRun, settle } from '../../testing/scripted-api.ts'
import {
  streamReply,
  answered,
  emptyReply,
  block,
  button,
  call,
  chatOf,
  connector,
  openRunning,
  openToolChat,
  pressForRun,
  question,
  result,
  send,
  waitForTurnEnd,
  turns,
} from '../../testing/tool-chat-scene.tsx'

describe('a turn that is still being written', () => {
  const half = [
    question,
    call('a1', 'u1', answered),
    result('r1', 'a1'),
    { ...emptyReply('a2', 'r1'), content: 'It is ' },
  ]
  const running = call('a1', 'u1', { call: { state: 'running', title: 'Calculator' } })

  it('is joined when the page opens, by the id of its first reply', async () => {
    const { stream } = await openRunning(9, half)
    expect(turns()).toHaveLength(2)
    expect(screen.queryByRole('button', { name: 'Regenerate' })).toBeNull()
    stream.text('five.')
    stream.end()
    expect(await screen.findByText('It is five.')).toBeVisible()
    expect(await screen.findByRole('button', { name: 'Regenerate' })).toBeEnabled()
  })

  it('keeps an opened block open while the turn continues under it', async () => {
    const { stream } = await openRunning(5, [question, running])
    await userEvent.click(within(block()).getByRole('button', { name: /Running/ }))
    // A running turn has no actions.
    expect(screen.queryByRole('button', { name: 'Regenerate' })).toBeNull()
    stream.send({ type: 'tool_result', role: 'user', content: '5', message: result('r1', 'a1') })
    expect(await within(block()).findByLabelText('Result')).toHaveTextContent('5')
    stream.send({ type: 'reply', assistant_message: emptyReply('a2', 'r1') })
    stream.text('It is five.')
    stream.end()
    expect(await screen.findByText('It is five.')).toBeVisible()
    expect(within(block()).getByLabelText('Result')).toHaveTextContent('5')
    await waitForTurnEnd()
  })

  it('is stopped while its tool runs, and shows and announces that (§4.15)', async () => {
    const { api } = await openRunning(5, [question, running])
    const outcome: Message['outcome'] = { status: 'stopped', duration: 5, parts: [] }
    api
      .on('POST /api/chat/stop', () => json({ stopped: true }))
      .on('GET /api/chats/c1', () =>
        json(chatOf(question, call('a1', 'u1', answered), result('r1', 'a1', { outcome }))),
      )
    await userEvent.click(button('Stop'))
    expect(await within(block()).findByRole('button', { name: /Stopped/ })).toBeVisible()
    expect(await screen.findByRole('button', { name: 'Continue' })).toBeEnabled()
    expect(
      screen.getByText('The reply ended after a call of calculate of default. You can continue it.'),
    ).toBeInTheDocument()
  })
})

describe('a turn that ends with a result', () => {
  const halfway = chatOf(question, call('a1', 'u1', answered), result('r1', 'a1'))

  it('does not continue when the page opens, only on request', async () => {
    const { api } = await openToolChat(halfway)
    expect(button('Continue')).toBeEnabled()
    expect(api.requests.filter(({ route }) => !route.startsWith('GET '))).toEqual([])
  })

  it('continues on request, with the bot that began it (§4.23, §7.11)', async () => {
    const { api } = await openToolChat(halfway)
    const { sent, stream } = await pressForRun(api, 'Continue')
    expect(sent).toEqual({ chatId: 'c1', botName: 'Owl', content: '5', server: 'default', parentId: 'r1' })
    await streamReply(stream, 'It is five.', result('r1', 'a1'), 'a2')
    expect(screen.queryByRole('button', { name: 'Continue' })).toBeNull()
  })

  it('follows the run when it was already continued elsewhere', async () => {
    const { api } = await openToolChat(halfway)
    const run = new ScriptedRun(api, 'a1', 7)
    const half = emptyReply('a2', 'r1')
    api
      .on('POST /api/chat/completions', () => json({ chatId: 'c1', started: null }))
      .on('GET /api/chats/c1', () =>
        json({ ...chatOf(...halfway.messages, half), run: { message_id: 'a1', seq: 7 } }),
      )
    await userEvent.click(button('Continue'))
    await waitFor(() => expect(api.seen('GET /api/chats/c1')).toHaveLength(2))
    await settle()
    run.text('It is five.')
    run.end()
    expect(await screen.findByText('It is five.')).toBeVisible()
    expect(screen.queryByText(/connection/)).toBeNull()
    expect(turns()).toHaveLength(2)
    await waitForTurnEnd()
  })

  describe('because its connector needs consent', () => {
    const needed = chatOf(
      question,
      call('a1', 'u1', answered),
      result('r1', 'a1', { outcome: { status: 'authorization_needed', duration: 0, parts: [] } }),
    )
    const connect = 'POST /api/mcp-server/default/connect'
    const consent = () => json({ connector, authorization_url: 'https://login.example/consent' })
    const openNeeding = async () => {
      const opened = await openToolChat(needed, new ScriptedApi(), { ...connector, status: 'failed' })
      const assign = vi.spyOn(location, 'assign').mockReset().mockReturnValue()
      await screen.findByRole('button', { name: 'Connect' })
      return { ...opened, assign }
    }

    it('has no button once the consent is given', async () => {
      const { api } = await openToolChat(needed)
      await waitFor(() => expect(api.seen('GET /api/mcp-servers')).toHaveLength(1))
      expect(screen.queryByRole('button', { name: 'Connect' })).toBeNull()
    })

    it('opens the consent page, and can be used again after a return without consent', async () => {
      const { api, assign } = await openNeeding()
      api.on(connect, consent)
      await userEvent.click(button('Connect'))
      await waitFor(() => expect(assign).toHaveBeenCalledExactlyOnceWith('https://login.example/consent'))
      expect(api.seen(connect)[0]?.body).toEqual({ return_to: '/chat/c1' })
      expect(button('Connect')).toHaveAttribute('aria-busy', 'true')
      // The browser restores the page from its back-forward cache.
      dispatchEvent(new Event('pageshow'))
      await waitFor(() => expect(button('Connect')).not.toHaveAttribute('aria-busy'))
    })

    it('does not open the consent page when the user left the chat before the response arrived', async () => {
      const { api, view, assign } = await openNeeding()
      let respond: (response: Response) => void = () => undefined
      api.on(connect, () => new Promise((resolve) => (respond = resolve)))
      await userEvent.click(button('Connect'))
      view.redraw(<p>Elsewhere</p>)
      respond(consent())
      await settle()
      expect(assign).not.toHaveBeenCalled()
    })
  })
})

it('continues after an event of an unknown type', async () => {
  const { api } = await openToolChat(chatOf())
  const stream = await send(api, 'Hello')
  stream.send({ type: 'hologram' } as never)
  stream.text('Good day.')
  stream.end()
  expect(await screen.findByText('Good day.')).toBeVisible()
  expect(api.seen('GET /api/chats/c1')).toHaveLength(1)
  await waitForTurnEnd()
})

import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { CallDetails } from '../../features/tools/call/call-details.tsx'
import { WaitingCall } from '../../features/tools/call/waiting-call.tsx'
import { expectConsole } from '../../testing/expect-console.ts'
import { renderScreen } from '../../testing/render-screen.tsx'
import { failure, json, ScriptedApi } from '../../testing/scripted-api.ts'
import {
  reply,
  streamReply,
  answered,
  emptyReply,
  block,
  button,
  call,
  chatOf,
  connector,
  message,
  openToolChat,
  pressForRun,
  question,
  result,
  send,
  waitForTurnEnd,
  turns,
} from '../../testing/tool-chat-scene.tsx'
import { makeConnector, owlAndFox } from '../../testing/wire-objects.ts'

describe('a call that needs approval', () => {
  const waiting = chatOf(question, call('a1', 'u1', { content: 'I will count.' }))
  const running = call('a1', 'u1', {
    content: 'I will count.',
    call: { state: 'running', title: 'Calculator' },
  })

  it('shows its arguments, its connector, and three buttons (§2.34, §4.19)', async () => {
    await openToolChat(waiting)
    expect(within(block()).getByRole('button', { name: /Needs approval/ })).toBeVisible()
    expect(within(block()).getByLabelText('Arguments')).toHaveTextContent('"expression": "2 + 3"')
    expect(await within(block()).findByText(/built in/)).toHaveTextContent(
      'Allow default (built in) to run this tool with these arguments?',
    )
    expect(within(block()).getByText('Computes an expression.')).toBeVisible()
    for (const name of ['Allow Once', 'Allow Always', 'Deny']) expect(button(name)).toBeEnabled()
    expect(screen.getByText('A tool call needs your approval. Sending a message denies it.')).toBeVisible()
  })

  it.each([
    ['the tool is described', () => json([connector])],
    ['its description cannot be read', () => failure(500, 'internal', 'Broken.')],
  ])('can be decided only when %s, so that the buttons do not move under the pointer', async (_, respond) => {
    if (respond().status === 500) expectConsole('error', /mcp-servers/)
    let finish: (response: Response) => void = () => undefined
    const loading = new Promise<Response>((resolve) => (finish = resolve))
    const api = new ScriptedApi()
      .on('GET /api/bots', () => json(owlAndFox))
      .on('GET /api/mcp-servers', () => loading)
    const decide = () => undefined
    renderScreen(
      api,
      <WaitingCall
        chatId="c1"
        message={call('a1', 'u1')}
        decide={{ allow: decide, deny: decide }}
        onChange={decide}
      />,
    )
    const buttons = ['Allow Once', 'Allow Always', 'Deny']
    for (const name of buttons) expect(button(name)).toBeDisabled()
    finish(respond())
    await waitFor(() => expect(button('Deny')).toBeEnabled())
    for (const name of buttons) expect(button(name)).toBeEnabled()
  })

  it('opens what the model reads of the tool, with a long description folded', async () => {
    const description = `${'long '.repeat(100)}end`
    const api = new ScriptedApi().on('GET /api/mcp-server/default/tools/calculate', () =>
      json({
        fingerprint: 'f1',
        name: 'default__calculate',
        description,
        parameters: JSON.stringify({
          type: 'object',
          properties: { expression: { type: 'string', description: 'What to\u00AD compute.' } },
        }),
        google_parameters: '{"type":"object"}',
        offered: true,
      }),
    )
    await openToolChat(waiting, api)
    await userEvent.click(await within(block()).findByRole('button', { name: 'What the model reads' }))
    expect(await within(block()).findByText('default__calculate')).toBeVisible()
    expect(block()).toHaveTextContent('expression string')
    expect(block()).toHaveTextContent('What toU+00AD compute.')
    expect(within(block()).queryByText(/end$/)).toBeNull()
    await userEvent.click(button('Show all'))
    expect(within(block()).getByText(/end$/)).toBeVisible()
    expect(button('Schema for models of Google')).toBeVisible()
  })

  it('runs once when allowed once, and the turn continues in the same stream (§2.33, §4.20, §4.23, §7.12, §7.36, §7.37)', async () => {
    const { api } = await openToolChat(waiting)
    const { sent, stream } = await pressForRun(api, 'Allow Once', '/api/tool/confirm')
    expect(sent).toEqual({
      chatId: 'c1',
      messageId: 'a1',
      botName: 'Owl',
      server: 'default',
      tool: 'calculate',
      args: '{"expression":"2 + 3"}',
    })
    expect(within(block()).getByRole('button', { name: /Running/ })).toBeVisible()
    expect(block().querySelector('.animate-spin')).not.toBeNull()
    expect(screen.queryByRole('button', { name: 'Allow Once' })).toBeNull()
    stream.send({ type: 'started', user_message: question, assistant_message: running })
    stream.send({
      type: 'tool_progress',
      message_id: 'a1',
      progress: { progress: 3, total: 10, message: 'adding' },
    })
    expect(await screen.findByText('3 of 10 - adding')).toBeVisible()
    expect(screen.getByRole('progressbar')).toHaveValue(0.3)
    stream.send({ type: 'tool_result', role: 'user', content: '5', message: result('r1', 'a1') })
    expect(await within(block()).findByRole('button', { name: /Done, 12 ms/ })).toBeVisible()
    stream.send({ type: 'reply', assistant_message: emptyReply('a2', 'r1') })
    expect(await screen.findByText('The reply is being written')).toBeInTheDocument()
    stream.text('It is five.')
    stream.end()
    expect(await screen.findByText('It is five.')).toBeVisible()
    expect(turns()).toHaveLength(2)
    expect(api.seen('PATCH /api/mcp-server/default')).toHaveLength(0)
    await waitForTurnEnd()
  })

  it('is confirmed after Allow Always has allowed its tool, in the version and for the credential of the call (§4.21, §8.32)', async () => {
    const { api } = await openToolChat(waiting)
    const stream = api.runs('POST /api/tool/confirm')
    api.on('PATCH /api/mcp-server/default', () => json(connector))
    await within(block()).findByText(/built in/)
    await userEvent.click(button('Allow Always'))
    await waitFor(() => expect(api.seen('POST /api/tool/confirm')).toHaveLength(1))
    expect(api.seen('PATCH /api/mcp-server/default').map(({ body }) => body)).toEqual([
      { tools: [{ name: 'calculate', permission: 'allow', fingerprint: 'f1' }], credential: 'c 1' },
    ])
    const routes = api.requests.map(({ route }) => route)
    expect(routes.indexOf('PATCH /api/mcp-server/default')).toBeLessThan(
      routes.indexOf('POST /api/tool/confirm'),
    )
    expect(await screen.findByText('Allow tools updated successfully for "default"')).toBeVisible()
    stream().send({ type: 'started', user_message: question, assistant_message: running })
    stream().end()
    await waitForTurnEnd()
  })

  it('always allows the version of the tool that was shown, not a newer one', async () => {
    const waitingForChanged = chatOf(
      question,
      call('a1', 'u1', { call: { state: 'waiting', title: 'Calculator', fingerprint: 'f0' } }),
    )
    expectConsole('error', /Failed to update allow tools/)
    const { api } = await openToolChat(waitingForChanged)
    // The new description does not apply to the pending call.
    expect(within(block()).queryByText('Computes an expression.')).toBeNull()
    api.on('PATCH /api/mcp-server/default', () => failure(409, 'conflict', 'Another tool now.'))
    await userEvent.click(button('Allow Always'))
    expect(await screen.findByText('Failed to update allow tools: Another tool now.')).toBeVisible()
    expect(api.seen('PATCH /api/mcp-server/default')[0]?.body).toMatchObject({
      tools: [{ name: 'calculate', fingerprint: 'f0' }],
    })
    expect(api.seen('POST /api/tool/confirm')).toHaveLength(0)
  })

  it('runs on Allow Always when its connector is unknown, and logs that (§4.21)', async () => {
    expectConsole('error', /there is no connector "default"/)
    const { api } = await openToolChat(waiting, new ScriptedApi(), makeConnector({ name: 'another' }))
    const stream = api.runs('POST /api/tool/confirm')
    await userEvent.click(button('Allow Always'))
    await waitFor(() => expect(api.seen('POST /api/tool/confirm')).toHaveLength(1))
    expect(api.requests.filter(({ route }) => route.startsWith('PATCH'))).toEqual([])
    stream().end()
    await waitForTurnEnd()
  })

  it('does not run when the allowed tools could not be saved (§8.21)', async () => {
    expectConsole('error', /Failed to update allow tools/)
    const { api } = await openToolChat(waiting)
    api.on('PATCH /api/mcp-server/default', () => failure(409, 'conflict', 'The tool has changed.'))
    await userEvent.click(button('Allow Always'))
    expect(await screen.findByText('Failed to update allow tools: The tool has changed.')).toBeVisible()
    expect(button('Allow Always')).toBeEnabled()
    expect(api.seen('POST /api/tool/confirm')).toHaveLength(0)
  })

  it('says that its tool is blocked, which cannot be always allowed', async () => {
    await openToolChat(waiting, new ScriptedApi(), { ...connector, block_tools: ['calculate'] })
    expect(await within(block()).findByText('You have blocked this tool.')).toBeVisible()
    expect(within(block()).getByText(/^The call will not run\./)).toBeVisible()
    expect(button('Allow Always')).toBeDisabled()
    expect(button('Allow Once')).toBeEnabled()
    expect(button('Allow Once')).not.toHaveClass('bg-accent')
    expect(button('Deny')).toBeEnabled()
  })

  it("sends the message 'cancel' when denied (§4.22)", async () => {
    const { api } = await openToolChat(waiting)
    const { sent, stream } = await pressForRun(api, 'Deny')
    expect(sent).toMatchObject({ content: 'cancel', parentId: 'a1', chatId: 'c1' })
    expect(sent).not.toHaveProperty('isDenial')
    expect(turns()).toHaveLength(2)
    expect(document.body).not.toHaveTextContent('cancel')
    expect(within(block()).getByRole('button', { name: /Denied by you, \d\d:\d\d/ })).toBeVisible()
    const { id } = sent as { id: string }
    await streamReply(stream, 'As you wish.', message(id, 'a1', { content: 'cancel' }), 'a2')
    expect(screen.queryByRole('button', { name: 'Allow Once' })).toBeNull()
  })

  it.each(['is discarded', 'is replaced by a message'])(
    "leaves the input empty when the denial was not sent and %s: the user has not written its 'cancel'",
    async (end) => {
      expectConsole('error', /Error sending message/)
      const { api } = await openToolChat(waiting)
      const input = screen.getByPlaceholderText('Type your message...')
      const route = 'POST /api/chat/completions'
      // No response to the check of the connection either, so that nothing is sent without a click.
      api
        .on('GET /healthz', () => new Response('', { status: 502 }))
        .on(route, () => {
          throw new TypeError('Failed to fetch')
        })
      await userEvent.click(button('Deny'))
      expect(await screen.findByText(/^Not sent\./)).toBeVisible()
      if (end === 'is discarded') {
        await userEvent.click(button('Discard'))
        expect(button('Deny')).toBeEnabled()
      } else {
        const stream = api.runs(route)
        await userEvent.type(input, 'Add two and four{Enter}')
        expect(api.seen(route).at(-1)?.body).toMatchObject({ content: 'Add two and four', parentId: 'a1' })
        stream().end()
        await waitForTurnEnd()
      }
      expect(screen.queryByText(/^Not sent\./)).toBeNull()
      expect(input).toHaveValue('')
    },
  )

  it('shows its result when it was already allowed elsewhere', async () => {
    expectConsole('error', /The call could not be approved/)
    const { api } = await openToolChat(waiting)
    api
      .on('POST /api/tool/confirm', () => failure(409, 'conflict', 'This call was already allowed.'))
      .on('GET /api/chats/c1', () =>
        json(chatOf(question, call('a1', 'u1', answered), result('r1', 'a1'), reply('a2', 'r1'))),
      )
    await userEvent.click(button('Allow Once'))
    expect(
      await screen.findByText('The call could not be approved: This call was already allowed.'),
    ).toBeVisible()
    expect(await screen.findByText('It is five.')).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Allow Once' })).toBeNull()
  })

  it('shows that one of several calls was decided elsewhere, and offers no denial to send again', async () => {
    expectConsole('error', /The call could not be denied/)
    const place = { index: 1, total: 2 }
    const first = (state: 'waiting' | 'denied') => call('a1', 'u1', { call: { state, place } })
    const { api } = await openToolChat(chatOf(question, first('waiting')))
    api
      .on('POST /api/chat/completions', () => failure(409, 'conflict', 'This call was already denied.'))
      .on('GET /api/chats/c1', () =>
        json(
          chatOf(question, first('denied'), message('u2', 'a1', { content: 'cancel' }), reply('a2', 'u2')),
        ),
      )
    await userEvent.click(button('Deny'))
    expect(
      await screen.findByText('The call could not be denied: This call was already denied.'),
    ).toBeVisible()
    expect(await screen.findByText('It is five.')).toBeVisible()
    expect(api.seen('POST /api/chat/completions')[0]?.body).toMatchObject({ denyOne: true })
    expect(screen.queryByRole('button', { name: 'Send again' })).toBeNull()
    expect(screen.getByPlaceholderText('Type your message...')).toHaveValue('')
  })

  it('sends the denial of one of several calls again with the bot that made them', async () => {
    expectConsole('error', /Error sending message/)
    const place = { index: 1, total: 2 }
    const { api } = await openToolChat(
      chatOf(question, call('a1', 'u1', { call: { state: 'waiting', place } })),
    )
    const route = 'POST /api/chat/completions'
    // No response to the check of the connection either, so that nothing is sent without a click.
    api
      .on('GET /healthz', () => new Response('', { status: 502 }))
      .on(route, () => {
        throw new TypeError('Failed to fetch')
      })
    await userEvent.click(button('Deny'))
    const again = await screen.findByRole('button', { name: 'Send again' })
    const stream = api.runs(route)
    await userEvent.click(again)
    expect(api.seen(route).map(({ body }) => body)).toMatchObject([
      { botName: 'Owl', denyOne: true },
      { botName: 'Owl', denyOne: true },
    ])
    stream().end()
    await waitForTurnEnd()
  })

  it('shows the account of its own credential, and not that of an earlier one', async () => {
    const mail = makeConnector({ name: 'Gmail', url: 'builtin://google-gmail', is_default: true })
    const send = (credential: string) =>
      call('a1', 'u1', {
        server: 'Gmail',
        tool: 'send_message',
        arguments: '{"to":["ann@example.com"]}',
        call: { state: 'waiting', title: 'Calculator', credential },
      })
    let respond = (_account: string): void => undefined
    const api = new ScriptedApi().on('GET /api/mcp-server/Gmail/account', ({ query }) =>
      query.get('credential') === 'first'
        ? json({ account: 'first@example.com', time_zone: null })
        : new Promise((resolve) => {
            respond = (account) => resolve(json({ account, time_zone: null }))
          }),
    )
    api.on('GET /api/mcp-servers', () => json([mail]))
    const details = (credential: string) => <CallDetails message={send(credential)} result={undefined} />
    const { redraw } = renderScreen(api, details('first'))
    expect(await screen.findByText('first@example.com')).toBeVisible()
    redraw(details('second'))
    expect(screen.queryByText('first@example.com')).toBeNull()
    await waitFor(() => expect(api.seen('GET /api/mcp-server/Gmail/account')).toHaveLength(2))
    respond('second@example.com')
    expect(await screen.findByText('second@example.com')).toBeVisible()
  })

  it('shows what has changed since the tool was allowed', async () => {
    await openToolChat(
      chatOf(
        question,
        call('a1', 'u1', {
          call: {
            state: 'waiting',
            changes: [
              { what: 'description', before: 'Computes.', after: 'Computes and sends it away.' },
              { what: 'annotations', before: null, after: '{"destructiveHint":true}' },
              { what: 'other', before: null, after: null },
            ],
          },
        }),
      ),
    )
    expect(await screen.findByText('This tool has changed since you allowed it')).toBeVisible()
    const description = screen.getByLabelText('Changes of Description')
    expect(description.querySelector('ins')).toHaveTextContent('and sends it away')
    expect(screen.getAllByLabelText('Before').map((text) => text.textContent)).toEqual(['Nothing'])
    expect(screen.getByLabelText('Now')).toHaveTextContent('destructiveHint')
    expect(screen.getByText('The earlier value is unknown.')).toBeVisible()
  })

  it('cannot be decided once a message follows it (§2.34)', async () => {
    await openToolChat(
      chatOf(question, call('a1', 'u1'), message('u2', 'a1', { content: 'never mind' }), reply('a2', 'u2')),
    )
    expect(within(block()).getByRole('button', { name: /Denied/ })).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Allow Once' })).toBeNull()
  })

  it('is announced to screen readers', async () => {
    const { api } = await openToolChat(chatOf(question, reply('a0', 'u1')))
    const stream = await send(api, 'And now?')
    stream.send({
      type: 'tool_call',
      message_id: 'a1',
      server: 'default',
      tool: 'calculate',
      arguments: '{}',
      plainContent: '',
      call: { state: 'waiting', title: 'Calculator' },
    })
    stream.end()
    expect(await screen.findByText('The tool Calculator of default needs your approval.')).toBeInTheDocument()
    expect(await screen.findByRole('button', { name: 'Allow Once' })).toBeEnabled()
  })
})

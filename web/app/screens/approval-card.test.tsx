import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Message } from '@yonder/contract/message'
import type { StepCall } from '@yonder/contract/tool-call'
import { describe, expect, it } from 'vitest'
import { expectConsole } from '../../testing/expect-console.ts'
import { failure, json, ScriptedApi } from '../../testing/scripted-api.ts'
import {
  answered,
  block,
  button,
  call,
  chatOf,
  connector,
  message,
  openToolChat,
  pressForRun,
  question,
  reply,
  result,
  turns,
  waitForTurnEnd,
} from '../../testing/tool-chat-scene.tsx'

const waitingCall = { state: 'waiting', title: 'Calculator', fingerprint: 'f1', credential: 'c 1' } as const
const waiting = (more: Partial<Message['call'] & object> = {}, args = '{"expression":"2 + 3"}') =>
  chatOf(question, call('a1', 'u1', { arguments: args, call: { ...waitingCall, ...more } }))
const item = (name: string) => screen.getByRole('menuitem', { name })
const modelTool = (properties: object) => () =>
  json({
    fingerprint: 'f1',
    name: 'default__calculate',
    description: '',
    parameters: JSON.stringify({ type: 'object', properties, required: ['expression'] }),
    google_parameters: null,
    offered: true,
  })
const toolRoute = 'GET /api/mcp-server/default/tools/calculate'

async function openMenu(name: string) {
  await waitFor(() => expect(button(name)).toBeEnabled())
  await userEvent.click(button(name))
}

describe('what a card says', () => {
  it.each([
    ['read', 'only reads, says the server'],
    ['write', 'writes, says the server'],
    ['destructive', 'may delete, says the server'],
  ] as const)('repeats the claim of the server: %s', async (effect, claim) => {
    await openToolChat(waiting({ effect }))
    const shown = within(block()).getByText(claim)
    expect(shown.className.includes('text-warning')).toBe(effect === 'destructive')
  })

  it('claims nothing for a tool without annotations, and names the size of long arguments', async () => {
    const lines = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`n${index}`, 1]))
    await openToolChat(waiting({}, JSON.stringify(lines)))
    expect(block()).not.toHaveTextContent('says the server')
    expect(block()).toHaveTextContent('Arguments · 22 lines, 151 B')
  })

  it('says until when the call waits in the last two hours', async () => {
    const soon = Date.now() - 22.5 * 60 * 60 * 1_000
    await openToolChat(waiting({ asked_at: soon }))
    expect(within(block()).getByText(/^Waits until (?:tomorrow )?\d\d:\d\d$/)).toBeVisible()
  })

  it('says nothing of that before', async () => {
    await openToolChat(waiting({ asked_at: Date.now() - 60_000 }))
    expect(block()).not.toHaveTextContent('Waits until')
  })

  it('offers only this call when the operator lets the tool always ask', async () => {
    await openToolChat(waiting({ always_asks: true }))
    expect(screen.getByText('The operator of this server wants this tool to ask every time.')).toBeVisible()
    expect(screen.queryByRole('button', { name: /Allow Always|Allow for/ })).toBeNull()
    expect(button('Allow Once')).toBeVisible()
    expect(button('Deny')).toBeVisible()
  })

  it('has its buttons in the order of the keyboard, and focuses none by itself', async () => {
    await openToolChat(waiting())
    await waitFor(() => expect(button('Deny')).toBeEnabled())
    expect(block().contains(document.activeElement)).toBe(false)
    const names = within(block())
      .getAllByRole('button')
      .map((element) => element.getAttribute('aria-label') ?? element.textContent)
    expect(names.slice(1)).toEqual([
      'Edit',
      'Copy arguments',
      'What the model reads',
      'Allow Once',
      'Allow Always',
      'Allow for…',
      'Deny',
      'Deny with…',
    ])
  })
})

describe('a grant with limits', () => {
  const grants = 'POST /api/grants'

  it.each([
    ['In this chat', { chatId: 'c1' }],
    ['For 1 hour', { minutes: 60 }],
    ['For 1 day', { minutes: 1440 }],
    ['Always with Owl only', { bot: 'Owl' }],
  ])('is created by "%s" before the call is confirmed', async (name, limits) => {
    const { api } = await openToolChat(waiting())
    api.on(grants, () => json({}))
    const stream = api.runs('POST /api/tool/confirm')
    await openMenu('Allow for…')
    await userEvent.click(item(name))
    await waitFor(() => expect(api.seen('POST /api/tool/confirm')).toHaveLength(1))
    expect(api.seen(grants).map(({ body }) => body)).toEqual([
      { server: 'default', tool: 'calculate', fingerprint: 'f1', credential: 'c 1', ...limits },
    ])
    stream().end()
    await waitForTurnEnd()
  })

  it('is offered only for as long as the operator lets one last', async () => {
    await openToolChat(waiting(), undefined, undefined, 2)
    await openMenu('Allow for…')
    expect(screen.getAllByRole('menuitem').map(({ textContent }) => textContent)).toEqual([
      'In this chat',
      'For 1 hour',
      'Always, but only with…',
      'Always with Owl only',
    ])
  })

  it('is limited to what an argument is, or begins with', async () => {
    const { api } = await openToolChat(waiting({}, '{"n":1,"owner":"club","repository":"club/register"}'))
    api.on(grants, () => json({}))
    const stream = api.runs('POST /api/tool/confirm')
    await openMenu('Allow for…')
    await userEvent.click(item('Always, but only with…'))
    expect((await screen.findAllByRole('radio')).map((radio) => radio.getAttribute('aria-label'))).toEqual([
      'owner = club',
      'repository = club/register',
    ])
    await userEvent.click(screen.getByRole('radio', { name: 'repository = club/register' }))
    await userEvent.selectOptions(screen.getByLabelText('How the argument is compared'), 'begins')
    const beginning = screen.getByLabelText('The beginning of repository')
    expect(beginning).toHaveValue('club/register')
    await userEvent.clear(beginning)
    expect(button('Allow Always with this')).toBeDisabled()
    await userEvent.type(beginning, 'club/')
    await userEvent.click(button('Allow Always with this'))
    await waitFor(() => expect(api.seen('POST /api/tool/confirm')).toHaveLength(1))
    expect(api.seen(grants)[0]?.body).toMatchObject({
      rule: { argument: 'repository', test: 'begins', value: 'club/' },
    })
    stream().end()
    await waitForTurnEnd()
  })

  it('that the server refuses leaves the call waiting', async () => {
    expectConsole('error', /The tool could not be allowed/)
    const { api } = await openToolChat(waiting())
    api.on(grants, () => failure(409, 'conflict', 'The tool has changed.'))
    await openMenu('Allow for…')
    await userEvent.click(item('For 1 hour'))
    expect(await screen.findByText('The tool could not be allowed: The tool has changed.')).toBeVisible()
    expect(api.seen('POST /api/tool/confirm')).toEqual([])
    expect(button('Allow Once')).toBeEnabled()
  })
})

describe('a denial', () => {
  it('with a reason tells the model, and is shown at the call alone', async () => {
    const { api } = await openToolChat(waiting())
    const stream = api.runs('POST /api/chat/completions')
    await openMenu('Deny with…')
    await userEvent.click(item('Deny with a reason…'))
    const field = await screen.findByLabelText('What should the model know?')
    expect(field).toHaveFocus()
    await userEvent.type(field, 'Not on Fridays.{Enter}')
    expect(api.seen('POST /api/chat/completions').map(({ body }) => body)).toMatchObject([
      { parentId: 'a1', content: 'Not on Fridays.', denyOne: true },
    ])
    expect(within(block()).getByRole('button', { name: /Denied by you, \d\d:\d\d/ })).toBeVisible()
    expect(screen.getByText('“Not on Fridays.”')).toBeVisible()
    expect(turns()).toHaveLength(2)
    stream().end()
    await waitForTurnEnd()
  })

  it('with a reason can be left by Escape, and the focus returns', async () => {
    const { api } = await openToolChat(waiting())
    await openMenu('Deny with…')
    await userEvent.click(item('Deny with a reason…'))
    await userEvent.type(await screen.findByLabelText('What should the model know?'), 'No{Escape}')
    expect(button('Deny with…')).toHaveFocus()
    expect(button('Allow Once')).toBeEnabled()
    expect(api.seen('POST /api/chat/completions')).toEqual([])
  })

  it('blocks the tool before', async () => {
    const { api } = await openToolChat(waiting())
    api.on('PATCH /api/mcp-server/default', () => json({ ...connector, block_tools: ['calculate'] }))
    const stream = api.runs('POST /api/chat/completions')
    await openMenu('Deny with…')
    await userEvent.click(item('Block this tool'))
    await waitFor(() => expect(api.seen('POST /api/chat/completions')).toHaveLength(1))
    expect(api.seen('PATCH /api/mcp-server/default')[0]?.body).toEqual({
      tools: [{ name: 'calculate', permission: 'block' }],
    })
    stream().end()
    await waitForTurnEnd()
  })

  it('that was not sent shows the call as waiting again', async () => {
    expectConsole('error', /Error sending message/)
    const { api } = await openToolChat(waiting())
    api
      .on('GET /healthz', () => new Response('', { status: 502 }))
      .on('POST /api/chat/completions', () => {
        throw new TypeError('Failed to fetch')
      })
    await userEvent.click(button('Deny'))
    expect(await screen.findByText(/^Not sent\./)).toBeVisible()
    expect(block()).toHaveTextContent('Needs approval')
  })

  it('that came second says what was decided, when and where', async () => {
    expectConsole('error', /The call could not be denied/)
    const { api } = await openToolChat(waiting())
    const at = new Date()
    at.setHours(14, 2)
    const decision = { kind: 'once', at: at.getTime(), on: 'Chrome on Android' } as const
    api
      .on('POST /api/chat/completions', () => failure(409, 'conflict', 'This call was already allowed.'))
      .on('GET /api/chats/c1', () =>
        json(
          chatOf(
            question,
            call('a1', 'u1', { call: { ...answered.call, decision } }),
            result('r1', 'a1'),
            reply('a2', 'r1'),
          ),
        ),
      )
    await userEvent.click(button('Deny'))
    expect(await screen.findByText('Already allowed at 14:02 in Chrome on Android.')).toBeVisible()
    // The text is drawn again once markdown is loaded.
    await waitFor(() => expect(screen.getByText('It is five.')).toBeVisible())
    expect(screen.queryByRole('button', { name: 'Allow Once' })).toBeNull()
  })
})

describe('changed arguments', () => {
  const edit = async () => userEvent.click(await screen.findByRole('button', { name: 'Edit' }))

  it('are entered in a form, shown beside the proposed ones, and sent', async () => {
    const { api } = await openToolChat(waiting({}, '{"expression":"2 + 3","digits":2}'))
    const number = { type: 'integer', description: 'How many.' }
    api.on(toolRoute, modelTool({ expression: { type: 'string' }, digits: number }))
    await edit()
    const field = await screen.findByLabelText('expression *')
    expect(field).toHaveFocus()
    await waitFor(() => expect(button('Allow Once')).toBeDisabled())
    await userEvent.type(field, ' + 4')
    const digits = screen.getByLabelText('digits')
    await userEvent.clear(digits)
    await userEvent.type(digits, 'x')
    await userEvent.click(button('Done'))
    expect(screen.getByText('Enter a number')).toBeVisible()
    await userEvent.clear(digits)
    fireEvent.keyDown(digits, { key: 'Enter', ctrlKey: true })
    expect(await screen.findByLabelText('Proposed')).toHaveTextContent('"expression": "2 + 3" "digits": 2')
    expect(screen.getByLabelText('Will be sent')).toHaveTextContent(
      '"expression": "2 + 3 + 4" "digits" is absent',
    )
    expect(button('Edit')).toHaveFocus()
    expect(block()).toHaveTextContent('with your arguments? The model is told what you changed.')
    expect(screen.queryByRole('button', { name: /Allow Always|Allow for/ })).toBeNull()
    const { sent, stream } = await pressForRun(api, 'Allow Once', '/api/tool/confirm')
    const { edited, args } = sent as { edited: string; args: string }
    expect(JSON.parse(edited)).toEqual({ expression: '2 + 3 + 4' })
    expect(args).toBe('{"expression":"2 + 3","digits":2}')
    stream.end()
    await waitForTurnEnd()
  })

  it.each([
    ['number', '{Backspace}'],
    ['integer', '{Backspace} '],
  ])('stay in the form while a required %s is written anew', async (type, keys) => {
    const { api } = await openToolChat(waiting({}, '{"expression":5}'))
    api.on(toolRoute, modelTool({ expression: { type } }))
    await edit()
    const field = await screen.findByLabelText('expression *')
    await userEvent.type(field, keys)
    expect(screen.queryByLabelText('Arguments as JSON')).toBeNull()
    await userEvent.click(button('Done'))
    expect(screen.getByText('Enter a number')).toBeVisible()
    await userEvent.type(field, '7')
    await userEvent.click(button('Done'))
    expect(await screen.findByLabelText('Will be sent')).toHaveTextContent('"expression": 7')
  })

  it('are written as JSON when a form cannot show them, and a mistake is named with its line', async () => {
    const { api } = await openToolChat(waiting({}, '{"expression":{"left":2}}'))
    api.on(toolRoute, modelTool({ expression: { type: 'object' } }))
    await edit()
    const field = await screen.findByLabelText('Arguments as JSON')
    expect(screen.queryByRole('switch', { name: 'Edit as JSON' })).toBeNull()
    fireEvent.change(field, { target: { value: '{\n  "expression": {\n    "left": 2,\n  }\n}' } })
    await userEvent.click(button('Done'))
    expect(screen.getByText('This is not valid JSON, line 4.')).toBeVisible()
    fireEvent.change(field, { target: { value: '[]' } })
    await userEvent.click(button('Done'))
    expect(screen.getByText('The arguments must be an object, in { and }.')).toBeVisible()
  })

  it('stay after a reload, and Escape asks before they are discarded', async () => {
    const api = new ScriptedApi().on(toolRoute, modelTool({ expression: { type: 'string' } }))
    const { view } = await openToolChat(waiting(), api)
    await edit()
    await userEvent.type(await screen.findByLabelText('expression *'), '!')
    view.unmount()
    await openToolChat(waiting(), api)
    const field = await screen.findByLabelText('expression *')
    expect(field).toHaveValue('2 + 3!')
    expect(field).not.toHaveFocus()
    await userEvent.type(field, '{Escape}')
    await userEvent.click(await screen.findByRole('button', { name: 'Discard' }))
    expect(block()).toHaveTextContent('"expression": "2 + 3"')
    expect(button('Edit')).toHaveFocus()
    await edit()
    await userEvent.click(await screen.findByRole('button', { name: 'Cancel' }))
    expect(screen.queryByRole('alertdialog')).toBeNull()
  })

  it('that the server refuses are in the editor again, with the reason', async () => {
    expectConsole('error', /The call could not be approved/)
    const { api } = await openToolChat(waiting())
    api
      .on(toolRoute, modelTool({ expression: { type: 'string' } }))
      .on('POST /api/tool/confirm', () => failure(400, 'invalid_request', 'It has a hidden character.'))
    await edit()
    await userEvent.type(await screen.findByLabelText('expression *'), '!')
    await userEvent.click(button('Done'))
    await userEvent.click(button('Allow Once'))
    expect(await screen.findByText('It has a hidden character.')).toBeVisible()
    expect(screen.getByLabelText('expression *')).toHaveValue('2 + 3!')
  })

  it('are shown beside the proposed ones after the call', async () => {
    const edited = { call: { ...answered.call, edited: '{"expression":"2 + 2"}' } }
    await openToolChat(chatOf(question, call('a1', 'u1', edited), result('r1', 'a1'), reply('a2', 'r1')))
    const line = within(block()).getByRole('button', { name: /Edited by you, 12 ms/ })
    await userEvent.click(line)
    expect(await screen.findByLabelText('Proposed')).toHaveTextContent('"2 + 3"')
    expect(screen.getByLabelText('Sent')).toHaveTextContent('"2 + 2"')
  })
})

describe('several calls of one step', () => {
  const later = (id: string, more: Partial<StepCall> = {}): StepCall => ({
    id,
    server: 'default',
    tool: id,
    arguments: `{"of":"${id}"}`,
    asks: true,
    ...more,
  })
  const steps = [
    later('look', { effect: 'read' }),
    later('write', { effect: 'write' }),
    later('time', { asks: false }),
  ]
  const decided = { allow: true, at: 1 }
  const stepRoute = 'PUT /api/tool/step-decision'
  const place = { index: 1, total: 4 }
  const laterBlock = (name: string) => screen.findByRole('region', { name: `Later call: ${name}` })

  it('stand in one card, and each is decided alone', async () => {
    const { api } = await openToolChat(waiting({ step: steps, place }))
    expect(block()).toHaveTextContent(/4 calls.*3 need approval/)
    expect(await laterBlock('time')).toHaveTextContent('Needs no approval')
    const look = await laterBlock('look')
    expect(look).toHaveTextContent(/only reads, says the server.*"of": "look"/)
    let stored: StepCall[] = steps
    api.on(stepRoute, ({ body }) => {
      const { callId, allow } = body as { callId: string; allow: boolean | null }
      stored = stored.map((step) => {
        const { decided: _, ...rest } = step
        return step.id === callId && allow !== null ? { ...rest, decided: { allow, at: 1 } } : rest
      })
      return json({ call: { ...waitingCall, place, step: stored } })
    })
    await waitFor(() => expect(within(look).getByRole('button', { name: 'Allow Once: look' })).toBeEnabled())
    await userEvent.click(within(look).getByRole('button', { name: 'Allow Once: look' }))
    expect(await screen.findByText('Allowed. It runs after the calls above are decided.')).toBeVisible()
    expect(look).toHaveFocus()
    expect(block()).toHaveTextContent(/2 need approval/)
    await userEvent.click(within(look).getByRole('button', { name: 'Undo' }))
    await waitFor(() => expect(block()).toHaveTextContent(/3 need approval/))
    expect(look).toHaveFocus()
    expect(api.seen(stepRoute).map(({ body }) => body)).toEqual([
      { chatId: 'c1', messageId: 'a1', callId: 'look', allow: true },
      { chatId: 'c1', messageId: 'a1', callId: 'look', allow: null },
    ])
  })

  it('can be denied together, and only the reads allowed together', async () => {
    const { api } = await openToolChat(waiting({ step: steps, place }))
    let stored = steps
    api.on(stepRoute, ({ body }) => {
      const { callId, allow } = body as { callId: string; allow: boolean }
      stored = stored.map((step) => (step.id === callId ? { ...step, decided: { ...decided, allow } } : step))
      return json({ call: { ...waitingCall, place, step: stored } })
    })
    const stream = api.runs('POST /api/chat/completions')
    await userEvent.click(await screen.findByRole('button', { name: 'Allow the read' }))
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Allow the read' })).toBeNull())
    expect(await laterBlock('look')).toHaveFocus()
    await userEvent.click(await screen.findByRole('button', { name: 'Deny both' }))
    await waitFor(() => expect(api.seen('POST /api/chat/completions')).toHaveLength(1))
    expect(api.seen(stepRoute).map(({ body }) => body)).toMatchObject([
      { callId: 'look', allow: true },
      { callId: 'write', allow: false },
    ])
    expect(api.seen('POST /api/chat/completions')[0]?.body).toMatchObject({
      content: 'cancel',
      denyOne: true,
    })
    stream().end()
    await waitForTurnEnd()
  })

  it('are allowed together with the arguments that the user has changed', async () => {
    const api = new ScriptedApi().on(toolRoute, modelTool({ expression: { type: 'string' } }))
    api.on('GET /api/mcp-server/default/tools/look', modelTool({ of: { type: 'string' } }))
    await openToolChat(waiting({ effect: 'read', step: steps, place }), api)
    api.on(stepRoute, () => json({ call: { ...waitingCall, effect: 'read', place, step: steps } }))
    const look = await laterBlock('look')
    await userEvent.click(within(block()).getAllByRole('button', { name: 'Edit' })[0]!)
    await userEvent.type(await screen.findByLabelText('expression *'), '!')
    await userEvent.click(button('Done'))
    await userEvent.click(within(look).getByRole('button', { name: 'Edit' }))
    await userEvent.type(await within(look).findByLabelText('of'), '!')
    // What is still being written is not known to be meant.
    expect(button('Allow all reads')).toBeDisabled()
    await userEvent.click(button('Done'))
    const stream = api.runs('POST /api/tool/confirm')
    await userEvent.click(button('Allow all reads'))
    await waitFor(() => expect(api.seen('POST /api/tool/confirm')).toHaveLength(1))
    const editedOf = (body: unknown) => JSON.parse((body as { edited: string }).edited) as unknown
    expect(editedOf(api.seen(stepRoute)[0]?.body)).toEqual({ of: 'look!' })
    expect(editedOf(api.seen('POST /api/tool/confirm')[0]?.body)).toEqual({ expression: '2 + 3!' })
    stream().end()
    await waitForTurnEnd()
  })
})

it.each([
  ['expired', {}, 'Not decided in 24 hours'],
  ['granted', { grant: { chat_id: 'c1' } }, 'Allowed in this chat, 12 ms'],
  [
    'granted',
    { grant: { rule: { argument: 'repository', test: 'equals', value: 'register' } } },
    'Allowed with repository = register, 12 ms',
  ],
  ['once', {}, '12 ms'],
] as const)('the line of a call that was %s says so', async (kind, more, text) => {
  const decision = { kind, at: Date.now(), ...more }
  const state = kind === 'expired' ? 'denied' : 'answered'
  const ended = call('a1', 'u1', { call: { state, title: 'Calculator', decision } })
  const rest = kind === 'expired' ? [message('u2', 'a1', { content: 'And?' })] : [result('r1', 'a1')]
  await openToolChat(chatOf(question, ended, ...rest))
  expect(within(block()).getByRole('button', { name: new RegExp(`${text}$`) })).toBeVisible()
})

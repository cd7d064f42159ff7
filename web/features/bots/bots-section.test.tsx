import { makeBot } from '../../testing/wire-objects.ts'
import type { Bot } from '@yonder/contract/bot'
import { render, screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createApiClient } from '../../lib/api-client.ts'
import { ApiProvider } from '../../lib/api-provider.tsx'
import { expectConsole } from '../../testing/expect-console.ts'
import { ToastRegion } from '../../ui/toast/toast-region.tsx'
import { dismissToast, toasts } from '../../lib/toasts.ts'
import { BotsSection } from './bots-section.tsx'

/** The fields of the form that are optional. */
const empty = { base_url: null, api_key: null, api_type: null, custom_api_path: null, max_tokens: null }
const helper = makeBot({ name: 'Helper', model: 'gpt-x' })
const full = makeBot({
  name: 'a/b 100%',
  model: 'm',
  base_url: 'https://one.example/v1',
  api_key: 'sk-t••••••••tail',
  api_type: 'anthropic',
  custom_api_path: '/messages',
  max_tokens: 100,
})

interface Call {
  readonly method: string
  readonly path: string
  readonly body: unknown
}

/** The server at the network's edge: it keeps bots, and responds as the test scripts it. */
let bots: Bot[]
let calls: Call[]
let answer: (call: Call) => Response | Promise<Response> | undefined
let signedOut: number

function serve({ method, path, body }: Call): Response {
  if (method === 'GET') return Response.json(bots)
  if (method === 'DELETE') {
    bots = bots.filter((bot) => path !== `/api/bot/${encodeURIComponent(bot.name)}`)
    return new Response(null, { status: 204 })
  }
  const bot = makeBot(body as Bot)
  bots =
    method === 'POST'
      ? [...bots, bot]
      : bots.map((known) => (path.endsWith(encodeURIComponent(known.name)) ? bot : known))
  return Response.json(bot, { status: method === 'POST' ? 201 : 200 })
}

function refuse(status: number, message: string): Response {
  return Response.json({ error: { code: 'name_taken', message } }, { status })
}

function open() {
  const api = createApiClient({
    getAccessToken: async () => 'token',
    onUnauthorized: () => {
      signedOut++
    },
    fetch: async (input, init) => {
      const call = {
        method: init?.method ?? 'GET',
        path: input as string,
        body: typeof init?.body === 'string' ? (JSON.parse(init.body) as unknown) : undefined,
      }
      calls.push(call)
      return (await answer(call)) ?? serve(call)
    },
  })
  render(
    <ApiProvider api={api}>
      <BotsSection />
      <ToastRegion />
    </ApiProvider>,
  )
}

function defer<Value>() {
  let resolve: (value: Value) => void = () => undefined
  const promise = new Promise<Value>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

const writes = () => calls.filter((call) => call.method !== 'GET')
const button = (name: string, within_: ReturnType<typeof within> = screen) =>
  within_.getByRole('button', { name })
const dialog = (name: string) => within(screen.getByRole('dialog', { name }))
const rowOf = (name: string) => within(screen.getByText(name).closest('li')!)

async function openAdd() {
  open()
  await userEvent.click(await screen.findByRole('button', { name: 'Add Bot' }))
  return dialog('Add New Bot')
}

async function openEdit(bot: Bot) {
  bots = [bot]
  open()
  await userEvent.click(await screen.findByRole('button', { name: 'Edit' }))
  return dialog('Edit Bot')
}

beforeEach(() => {
  bots = []
  calls = []
  answer = () => undefined
  signedOut = 0
  for (const { id } of toasts.get()) dismissToast(id)
})

describe('the list', () => {
  it('shows name and model of each bot with Edit and Delete (§2.51)', async () => {
    bots = [helper, full]
    open()
    expect(await screen.findByRole('heading', { name: 'Bots' })).toBeInTheDocument()
    expect(await screen.findByText('gpt-x')).toBeInTheDocument()
    expect(button('Add Bot')).toBeEnabled()
    for (const name of ['Helper', 'a/b 100%']) {
      expect(button('Edit', rowOf(name))).toHaveAccessibleDescription(name)
      expect(button('Delete', rowOf(name))).toHaveAccessibleDescription(name)
    }
  })

  it('shows that it loads, and how to start when it is empty (§2.52)', async () => {
    const reply = defer<Response>()
    answer = () => reply.promise
    open()
    expect(screen.getByText('Loading bot configurations...')).toBeInTheDocument()
    reply.resolve(Response.json([]))
    expect(await screen.findByText('No bot configurations found')).toBeInTheDocument()
    expect(screen.getByText(/Add one to start a chat/)).toBeInTheDocument()
    expect(button('Add Bot')).toBeEnabled()
  })

  it('shows an error when it cannot be loaded, and reloads the page on Try again (§2.52)', async () => {
    expectConsole('error', /fetching the data\. 503/)
    const reload = vi.spyOn(location, 'reload').mockImplementation(() => undefined)
    answer = () => refuse(503, 'The database does not respond.')
    open()
    expect(await screen.findByText('Error loading bot configurations')).toBeInTheDocument()
    expect(screen.getByText('The database does not respond.')).toBeInTheDocument()
    await userEvent.click(button('Try again'))
    expect(reload).toHaveBeenCalledOnce()
  })
})

describe('adding', () => {
  it('sends what was typed, and shows a toast and the new row (§7.3, §8.30, §8.31)', async () => {
    const form = await openAdd()
    await userEvent.type(form.getByLabelText('Name *'), ' Helper ')
    await userEvent.type(form.getByLabelText('Model *'), 'gpt-x')
    await userEvent.click(button('Save', form))
    expect(await screen.findByText('Bot "Helper" added successfully')).toBeInTheDocument()
    expect(writes()).toEqual([
      { method: 'POST', path: '/api/bot', body: { ...empty, name: 'Helper', model: 'gpt-x' } },
    ])
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
    expect(screen.getByText('Helper')).toBeInTheDocument()
  })

  it.each([
    ['name', 'Model *', 'Name *'],
    ['model', 'Name *', 'Model *'],
  ])(
    'shows in the dialog that the %s is missing, and sends nothing (§5.5, §8.17, §8.34)',
    async (_, given, missing) => {
      const form = await openAdd()
      await userEvent.type(form.getByLabelText(given), 'x')
      await userEvent.type(form.getByLabelText(missing), '   ')
      await userEvent.click(button('Save', form))
      expect(form.getByText('Please fill in all required fields')).toHaveRole('alert')
      expect(form.getByLabelText(missing)).toHaveFocus()
      expect(form.getByLabelText(missing)).toBeInvalid()
      expect(form.getByLabelText(given)).toBeValid()
      expect(toasts.get()).toEqual([])
      expect(writes()).toEqual([])
    },
  )

  it.each([
    [409, 'You already have a bot named "Helper".', 'You already have a bot named "Helper".'],
    [400, 'base_url: Too big; max_tokens: Too big', 'Base URL: Too big; Max tokens: Too big'],
  ])(
    'keeps the dialog and its texts when saving fails, and shows and logs the reason: %i (§8.15, §8.34)',
    async (status, sent, reason) => {
      expectConsole('error', new RegExp(`Failed to save bot: ${reason}`))
      answer = ({ method }) => (method === 'POST' ? refuse(status, sent) : undefined)
      const form = await openAdd()
      await userEvent.type(form.getByLabelText('Name *'), 'Helper')
      await userEvent.type(form.getByLabelText('Model *'), 'm')
      await userEvent.click(button('Save', form))
      expect(await screen.findByText(`Failed to save bot: ${reason}`)).toBeInTheDocument()
      expect(form.getByLabelText('Name *')).toHaveValue('Helper')
      expect(button('Save', form)).toBeEnabled()
    },
  )

  it("shows 'Unknown error' when there is no reason (§8.15)", async () => {
    expectConsole('error', /Failed to save bot: Unknown error/)
    answer = ({ method }) => {
      if (method === 'POST') throw new Error('')
      return undefined
    }
    const form = await openAdd()
    await userEvent.type(form.getByLabelText('Name *'), 'Helper')
    await userEvent.type(form.getByLabelText('Model *'), 'm')
    await userEvent.click(button('Save', form))
    expect(await screen.findByText('Failed to save bot: Unknown error')).toBeInTheDocument()
  })

  it('sends one request, however often Save is pressed', async () => {
    const reply = defer<Response>()
    answer = ({ method }) => (method === 'POST' ? reply.promise : undefined)
    const form = await openAdd()
    await userEvent.type(form.getByLabelText('Name *'), 'Helper')
    await userEvent.type(form.getByLabelText('Model *'), 'm')
    await userEvent.click(button('Save', form))
    await userEvent.click(button('Saving...', form))
    expect(writes()).toHaveLength(1)
    reply.resolve(Response.json(helper, { status: 201 }))
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  })

  it('does not show success after a 401 (§8.2)', async () => {
    answer = ({ method }) => (method === 'POST' ? new Response(null, { status: 401 }) : undefined)
    const form = await openAdd()
    await userEvent.type(form.getByLabelText('Name *'), 'Helper')
    await userEvent.type(form.getByLabelText('Model *'), 'm')
    await userEvent.click(button('Save', form))
    await waitFor(() => expect(signedOut).toBe(1))
    expect(toasts.get()).toEqual([])
  })
})

describe('the fields', () => {
  it('reveal base address and key on their checkbox, and clear both when it is unchecked (§5.6, §5.7)', async () => {
    const form = await openAdd()
    const checkbox = form.getByRole('checkbox', { name: 'Provide your own key' })
    expect(form.queryByLabelText('Base URL')).not.toBeInTheDocument()
    await userEvent.click(checkbox)
    await userEvent.type(form.getByLabelText('Base URL'), 'https://one.example/v1')
    await userEvent.type(form.getByLabelText('API key'), 'secret')
    expect(form.getByLabelText('API key')).toHaveAttribute('type', 'password')
    await userEvent.click(checkbox)
    expect(form.queryByLabelText('API key')).not.toBeInTheDocument()
    await userEvent.click(checkbox)
    expect(form.getByLabelText('Base URL')).toHaveValue('')
    expect(form.getByLabelText('API key')).toHaveValue('')
  })

  it('warn that the admin can see the key (§5.9, §6.5)', async () => {
    const form = await openAdd()
    const checkbox = form.getByRole('checkbox', { name: 'Provide your own key' })
    expect(checkbox).toHaveAccessibleDescription(/admin of this site can see it.* credit limit/)
  })

  it('reveal the optional settings on their checkbox, and clear them when it is unchecked (§5.8)', async () => {
    const form = await openAdd()
    const checkbox = form.getByRole('checkbox', { name: 'Optional settings' })
    expect(form.queryByLabelText('API type')).not.toBeInTheDocument()
    await userEvent.click(checkbox)
    await userEvent.selectOptions(form.getByLabelText('API type'), 'google')
    await userEvent.type(form.getByLabelText('Custom API path'), '/x')
    await userEvent.type(form.getByLabelText('Max tokens'), '12')
    await userEvent.click(checkbox)
    expect(form.queryByLabelText('Max tokens')).not.toBeInTheDocument()
    await userEvent.click(checkbox)
    expect(form.getByLabelText('API type')).toHaveValue('')
    expect(form.getByLabelText('Custom API path')).toHaveValue('')
    expect(form.getByLabelText('Max tokens')).toHaveValue(null)
  })

  it('send max tokens as a number (§5.6)', async () => {
    const form = await openAdd()
    await userEvent.type(form.getByLabelText('Name *'), 'A')
    await userEvent.type(form.getByLabelText('Model *'), 'm')
    await userEvent.click(form.getByRole('checkbox', { name: 'Optional settings' }))
    await userEvent.type(form.getByLabelText('Max tokens'), '4096')
    await userEvent.click(button('Save', form))
    await waitFor(() => expect(writes()).toHaveLength(1))
    expect(writes()[0]?.body).toMatchObject({ max_tokens: 4096 })
  })

  it.each(['0', '-5', '1.5', '99999999'])('refuse %s as max tokens in the dialog (§5.6)', async (text) => {
    const form = await openAdd()
    await userEvent.type(form.getByLabelText('Name *'), 'A')
    await userEvent.type(form.getByLabelText('Model *'), 'm')
    await userEvent.click(form.getByRole('checkbox', { name: 'Optional settings' }))
    await userEvent.type(form.getByLabelText('Max tokens'), text)
    await userEvent.click(button('Save', form))
    expect(form.getByText(/Max tokens must be a whole number/)).toHaveRole('alert')
    expect(form.getByLabelText('Max tokens')).toHaveFocus()
    expect(writes()).toEqual([])
  })
})

describe('editing', () => {
  it('starts with the stored values and sends the unchanged mask of the key (§7.4, §8.31)', async () => {
    const form = await openEdit(full)
    expect(form.getByLabelText('Base URL')).toHaveValue('https://one.example/v1')
    expect(form.getByLabelText('API key')).toHaveAccessibleDescription(/Stored: sk-t••••••••tail/)
    expect(form.getByLabelText('API type')).toHaveValue('anthropic')
    await userEvent.clear(form.getByLabelText('Model *'))
    await userEvent.type(form.getByLabelText('Model *'), 'm2')
    await userEvent.click(button('Save', form))
    expect(await screen.findByText('Bot "a/b 100%" updated successfully')).toBeInTheDocument()
    expect(writes()).toEqual([
      { method: 'PUT', path: '/api/bot/a%2Fb%20100%25', body: { ...full, model: 'm2' } },
    ])
    expect(screen.getByText('m2')).toBeInTheDocument()
  })

  it('warns that a new address removes the stored key (§21.2)', async () => {
    const form = await openEdit(full)
    await userEvent.type(form.getByLabelText('Base URL'), '/other')
    expect(form.getByLabelText('API key')).toHaveAccessibleDescription(/Enter the key for the new address/)
  })

  it('clears the stored values of unchecked groups (§5.7, §5.8)', async () => {
    const form = await openEdit(full)
    await userEvent.click(form.getByRole('checkbox', { name: 'Provide your own key' }))
    await userEvent.click(form.getByRole('checkbox', { name: 'Optional settings' }))
    await userEvent.click(button('Save', form))
    await waitFor(() => expect(writes()).toHaveLength(1))
    expect(writes()[0]?.body).toEqual({ ...empty, name: 'a/b 100%', model: 'm' })
  })

  it('keeps the dialog and its texts when saving fails, and shows the reason (§8.15)', async () => {
    expectConsole('error', /Failed to save bot: The database does not respond\./)
    answer = ({ method }) => (method === 'PUT' ? refuse(503, 'The database does not respond.') : undefined)
    const form = await openEdit(helper)
    await userEvent.type(form.getByLabelText('Name *'), ' two')
    await userEvent.click(button('Save', form))
    expect(await screen.findByText('Failed to save bot: The database does not respond.')).toBeInTheDocument()
    expect(form.getByLabelText('Name *')).toHaveValue('Helper two')
  })

  it('changes nothing when it is cancelled', async () => {
    const form = await openEdit(helper)
    await userEvent.type(form.getByLabelText('Name *'), ' two')
    await userEvent.click(button('Cancel', form))
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
    expect(screen.getByText('Helper')).toBeInTheDocument()
    expect(writes()).toEqual([])
  })
})

describe('deleting', () => {
  async function openDelete() {
    bots = [helper, full]
    open()
    await screen.findByText('a/b 100%')
    await userEvent.click(button('Delete', rowOf('a/b 100%')))
    return within(screen.getByRole('alertdialog', { name: 'Delete Bot' }))
  }

  it('deletes after a confirmation, shows a toast and moves the focus to the list (§2.54, §7.5, §8.31)', async () => {
    const question = await openDelete()
    expect(
      question.getByText('Are you sure you want to delete this bot? This action cannot be undone.'),
    ).toBeInTheDocument()
    expect(writes()).toEqual([])
    await userEvent.click(button('Delete', question))
    expect(await screen.findByText('Bot deleted successfully')).toBeInTheDocument()
    expect(writes()).toMatchObject([{ method: 'DELETE', path: '/api/bot/a%2Fb%20100%25' }])
    expect(screen.queryByText('a/b 100%')).not.toBeInTheDocument()
    expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument()
    expect(button('Add Bot')).toHaveFocus()
  })

  it('deletes nothing on Cancel (§2.54)', async () => {
    const question = await openDelete()
    await userEvent.click(button('Cancel', question))
    expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument()
    expect(writes()).toEqual([])
  })

  it('keeps the row and shows the reason when deleting fails (§8.16)', async () => {
    expectConsole('error', /Failed to delete bot: You have no bot named/)
    answer = ({ method }) =>
      method === 'DELETE' ? refuse(404, 'You have no bot named "a/b 100%".') : undefined
    const question = await openDelete()
    await userEvent.click(button('Delete', question))
    expect(
      await screen.findByText('Failed to delete bot: You have no bot named "a/b 100%".'),
    ).toBeInTheDocument()
    expect(screen.getByText('a/b 100%')).toBeInTheDocument()
  })

  it('does not show success after a 401 (§8.2)', async () => {
    answer = ({ method }) => (method === 'DELETE' ? new Response(null, { status: 401 }) : undefined)
    const question = await openDelete()
    await userEvent.click(button('Delete', question))
    await waitFor(() => expect(signedOut).toBe(1))
    expect(toasts.get()).toEqual([])
  })
})

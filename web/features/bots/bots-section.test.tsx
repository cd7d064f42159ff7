import { screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { toasts } from '../../lib/toasts.ts'
import { BotsScene } from '../../testing/bots-scene.tsx'
import { buttonOf as button, defer, rowOf } from '../../testing/connectors-scene.tsx'
import { expectConsole } from '../../testing/expect-console.ts'
import { failure, json } from '../../testing/scripted-api.ts'
import { makeBot } from '../../testing/wire-objects.ts'

/** The fields of the form that are optional. */
const empty = {
  base_url: null,
  api_key: null,
  api_type: null,
  custom_api_path: null,
  max_tokens: null,
  instructions: null,
  temperature: null,
  top_p: null,
  reasoning_effort: null,
  context_window: null,
  images: null,
  pdf: null,
  title_model: null,
}
const helper = makeBot({ name: 'Helper', model: 'gpt-x' })
const full = makeBot({
  name: 'a/b 100%',
  model: 'm',
  base_url: 'https://one.example/v1',
  api_key: 'sk-t••••••••tail',
  api_type: 'anthropic',
  custom_api_path: '/messages',
  max_tokens: 100,
  instructions: 'Reply in French.',
  temperature: 0.5,
  top_p: 0.9,
  reasoning_effort: 'low',
  context_window: 8_000,
  images: 'yes',
  pdf: 'no',
  title_model: 'namer',
})

let scene: BotsScene

beforeEach(() => {
  scene = new BotsScene()
})

/** The server refuses a request. */
const refuse = (route: string, status: number, message: string) =>
  scene.api.on(route, () => failure(status, 'name_taken', message))
const deleteFull = 'DELETE /api/bot/a%2Fb%20100%25'

describe('the list', () => {
  it('shows name and model of each bot with Edit and Delete (§2.51)', async () => {
    scene = new BotsScene([helper, full])
    scene.open()
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
    scene.api.on('GET /api/bots', () => reply.promise)
    scene.open()
    expect(screen.getByText('Loading bot configurations...')).toBeInTheDocument()
    reply.resolve(json([]))
    expect(await screen.findByText('No bot configurations found')).toBeInTheDocument()
    expect(screen.getByText(/Add one to start a chat/)).toBeInTheDocument()
    expect(button('Add Bot')).toBeEnabled()
  })

  it('shows an error when it cannot be loaded, and reloads the page on Try again (§2.52)', async () => {
    expectConsole('error', /fetching the data\. 503/)
    const reload = vi.spyOn(location, 'reload').mockImplementation(() => undefined)
    refuse('GET /api/bots', 503, 'The database does not respond.')
    scene.open()
    expect(await screen.findByText('Error loading bot configurations')).toBeInTheDocument()
    expect(screen.getByText('The database does not respond.')).toBeInTheDocument()
    await userEvent.click(button('Try again'))
    expect(reload).toHaveBeenCalledOnce()
  })
})

describe('adding', () => {
  it('sends what was typed, and shows a toast and the new row (§7.3, §8.30, §8.31)', async () => {
    const form = await scene.openAdd()
    await userEvent.type(form.getByLabelText('Name *'), ' Helper ')
    await userEvent.type(form.getByLabelText('Model *'), 'gpt-x')
    await userEvent.click(button('Save', form))
    expect(await screen.findByText('Bot "Helper" added successfully')).toBeInTheDocument()
    expect(scene.writes).toEqual([
      { route: 'POST /api/bot', body: { ...empty, name: 'Helper', model: 'gpt-x' } },
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
      const form = await scene.openAdd()
      await userEvent.type(form.getByLabelText(given), 'x')
      await userEvent.type(form.getByLabelText(missing), '   ')
      await userEvent.click(button('Save', form))
      expect(form.getByText('Please fill in all required fields')).toHaveRole('alert')
      expect(form.getByLabelText(missing)).toHaveFocus()
      expect(form.getByLabelText(missing)).toBeInvalid()
      expect(form.getByLabelText(given)).toBeValid()
      expect(toasts.get()).toEqual([])
      expect(scene.writes).toEqual([])
    },
  )

  it.each([
    [409, 'You already have a bot named "Helper".', 'You already have a bot named "Helper".'],
    [400, 'base_url: Too big; max_tokens: Too big', 'Base URL: Too big; Max tokens: Too big'],
  ])(
    'keeps the dialog and its texts when saving fails, and shows and logs the reason: %i (§8.15, §8.34)',
    async (status, sent, reason) => {
      expectConsole('error', new RegExp(`Failed to save bot: ${reason}`))
      refuse('POST /api/bot', status, sent)
      const form = await scene.openAdd()
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
    scene.api.on('POST /api/bot', () => {
      throw new Error('')
    })
    const form = await scene.openAdd()
    await userEvent.type(form.getByLabelText('Name *'), 'Helper')
    await userEvent.type(form.getByLabelText('Model *'), 'm')
    await userEvent.click(button('Save', form))
    expect(await screen.findByText('Failed to save bot: Unknown error')).toBeInTheDocument()
  })

  it('sends one request, however often Save is pressed', async () => {
    const reply = defer<Response>()
    scene.api.on('POST /api/bot', () => reply.promise)
    const form = await scene.openAdd()
    await userEvent.type(form.getByLabelText('Name *'), 'Helper')
    await userEvent.type(form.getByLabelText('Model *'), 'm')
    await userEvent.click(button('Save', form))
    await userEvent.click(button('Saving...', form))
    expect(scene.writes).toHaveLength(1)
    reply.resolve(Response.json(helper, { status: 201 }))
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  })

  it('does not show success after a 401 (§8.2)', async () => {
    scene.api.on('POST /api/bot', () => new Response(null, { status: 401 }))
    const form = await scene.openAdd()
    await userEvent.type(form.getByLabelText('Name *'), 'Helper')
    await userEvent.type(form.getByLabelText('Model *'), 'm')
    await userEvent.click(button('Save', form))
    await waitFor(() => expect(scene.api.signedOut).toBe(true))
    expect(toasts.get()).toEqual([])
  })
})

describe('the fields', () => {
  it('reveal base address and key on their checkbox, and clear both when it is unchecked (§5.6, §5.7)', async () => {
    const form = await scene.openAdd()
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
    const form = await scene.openAdd()
    const checkbox = form.getByRole('checkbox', { name: 'Provide your own key' })
    expect(checkbox).toHaveAccessibleDescription(/admin of this site can see it.* credit limit/)
  })

  it('reveal the optional settings on their checkbox, and clear them when it is unchecked (§5.8)', async () => {
    const form = await scene.openAdd()
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
    const form = await scene.openAdd()
    await userEvent.type(form.getByLabelText('Name *'), 'A')
    await userEvent.type(form.getByLabelText('Model *'), 'm')
    await userEvent.click(form.getByRole('checkbox', { name: 'Optional settings' }))
    await userEvent.type(form.getByLabelText('Max tokens'), '4096')
    await userEvent.click(button('Save', form))
    await waitFor(() => expect(scene.writes).toHaveLength(1))
    expect(scene.writes[0]?.body).toMatchObject({ max_tokens: 4096 })
  })

  it.each(['0', '-5', '1.5', '99999999'])('refuse %s as max tokens in the dialog (§5.6)', async (text) => {
    const form = await scene.openAdd()
    await userEvent.type(form.getByLabelText('Name *'), 'A')
    await userEvent.type(form.getByLabelText('Model *'), 'm')
    await userEvent.click(form.getByRole('checkbox', { name: 'Optional settings' }))
    await userEvent.type(form.getByLabelText('Max tokens'), text)
    await userEvent.click(button('Save', form))
    expect(form.getByText(/Max tokens must be a whole number/)).toHaveRole('alert')
    expect(form.getByLabelText('Max tokens')).toHaveFocus()
    expect(scene.writes).toEqual([])
  })
})

describe('editing', () => {
  it('starts with the stored values and sends the unchanged mask of the key (§7.4, §8.31)', async () => {
    scene = new BotsScene([full])
    const form = await scene.openEdit(full.name)
    expect(form.getByLabelText('Base URL')).toHaveValue('https://one.example/v1')
    expect(form.getByLabelText('API key')).toHaveAccessibleDescription(/Stored: sk-t••••••••tail/)
    expect(form.getByLabelText('API type')).toHaveValue('anthropic')
    await userEvent.clear(form.getByLabelText('Model *'))
    await userEvent.type(form.getByLabelText('Model *'), 'm2')
    await userEvent.click(button('Save', form))
    expect(await screen.findByText('Bot "a/b 100%" updated successfully')).toBeInTheDocument()
    expect(scene.writes).toEqual([{ route: 'PUT /api/bot/a%2Fb%20100%25', body: { ...full, model: 'm2' } }])
    expect(screen.getByText('m2')).toBeInTheDocument()
  })

  it('warns that a new address removes the stored key', async () => {
    scene = new BotsScene([full])
    const form = await scene.openEdit(full.name)
    await userEvent.type(form.getByLabelText('Base URL'), '/other')
    expect(form.getByLabelText('API key')).toHaveAccessibleDescription(/Enter the key for the new address/)
  })

  it('clears the stored values of unchecked groups (§5.7, §5.8)', async () => {
    scene = new BotsScene([full])
    const form = await scene.openEdit(full.name)
    await userEvent.click(form.getByRole('checkbox', { name: 'Provide your own key' }))
    await userEvent.click(form.getByRole('checkbox', { name: 'Optional settings' }))
    await userEvent.click(button('Save', form))
    await waitFor(() => expect(scene.writes).toHaveLength(1))
    expect(scene.writes[0]?.body).toEqual({ ...empty, name: 'a/b 100%', model: 'm' })
  })

  it('keeps the dialog and its texts when saving fails, and shows the reason (§8.15)', async () => {
    expectConsole('error', /Failed to save bot: The database does not respond\./)
    scene = new BotsScene([helper])
    refuse('PUT /api/bot/Helper', 503, 'The database does not respond.')
    const form = await scene.openEdit('Helper')
    await userEvent.type(form.getByLabelText('Name *'), ' two')
    await userEvent.click(button('Save', form))
    expect(await screen.findByText('Failed to save bot: The database does not respond.')).toBeInTheDocument()
    expect(form.getByLabelText('Name *')).toHaveValue('Helper two')
  })

  it('changes nothing when it is cancelled', async () => {
    scene = new BotsScene([helper])
    const form = await scene.openEdit('Helper')
    await userEvent.type(form.getByLabelText('Name *'), ' two')
    await userEvent.click(button('Cancel', form))
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
    expect(screen.getByText('Helper')).toBeInTheDocument()
    expect(scene.writes).toEqual([])
  })
})

describe('deleting', () => {
  async function openDelete() {
    scene = new BotsScene([helper, full])
    scene.open()
    await screen.findByText('a/b 100%')
    await userEvent.click(button('Delete', rowOf('a/b 100%')))
    return within(screen.getByRole('alertdialog', { name: 'Delete Bot' }))
  }

  it('deletes after a confirmation, shows a toast and moves the focus to the list (§2.54, §7.5, §8.31)', async () => {
    const question = await openDelete()
    expect(
      question.getByText('Are you sure you want to delete this bot? This action cannot be undone.'),
    ).toBeInTheDocument()
    expect(scene.writes).toEqual([])
    await userEvent.click(button('Delete', question))
    expect(await screen.findByText('Bot deleted successfully')).toBeInTheDocument()
    expect(scene.writes).toMatchObject([{ route: 'DELETE /api/bot/a%2Fb%20100%25' }])
    expect(screen.queryByText('a/b 100%')).not.toBeInTheDocument()
    expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument()
    expect(button('Add Bot')).toHaveFocus()
  })

  it('deletes nothing on Cancel (§2.54)', async () => {
    const question = await openDelete()
    await userEvent.click(button('Cancel', question))
    expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument()
    expect(scene.writes).toEqual([])
  })

  it('keeps the row and shows the reason when deleting fails (§8.16)', async () => {
    expectConsole('error', /Failed to delete bot: You have no bot named/)
    const question = await openDelete()
    refuse(deleteFull, 404, 'You have no bot named "a/b 100%".')
    await userEvent.click(button('Delete', question))
    expect(
      await screen.findByText('Failed to delete bot: You have no bot named "a/b 100%".'),
    ).toBeInTheDocument()
    expect(screen.getByText('a/b 100%')).toBeInTheDocument()
  })

  it('does not show success after a 401 (§8.2)', async () => {
    const question = await openDelete()
    scene.api.on(deleteFull, () => new Response(null, { status: 401 }))
    await userEvent.click(button('Delete', question))
    await waitFor(() => expect(scene.api.signedOut).toBe(true))
    expect(toasts.get()).toEqual([])
  })
})

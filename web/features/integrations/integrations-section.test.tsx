import type { Integration, IntegrationInput } from '@yonder/contract/integration'
import { screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi, type MockInstance } from 'vitest'
import { expectConsole } from '../../testing/expect-console.ts'
import { renderScreen } from '../../testing/render-screen.tsx'
import { failure, json, ScriptedApi } from '../../testing/scripted-api.ts'
import { ToastRegion } from '../../ui/toast-region.tsx'
import { toastStore } from '../../ui/toast-store.ts'
import { IntegrationsSection } from './integrations-section.tsx'

const gmail: Integration = {
  name: 'google-gmail',
  auth_type: 'oauth',
  connected: false,
  api_key: null,
  notice: null,
}
const calendar: Integration = { ...gmail, name: 'google-calendar', connected: true }
const tavily: Integration = { ...gmail, name: 'tavily', auth_type: 'api_key' }
const mask = 'tvly••••••••9876'
const withKey: Integration = { ...tavily, connected: true, api_key: mask }

const list = 'GET /api/integrations'
const types = 'GET /api/integration/types'
const create = 'POST /api/integration'
const consent = 'GET /api/integration/auth/google-gmail'

let api: ScriptedApi
let stored: readonly Integration[]
let assign: MockInstance<(address: string | URL) => void>

/** The server keeps it, beside or instead of what had its name. */
function keep(integration: Integration): Response {
  stored = [...stored.filter(({ name }) => name !== integration.name), integration]
  return json(integration)
}

function open(...integrations: readonly Integration[]) {
  stored = integrations
  return renderScreen(
    api,
    <>
      <IntegrationsSection />
      <ToastRegion />
    </>,
  )
}

type Scope = ReturnType<typeof within>
const button = (name: string, scope: Scope = screen) => scope.getByRole('button', { name })
const cardOf = async (title: string) =>
  within((await screen.findByRole('heading', { name: title })).closest('li')!)
const writes = () => api.requests.filter(({ route }) => !route.startsWith('GET'))
const never = () => new Promise<Response>(() => undefined)

async function openAdd() {
  await userEvent.click(button('Add Integration'))
  return within(screen.getByRole('dialog', { name: 'Add New Integration' }))
}

async function addGmail(form: Scope) {
  await userEvent.selectOptions(await form.findByLabelText('Integration *'), 'Gmail')
  await userEvent.click(button('Add Integration', form))
}

beforeEach(() => {
  assign = vi.spyOn(location, 'assign').mockImplementation(() => undefined)
  for (const { id } of toastStore.list()) toastStore.dismiss(id)
  stored = []
  api = new ScriptedApi()
    .on(list, () => json(stored))
    .on(types, () => json(['google-gmail', 'google-calendar', 'tavily', 'brave-search']))
    .on(create, ({ body }) => {
      const { name, auth_type, api_key } = body as IntegrationInput
      const key = api_key ? { connected: true, api_key: mask } : {}
      return keep({ ...gmail, name, auth_type, ...key })
    })
    .on(consent, () => json({ authUrl: 'https://accounts.example/auth?client_id=y&state=s-1' }))
})

afterEach(() => {
  assign.mockRestore()
})

describe('the section', () => {
  it('has its heading, its text and a button to add (§2.75)', () => {
    open()
    expect(screen.getByRole('heading', { name: 'Integrations' })).toBeInTheDocument()
    expect(screen.getByText('Manage your external service integrations')).toBeInTheDocument()
    expect(button('Add Integration')).toBeEnabled()
  })

  it('says while it loads, and when there is none, what to do (§2.76)', async () => {
    let answer: (response: Response) => void = () => undefined
    api.on(list, () => new Promise((resolve) => (answer = resolve)))
    open()
    expect(screen.getByText('Loading integrations...')).toBeInTheDocument()
    await waitFor(() => expect(api.seen(list)).toHaveLength(1))
    answer(json([]))
    expect(await screen.findByText('No integrations available')).toBeInTheDocument()
    expect(screen.getByText(/Add one to start/)).toBeInTheDocument()
  })

  it('says when it cannot be read, and reads again when asked to (§2.76)', async () => {
    api.on(list, () => failure(503, 'unavailable', 'Down.'))
    open()
    expect(await screen.findByText('Error loading integrations. Please try again later.')).toBeInTheDocument()
    api.on(list, () => json([gmail]))
    await userEvent.click(button('Try again'))
    expect(await screen.findByText('Gmail')).toBeInTheDocument()
  })

  it('describes each integration in its own words (§2.77, §7.20)', async () => {
    open(gmail, calendar, tavily, { ...tavily, name: 'brave-search' })
    for (const [title, description] of [
      ['Gmail', 'Connect your Gmail account to access your emails'],
      ['Google Calendar', 'Connect your Google Calendar to access your events'],
      ['Tavily', 'Connect to Tavily'],
      ['Brave Search', 'Connect to Brave Search'],
    ] as const)
      expect((await cardOf(title)).getByText(description)).toBeInTheDocument()
  })

  it('offers what can be done with each (§2.79, §2.80, §2.81, §9.9)', async () => {
    open(gmail, calendar, tavily, { ...withKey, name: 'brave-search' })
    const buttons = (scope: Scope) => scope.getAllByRole('button').map((one: HTMLElement) => one.textContent)
    expect(buttons(await cardOf('Gmail'))).toEqual(['Connect'])
    expect(buttons(await cardOf('Google Calendar'))).toEqual(['Disconnect'])
    expect(buttons(await cardOf('Tavily'))).toEqual(['Add API Key', 'Edit'])
    const stored = await cardOf('Brave Search')
    expect(buttons(stored)).toEqual(['Update API Key', 'Edit', 'Disconnect'])
    expect(stored.getByText('tvly••••••••9876')).toBeInTheDocument()
    expect(button('Disconnect', stored)).toHaveAccessibleDescription('Brave Search')
    expect(stored.getByText('Connected')).toBeInTheDocument()
  })
})

describe('connecting', () => {
  it('sends the browser to the consent page, and keeps in this tab what has to come back (§7.25)', async () => {
    open(gmail)
    await userEvent.click(button('Connect', await cardOf('Gmail')))
    await waitFor(() => expect(assign).toHaveBeenCalledOnce())
    expect(String(assign.mock.calls[0]?.[0])).toBe('https://accounts.example/auth?client_id=y&state=s-1')
    expect(Object.values(sessionStorage).join()).toContain('s-1')
    expect(button('Connecting...')).toHaveAttribute('aria-busy', 'true')
    expect(localStorage).toHaveLength(0)
  })

  it('can be begun again when the browser comes back by its back button', async () => {
    open(gmail)
    await userEvent.click(button('Connect', await cardOf('Gmail')))
    await waitFor(() => expect(assign).toHaveBeenCalledOnce())
    window.dispatchEvent(new Event('pageshow'))
    expect(await screen.findByRole('button', { name: 'Connect' })).toBeEnabled()
  })

  it('says that it could not be begun, and on the card why (§8.24, §8.34)', async () => {
    expectConsole('error', /Failed to initiate Gmail authentication/)
    api.on(consent, () => failure(409, 'conflict', 'Google is not set up here.'))
    open(gmail)
    await userEvent.click(button('Connect', await cardOf('Gmail')))
    expect(await screen.findByText('Failed to initiate Gmail authentication')).toBeInTheDocument()
    expect(screen.getByText('Google is not set up here.')).toBeInTheDocument()
    expect(button('Connect')).toBeEnabled()
    expect(assign).not.toHaveBeenCalled()
  })

  it.each([
    'javascript:alert(1)//?state=s',
    'data:text/html,x?state=s',
    '/relative?state=s',
    'https://accounts.example/auth',
  ])('goes nowhere for %s (§8.24)', async (authUrl) => {
    expectConsole('error', /Failed to initiate Gmail authentication/)
    api.on(consent, () => json({ authUrl }))
    open(gmail)
    await userEvent.click(button('Connect', await cardOf('Gmail')))
    expect(await screen.findByText('Failed to initiate Gmail authentication')).toBeInTheDocument()
    expect(assign).not.toHaveBeenCalled()
    expect(sessionStorage).toHaveLength(0)
  })

  it('says of one that has ended that it wants to be connected again', async () => {
    open({ ...gmail, notice: 'Google has ended this connection.' })
    const card = await cardOf('Gmail')
    expect(card.getByText('Google has ended this connection.')).toBeInTheDocument()
    expect(button('Connect', card)).toBeEnabled()
  })

  it('says of one that is connected what it was not allowed', async () => {
    open({ ...calendar, notice: 'You did not allow Yonder to change events.' })
    const card = await cardOf('Google Calendar')
    expect(card.getByText('You did not allow Yonder to change events.')).toBeInTheDocument()
    expect(button('Disconnect', card)).toBeEnabled()
  })
})

describe('disconnecting', () => {
  const route = 'POST /api/integration/disconnect/google-calendar'

  async function ask() {
    open(calendar, gmail)
    await userEvent.click(button('Disconnect', await cardOf('Google Calendar')))
    return within(screen.getByRole('alertdialog', { name: 'Disconnect Google Calendar' }))
  }

  it('asks first, then ends the connection, says so, and keeps the focus (§2.82, §7.24, §8.33)', async () => {
    api.on(route, () => keep({ ...calendar, connected: false }))
    const question = await ask()
    expect(
      question.getByText(
        'Are you sure you want to disconnect Google Calendar? You will need to re-authenticate to use it again.',
      ),
    ).toBeInTheDocument()
    expect(writes()).toEqual([])
    await userEvent.click(button('Disconnect', question))
    expect(await screen.findByText('Google Calendar disconnected successfully')).toBeInTheDocument()
    expect(api.seen(route)).toHaveLength(1)
    const again = button('Connect', await cardOf('Google Calendar'))
    expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument()
    expect(again).toHaveFocus()
  })

  it('ends nothing on Cancel (§2.82)', async () => {
    await userEvent.click(button('Cancel', await ask()))
    expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument()
    expect(writes()).toEqual([])
  })

  it('says when it fails, and stays connected (§8.25)', async () => {
    expectConsole('error', /Failed to disconnect Google Calendar/)
    api.on(route, () => failure(500, 'internal', 'Something went wrong.'))
    await userEvent.click(button('Disconnect', await ask()))
    expect(await screen.findByText('Failed to disconnect Google Calendar')).toBeInTheDocument()
    expect((await cardOf('Google Calendar')).getByText('Connected')).toBeInTheDocument()
  })

  it('shows how things stand when it fails because they stand otherwise', async () => {
    expectConsole('error', /Failed to disconnect Google Calendar/)
    const question = await ask()
    stored = [{ ...calendar, connected: false, notice: 'Google has ended this connection.' }]
    api.on(route, () => failure(500, 'internal', 'Something went wrong.'))
    await userEvent.click(button('Disconnect', question))
    expect(await screen.findByText('Google has ended this connection.')).toBeInTheDocument()
  })

  it('says nothing of success after a 401 (§8.2)', async () => {
    api.on(route, () => new Response(null, { status: 401 }))
    await userEvent.click(button('Disconnect', await ask()))
    await waitFor(() => expect(api.signedOut).toBe(true))
    expect(toastStore.list()).toEqual([])
  })
})

describe('the key of a card', () => {
  const route = 'PUT /api/integration/tavily'

  async function openKey(integration: Integration) {
    open(integration)
    const name = integration.api_key === null ? 'Add API Key' : 'Update API Key'
    const toggle = button(name, await cardOf('Tavily'))
    await userEvent.click(toggle)
    return { toggle, box: screen.getByPlaceholderText('Enter API Key') }
  }

  it('is typed into a box that its button reveals, and is seen masked from then on (§2.80, §4.28, §7.23, §8.33)', async () => {
    api.on(route, () => keep(withKey))
    const { toggle, box } = await openKey(tavily)
    expect(toggle).toHaveAttribute('aria-expanded', 'true')
    expect(box).toHaveFocus()
    expect(button('Save')).toBeDisabled()
    await userEvent.type(box, ' tvly-key-9876 {Enter}')
    expect(await screen.findByText('Tavily API key updated successfully')).toBeInTheDocument()
    expect(api.seen(route)[0]?.body).toEqual({
      name: 'tavily',
      auth_type: 'api_key',
      connected: true,
      api_key: 'tvly-key-9876',
    })
    expect(screen.getByText(mask)).toBeInTheDocument()
    expect(screen.queryByPlaceholderText('Enter API Key')).not.toBeInTheDocument()
    expect(button('Update API Key')).toHaveFocus()
  })

  it('is removed by saving nothing, which the box says (§4.28)', async () => {
    api.on(route, () => keep(tavily))
    const { box } = await openKey(withKey)
    expect(box).toHaveAccessibleDescription(/Save it empty to remove the key/)
    await userEvent.click(button('Save'))
    expect(await screen.findByRole('button', { name: 'Add API Key' })).toBeInTheDocument()
    expect(api.seen(route)[0]?.body).toMatchObject({ api_key: '', connected: false })
  })

  it('says that it is being saved, once', async () => {
    api.on(route, never)
    const { box } = await openKey(tavily)
    await userEvent.type(box, 'k{Enter}{Enter}')
    expect(button('Saving...')).toHaveAttribute('aria-busy', 'true')
    expect(writes()).toHaveLength(1)
  })

  it('stays in the box when it cannot be saved (§8.26)', async () => {
    expectConsole('error', /Failed to update Tavily API key/)
    api.on(route, () => failure(500, 'internal', 'Something went wrong.'))
    const { box } = await openKey(tavily)
    await userEvent.type(box, 'k{Enter}')
    expect(await screen.findByText('Failed to update Tavily API key')).toBeInTheDocument()
    expect(box).toHaveValue('k')
  })

  it('is left alone by Escape and by the same button', async () => {
    const { toggle, box } = await openKey(withKey)
    await userEvent.type(box, 'k{Escape}')
    expect(box).not.toBeInTheDocument()
    expect(toggle).toHaveFocus()
    await userEvent.click(toggle)
    expect(screen.getByPlaceholderText('Enter API Key')).toHaveValue('')
    await userEvent.click(toggle)
    expect(screen.queryByPlaceholderText('Enter API Key')).not.toBeInTheDocument()
    expect(writes()).toEqual([])
  })
})

describe('the form that adds', () => {
  it('lists what is not added yet (§2.84, §2.85, §7.21)', async () => {
    open(gmail, tavily)
    await cardOf('Gmail')
    const form = await openAdd()
    const select = await form.findByLabelText('Integration *')
    expect(select).toHaveFocus()
    expect(
      within(select)
        .getAllByRole('option')
        .map((option) => option.textContent),
    ).toEqual(['Select an integration', 'Google Calendar', 'Brave Search'])
    expect(button('Cancel', form)).toBeInTheDocument()
  })

  it('says when there is nothing left to add (§2.85)', async () => {
    open(gmail, calendar, tavily, { ...tavily, name: 'brave-search' })
    await cardOf('Gmail')
    const form = await openAdd()
    expect(form.getByText('All available integrations have already been added.')).toBeInTheDocument()
    expect(button('Add Integration', form)).toBeDisabled()
  })

  it('says while it does not know what can be added, then lists it (§2.86)', async () => {
    let answer: (response: Response) => void = () => undefined
    api.on(types, () => new Promise((resolve) => (answer = resolve)))
    open()
    const form = await openAdd()
    expect(form.getByText('Loading available integrations...')).toBeInTheDocument()
    expect(button('Add Integration', form)).toBeDisabled()
    answer(json(['tavily']))
    expect(await form.findByLabelText('Integration *')).toBeInTheDocument()
  })

  it('says when that cannot be known, and asks again (§2.86)', async () => {
    api.on(types, () => failure(503, 'unavailable', 'Down.'))
    open()
    const form = await openAdd()
    expect(await form.findByText('Error loading integrations. Please try again.')).toBeInTheDocument()
    api.on(types, () => json(['tavily']))
    await userEvent.click(button('Try again', form))
    expect(await form.findByLabelText('Integration *')).toBeInTheDocument()
  })

  it('knows by the name how it is authorized, and shows it read-only (§2.87, §2.88, §2.89, §5.15)', async () => {
    open()
    const form = await openAdd()
    const select = await form.findByLabelText('Integration *')
    const authType = form.getByLabelText('Authentication Type')
    expect(authType).toHaveAttribute('readonly')
    for (const name of ['Gmail', 'Google Calendar']) {
      await userEvent.selectOptions(select, name)
      expect(authType).toHaveValue('OAuth (Google Login)')
      expect(
        form.getByText(
          "After adding this integration, you'll be redirected to authenticate with the service provider.",
        ),
      ).toBeInTheDocument()
      expect(form.queryByLabelText('API Key *')).not.toBeInTheDocument()
    }
    await userEvent.selectOptions(select, 'Brave Search')
    expect(authType).toHaveValue('API Key')
    expect(form.getByLabelText('API Key *')).toHaveAttribute('type', 'password')
    expect(form.queryByText(/After adding/)).not.toBeInTheDocument()
  })

  it('asks for what is missing in the dialog, and sends nothing (§5.12, §5.13, §8.34)', async () => {
    open()
    const form = await openAdd()
    const select = await form.findByLabelText('Integration *')
    await userEvent.click(button('Add Integration', form))
    expect(select).toHaveAccessibleDescription('Integration name is required')
    expect(select).toHaveFocus()
    expect(form.getByLabelText('Authentication Type')).toHaveAccessibleDescription(
      'Authentication type is required',
    )
    expect(toastStore.list()).toEqual([])
    await userEvent.selectOptions(select, 'Tavily')
    expect(form.queryByText(/is required/)).not.toBeInTheDocument()
    expect(writes()).toEqual([])
  })

  it('asks for the key of what needs one (§5.14)', async () => {
    open()
    const form = await openAdd()
    await userEvent.selectOptions(await form.findByLabelText('Integration *'), 'Tavily')
    await userEvent.type(form.getByLabelText('API Key *'), '   ')
    await userEvent.click(button('Add Integration', form))
    expect(form.getByLabelText('API Key *')).toHaveAccessibleDescription(
      'API key is required for API Key authentication',
    )
    expect(form.getByLabelText('API Key *')).toHaveFocus()
    expect(writes()).toEqual([])
  })

  it('does not take a key along to another integration', async () => {
    open()
    const form = await openAdd()
    const select = await form.findByLabelText('Integration *')
    await userEvent.selectOptions(select, 'Tavily')
    await userEvent.type(form.getByLabelText('API Key *'), 'for-tavily')
    await userEvent.selectOptions(select, 'Brave Search')
    expect(form.getByLabelText('API Key *')).toHaveValue('')
  })

  it('adds one with its key, connected at once (§4.28, §7.22, §8.33)', async () => {
    open()
    const form = await openAdd()
    await userEvent.selectOptions(await form.findByLabelText('Integration *'), 'Tavily')
    await userEvent.type(form.getByLabelText('API Key *'), ' tvly-key ')
    await userEvent.click(button('Add Integration', form))
    expect(await screen.findByText('Integration "Tavily" added successfully')).toBeInTheDocument()
    expect(api.seen(create)[0]?.body).toEqual({
      name: 'tavily',
      auth_type: 'api_key',
      connected: true,
      api_key: 'tvly-key',
    })
    expect((await cardOf('Tavily')).getByText(mask)).toBeInTheDocument()
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
    expect(assign).not.toHaveBeenCalled()
  })

  it('adds one that needs consent unconnected, and goes on to ask for it (§2.89, §4.28, §7.22, §7.25)', async () => {
    open()
    const form = await openAdd()
    await addGmail(form)
    await waitFor(() => expect(assign).toHaveBeenCalledOnce())
    expect(await screen.findByText('Integration "Gmail" added successfully')).toBeInTheDocument()
    expect(api.seen(create)[0]?.body).toEqual({
      name: 'google-gmail',
      auth_type: 'oauth',
      connected: false,
      api_key: null,
    })
    expect(button('Saving...', form)).toBeInTheDocument()
  })

  it('keeps what is added when consent cannot be asked for (§8.24)', async () => {
    expectConsole('error', /Failed to initiate Gmail authentication/)
    api.on(consent, () => failure(409, 'conflict', 'Google is not set up here.'))
    open()
    await addGmail(await openAdd())
    expect(await screen.findByText('Failed to initiate Gmail authentication')).toBeInTheDocument()
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
    expect((await cardOf('Gmail')).getByText('Google is not set up here.')).toBeInTheDocument()
  })

  it('leaves for nowhere once the person has left the form', async () => {
    let answer: (response: Response) => void = () => undefined
    open()
    api.on(create, () => new Promise((resolve) => (answer = resolve)))
    const form = await openAdd()
    await addGmail(form)
    await userEvent.click(button('Cancel', form))
    answer(keep(gmail))
    expect(button('Connect', await cardOf('Gmail'))).toBeEnabled()
    expect(api.seen(consent)).toEqual([])
  })

  it('says that it is saving, once (§2.90)', async () => {
    open()
    api.on(create, never)
    const form = await openAdd()
    await addGmail(form)
    const busy = button('Saving...', form)
    expect(busy).toHaveAttribute('aria-busy', 'true')
    await userEvent.click(busy)
    expect(writes()).toHaveLength(1)
  })

  it('keeps what was chosen when saving fails, and gives the reason (§8.27)', async () => {
    expectConsole('error', /Failed to save integration: You have added Gmail already/)
    api.on(create, () => failure(409, 'name_taken', 'You have added Gmail already.'))
    open()
    const form = await openAdd()
    await addGmail(form)
    expect(
      await screen.findByText('Failed to save integration: You have added Gmail already.'),
    ).toBeInTheDocument()
    expect(form.getByLabelText('Integration *')).toHaveValue('google-gmail')
    expect(button('Add Integration', form)).not.toHaveAttribute('aria-busy')
    expect(assign).not.toHaveBeenCalled()
  })
})

describe('the form that edits', () => {
  const route = 'PUT /api/integration/tavily'

  async function openEdit(integration: Integration) {
    open(integration)
    await userEvent.click(button('Edit', await cardOf('Tavily')))
    return within(screen.getByRole('dialog', { name: 'Edit Integration' }))
  }

  it('starts at the key, of an integration that stays (§2.84, §2.87, §2.88)', async () => {
    const form = await openEdit(withKey)
    expect(form.getByLabelText('Integration *')).toHaveValue('tavily')
    expect(form.getByLabelText('Integration *')).toBeDisabled()
    expect(form.getByLabelText('Authentication Type')).toHaveValue('API Key')
    const key = form.getByLabelText('API Key *')
    expect(key).toHaveFocus()
    expect(key).toHaveAttribute('type', 'password')
    expect(key).toHaveAccessibleDescription('Stored: tvly••••••••9876. Type to replace it.')
  })

  it('replaces the key and says so (§2.90, §7.23, §8.33)', async () => {
    api.on(route, () => keep({ ...withKey, api_key: 'next••••••••9876' }))
    const form = await openEdit(withKey)
    await userEvent.type(form.getByLabelText('API Key *'), 'another', {
      initialSelectionStart: 0,
      initialSelectionEnd: 99,
    })
    await userEvent.click(button('Update Integration', form))
    expect(await screen.findByText('Integration "Tavily" updated successfully')).toBeInTheDocument()
    expect(api.seen(route)[0]?.body).toEqual({
      name: 'tavily',
      auth_type: 'api_key',
      connected: true,
      api_key: 'another',
    })
    expect(screen.getByText('next••••••••9876')).toBeInTheDocument()
  })

  it('sends the mask back untouched (§7.23)', async () => {
    api.on(route, () => keep(withKey))
    const form = await openEdit(withKey)
    await userEvent.click(button('Update Integration', form))
    await screen.findByText('Integration "Tavily" updated successfully')
    expect(api.seen(route)[0]?.body).toMatchObject({ api_key: mask, connected: true })
  })

  it('asks for a key (§5.14)', async () => {
    const form = await openEdit(withKey)
    await userEvent.clear(form.getByLabelText('API Key *'))
    await userEvent.click(button('Update Integration', form))
    expect(form.getByText('API key is required for API Key authentication')).toBeInTheDocument()
    expect(writes()).toEqual([])
  })

  it('gives the reason when it fails (§8.27)', async () => {
    expectConsole('error', /Failed to save integration: The key is too long/)
    api.on(route, () => failure(400, 'invalid_request', 'The key is too long.'))
    const form = await openEdit(withKey)
    await userEvent.click(button('Update Integration', form))
    expect(await screen.findByText('Failed to save integration: The key is too long.')).toBeInTheDocument()
  })
})

import { screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { Integration } from '@yonder/contract/integration'
import { beforeEach, describe, expect, it } from 'vitest'
import { toasts } from '../../../lib/toasts.ts'
import { expectConsole } from '../../../testing/expect-console.ts'
import {
  button,
  calendar,
  cardOf,
  consentRoute,
  createRoute,
  gmail,
  IntegrationsScene,
  listRoute,
  mask,
  never,
  tavily,
  typesRoute,
  withKey,
} from '../../../testing/integrations-scene.tsx'
import { failure, json } from '../../../testing/scripted-api.ts'

let scene: IntegrationsScene

beforeEach(() => {
  scene = new IntegrationsScene()
})

type Scope = ReturnType<typeof within>

async function openAdd() {
  await userEvent.click(button('Add Integration'))
  return within(screen.getByRole('dialog', { name: 'Add New Integration' }))
}

async function addGmail(form: Scope) {
  await userEvent.selectOptions(await form.findByLabelText('Integration *'), 'Gmail')
  await userEvent.click(button('Add Integration', form))
}

describe('the form for a new integration', () => {
  it('lists the integrations that are not added yet (§2.83, §2.84, §2.85, §7.21)', async () => {
    scene.open(gmail, tavily)
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

  it('shows a message when every integration is already added (§2.85)', async () => {
    scene.open(gmail, calendar, tavily, { ...tavily, name: 'brave-search' })
    await cardOf('Gmail')
    const form = await openAdd()
    expect(form.getByText('All available integrations have already been added.')).toBeInTheDocument()
    expect(button('Add Integration', form)).toBeDisabled()
  })

  it('shows that the list loads, then the list (§2.86)', async () => {
    let answer: (response: Response) => void = () => undefined
    scene.api.on(typesRoute, () => new Promise((resolve) => (answer = resolve)))
    scene.open()
    const form = await openAdd()
    expect(form.getByText('Loading available integrations...')).toBeInTheDocument()
    expect(button('Add Integration', form)).toBeDisabled()
    answer(json(['tavily']))
    expect(await form.findByLabelText('Integration *')).toHaveFocus()
  })

  it('does not move the focus if the user moved it before the list was loaded', async () => {
    let answer: (response: Response) => void = () => undefined
    scene.api.on(typesRoute, () => new Promise((resolve) => (answer = resolve)))
    scene.open()
    const form = await openAdd()
    button('Cancel', form).focus()
    answer(json(['tavily']))
    expect(await form.findByLabelText('Integration *')).toBeInTheDocument()
    expect(button('Cancel', form)).toHaveFocus()
  })

  it('shows an error when the list cannot be loaded, and loads it on Try again (§2.86)', async () => {
    expectConsole('error', /fetching the data\. 503/)
    scene.api.on(typesRoute, () => failure(503, 'unavailable', 'Down.'))
    scene.open()
    const form = await openAdd()
    expect(await form.findByText('Error loading integrations. Please try again.')).toBeInTheDocument()
    scene.api.on(typesRoute, () => json(['tavily']))
    await userEvent.click(button('Try again', form))
    expect(await form.findByLabelText('Integration *')).toHaveFocus()
  })

  it('shows that the list loads after Try again (§2.86)', async () => {
    expectConsole('error', /fetching the data\. 503/)
    scene.api.on(typesRoute, () => failure(503, 'unavailable', 'Down.'))
    scene.open()
    const form = await openAdd()
    const again = await form.findByRole('button', { name: 'Try again' })
    let answer: (response: Response) => void = () => undefined
    scene.api.on(typesRoute, () => new Promise((resolve) => (answer = resolve)))
    await userEvent.click(again)
    expect(form.getByText('Loading available integrations...')).toBeInTheDocument()
    answer(json(['tavily']))
    expect(await form.findByLabelText('Integration *')).toHaveFocus()
  })

  it('derives the authentication type from the integration, and shows it read-only (§2.87, §2.88, §2.89, §5.15)', async () => {
    scene.open()
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

  it('shows the missing fields in the dialog, and sends nothing (§5.11, §5.12, §5.13, §8.34)', async () => {
    scene.open()
    const form = await openAdd()
    const select = await form.findByLabelText('Integration *')
    await userEvent.click(button('Add Integration', form))
    expect(select).toHaveAccessibleDescription('Integration name is required')
    expect(select).toHaveFocus()
    expect(form.getByLabelText('Authentication Type')).toHaveAccessibleDescription(
      'Authentication type is required',
    )
    expect(toasts.get()).toEqual([])
    await userEvent.selectOptions(select, 'Tavily')
    expect(form.queryByText(/is required/)).not.toBeInTheDocument()
    expect(scene.writes).toEqual([])
  })

  it('requires a key for an integration that needs one (§5.14)', async () => {
    scene.open()
    const form = await openAdd()
    await userEvent.selectOptions(await form.findByLabelText('Integration *'), 'Tavily')
    await userEvent.type(form.getByLabelText('API Key *'), '   ')
    await userEvent.click(button('Add Integration', form))
    expect(form.getByLabelText('API Key *')).toHaveAccessibleDescription(
      'API key is required for API Key authentication',
    )
    expect(form.getByLabelText('API Key *')).toHaveFocus()
    expect(scene.writes).toEqual([])
  })

  it('clears the typed key when another integration is selected', async () => {
    scene.open()
    const form = await openAdd()
    const select = await form.findByLabelText('Integration *')
    await userEvent.selectOptions(select, 'Tavily')
    await userEvent.type(form.getByLabelText('API Key *'), 'for-tavily')
    await userEvent.selectOptions(select, 'Brave Search')
    expect(form.getByLabelText('API Key *')).toHaveValue('')
  })

  it('adds an integration with its key as connected (§4.28, §7.22, §8.33)', async () => {
    scene.open()
    const form = await openAdd()
    await userEvent.selectOptions(await form.findByLabelText('Integration *'), 'Tavily')
    await userEvent.type(form.getByLabelText('API Key *'), ' tvly-key ')
    await userEvent.click(button('Add Integration', form))
    expect(await screen.findByText('Integration "Tavily" added successfully')).toBeInTheDocument()
    expect(scene.api.seen(createRoute)[0]?.body).toEqual({
      name: 'tavily',
      auth_type: 'api_key',
      connected: true,
      api_key: 'tvly-key',
    })
    expect((await cardOf('Tavily')).getByText(mask)).toBeInTheDocument()
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
    expect(scene.assign).not.toHaveBeenCalled()
  })

  it('lists the new integration once, also when the list was loaded again before the response', async () => {
    let answer: (response: Response) => void = () => undefined
    scene.api.on(createRoute, () => new Promise((resolve) => (answer = resolve)))
    expectConsole('error', /Failed to disconnect Google Calendar/)
    scene.open(calendar)
    await cardOf('Google Calendar')
    const form = await openAdd()
    await addGmail(form)
    await userEvent.click(button('Cancel', form))
    const answered = scene.keep(gmail)
    // A failed action loads the list again.
    await userEvent.click(button('Disconnect', await cardOf('Google Calendar')))
    await userEvent.click(button('Disconnect', within(screen.getByRole('alertdialog'))))
    await cardOf('Gmail')
    scene.api.on(listRoute, never)
    answer(answered)
    await screen.findByText('Integration "Gmail" added successfully')
    expect(await cardOf('Gmail')).toBeDefined()
  })

  it('adds an OAuth integration as not connected, and opens the consent page (§2.89, §4.28, §7.22, §7.25)', async () => {
    scene.open()
    const form = await openAdd()
    await addGmail(form)
    await waitFor(() => expect(scene.assign).toHaveBeenCalledOnce())
    expect(await screen.findByText('Integration "Gmail" added successfully')).toBeInTheDocument()
    expect(scene.api.seen(createRoute)[0]?.body).toEqual({
      name: 'google-gmail',
      auth_type: 'oauth',
      connected: false,
      api_key: null,
    })
    expect(button('Saving...', form)).toBeInTheDocument()
  })

  it('keeps the added integration when the consent page cannot be opened (§8.24)', async () => {
    expectConsole('error', /Failed to initiate Gmail authentication/)
    scene.api.on(consentRoute, () => failure(409, 'conflict', 'Google is not set up here.'))
    scene.open()
    await addGmail(await openAdd())
    expect(await screen.findByText('Failed to initiate Gmail authentication')).toBeInTheDocument()
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
    expect((await cardOf('Gmail')).getByText('Google is not set up here.')).toBeInTheDocument()
  })

  it('does not open the consent page once the user has left the form', async () => {
    let answer: (response: Response) => void = () => undefined
    scene.open()
    scene.api.on(createRoute, () => new Promise((resolve) => (answer = resolve)))
    const form = await openAdd()
    await addGmail(form)
    await userEvent.click(button('Cancel', form))
    answer(scene.keep(gmail))
    expect(button('Connect', await cardOf('Gmail'))).toBeEnabled()
    expect(scene.api.seen(consentRoute)).toEqual([])
  })

  it('does not open the consent page when the user leaves the form while its address is requested', async () => {
    let answer: (response: Response) => void = () => undefined
    scene.open()
    scene.api.on(consentRoute, () => new Promise((resolve) => (answer = resolve)))
    const form = await openAdd()
    await addGmail(form)
    await waitFor(() => expect(scene.api.seen(consentRoute)).toHaveLength(1))
    await userEvent.click(button('Cancel', form))
    answer(json({ authUrl: 'https://accounts.example/auth?client_id=y&state=s-1' }))
    expect(await screen.findByRole('button', { name: 'Connect' })).toBeEnabled()
    expect(scene.assign).not.toHaveBeenCalled()
  })

  it('shows that it saves, and sends one request (§2.90)', async () => {
    scene.open()
    scene.api.on(createRoute, never)
    const form = await openAdd()
    await addGmail(form)
    const busy = button('Saving...', form)
    expect(busy).toHaveAttribute('aria-busy', 'true')
    await userEvent.click(busy)
    expect(scene.writes).toHaveLength(1)
  })

  it('keeps the selection when saving fails, and shows the reason (§8.27)', async () => {
    expectConsole('error', /Failed to save integration: You have already added Gmail/)
    scene.api.on(createRoute, () => failure(409, 'name_taken', 'You have already added Gmail.'))
    scene.open()
    const form = await openAdd()
    await addGmail(form)
    expect(
      await screen.findByText('Failed to save integration: You have already added Gmail.'),
    ).toBeInTheDocument()
    expect(form.getByLabelText('Integration *')).toHaveValue('google-gmail')
    expect(button('Add Integration', form)).not.toHaveAttribute('aria-busy')
    expect(scene.assign).not.toHaveBeenCalled()
  })
})

describe('the form for a stored integration', () => {
  const route = 'PUT /api/integration/tavily'

  async function openEdit(integration: Integration) {
    scene.open(integration)
    await userEvent.click(button('Edit', await cardOf('Tavily')))
    return within(screen.getByRole('dialog', { name: 'Edit Integration' }))
  }

  it('starts at the key, and the integration cannot be changed (§2.84, §2.87, §2.88)', async () => {
    const form = await openEdit(withKey)
    expect(form.getByLabelText('Integration *')).toHaveValue('tavily')
    expect(form.getByLabelText('Integration *')).toBeDisabled()
    expect(form.getByLabelText('Authentication Type')).toHaveValue('API Key')
    const key = form.getByLabelText('API Key *')
    expect(key).toHaveFocus()
    expect(key).toHaveAttribute('type', 'password')
    expect(key).toHaveAccessibleDescription('Stored: tvly••••••••9876. Type to replace it.')
  })

  it('replaces the key and shows a toast (§2.90, §7.23, §8.33)', async () => {
    scene.api.on(route, () => scene.keep({ ...withKey, api_key: 'next••••••••9876' }))
    const form = await openEdit(withKey)
    await userEvent.type(form.getByLabelText('API Key *'), 'another', {
      initialSelectionStart: 0,
      initialSelectionEnd: 99,
    })
    await userEvent.click(button('Update Integration', form))
    expect(await screen.findByText('Integration "Tavily" updated successfully')).toBeInTheDocument()
    expect(scene.api.seen(route)[0]?.body).toEqual({
      name: 'tavily',
      auth_type: 'api_key',
      connected: true,
      api_key: 'another',
    })
    expect(screen.getByText('next••••••••9876')).toBeInTheDocument()
  })

  it('sends the unchanged mask of the key (§7.23)', async () => {
    scene.api.on(route, () => scene.keep(withKey))
    const form = await openEdit(withKey)
    await userEvent.click(button('Update Integration', form))
    await screen.findByText('Integration "Tavily" updated successfully')
    expect(scene.api.seen(route)[0]?.body).toMatchObject({ api_key: mask, connected: true })
  })

  it('requires a key (§5.14)', async () => {
    const form = await openEdit(withKey)
    await userEvent.clear(form.getByLabelText('API Key *'))
    await userEvent.click(button('Update Integration', form))
    expect(form.getByText('API key is required for API Key authentication')).toBeInTheDocument()
    expect(scene.writes).toEqual([])
  })

  it('shows the reason when saving fails (§8.27)', async () => {
    expectConsole('error', /Failed to save integration: The key is too long/)
    scene.api.on(route, () => failure(400, 'invalid_request', 'The key is too long.'))
    const form = await openEdit(withKey)
    await userEvent.click(button('Update Integration', form))
    expect(await screen.findByText('Failed to save integration: The key is too long.')).toBeInTheDocument()
  })

  it('shows the label of a refused field in the reason (§8.27)', async () => {
    expectConsole('error', /Failed to save integration: API Key: Too big/)
    scene.api.on(route, () => failure(400, 'invalid_request', 'api_key: Too big'))
    const form = await openEdit(withKey)
    await userEvent.click(button('Update Integration', form))
    expect(await screen.findByText('Failed to save integration: API Key: Too big')).toBeInTheDocument()
  })
})

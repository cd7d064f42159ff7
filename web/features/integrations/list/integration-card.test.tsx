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
  gmail,
  IntegrationsScene,
  mask,
  never,
  tavily,
  withKey,
} from '../../../testing/integrations-scene.tsx'
import { failure, json, settle } from '../../../testing/scripted-api.ts'

let scene: IntegrationsScene

beforeEach(() => {
  scene = new IntegrationsScene()
})

describe('connecting', () => {
  it('opens the consent page, and stores its state in this tab (§7.25)', async () => {
    scene.open(gmail)
    await userEvent.click(button('Connect', await cardOf('Gmail')))
    await waitFor(() => expect(scene.assign).toHaveBeenCalledOnce())
    expect(String(scene.assign.mock.calls[0]?.[0])).toBe(
      'https://accounts.example/auth?client_id=y&state=s-1',
    )
    expect(Object.values(sessionStorage).join()).toContain('s-1')
    expect(button('Connecting...')).toHaveAttribute('aria-busy', 'true')
    expect(localStorage).toHaveLength(0)
  })

  it('can be started again when the user returns with the back button', async () => {
    scene.open(gmail)
    await userEvent.click(button('Connect', await cardOf('Gmail')))
    await waitFor(() => expect(scene.assign).toHaveBeenCalledOnce())
    window.dispatchEvent(new Event('pageshow'))
    expect(await screen.findByRole('button', { name: 'Connect' })).toBeEnabled()
  })

  it('does not open the consent page once the user has left the page', async () => {
    let answer: (response: Response) => void = () => undefined
    scene.api.on(consentRoute, () => new Promise((resolve) => (answer = resolve)))
    const { redraw } = scene.open(gmail)
    await userEvent.click(button('Connect', await cardOf('Gmail')))
    redraw(<p>Elsewhere</p>)
    answer(json({ authUrl: 'https://accounts.example/auth?state=s-1' }))
    await settle()
    expect(scene.assign).not.toHaveBeenCalled()
  })

  it('shows a failure in a toast, and its reason on the card (§8.24, §8.34)', async () => {
    expectConsole('error', /Failed to initiate Gmail authentication/)
    scene.api.on(consentRoute, () => failure(409, 'conflict', 'Google is not set up here.'))
    scene.open(gmail)
    await userEvent.click(button('Connect', await cardOf('Gmail')))
    expect(await screen.findByText('Failed to initiate Gmail authentication')).toBeInTheDocument()
    expect(screen.getByText('Google is not set up here.')).toBeInTheDocument()
    expect(button('Connect')).toBeEnabled()
    expect(scene.assign).not.toHaveBeenCalled()
  })

  it('stays pending when an earlier authorization of another integration fails', async () => {
    expectConsole('error', /Failed to initiate Gmail authentication/)
    let answer: (response: Response) => void = () => undefined
    scene.api
      .on(consentRoute, () => new Promise((resolve) => (answer = resolve)))
      .on('GET /api/integration/auth/google-calendar', never)
    scene.open(gmail, { ...calendar, connected: false })
    await userEvent.click(button('Connect', await cardOf('Gmail')))
    await userEvent.click(button('Connect', await cardOf('Google Calendar')))
    answer(failure(409, 'conflict', 'Google is not set up here.'))
    expect(await screen.findByText('Google is not set up here.')).toBeInTheDocument()
    expect(button('Connecting...', await cardOf('Google Calendar'))).toHaveAttribute('aria-busy', 'true')
  })

  it.each([
    'javascript:alert(1)//?state=s',
    'data:text/html,x?state=s',
    '/relative?state=s',
    'https://accounts.example/auth',
  ])('does not open the address %s (§8.24)', async (authUrl) => {
    expectConsole('error', /Failed to initiate Gmail authentication/)
    scene.api.on(consentRoute, () => json({ authUrl }))
    scene.open(gmail)
    await userEvent.click(button('Connect', await cardOf('Gmail')))
    expect(await screen.findByText('Failed to initiate Gmail authentication')).toBeInTheDocument()
    expect(scene.assign).not.toHaveBeenCalled()
    expect(sessionStorage).toHaveLength(0)
  })

  it('shows the notice of a connection that has ended, and a Connect button', async () => {
    scene.open({ ...gmail, notice: 'Google has ended this connection.' })
    const card = await cardOf('Gmail')
    expect(card.getByText('Google has ended this connection.')).toBeInTheDocument()
    expect(button('Connect', card)).toBeEnabled()
  })

  it('shows which permission a connected integration lacks', async () => {
    scene.open({ ...calendar, notice: 'You did not allow Yonder to change events.' })
    const card = await cardOf('Google Calendar')
    expect(card.getByText('You did not allow Yonder to change events.')).toBeInTheDocument()
    expect(button('Disconnect', card)).toBeEnabled()
  })
})

describe('disconnecting', () => {
  const route = 'POST /api/integration/disconnect/google-calendar'

  async function ask() {
    scene.open(calendar, gmail)
    await userEvent.click(button('Disconnect', await cardOf('Google Calendar')))
    return within(screen.getByRole('alertdialog', { name: 'Disconnect Google Calendar' }))
  }

  it('ends the connection after a confirmation, shows a toast and returns the focus (§2.82, §7.24, §8.33)', async () => {
    scene.api.on(route, () => scene.keep({ ...calendar, connected: false }))
    const question = await ask()
    expect(
      question.getByText(
        'Are you sure you want to disconnect Google Calendar? You will need to re-authenticate to use it again.',
      ),
    ).toBeInTheDocument()
    expect(scene.writes).toEqual([])
    await userEvent.click(button('Disconnect', question))
    expect(await screen.findByText('Google Calendar disconnected successfully')).toBeInTheDocument()
    expect(scene.api.seen(route)).toHaveLength(1)
    const again = button('Connect', await cardOf('Google Calendar'))
    expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument()
    expect(again).toHaveFocus()
  })

  it('does not move the focus if the user moved it meanwhile', async () => {
    let answer: (response: Response) => void = () => undefined
    scene.api.on(route, () => new Promise((resolve) => (answer = resolve)))
    const question = await ask()
    await userEvent.click(button('Disconnect', question))
    await userEvent.click(button('Cancel', question))
    button('Add Integration').focus()
    answer(scene.keep({ ...calendar, connected: false }))
    expect(await screen.findByText('Google Calendar disconnected successfully')).toBeInTheDocument()
    expect(button('Add Integration')).toHaveFocus()
  })

  it('does not disconnect on Cancel (§2.82)', async () => {
    await userEvent.click(button('Cancel', await ask()))
    expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument()
    expect(scene.writes).toEqual([])
  })

  it('shows the failure, and stays connected (§8.25)', async () => {
    expectConsole('error', /Failed to disconnect Google Calendar/)
    scene.api.on(route, () => failure(500, 'internal', 'Something went wrong.'))
    await userEvent.click(button('Disconnect', await ask()))
    expect(await screen.findByText('Failed to disconnect Google Calendar')).toBeInTheDocument()
    expect((await cardOf('Google Calendar')).getByText('Connected')).toBeInTheDocument()
  })

  it('loads the current state after a failure', async () => {
    expectConsole('error', /Failed to disconnect Google Calendar/)
    const question = await ask()
    scene.stored = [{ ...calendar, connected: false, notice: 'Google has ended this connection.' }]
    scene.api.on(route, () => failure(500, 'internal', 'Something went wrong.'))
    await userEvent.click(button('Disconnect', question))
    expect(await screen.findByText('Google has ended this connection.')).toBeInTheDocument()
  })

  it('does not show success after a 401 (§8.2)', async () => {
    scene.api.on(route, () => new Response(null, { status: 401 }))
    await userEvent.click(button('Disconnect', await ask()))
    await waitFor(() => expect(scene.api.signedOut).toBe(true))
    expect(toasts.get()).toEqual([])
  })
})

describe('the key of a card', () => {
  const route = 'PUT /api/integration/tavily'

  async function openKey(integration: Integration) {
    scene.open(integration)
    const name = integration.api_key === null ? 'Add API Key' : 'Update API Key'
    const toggle = button(name, await cardOf('Tavily'))
    await userEvent.click(toggle)
    return { toggle, box: screen.getByPlaceholderText('Enter API Key') }
  }

  it('is typed into a box that its button opens, and is shown masked once it is saved (§2.80, §4.28, §7.23, §8.33)', async () => {
    scene.api.on(route, () => scene.keep(withKey))
    const { toggle, box } = await openKey(tavily)
    expect(toggle).toHaveAttribute('aria-expanded', 'true')
    expect(box).toHaveFocus()
    expect(button('Save')).toBeDisabled()
    await userEvent.type(box, ' tvly-key-9876 {Enter}')
    expect(await screen.findByText('Tavily API key updated successfully')).toBeInTheDocument()
    expect(scene.api.seen(route)[0]?.body).toEqual({
      name: 'tavily',
      auth_type: 'api_key',
      connected: true,
      api_key: 'tvly-key-9876',
    })
    expect(screen.getByText(mask)).toBeInTheDocument()
    expect(screen.queryByPlaceholderText('Enter API Key')).not.toBeInTheDocument()
    expect(button('Update API Key')).toHaveFocus()
  })

  it('is removed by saving an empty box, as its hint says (§4.28)', async () => {
    scene.api.on(route, () => scene.keep(tavily))
    const { box } = await openKey(withKey)
    expect(box).toHaveAccessibleDescription(/To remove the stored key, leave the field empty and save/)
    await userEvent.click(button('Save'))
    expect(await screen.findByRole('button', { name: 'Add API Key' })).toBeInTheDocument()
    expect(scene.api.seen(route)[0]?.body).toMatchObject({ api_key: '', connected: false })
  })

  it('is sent once, and the button shows that it is being saved', async () => {
    scene.api.on(route, never)
    const { box } = await openKey(tavily)
    await userEvent.type(box, 'k{Enter}{Enter}')
    expect(button('Saving...')).toHaveAttribute('aria-busy', 'true')
    expect(scene.writes).toHaveLength(1)
  })

  it('is not cleared from a box that was opened again meanwhile', async () => {
    let answer: (response: Response) => void = () => undefined
    scene.api.on(route, () => new Promise((resolve) => (answer = resolve)))
    const { toggle, box } = await openKey(tavily)
    await userEvent.type(box, 'k{Enter}{Escape}')
    // The form asks, because the key is still being saved.
    await userEvent.click(screen.getByText('Close'))
    await userEvent.click(toggle)
    await userEvent.type(screen.getByPlaceholderText('Enter API Key'), 'better')
    answer(scene.keep(withKey))
    expect(await screen.findByText('Tavily API key updated successfully')).toBeInTheDocument()
    expect(screen.getByPlaceholderText('Enter API Key')).toHaveValue('better')
    expect(screen.getByPlaceholderText('Enter API Key')).toHaveFocus()
  })

  it('stays in the box when saving fails (§8.26)', async () => {
    expectConsole('error', /Failed to update Tavily API key/)
    scene.api.on(route, () => failure(500, 'internal', 'Something went wrong.'))
    const { box } = await openKey(tavily)
    await userEvent.type(box, 'k{Enter}')
    expect(await screen.findByText('Failed to update Tavily API key')).toBeInTheDocument()
    expect(box).toHaveValue('k')
  })

  it("shows the server's reason under the box until the user types (§2.80, §8.26)", async () => {
    expectConsole('error', /Failed to update Tavily API key/)
    scene.api.on(route, () => failure(400, 'invalid_request', 'api_key: must be plain characters.'))
    const { box } = await openKey(withKey)
    await userEvent.type(box, 'clé{Enter}')
    expect(await screen.findByText('API Key: must be plain characters.')).toHaveRole('alert')
    expect(await screen.findByText('Failed to update Tavily API key')).toBeInTheDocument()
    expect(box).toHaveAccessibleDescription(
      /^API Key: must be plain characters\. A new key replaces the stored one/,
    )
    expect(box).toBeInvalid()
    await userEvent.type(box, '2')
    expect(screen.queryByText('API Key: must be plain characters.')).not.toBeInTheDocument()
    expect(box).toBeValid()
  })

  it('is not changed when Escape or its button closes the box', async () => {
    const { toggle, box } = await openKey(withKey)
    await userEvent.type(box, 'k{Escape}')
    expect(box).toHaveValue('k')
    await userEvent.click(button('Discard'))
    expect(box).not.toBeInTheDocument()
    expect(toggle).toHaveFocus()
    await userEvent.click(toggle)
    expect(screen.getByPlaceholderText('Enter API Key')).toHaveValue('')
    await userEvent.click(toggle)
    expect(screen.queryByPlaceholderText('Enter API Key')).not.toBeInTheDocument()
    expect(scene.writes).toEqual([])
  })
})

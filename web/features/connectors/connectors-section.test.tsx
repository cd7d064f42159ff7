import { screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { ConnectInput } from '@yonder/contract/connector'
import { describe, expect, it, vi } from 'vitest'
import { toasts } from '../../lib/toasts.ts'
import { buttonOf, ConnectorsScene, defer, refuse, rowOf } from '../../testing/connectors-scene.tsx'
import { expectConsole } from '../../testing/expect-console.ts'
import { json, settle } from '../../testing/scripted-api.ts'
import { makeConnector } from '../../testing/wire-objects.ts'
import { ConnectorsSection } from './connectors-section.tsx'

const own = makeConnector({ name: 'default', url: 'yonder:default', is_default: true, status: 'connected' })
const files = makeConnector({ name: 'Files / 100%' })

describe('the list', () => {
  it('has a heading, a description, and two buttons to add connectors (§2.55, §2.57)', async () => {
    new ConnectorsScene().open()
    expect(screen.getByRole('heading', { name: 'Connectors' })).toBeInTheDocument()
    expect(screen.getByText('Manage your connector configurations')).toBeInTheDocument()
    expect(buttonOf('Browse Connectors')).toBeEnabled()
    expect(buttonOf('Add Connector')).toBeEnabled()
    expect(await screen.findByText('No connector configurations found')).toBeInTheDocument()
  })

  it('shows default connectors first, then a divider, then the others (§2.56, §6.4)', async () => {
    const named = makeConnector({ name: 'default' })
    new ConnectorsScene([files, { ...named, name: 'Clock', is_default: true }, named]).open()
    const first = await screen.findByRole('list', { name: 'Default connectors' })
    expect(within(first).getAllByRole('listitem')).toHaveLength(2)
    const divider = screen.getByRole('separator')
    const second = screen.getByRole('list', { name: 'Custom connectors' })
    expect(first.compareDocumentPosition(divider)).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
    expect(divider.compareDocumentPosition(second)).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
    for (const name of ['Clock', 'default']) {
      expect(rowOf(name).queryByRole('button', { name: 'Edit' })).not.toBeInTheDocument()
      expect(rowOf(name).queryByRole('button', { name: 'Delete' })).not.toBeInTheDocument()
      expect(buttonOf('Configure', rowOf(name))).toBeEnabled()
      expect(buttonOf('Connect', rowOf(name))).toBeEnabled()
    }
    for (const name of ['Configure', 'Connect', 'Edit', 'Delete'])
      expect(buttonOf(name, rowOf('Files / 100%'))).toHaveAccessibleDescription('Files / 100%')
  })

  it('shows a message under the divider when there are no custom connectors (§2.56)', async () => {
    new ConnectorsScene([own]).open()
    expect(await screen.findByText('No custom connector configurations found')).toBeInTheDocument()
    expect(screen.getByRole('separator')).toBeInTheDocument()
  })

  it('shows that it loads (§2.57)', async () => {
    const scene = new ConnectorsScene()
    const reply = defer<Response>()
    scene.api.on('GET /api/mcp-servers', () => reply.promise)
    scene.open()
    expect(screen.getByText('Loading connector configurations...')).toBeInTheDocument()
    reply.resolve(json([files]))
    expect(await screen.findByText('Files / 100%')).toBeInTheDocument()
  })

  it('shows an error when it cannot be loaded, and reloads the page on Try again (§2.57)', async () => {
    expectConsole('error', /fetching the data\. 503/)
    const reload = vi.spyOn(location, 'reload').mockImplementation(() => undefined)
    const scene = new ConnectorsScene()
    scene.api.on('GET /api/mcp-servers', () => refuse(503, 'The database does not respond.'))
    scene.open()
    expect(await screen.findByText('Error loading connector configurations')).toBeInTheDocument()
    expect(screen.getByText('The database does not respond.')).toBeInTheDocument()
    await userEvent.click(buttonOf('Try again'))
    expect(reload).toHaveBeenCalledOnce()
  })

  it('shows the status of each connector in colour, its address and its error (§2.58)', async () => {
    new ConnectorsScene([
      makeConnector({ name: 'A', status: 'connected' }),
      makeConnector({
        name: 'B',
        status: 'failed',
        error_message: 'The server cannot be reached. Check its address or try again later.',
      }),
      makeConnector({ name: 'C', status: 'disconnected' }),
    ]).open()
    await screen.findByText('A')
    expect(rowOf('A').getByText('Connected')).toHaveClass('text-success')
    expect(rowOf('B').getByText('Failed')).toHaveClass('text-danger')
    expect(rowOf('C').getByText('Disconnected')).toHaveClass('text-danger')
    expect(
      rowOf('B').getByText('The server cannot be reached. Check its address or try again later.'),
    ).toBeInTheDocument()
    expect(rowOf('C').getByText('https://c.example/mcp')).toBeInTheDocument()
  })
})

describe('connecting', () => {
  const connect = 'POST /api/mcp-server/Files%20%2F%20100%25/connect'

  it('shows progress and success, and loads the list again (§2.59, §4.27, §8.32)', async () => {
    const scene = new ConnectorsScene([files])
    const reply = defer<void>()
    scene.api.on(connect, async () => {
      await reply.promise
      const connector = { ...files, status: 'connected' as const }
      scene.connectors = [connector]
      return json({ connector, authorization_url: null })
    })
    await scene.press('Connect', 'Files / 100%')
    const busy = buttonOf('Toggling...')
    expect(busy).toHaveAttribute('aria-busy', 'true')
    await userEvent.click(busy)
    reply.resolve()
    expect(await screen.findByText('Connector "Files / 100%" connected')).toBeInTheDocument()
    expect(await screen.findByRole('button', { name: 'Disconnect' })).toBeInTheDocument()
    expect(screen.getByText('Connected')).toBeInTheDocument()
    expect(scene.writes).toEqual([{ route: connect, body: { return_to: '/settings/connectors' } }])
    // The response may set a cookie that ties the consent to this browser.
    expect(scene.api.seen(connect)[0]?.credentials).toBe('same-origin')
    expect(scene.api.seen('GET /api/mcp-servers')).toHaveLength(2)
  })

  it('disconnects a connected connector, also a default one (§4.27, §8.32)', async () => {
    const scene = new ConnectorsScene([own])
    await scene.press('Disconnect', 'default')
    expect(await screen.findByText('Connector "default" disconnected')).toBeInTheDocument()
    expect(await screen.findByRole('button', { name: 'Connect' })).toBeInTheDocument()
    expect(scene.writes).toEqual([{ route: 'POST /api/mcp-server/default/disconnect', body: undefined }])
  })

  it('shows why it failed, in a toast and in the row (§4.27, §8.20)', async () => {
    expectConsole('error', /Failed to toggle connector "Files \/ 100%": The server cannot be reached\./)
    const scene = new ConnectorsScene([files])
    scene.api.on(connect, () => {
      scene.connectors = [
        {
          ...files,
          status: 'failed',
          error_message: 'The server cannot be reached. Check its address or try again later.',
        },
      ]
      return refuse(502, 'The server cannot be reached. Check its address or try again later.')
    })
    await scene.press('Connect', 'Files / 100%')
    expect(
      await screen.findByText(
        'Failed to toggle connector "Files / 100%": The server cannot be reached. Check its address or try again later.',
      ),
    ).toBeInTheDocument()
    expect(await screen.findByText('Failed')).toBeInTheDocument()
    expect(buttonOf('Connect')).toBeEnabled()
  })

  it('opens the consent page, and stays busy until the browser returns, but is updated', async () => {
    const leave = vi.spyOn(location, 'assign').mockImplementation(() => undefined)
    const scene = new ConnectorsScene([files])
    scene.api.on(connect, () =>
      json({ connector: files, authorization_url: 'https://auth.example/authorize?state=1' }),
    )
    await scene.press('Connect', 'Files / 100%')
    await waitFor(() => expect(leave).toHaveBeenCalledWith('https://auth.example/authorize?state=1'))
    expect(buttonOf('Toggling...')).toBeInTheDocument()
    expect(toasts.get()).toEqual([])
    // The user went back without consent, and the browser restores the page from its back-forward cache.
    dispatchEvent(new Event('pageshow'))
    expect(await screen.findByRole('button', { name: 'Connect' })).toBeInTheDocument()
  })

  it.each([
    ['Continue', 2],
    ['Cancel', 1],
  ])(
    'shows the address of a sign-in at another origin, and connects after Continue only: %s',
    async (button, count) => {
      const leave = vi
        .spyOn(location, 'assign')
        .mockReset()
        .mockImplementation(() => undefined)
      const scene = new ConnectorsScene([files])
      scene.api.on(connect, ({ body }) => {
        const isConfirmed = (body as ConnectInput).confirmed_origins?.[0] === 'https://auth.example'
        return json({
          connector: files,
          authorization_url: isConfirmed ? 'https://auth.example/authorize' : null,
          origins_to_confirm: isConfirmed ? [] : ['https://auth.example'],
        })
      })
      await scene.press('Connect', 'Files / 100%')
      const dialog = await screen.findByRole('alertdialog')
      expect(dialog).toHaveTextContent(
        'wants you to sign in at an address that is not its own:https://auth.example',
      )
      expect(leave).not.toHaveBeenCalled()
      await userEvent.click(within(dialog).getByRole('button', { name: button }))
      await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
      await waitFor(() => expect(scene.writes).toHaveLength(count))
      await settle()
      expect(leave.mock.calls).toEqual(count === 2 ? [['https://auth.example/authorize']] : [])
      expect(toasts.get()).toEqual([])
      dispatchEvent(new Event('pageshow'))
    },
  )

  it('answers the question about another origin with no when its user leaves', async () => {
    const scene = new ConnectorsScene([files])
    scene.api.on(connect, () =>
      json({ connector: files, authorization_url: null, origins_to_confirm: ['https://auth.example'] }),
    )
    const { redraw } = scene.open()
    await userEvent.click(await screen.findByRole('button', { name: 'Connect' }))
    await screen.findByRole('alertdialog')
    redraw(<p>Signed out</p>)
    redraw(<ConnectorsSection />)
    await screen.findByRole('button', { name: 'Connect' })
    expect(screen.queryByRole('alertdialog')).toBeNull()
    expect(scene.writes).toHaveLength(1)
  })

  it('does not open the sign-in page once the user has left the page', async () => {
    const leave = vi
      .spyOn(location, 'assign')
      .mockReset()
      .mockImplementation(() => undefined)
    const scene = new ConnectorsScene([files])
    const reply = defer<Response>()
    scene.api.on(connect, () => reply.promise)
    const { redraw } = scene.open()
    await screen.findByText(files.name)
    await userEvent.click(buttonOf('Connect'))
    redraw(<p>Elsewhere</p>)
    reply.resolve(json({ connector: files, authorization_url: 'https://auth.example/authorize?state=1' }))
    await settle()
    expect(leave).not.toHaveBeenCalled()
  })

  it('still shows progress after the section was closed and opened again (§2.59)', async () => {
    const scene = new ConnectorsScene([files])
    const reply = defer<Response>()
    scene.api.on(connect, () => reply.promise)
    const { redraw } = scene.open()
    await screen.findByText(files.name)
    await userEvent.click(buttonOf('Connect'))
    redraw(<p>Elsewhere</p>)
    redraw(<ConnectorsSection />)
    await userEvent.click(await screen.findByRole('button', { name: 'Toggling...' }))
    const connector = { ...files, status: 'connected' as const }
    scene.connectors = [connector]
    reply.resolve(json({ connector, authorization_url: null }))
    expect(await screen.findByRole('button', { name: 'Disconnect' })).not.toHaveAttribute('aria-busy')
    expect(scene.writes).toHaveLength(1)
  })

  it('does not show success after a 401 (§8.2)', async () => {
    const scene = new ConnectorsScene([files])
    scene.api.on(connect, () => new Response(null, { status: 401 }))
    await scene.press('Connect', 'Files / 100%')
    await waitFor(() => expect(scene.api.signedOut).toBe(true))
    expect(toasts.get()).toEqual([])
  })
})

describe('deleting', () => {
  const remove = 'DELETE /api/mcp-server/Files%20%2F%20100%25'

  it('deletes after a confirmation, shows a toast and moves the focus to the list (§2.59, §4.30, §8.32)', async () => {
    const scene = new ConnectorsScene([own, files])
    await scene.press('Delete', 'Files / 100%')
    const question = within(screen.getByRole('alertdialog', { name: 'Delete Connector' }))
    expect(
      question.getByText('Are you sure you want to delete this connector? This action cannot be undone.'),
    ).toBeInTheDocument()
    expect(scene.writes).toEqual([])
    await userEvent.click(buttonOf('Delete', question))
    expect(await screen.findByText('Connector deleted successfully')).toBeInTheDocument()
    expect(scene.writes).toEqual([{ route: remove, body: undefined }])
    expect(screen.queryByText('Files / 100%')).not.toBeInTheDocument()
    expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument()
    expect(buttonOf('Add Connector')).toHaveFocus()
  })

  it('deletes nothing on Cancel (§2.59, §4.30)', async () => {
    const scene = new ConnectorsScene([files])
    await scene.press('Delete', 'Files / 100%')
    await userEvent.click(buttonOf('Cancel'))
    expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument()
    expect(scene.writes).toEqual([])
  })

  it('keeps the row and shows the reason when deleting fails (§8.19, §8.34)', async () => {
    expectConsole('error', /Failed to delete connector: You have no connector/)
    const scene = new ConnectorsScene([files])
    scene.api.on(remove, () => refuse(404, 'You have no connector of this name.'))
    await scene.press('Delete', 'Files / 100%')
    await userEvent.click(buttonOf('Delete', within(screen.getByRole('alertdialog'))))
    expect(
      await screen.findByText('Failed to delete connector: You have no connector of this name.'),
    ).toBeInTheDocument()
    expect(screen.getByText('Files / 100%')).toBeInTheDocument()
  })

  it('loads the list again when deleting fails, since another tab may have deleted the connector', async () => {
    expectConsole('error', /Failed to delete connector/)
    const scene = new ConnectorsScene([own, files])
    scene.api.on(remove, () => {
      scene.connectors = [own]
      return refuse(404, 'You have no connector of this name.')
    })
    await scene.press('Delete', 'Files / 100%')
    await userEvent.click(buttonOf('Delete', within(screen.getByRole('alertdialog'))))
    expect(await screen.findByText('No custom connector configurations found')).toBeInTheDocument()
  })
})

describe('the return from the consent page', () => {
  const back = (query: string) => `/settings/connectors?${query}`

  it('shows success once, and removes the outcome from the address (§8.32)', async () => {
    const scene = new ConnectorsScene([{ ...files, status: 'connected' }])
    const view = scene.open(back(`authorization=connected&connector=${encodeURIComponent(files.name)}`))
    expect(await screen.findByText('Connector "Files / 100%" connected')).toBeInTheDocument()
    expect(toasts.get()).toHaveLength(1)
    await waitFor(() => expect(view.search()).toBe(''))
    expect(scene.writes).toEqual([])
  })

  it.each([
    ['denied', 'You did not give your consent.'],
    [
      'expired',
      'This sign-in is not valid, for example because it was started more than ten minutes ago. Connect again.',
    ],
    ['failed', 'The authorization failed. Connect again.'],
  ])('shows the reason for the outcome "%s" (§8.20)', async (outcome, reason) => {
    expectConsole('error', /Failed to toggle connector "Files/)
    const scene = new ConnectorsScene([files])
    const view = scene.open(back(`authorization=${outcome}&connector=${encodeURIComponent(files.name)}`))
    expect(
      await screen.findByText(`Failed to toggle connector "Files / 100%": ${reason}`),
    ).toBeInTheDocument()
    await waitFor(() => expect(view.search()).toBe(''))
  })

  it("does not show a name that none of the user's connectors has", async () => {
    expectConsole('error', /Failed to toggle connector/)
    new ConnectorsScene([files]).open(back('authorization=connected&connector=Call%20555'))
    expect(await screen.findByText(/^Failed to toggle connector: /)).toBeInTheDocument()
    expect(screen.queryByText(/Call 555/)).not.toBeInTheDocument()
  })

  it('does not show success when the connector is not connected, whatever the address says', async () => {
    expectConsole('error', /Failed to toggle connector/)
    new ConnectorsScene([files]).open(
      back(`authorization=connected&connector=${encodeURIComponent(files.name)}`),
    )
    expect(await screen.findByText(/^Failed to toggle connector "Files/)).toBeInTheDocument()
    expect(screen.queryByText('Connector "Files / 100%" connected')).not.toBeInTheDocument()
  })
})

describe('an address that asks to configure a connector', () => {
  it('opens its tools once, and the request leaves the address', async () => {
    const view = new ConnectorsScene([files]).open(
      `/settings/connectors?configure=${encodeURIComponent(files.name)}`,
    )
    const dialog = await screen.findByRole('dialog', { name: 'Configure Tools - Files / 100%' })
    await waitFor(() => expect(view.search()).toBe(''))
    await userEvent.click(buttonOf('Close', within(dialog)))
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
  })

  it('opens nothing for a name that the user does not have', async () => {
    const view = new ConnectorsScene([files]).open('/settings/connectors?configure=Call%20555')
    await waitFor(() => expect(view.search()).toBe(''))
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
    expect(screen.queryByText(/Call 555/)).not.toBeInTheDocument()
  })
})

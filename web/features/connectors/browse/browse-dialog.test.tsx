import { screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { BrowseServer } from '@yonder/contract/connector'
import { describe, expect, it } from 'vitest'
import { buttonOf, ConnectorsScene, defer, dialogOf, refuse } from '../../../testing/connectors-scene.tsx'
import { expectConsole } from '../../../testing/expect-console.ts'
import { json } from '../../../testing/scripted-api.ts'
import { makeConnector, makeServer } from '../../../testing/wire-objects.ts'
import { nameNewConnector } from '../form/connector-draft.ts'

const catalogue = 'GET /api/browse-connectors'

async function browse(scene: ConnectorsScene) {
  scene.open()
  await screen.findByText(/onnector configurations found|^Files$/)
  await userEvent.click(buttonOf('Browse Connectors'))
  return dialogOf('Browse Available Connectors')
}

function sceneOf(servers: readonly BrowseServer[], scene = new ConnectorsScene()) {
  scene.api.on(catalogue, () => json({ servers }))
  return scene
}

const entryOf = (dialog: ReturnType<typeof within>, title: string) =>
  within(dialog.getByText(title).closest('li'))

describe('the catalogue', () => {
  it('shows that it loads, with the search box focused (§2.65, §2.67)', async () => {
    const scene = new ConnectorsScene()
    const reply = defer<Response>()
    scene.api.on(catalogue, () => reply.promise)
    const dialog = await browse(scene)
    expect(dialog.getByText('Loading servers...')).toBeInTheDocument()
    expect(dialog.getByLabelText('Search connectors')).toHaveFocus()
    reply.resolve(json({ servers: [makeServer('Weather')] }))
    expect(await dialog.findByText('Weather')).toBeInTheDocument()
    await userEvent.click(buttonOf('Close', dialog))
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
  })

  it("shows each entry's title or name, author, description and configuration name (§2.66)", async () => {
    const untitled = makeServer('', { name: 'plain-name', description: 'Without one.', uuid: 'u' })
    const dialog = await browse(sceneOf([makeServer('Weather'), untitled]))
    const entry = entryOf(dialog, await dialog.findByText('Weather').then(() => 'Weather'))
    expect(entry.getByText('by example.com')).toBeInTheDocument()
    expect(entry.getByText('What Weather is for.')).toBeInTheDocument()
    expect(entry.getByText('Config: com.example/Weather')).toBeInTheDocument()
    expect(buttonOf('Add', entry)).toHaveAccessibleDescription('Weather')
    expect(dialog.getByText('plain-name')).toBeInTheDocument()
  })

  it('shows why it cannot be loaded, and loads it again on Try Again (§2.67, §8.23)', async () => {
    expectConsole('error', /fetching the data\. 503/)
    const scene = new ConnectorsScene()
    scene.api.on(catalogue, () => refuse(503, 'The database does not respond.'))
    const dialog = await browse(scene)
    expect(await dialog.findByText('The database does not respond.')).toBeInTheDocument()
    const reply = defer<Response>()
    scene.api.on(catalogue, () => reply.promise)
    await userEvent.click(buttonOf('Try Again', dialog))
    expect(dialog.getByText('Loading servers...')).toBeInTheDocument()
    reply.resolve(json({ servers: [makeServer('Weather')] }))
    expect(await dialog.findByText('Weather')).toBeInTheDocument()
  })

  it('shows a general message when an error has none (§8.23)', async () => {
    expectConsole('error', /browse-connectors/)
    const scene = new ConnectorsScene()
    scene.api.on(catalogue, () => {
      throw new Error('')
    })
    const dialog = await browse(scene)
    expect(await dialog.findByText('Failed to fetch servers')).toBeInTheDocument()
  })

  it('shows the entries that contain every word of the search', async () => {
    const dialog = await browse(
      sceneOf([makeServer('Weather'), makeServer('Maps', { author_name: 'weather.org' })]),
    )
    await dialog.findByText('Weather')
    await userEvent.type(dialog.getByLabelText('Search connectors'), 'ORG maps')
    expect(dialog.queryByText('Weather')).not.toBeInTheDocument()
    expect(dialog.getByText('Maps')).toBeInTheDocument()
    await userEvent.type(dialog.getByLabelText('Search connectors'), 'x')
    expect(dialog.getByText('No connectors found matching "ORG mapsx"')).toBeInTheDocument()
  })

  it("shows 40 entries at first, and 40 more for each 'Show more'", async () => {
    const many = Array.from({ length: 100 }, (_, at) => makeServer(`S${at}`))
    const dialog = await browse(sceneOf(many))
    await dialog.findByText('S0')
    expect(dialog.getAllByRole('listitem')).toHaveLength(40)
    await userEvent.click(buttonOf('Show more (60)', dialog))
    expect(dialog.getAllByRole('listitem')).toHaveLength(80)
    expect(buttonOf('Show more (20)', dialog)).toHaveFocus()
    await userEvent.click(buttonOf('Show more (20)', dialog))
    expect(dialog.getAllByRole('listitem')).toHaveLength(100)
    // The button is gone, and the focus is on the entry before the new ones.
    expect(dialog.getAllByRole('listitem')[79]).toHaveFocus()
  })
})

describe('adding from the catalogue', () => {
  it('shows progress and success, and lists the connector as disconnected (§2.66, §4.27, §7.15, §8.32)', async () => {
    const scene = sceneOf([makeServer('Weather')])
    const reply = defer<void>()
    scene.api.on('POST /api/mcp-server', async ({ body }) => {
      await reply.promise
      const connector = makeConnector(body as { name: string })
      scene.connectors = [connector]
      return json(connector)
    })
    const dialog = await browse(scene)
    await userEvent.click(await dialog.findByRole('button', { name: 'Add' }))
    await userEvent.click(buttonOf('Adding...', dialog))
    reply.resolve()
    expect(await screen.findByText('Connector "Weather" added successfully')).toBeInTheDocument()
    expect(dialog.getByText('Added')).toBeInTheDocument()
    expect(dialog.queryByRole('button', { name: 'Add' })).not.toBeInTheDocument()
    expect(dialog.getByRole('listitem')).toHaveFocus()
    expect(scene.writes).toEqual([
      {
        route: 'POST /api/mcp-server',
        body: {
          name: 'Weather',
          url: 'https://weather.example/mcp',
          token: null,
          status: 'disconnected',
          is_default: false,
          allow_tools: [],
        },
      },
    ])
    expect(screen.getByText('Disconnected')).toBeInTheDocument()
  })

  it('shows why it failed (§8.22)', async () => {
    expectConsole('error', /Failed to add connector: You have reached the limit of 20 connectors/)
    const scene = sceneOf([makeServer('Weather')])
    scene.api.on('POST /api/mcp-server', () =>
      refuse(409, 'You have reached the limit of 20 connectors. Delete one to add another.'),
    )
    const dialog = await browse(scene)
    await userEvent.click(await dialog.findByRole('button', { name: 'Add' }))
    expect(
      await screen.findByText(
        'Failed to add connector: You have reached the limit of 20 connectors. Delete one to add another.',
      ),
    ).toBeInTheDocument()
    expect(buttonOf('Add', dialog)).toBeEnabled()
  })

  it('marks a connector as added by its address', async () => {
    const scene = sceneOf(
      [makeServer('Weather')],
      new ConnectorsScene([makeConnector({ name: 'Files', url: 'https://weather.example/mcp' })]),
    )
    const dialog = await browse(scene)
    expect(await dialog.findByText('Added')).toBeInTheDocument()
  })

  it('opens the form first for a server that needs a token', async () => {
    const scene = sceneOf([makeServer('Weather', { needs_token: true })])
    const dialog = await browse(scene)
    await userEvent.click(await dialog.findByRole('button', { name: 'Add' }))
    const form = dialogOf('Add New Connector')
    expect(form.getByLabelText('Name *')).toHaveValue('Weather')
    expect(form.getByLabelText('URL *')).toHaveValue('https://weather.example/mcp')
    expect(form.getByLabelText('Token (Optional)')).toHaveFocus()
    expect(scene.writes).toEqual([])
    await userEvent.keyboard('secret')
    await userEvent.click(buttonOf('Add Connector', form))
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Add New Connector' })).toBeNull())
    expect(scene.writes[0]?.body).toMatchObject({ name: 'Weather', token: 'secret', allow_tools: [] })
    expect(await dialog.findByText('Added')).toBeInTheDocument()
  })

  it('opens the form first for a server that needs a header, and asks for its value', async () => {
    const headers = [
      { name: 'X-Version', value: '2' },
      { name: 'X-API-Key', value: '' },
    ]
    const scene = sceneOf([makeServer('Weather', { headers })])
    const dialog = await browse(scene)
    expect(await dialog.findByText('You need X-API-Key to connect it.')).toBeInTheDocument()
    await userEvent.click(dialog.getByRole('button', { name: 'Add' }))
    const form = dialogOf('Add New Connector')
    expect(form.getByLabelText('Header 2')).toHaveValue('X-API-Key')
    expect(form.getByLabelText('Value 2')).toHaveFocus()
    await userEvent.keyboard('secret')
    await userEvent.click(buttonOf('Add Connector', form))
    await waitFor(() => expect(scene.writes).toHaveLength(1))
    expect(scene.writes[0]?.body).toMatchObject({
      headers: [
        { name: 'X-Version', value: '2' },
        { name: 'X-API-Key', value: 'secret' },
      ],
    })
  })

  it('does not close a form that was opened while another one was being saved', async () => {
    const scene = sceneOf(['Weather', 'Maps'].map((title) => makeServer(title, { needs_token: true })))
    const reply = defer<Response>()
    const dialog = await browse(scene)
    await dialog.findByText('Maps')
    scene.api.on('POST /api/mcp-server', () => reply.promise)
    await userEvent.click(buttonOf('Add', entryOf(dialog, 'Weather')))
    await userEvent.click(buttonOf('Add Connector', dialogOf('Add New Connector')))
    await userEvent.click(buttonOf('Cancel', dialogOf('Add New Connector')))
    await userEvent.click(buttonOf('Add', entryOf(dialog, 'Maps')))
    await userEvent.keyboard('secret')
    reply.resolve(json(makeConnector({ name: 'Weather' })))
    expect(await screen.findByText('Connector "Weather" added successfully')).toBeInTheDocument()
    expect(dialogOf('Add New Connector').getByLabelText('Token (Optional)')).toHaveValue('secret')
  })

  it('chooses an unused name', () => {
    const server = makeServer('Weather')
    expect(nameNewConnector(server, [])).toBe('Weather')
    expect(nameNewConnector(server, ['weather'])).toBe('Weather (example.com)')
    expect(nameNewConnector(server, ['Weather', 'Weather (example.com)'])).toBe('com.example/Weather')
  })
})

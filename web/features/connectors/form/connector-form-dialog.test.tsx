import { screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { toasts } from '../../../lib/toasts.ts'
import {
  buttonOf,
  ConnectorsScene,
  defer,
  dialogOf,
  refuse,
  rowOf,
} from '../../../testing/connectors-scene.tsx'
import { expectConsole } from '../../../testing/expect-console.ts'
import { json } from '../../../testing/scripted-api.ts'
import { makeConnector, makeTool } from '../../../testing/wire-objects.ts'

const github = makeConnector({
  name: 'GitHub',
  url: 'https://one.example/mcp',
  token: 'ghp_••••••••tail',
  client_id: 'yonder',
  client_secret: '••••••••',
  status: 'connected',
  allow_tools: ['read', 'list'],
})
const { tools: _tools, allow_tools: _allowed, error_message: _error, notice: _notice, ...stored } = github
const update = 'PUT /api/mcp-server/GitHub'

async function openAdd(scene: ConnectorsScene) {
  scene.open()
  await userEvent.click(await screen.findByRole('button', { name: 'Add Connector' }))
  return dialogOf('Add New Connector')
}

async function openEdit(scene: ConnectorsScene, name = 'GitHub') {
  await scene.press('Edit', name)
  return dialogOf('Edit Connector')
}

describe('adding', () => {
  it('has three fields with their hints, and two buttons (§2.60, §2.61, §2.62, §2.63)', async () => {
    const form = await openAdd(new ConnectorsScene())
    expect(form.getByLabelText('Name *')).toHaveFocus()
    expect(form.getByLabelText('URL *')).toHaveAttribute('type', 'text')
    expect(form.getByLabelText('URL *')).toHaveAttribute('placeholder', 'http://localhost:8000/mcp')
    expect(form.getByLabelText('URL *')).toHaveAccessibleDescription('URL for the connector')
    expect(form.getByLabelText('Token (Optional)')).toHaveAttribute('type', 'password')
    expect(form.getByLabelText('Token (Optional)')).toHaveAccessibleDescription(
      'Authentication token for the connector',
    )
    expect(buttonOf('Cancel', form)).toBeEnabled()
    expect(buttonOf('Add Connector', form)).toBeEnabled()
  })

  it('offers to connect what was added', async () => {
    const scene = new ConnectorsScene()
    const form = await openAdd(scene)
    scene.api.on('POST /api/mcp-server/Files/connect', () => {
      scene.connectors = [makeConnector({ name: 'Files', status: 'connected' })]
      return json({ connector: scene.connectors[0], authorization_url: null })
    })
    await userEvent.type(form.getByLabelText('Name *'), 'Files')
    await userEvent.type(form.getByLabelText('URL *'), 'https://files.example/mcp')
    await userEvent.click(buttonOf('Add Connector', form))
    const text = await screen.findByText('Connector "Files" added successfully')
    await userEvent.click(within(text.parentElement as HTMLElement).getByRole('button', { name: 'Connect' }))
    expect(await screen.findByText('Connector "Files" connected')).toBeInTheDocument()
    expect(text).not.toBeInTheDocument()
    expect(scene.api.seen('POST /api/mcp-server/Files/connect')).toHaveLength(1)
  })

  it('sends what was typed, with null for empty fields, and shows a toast and the row (§2.64, §7.15, §8.32)', async () => {
    const scene = new ConnectorsScene()
    const form = await openAdd(scene)
    await userEvent.type(form.getByLabelText('Name *'), ' Files ')
    await userEvent.type(form.getByLabelText('URL *'), 'not an address')
    await userEvent.click(buttonOf('Add Connector', form))
    expect(await screen.findByText('Connector "Files" added successfully')).toBeInTheDocument()
    expect(scene.writes).toEqual([
      {
        route: 'POST /api/mcp-server',
        body: {
          name: 'Files',
          url: 'not an address',
          token: null,
          client_id: null,
          client_secret: null,
          status: 'disconnected',
          is_default: false,
          allow_tools: [],
        },
      },
    ])
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
    expect(screen.getByText('Files')).toBeInTheDocument()
  })

  it('lists the new connector once, also when the list was loaded again before the response', async () => {
    const scene = new ConnectorsScene([github])
    const reply = defer<Response>()
    const form = await openAdd(scene)
    scene.api.on('POST /api/mcp-server', () => reply.promise)
    await userEvent.type(form.getByLabelText('Name *'), 'Files')
    await userEvent.type(form.getByLabelText('URL *'), 'https://files.example/mcp')
    await userEvent.click(buttonOf('Add Connector', form))
    await userEvent.click(buttonOf('Cancel', form))
    const files = makeConnector({ name: 'Files' })
    scene.connectors = [...scene.connectors, files]
    // Toggling a connector loads the list again.
    await userEvent.click(buttonOf(/onnect$/, rowOf('GitHub')))
    await screen.findByText('Files')
    scene.api.on('GET /api/mcp-servers', () => new Promise(() => undefined))
    reply.resolve(json(files))
    await screen.findByText('Connector "Files" added successfully')
    expect(screen.getByText('Files')).toBeInTheDocument()
  })

  it('shows the missing fields in the dialog, and sends nothing (§5.10, §8.34)', async () => {
    const scene = new ConnectorsScene()
    const form = await openAdd(scene)
    await userEvent.type(form.getByLabelText('URL *'), '  ')
    await userEvent.click(buttonOf('Add Connector', form))
    expect(form.getByLabelText('Name *')).toHaveAccessibleDescription('Server name is required')
    expect(form.getByLabelText('Name *')).toHaveFocus()
    expect(form.getByLabelText('URL *')).toHaveAccessibleDescription(/URL is required/)
    await userEvent.type(form.getByLabelText('Name *'), 'A')
    expect(form.queryByText('Server name is required')).not.toBeInTheDocument()
    await userEvent.click(buttonOf('Add Connector', form))
    expect(form.getByText('URL is required')).toBeInTheDocument()
    expect(form.getByLabelText('URL *')).toHaveFocus()
    expect(toasts.get()).toEqual([])
    expect(scene.writes).toEqual([])
  })

  it('saves once and shows progress, however often the button is pressed (§2.63)', async () => {
    const scene = new ConnectorsScene()
    const reply = defer<Response>()
    scene.api.on('POST /api/mcp-server', () => reply.promise)
    const form = await openAdd(scene)
    await userEvent.type(form.getByLabelText('Name *'), 'A')
    await userEvent.type(form.getByLabelText('URL *'), 'u')
    await userEvent.click(buttonOf('Add Connector', form))
    await userEvent.click(buttonOf('Saving...', form))
    expect(scene.writes).toHaveLength(1)
    reply.resolve(json(makeConnector({ name: 'A' })))
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  })

  it.each([
    [409, 'You already have a connector named "A".', 'You already have a connector named "A".'],
    [400, 'url: Too big; allow_tools.3: Too big', 'URL: Too big; Allowed Tools: Too big'],
  ])(
    'keeps what was typed when saving fails, and shows the reason: %i (§8.18)',
    async (status, sent, reason) => {
      expectConsole('error', new RegExp(`Failed to save connector: ${reason}`))
      const scene = new ConnectorsScene()
      scene.api.on('POST /api/mcp-server', () => refuse(status, sent))
      const form = await openAdd(scene)
      await userEvent.type(form.getByLabelText('Name *'), 'A')
      await userEvent.type(form.getByLabelText('URL *'), 'u')
      await userEvent.click(buttonOf('Add Connector', form))
      expect(await screen.findByText(`Failed to save connector: ${reason}`)).toBeInTheDocument()
      expect(form.getByLabelText('Name *')).toHaveValue('A')
      expect(buttonOf('Add Connector', form)).toBeEnabled()
    },
  )

  it("shows 'Unknown error' when there is no reason (§8.18)", async () => {
    expectConsole('error', /Failed to save connector: Unknown error/)
    const scene = new ConnectorsScene()
    scene.api.on('POST /api/mcp-server', () => {
      throw new Error('')
    })
    const form = await openAdd(scene)
    await userEvent.type(form.getByLabelText('Name *'), 'A')
    await userEvent.type(form.getByLabelText('URL *'), 'u')
    await userEvent.click(buttonOf('Add Connector', form))
    expect(await screen.findByText('Failed to save connector: Unknown error')).toBeInTheDocument()
  })

  it("accepts a time limit in whole seconds under 'Advanced'", async () => {
    const scene = new ConnectorsScene()
    const form = await openAdd(scene)
    await userEvent.click(form.getByText('Advanced'))
    await userEvent.type(form.getByLabelText('Name *'), 'A')
    await userEvent.type(form.getByLabelText('URL *'), 'u')
    await userEvent.type(form.getByLabelText('Time limit'), '1.5')
    await userEvent.click(buttonOf('Add Connector', form))
    expect(form.getByText('Enter whole seconds, or nothing for 60')).toBeInTheDocument()
    expect(scene.writes).toEqual([])
    await userEvent.clear(form.getByLabelText('Time limit'))
    await userEvent.type(form.getByLabelText('Time limit'), '600')
    await userEvent.click(buttonOf('Add Connector', form))
    await waitFor(() => expect(scene.writes).toHaveLength(1))
    expect(scene.writes[0]?.body).toMatchObject({ time_limit: 600 })
  })

  it("keeps the pictures of its results from models when that is switched off under 'Advanced'", async () => {
    const scene = new ConnectorsScene()
    const form = await openAdd(scene)
    await userEvent.click(form.getByText('Advanced'))
    await userEvent.type(form.getByLabelText('Name *'), 'A')
    await userEvent.type(form.getByLabelText('URL *'), 'u')
    expect(form.getByLabelText('Show pictures to the model')).toBeChecked()
    await userEvent.click(form.getByLabelText('Show pictures to the model'))
    await userEvent.click(buttonOf('Add Connector', form))
    await waitFor(() => expect(scene.writes).toHaveLength(1))
    expect(scene.writes[0]?.body).toMatchObject({ pictures: false })
  })

  it("accepts a client ID and secret under 'Advanced'", async () => {
    const scene = new ConnectorsScene()
    const form = await openAdd(scene)
    await userEvent.click(form.getByText('Advanced'))
    await userEvent.type(form.getByLabelText('Name *'), 'A')
    await userEvent.type(form.getByLabelText('URL *'), 'u')
    await userEvent.type(form.getByLabelText('Client ID'), 'yonder')
    await userEvent.type(form.getByLabelText('Client Secret'), 'hush')
    expect(form.getByLabelText('Client Secret')).toHaveAttribute('type', 'password')
    await userEvent.click(buttonOf('Add Connector', form))
    await waitFor(() => expect(scene.writes).toHaveLength(1))
    expect(scene.writes[0]?.body).toMatchObject({ client_id: 'yonder', client_secret: 'hush' })
  })
})

describe('headers', () => {
  it('are added, sent and removed under Advanced', async () => {
    const scene = new ConnectorsScene()
    const form = await openAdd(scene)
    await userEvent.click(form.getByText('Advanced'))
    await userEvent.type(form.getByLabelText('Name *'), 'A')
    await userEvent.type(form.getByLabelText('URL *'), 'u')
    await userEvent.click(buttonOf('Add Header', form))
    await userEvent.type(form.getByLabelText('Header 1'), ' X-API-Key ')
    await userEvent.type(form.getByLabelText('Value 1'), 'hush')
    expect(form.getByLabelText('Value 1')).toHaveAttribute('type', 'password')
    await userEvent.click(buttonOf('Add Header', form))
    await userEvent.type(form.getByLabelText('Value 2'), 'other')
    await userEvent.click(buttonOf('Remove header 2', form))
    expect(buttonOf('Add Header', form)).toHaveFocus()
    await userEvent.click(buttonOf('Add Connector', form))
    await waitFor(() => expect(scene.writes).toHaveLength(1))
    expect(scene.writes[0]?.body).toMatchObject({ headers: [{ name: 'X-API-Key', value: 'hush' }] })
  })

  it('are shown as masks, and removed when their fields are emptied', async () => {
    const headers = ['X-One', 'X-Two'].map((name) => ({ name, value: '••••••••' }))
    const scene = new ConnectorsScene([{ ...github, headers }])
    const form = await openEdit(scene)
    expect(form.getByLabelText('Value 2')).toHaveAccessibleDescription(/Stored: ••••••••/)
    await userEvent.clear(form.getByLabelText('Value 1'))
    await userEvent.click(buttonOf('Update Connector', form))
    await waitFor(() => expect(scene.writes).toHaveLength(1))
    expect(scene.writes[0]?.body).toMatchObject({ headers: [headers[1]] })
  })
})

describe('editing', () => {
  it('starts with the stored values and sends them back, secrets as their masks (§2.61, §2.63, §2.74, §7.16, §8.32)', async () => {
    const scene = new ConnectorsScene([github])
    const form = await openEdit(scene)
    expect(form.getByLabelText('URL *')).toHaveValue('https://one.example/mcp')
    expect(form.getByLabelText('Token (Optional)')).toHaveAccessibleDescription(/Stored: ghp_••••••••tail/)
    expect(form.getByText('Allowed Tools (2)')).toBeInTheDocument()
    await userEvent.clear(form.getByLabelText('Name *'))
    await userEvent.type(form.getByLabelText('Name *'), 'Octo')
    await userEvent.click(buttonOf('Update Connector', form))
    expect(await screen.findByText('Connector "Octo" updated successfully')).toBeInTheDocument()
    expect(scene.writes).toEqual([{ route: update, body: { ...stored, name: 'Octo' } }])
    expect(screen.getByText('Octo')).toBeInTheDocument()
  })

  it('removes the token when its field is emptied (§2.64)', async () => {
    const scene = new ConnectorsScene([github])
    const form = await openEdit(scene)
    await userEvent.clear(form.getByLabelText('Token (Optional)'))
    await userEvent.click(buttonOf('Update Connector', form))
    await waitFor(() => expect(scene.writes).toHaveLength(1))
    expect(scene.writes[0]?.body).toMatchObject({ token: null })
  })

  it('trims the names of allowed tools and ignores empty and repeated ones (§2.74, §5.16)', async () => {
    const scene = new ConnectorsScene([github])
    const form = await openEdit(scene)
    const entry = form.getByLabelText('Name of a tool to allow')
    await userEvent.type(entry, '  write  {Enter}')
    expect(entry).toHaveValue('')
    await userEvent.type(entry, '   {Enter}')
    await userEvent.type(entry, ' read{Enter}')
    expect(form.getByText('Allowed Tools (3)')).toBeInTheDocument()
    await userEvent.click(buttonOf('Remove list', form))
    // A name that was typed but not added yet is saved too.
    await userEvent.type(entry, 'last')
    expect(scene.writes).toEqual([])
    await userEvent.click(buttonOf('Update Connector', form))
    await waitFor(() => expect(scene.writes).toHaveLength(1))
    expect(scene.writes[0]?.body).toMatchObject({ allow_tools: ['read', 'write', 'last'] })
  })

  it('does not trim the name of a tool that begins or ends with a space (§5.16)', async () => {
    const scene = new ConnectorsScene([
      { ...github, allow_tools: [], tools: [makeTool('write '), makeTool(' read')] },
    ])
    const form = await openEdit(scene)
    const entry = form.getByLabelText('Name of a tool to allow')
    await userEvent.type(entry, 'write {Enter}')
    await userEvent.type(entry, ' read')
    await userEvent.click(buttonOf('Update Connector', form))
    await waitFor(() => expect(scene.writes).toHaveLength(1))
    expect(scene.writes[0]?.body).toMatchObject({ allow_tools: ['write ', ' read'] })
  })

  it('can allow every tool, and undo that', async () => {
    const scene = new ConnectorsScene([github])
    const form = await openEdit(scene)
    await userEvent.click(form.getByLabelText('Run every tool without asking'))
    expect(form.queryByRole('button', { name: 'Remove read' })).not.toBeInTheDocument()
    await userEvent.click(form.getByLabelText('Run every tool without asking'))
    expect(buttonOf('Remove read', form)).toBeInTheDocument()
    await userEvent.click(form.getByLabelText('Run every tool without asking'))
    await userEvent.click(buttonOf('Update Connector', form))
    await waitFor(() => expect(scene.writes).toHaveLength(1))
    expect(scene.writes[0]?.body).toMatchObject({ allow_tools: null })
  })

  it('does not overwrite tools allowed in another tab unless the list was changed here', async () => {
    const scene = new ConnectorsScene([github])
    const form = await openEdit(scene)
    // A name is removed and added again, so the list is unchanged.
    await userEvent.click(buttonOf('Remove list', form))
    await userEvent.type(form.getByLabelText('Name of a tool to allow'), 'list{Enter}')
    scene.connectors = [{ ...github, allow_tools: ['read', 'list', 'write'] }]
    await userEvent.click(buttonOf('Update Connector', form))
    expect(await screen.findByText('Connector "GitHub" updated successfully')).toBeInTheDocument()
    expect(scene.writes).toEqual([{ route: update, body: stored }])
    expect(scene.connectors[0]?.allow_tools).toEqual(['read', 'list', 'write'])
  })

  it('warns that a new address removes the token and the allowed tools', async () => {
    const scene = new ConnectorsScene([{ ...github, allow_tools: null }])
    const form = await openEdit(scene)
    await userEvent.type(form.getByLabelText('URL *'), '/other')
    expect(form.getByLabelText('Token (Optional)')).toHaveAccessibleDescription(/Enter the value for the new/)
    expect(form.getByText(/At the new address every tool needs approval/)).toBeInTheDocument()
    expect(form.getByLabelText('Client ID')).toHaveAccessibleDescription(/will be removed/)
    await userEvent.click(buttonOf('Update Connector', form))
    await waitFor(() => expect(scene.writes).toHaveLength(1))
    expect(scene.writes[0]?.body).toMatchObject({ url: 'https://one.example/mcp/other', allow_tools: [] })
  })

  it('keeps what was typed when saving fails, and shows the reason (§8.18)', async () => {
    expectConsole('error', /Failed to save connector: The database does not respond\./)
    const scene = new ConnectorsScene([github])
    scene.api.on(update, () => refuse(503, 'The database does not respond.'))
    const form = await openEdit(scene)
    await userEvent.type(form.getByLabelText('Name *'), ' two')
    await userEvent.click(buttonOf('Update Connector', form))
    expect(
      await screen.findByText('Failed to save connector: The database does not respond.'),
    ).toBeInTheDocument()
    expect(form.getByLabelText('Name *')).toHaveValue('GitHub two')
    expect(buttonOf('Update Connector', form)).toBeEnabled()
  })

  it('changes nothing when it is cancelled (§2.63, §4.30)', async () => {
    const scene = new ConnectorsScene([github])
    const form = await openEdit(scene)
    await userEvent.type(form.getByLabelText('Name *'), ' two')
    await userEvent.click(buttonOf('Cancel', form))
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
    expect(screen.getByText('GitHub')).toBeInTheDocument()
    expect(scene.writes).toEqual([])
  })

  it('does not show success after a 401 (§8.2)', async () => {
    const scene = new ConnectorsScene([github])
    scene.api.on(update, () => new Response(null, { status: 401 }))
    const form = await openEdit(scene)
    await userEvent.click(buttonOf('Update Connector', form))
    await waitFor(() => expect(scene.api.signedOut).toBe(true))
    expect(toasts.get()).toEqual([])
  })
})

import { screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'
import { openTools, toolsScene } from '../../../testing/configure-tools-scene.tsx'
import { buttonOf, defer, refuse, type ConnectorsScene } from '../../../testing/connectors-scene.tsx'
import { expectConsole } from '../../../testing/expect-console.ts'
import { makeConnector, makeTool } from '../../../testing/wire-objects.ts'

const update = 'PATCH /api/mcp-server/Files'
/** A tool that gets the permission to run in the version shown. */
const allow = (name: string, unblock = false) => ({
  name,
  permission: 'allow',
  fingerprint: `fingerprint of ${name}`,
  unblock,
})
const saved = 'Allow tools updated successfully for "Files"'
const search = 'Search tools to add...'

async function manage(scene: ConnectorsScene) {
  const dialog = await openTools(scene)
  await userEvent.click(buttonOf('Manage', dialog))
  return dialog
}

/** The button of a state in a tool's row. */
const stateOf = (dialog: ReturnType<typeof within>, tool: string, state: 'Asks' | 'Allowed' | 'Blocked') =>
  within(dialog.getByRole('group', { name: `Approval of ${tool}` })).getByRole('button', { name: state })

const chips = (dialog: ReturnType<typeof within>) =>
  dialog.queryByRole('list', { name: 'Allowed tools' })?.textContent ?? ''

describe('the allowed tools', () => {
  it('are counted and listed, with a Manage button (§2.69)', async () => {
    const dialog = await openTools(toolsScene({ allow_tools: ['read', 'gone'] }))
    expect(dialog.getByText('Allowed Tools (2)')).toBeInTheDocument()
    expect(buttonOf('Manage', dialog)).toHaveFocus()
    expect(chips(dialog)).toBe('readgone')
    expect(dialog.queryByRole('button', { name: /^Remove/ })).not.toBeInTheDocument()
    expect(dialog.queryByText('All tools need confirmation')).not.toBeInTheDocument()
    expect(dialog.getByText('Allowed, but not offered by the connector now: gone')).toBeInTheDocument()
  })

  it('have a badge when there are none (§2.72)', async () => {
    const dialog = await openTools(toolsScene({ allow_tools: [] }))
    expect(dialog.getByText('Allowed Tools (0)')).toBeInTheDocument()
    expect(dialog.getByText('All tools need confirmation')).toBeInTheDocument()
  })

  it('have another badge when every tool runs without approval (§2.72)', async () => {
    const dialog = await openTools(toolsScene({ allow_tools: null }))
    expect(dialog.getByText('Every tool runs without asking')).toBeInTheDocument()
    expect(dialog.queryByText('All tools need confirmation')).not.toBeInTheDocument()
  })

  it('are removed by their chips, then saved (§2.70, §2.71, §8.32)', async () => {
    const scene = toolsScene({ allow_tools: ['read', 'list'] })
    const dialog = await manage(scene)
    await userEvent.click(buttonOf('Remove read', dialog))
    // The focus moves to the next chip.
    expect(buttonOf('Remove list', dialog)).toHaveFocus()
    expect(dialog.getByText('Allowed Tools (1)')).toBeInTheDocument()
    expect(scene.writes).toEqual([])
    await userEvent.click(buttonOf('Save Changes', dialog))
    expect(await screen.findByText(saved)).toBeInTheDocument()
    expect(scene.writes).toEqual([
      { route: update, body: { asks: true, tools: [{ name: 'read', permission: 'ask' }] } },
    ])
    expect(buttonOf('Manage', dialog)).toHaveFocus()
    expect(chips(dialog)).toBe('list')
  })

  it('do not change on Cancel (§2.71, §4.30)', async () => {
    const scene = toolsScene({ allow_tools: ['read'] })
    const dialog = await manage(scene)
    await userEvent.click(buttonOf('Remove read', dialog))
    expect(dialog.getByText('All tools need confirmation')).toBeInTheDocument()
    await userEvent.click(buttonOf('Cancel', dialog))
    expect(dialog.getByText('Allowed Tools (1)')).toBeInTheDocument()
    expect(dialog.queryByRole('button', { name: 'Save Changes' })).not.toBeInTheDocument()
    expect(scene.writes).toEqual([])
  })

  it('keep changes from another tab: only the tools added or removed here change', async () => {
    const scene = toolsScene({ allow_tools: ['read', 'list'] })
    const dialog = await manage(scene)
    await userEvent.click(buttonOf('Remove read', dialog))
    await userEvent.click(stateOf(dialog, 'write', 'Allowed'))
    scene.connectors = scene.connectors.map((connector) => ({
      ...connector,
      allow_tools: ['read', 'list', 'send'],
    }))
    await userEvent.click(buttonOf('Save Changes', dialog))
    expect(await screen.findByText(saved)).toBeInTheDocument()
    expect(scene.writes).toHaveLength(1)
    expect(scene.writes[0]?.body).toEqual({
      asks: true,
      tools: [{ name: 'read', permission: 'ask' }, allow('write')],
    })
    expect(chips(dialog)).toBe('listsendwrite')
  })

  it.each([
    ['stay all allowed when nothing was changed here', [], 'Every tool runs without asking'],
    ['ask again when a tool was removed here', ['Remove read'], 'All tools need confirmation'],
  ])('after another tab has allowed every tool, %s', async (_case, press, shown) => {
    const scene = toolsScene({ allow_tools: ['read', 'list'] })
    const dialog = await manage(scene)
    for (const name of press) await userEvent.click(buttonOf(name, dialog))
    scene.connectors = scene.connectors.map((connector) => ({ ...connector, allow_tools: null }))
    await userEvent.click(buttonOf('Save Changes', dialog))
    expect(await screen.findByText(saved)).toBeInTheDocument()
    expect(dialog.getByText(shown)).toBeInTheDocument()
  })

  it('cannot be changed while they are being saved', async () => {
    const scene = toolsScene()
    scene.api.on(update, () => defer<Response>().promise)
    const dialog = await manage(scene)
    await userEvent.click(stateOf(dialog, 'read', 'Allowed'))
    expect(dialog.getByPlaceholderText(search).closest('[inert]')).toBeNull()
    await userEvent.click(buttonOf('Save Changes', dialog))
    expect(dialog.getByPlaceholderText(search).closest('[inert]')).not.toBeNull()
  })

  it('stay in manage mode when saving fails, and show the failure (§8.21, §8.34)', async () => {
    expectConsole('error', /Failed to update allow tools: The tool "read" has changed/)
    const scene = toolsScene()
    scene.api.on(update, () => {
      scene.connectors = [
        makeConnector({ name: 'Files', tools: [makeTool('read', { description: 'Deletes.' })] }),
      ]
      return refuse(409, 'The tool "read" has changed since you saw it.')
    })
    const dialog = await manage(scene)
    await userEvent.click(stateOf(dialog, 'read', 'Allowed'))
    await userEvent.click(buttonOf('Save Changes', dialog))
    expect(
      await screen.findByText('Failed to update allow tools: The tool "read" has changed since you saw it.'),
    ).toBeInTheDocument()
    expect(buttonOf('Save Changes', dialog)).toBeEnabled()
    expect(chips(dialog)).toBe('read')
    // The list of tools shows the current description.
    expect(await dialog.findByText('Deletes.')).toBeInTheDocument()
  })

  it('can include every tool, which is stored as null', async () => {
    const scene = toolsScene({ allow_tools: ['read'] })
    const dialog = await manage(scene)
    await userEvent.click(dialog.getByLabelText('Run every tool without asking'))
    expect(dialog.queryByPlaceholderText(search)).not.toBeInTheDocument()
    await userEvent.click(buttonOf('Save Changes', dialog))
    expect(await screen.findByText(saved)).toBeInTheDocument()
    expect(scene.writes[0]?.body).toEqual({ asks: false, tools: [] })
    expect(dialog.getByText('Every tool runs without asking')).toBeInTheDocument()
  })
})

describe('the search', () => {
  it('is shown only when the connector has tools (§2.70)', async () => {
    const dialog = await manage(toolsScene({ tools: [] }))
    expect(dialog.queryByPlaceholderText(search)).not.toBeInTheDocument()
    expect(buttonOf('Save Changes', dialog)).toBeEnabled()
  })

  it('finds tools that are not allowed yet by name or description, ignoring case (§2.70)', async () => {
    const dialog = await manage(
      toolsScene({
        allow_tools: ['read_all'],
        tools: [
          makeTool('read_all'),
          makeTool('Read_One', { description: 'One.' }),
          makeTool('open', { description: 'Opens to READ.' }),
          makeTool('write', { description: 'Writes.' }),
        ],
      }),
    )
    expect(dialog.getByPlaceholderText(search)).toHaveFocus()
    await userEvent.type(dialog.getByPlaceholderText(search), ' rEaD ')
    const found = within(dialog.getByRole('list', { name: 'Tools found' }))
    expect(found.getAllByRole('button').map((button) => button.textContent)).toEqual([
      'Allow Read_OneOne.',
      'Allow openOpens to READ.',
    ])
  })

  it('shows ten results at most, their descriptions cut to 80 characters (§2.70, §9.8)', async () => {
    const long = 'x'.repeat(81)
    const many = Array.from({ length: 12 }, (_, at) =>
      makeTool(`tool${at}`, { description: at === 0 ? long : 'y'.repeat(80) }),
    )
    const dialog = await manage(toolsScene({ tools: many }))
    await userEvent.type(dialog.getByPlaceholderText(search), 'tool')
    const found = within(dialog.getByRole('list', { name: 'Tools found' })).getAllByRole('button')
    expect(found).toHaveLength(10)
    expect(found[0]).toHaveTextContent(`Allow tool0${'x'.repeat(80)}...`)
    expect(found[1]).toHaveTextContent(`Allow tool1${'y'.repeat(80)}`)
  })

  it('shows a message when nothing matches (§2.70)', async () => {
    const dialog = await manage(toolsScene())
    await userEvent.type(dialog.getByPlaceholderText(search), 'zz(')
    expect(dialog.getByText('No tools found matching "zz("')).toBeInTheDocument()
  })

  it('allows the chosen tool with the fingerprint that was shown (§2.70)', async () => {
    const scene = toolsScene({ allow_tools: ['read'] })
    const dialog = await manage(scene)
    await userEvent.type(dialog.getByPlaceholderText(search), 'write')
    await userEvent.keyboard('{ArrowDown}{Enter}')
    expect(chips(dialog)).toBe('readwrite')
    expect(dialog.getByPlaceholderText(search)).toHaveFocus()
    await userEvent.click(buttonOf('Save Changes', dialog))
    await screen.findByText(saved)
    expect(scene.writes[0]?.body).toEqual({ asks: true, tools: [allow('write')] })
  })
})

describe('a tool in the list below', () => {
  it('can be allowed and removed there, and the button keeps the focus', async () => {
    const dialog = await manage(toolsScene())
    const toggle = stateOf(dialog, 'write', 'Allowed')
    await userEvent.click(toggle)
    expect(toggle).toHaveFocus()
    expect(toggle).toHaveAttribute('aria-pressed', 'true')
    expect(chips(dialog)).toBe('write')
    await userEvent.click(stateOf(dialog, 'write', 'Asks'))
    expect(chips(dialog)).toBe('')
  })

  it('is marked when it has changed, and can be allowed again', async () => {
    const scene = toolsScene({
      allow_tools: ['read', 'write'],
      tools: [makeTool('read', { consent: 'run' }), makeTool('write', { consent: 'ask_changed' })],
    })
    const dialog = await openTools(scene)
    expect(dialog.getAllByText('Changed since you allowed it')).toHaveLength(1)
    await userEvent.click(buttonOf('Allow again write', dialog))
    await screen.findByText(saved)
    expect(scene.writes[0]?.body).toEqual({
      tools: [{ name: 'write', permission: 'allow', fingerprint: 'fingerprint of write' }],
    })
    expect(buttonOf('Manage', dialog)).toBeInTheDocument()
  })

  it('can be allowed again when its name ends with a space, and no other name is added (§5.16)', async () => {
    const scene = toolsScene({
      allow_tools: ['write '],
      tools: [makeTool('write ', { consent: 'ask_changed' })],
    })
    const dialog = await openTools(scene)
    await userEvent.click(dialog.getByRole('button', { name: /^Allow again/ }))
    await screen.findByText(saved)
    expect(scene.writes[0]?.body).toMatchObject({ tools: [{ name: 'write ' }] })
  })
})

describe('the state of a tool', () => {
  const pressed = (dialog: ReturnType<typeof within>, tool: string) =>
    within(dialog.getByRole('group', { name: `Approval of ${tool}` })).getByRole('button', { pressed: true })
      .textContent

  it('agrees with the chips, and takes effect at once outside manage mode', async () => {
    const scene = toolsScene({ allow_tools: ['read'], block_tools: ['list'] })
    const dialog = await openTools(scene)
    expect(['read', 'write', 'list'].map((tool) => pressed(dialog, tool))).toEqual([
      'Allowed',
      'Asks',
      'Blocked',
    ])
    expect(dialog.getByText('1 blocked')).toBeInTheDocument()
    await userEvent.click(stateOf(dialog, 'read', 'Blocked'))
    await screen.findByText(saved)
    expect(scene.writes[0]?.body).toEqual({ asks: true, tools: [{ name: 'read', permission: 'block' }] })
    expect(chips(dialog)).toBe('')
    expect(pressed(dialog, 'read')).toBe('Blocked')
    expect(stateOf(dialog, 'read', 'Blocked')).toHaveFocus()
    expect(dialog.getByText('Available Tools (3)')).toBeInTheDocument()
    await userEvent.click(stateOf(dialog, 'list', 'Allowed'))
    await vi.waitFor(() => expect(chips(dialog)).toBe('list'))
    expect(scene.writes[1]?.body).toEqual({ asks: true, tools: [allow('list', true)] })
  })

  it('moves by arrow keys without choosing, as one stop of the Tab key', async () => {
    const scene = toolsScene()
    const dialog = await openTools(scene)
    stateOf(dialog, 'read', 'Asks').focus()
    await userEvent.keyboard('{ArrowRight}{ArrowRight}{ArrowRight}')
    expect(stateOf(dialog, 'read', 'Blocked')).toHaveFocus()
    expect(scene.writes).toEqual([])
    await userEvent.keyboard('{Enter}')
    await screen.findByText(saved)
    expect(scene.writes).toHaveLength(1)
    expect(scene.writes[0]?.body).toEqual({ tools: [{ name: 'read', permission: 'block' }] })
    const others = within(dialog.getByRole('group', { name: 'Approval of write' })).getAllByRole('button')
    expect(others.map(({ tabIndex }) => tabIndex)).toEqual([0, -1, -1])
  })

  it('is saved with the others in manage mode, and keeps what another tab has blocked', async () => {
    const scene = toolsScene({ allow_tools: ['read'] })
    const dialog = await manage(scene)
    await userEvent.click(stateOf(dialog, 'read', 'Blocked'))
    expect(chips(dialog)).toBe('')
    expect(scene.writes).toEqual([])
    scene.connectors = scene.connectors.map((connector) => ({ ...connector, block_tools: ['list'] }))
    await userEvent.click(buttonOf('Save Changes', dialog))
    await screen.findByText(saved)
    expect(scene.writes[0]?.body).toEqual({ asks: true, tools: [{ name: 'read', permission: 'block' }] })
    expect(dialog.getByText('2 blocked')).toBeInTheDocument()
  })

  it('is not blocked any more when the tool is added to the allowed ones', async () => {
    const scene = toolsScene({ block_tools: ['write'] })
    const dialog = await manage(scene)
    await userEvent.type(dialog.getByPlaceholderText(search), 'write')
    await userEvent.keyboard('{ArrowDown}{Enter}')
    expect(pressed(dialog, 'write')).toBe('Allowed')
    await userEvent.click(buttonOf('Save Changes', dialog))
    await screen.findByText(saved)
    expect(scene.writes[0]?.body).toEqual({ asks: true, tools: [allow('write', true)] })
  })

  it('is Allowed or Blocked while every tool runs without approval', async () => {
    const scene = toolsScene({ allow_tools: null })
    const dialog = await openTools(scene)
    expect(pressed(dialog, 'read')).toBe('Allowed')
    expect(stateOf(dialog, 'read', 'Asks')).toBeDisabled()
    await userEvent.click(stateOf(dialog, 'read', 'Blocked'))
    await screen.findByText(saved)
    expect(scene.writes[0]?.body).toEqual({ tools: [{ name: 'read', permission: 'block' }] })
    await userEvent.click(stateOf(dialog, 'read', 'Allowed'))
    await vi.waitFor(() => expect(scene.writes).toHaveLength(2))
    expect(scene.writes[1]?.body).toEqual({ tools: [{ name: 'read', permission: 'ask' }] })
  })

  it('can be taken back for a blocked tool that the connector does not list', async () => {
    const scene = toolsScene({ block_tools: ['gone', 'list'] })
    const dialog = await openTools(scene)
    expect(dialog.getByText('Blocked, but not offered by the connector now')).toBeInTheDocument()
    await userEvent.click(buttonOf('Unblock gone', dialog))
    await screen.findByText(saved)
    expect(scene.writes[0]?.body).toEqual({ tools: [{ name: 'gone', permission: 'ask' }] })
    expect(dialog.queryByText('gone')).not.toBeInTheDocument()
    expect(buttonOf('Manage', dialog)).toHaveFocus()
  })

  it('can be Blocked to make room, which the dialog suggests when a model is not offered all tools', async () => {
    const tools = Array.from({ length: 130 }, (_, index) => makeTool(`tool${index}`))
    const scene = toolsScene({ tools, block_tools: ['tool0'] })
    const dialog = await openTools(scene)
    const room = /^A model is offered at most 128 of the 129 tools of your connectors\./
    expect(dialog.getByText(room)).toBeInTheDocument()
    await userEvent.click(stateOf(dialog, 'tool1', 'Blocked'))
    await screen.findByText(saved)
    expect(dialog.queryByText(room)).not.toBeInTheDocument()
  })
})

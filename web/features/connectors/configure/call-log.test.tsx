import { fireEvent, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { openTools, toolsScene } from '../../../testing/configure-tools-scene.tsx'
import { buttonOf, defer, refuse, type ConnectorsScene } from '../../../testing/connectors-scene.tsx'
import { expectConsole } from '../../../testing/expect-console.ts'
import { json } from '../../../testing/scripted-api.ts'

describe('the call log', () => {
  const call = {
    id: '1',
    connector: 'Files',
    tool: 'read',
    arguments_hash: 'h',
    approval: 'once',
    outcome: 'done',
    started_at: '2026-01-02T03:04:05.000Z',
    duration: 1234,
    bytes: 2500,
    decided_on: null,
    edited: false,
  }
  const route = 'GET /api/mcp-server/Files/calls'

  async function openLog(scene: ConnectorsScene) {
    const dialog = await openTools(scene)
    expect(scene.api.seen(route)).toEqual([])
    const details = dialog.getByText('Call log').closest('details')!
    details.open = true
    fireEvent(details, new Event('toggle'))
    return dialog
  }

  it('is loaded page by page once it is opened', async () => {
    const scene = toolsScene()
    scene.api.on(route, ({ query }) =>
      json(
        query.get('before') === null
          ? { calls: [call], next: '5.one' }
          : {
              calls: [
                {
                  ...call,
                  id: '2',
                  tool: 'write',
                  approval: 'denied',
                  outcome: 'denied',
                  duration: null,
                  bytes: null,
                },
                { ...call, id: '3', duration: 59_990 },
              ],
              next: null,
            },
      ),
    )
    const dialog = await openLog(scene)
    const list = within(await dialog.findByRole('list', { name: 'Calls' }))
    expect(list.getByRole('listitem')).toHaveTextContent(
      /^readDone.*2026.* · allowed once · 1\.2 s · 2\.5 kB$/,
    )
    await userEvent.click(buttonOf('Show more', dialog))
    await waitFor(() => expect(list.getAllByRole('listitem')).toHaveLength(3))
    expect(list.getAllByRole('listitem')[1]).toHaveTextContent(/^writeDenied.* · denied by you$/)
    expect(list.getAllByRole('listitem')[2]).toHaveTextContent(/ · 1 min · /)
    expect(scene.api.seen(route)[1]?.query.get('before')).toBe('5.one')
    expect(dialog.queryByRole('button', { name: 'Show more' })).not.toBeInTheDocument()
    expect(list.getAllByRole('listitem')[0]).toHaveFocus()
  })

  it('says by what a call was allowed, where, and whether its arguments were edited', async () => {
    const scene = toolsScene()
    scene.api.on(route, () =>
      json({
        calls: [
          { ...call, decided_on: 'Chrome on Android', edited: true },
          { ...call, id: '2', approval: 'granted' },
          { ...call, id: '3', approval: 'expired', outcome: 'denied' },
        ],
        next: null,
      }),
    )
    const dialog = await openLog(scene)
    const list = within(await dialog.findByRole('list', { name: 'Calls' }))
    const [edited, granted, expired] = list.getAllByRole('listitem')
    expect(edited).toHaveTextContent(' · allowed once in Chrome on Android · edited by you · 1.2 s')
    expect(granted).toHaveTextContent(' · allowed by a permission · 1.2 s')
    expect(expired).toHaveTextContent('Denied')
    expect(expired).toHaveTextContent(' · not decided in time')
  })

  it('shows that it loads, and a message when it is empty', async () => {
    const scene = toolsScene()
    const reply = defer<Response>()
    scene.api.on(route, () => reply.promise)
    const dialog = await openLog(scene)
    expect(dialog.getByText('Loading calls...')).toBeInTheDocument()
    reply.resolve(json({ calls: [], next: null }))
    expect(await dialog.findByText('No tool of this connector has been called yet.')).toBeInTheDocument()
  })

  it('shows an error when it cannot be loaded', async () => {
    expectConsole('error', /fetching the data\. 503/)
    const scene = toolsScene()
    scene.api.on(route, () => refuse(503, 'The database does not respond.'))
    const dialog = await openLog(scene)
    expect(await dialog.findByText('Error loading calls: The database does not respond.')).toBeInTheDocument()
  })
})

import { screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { Grant, GrantList } from '@yonder/contract/grant'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { dismissToast, toasts } from '../../lib/toasts.ts'
import { expectConsole } from '../../testing/expect-console.ts'
import { renderScreen } from '../../testing/render-screen.tsx'
import { failure, json, ScriptedApi } from '../../testing/scripted-api.ts'
import { makeConnector, makeTool } from '../../testing/wire-objects.ts'
import { ToastRegion } from '../../ui/toast/toast-region.tsx'
import { PermissionsSection } from './permissions-section.tsx'

beforeEach(() => {
  vi.setSystemTime('2026-11-29T12:00:00Z')
  for (const { id } of toasts.get()) dismissToast(id)
})
afterEach(() => {
  vi.useRealTimers()
})

const grant = (tool: string, more: Partial<Grant> = {}): Grant => ({
  id: `id-${tool}`,
  permission: 'allow',
  server: 'github',
  url: 'https://api.github.example/mcp',
  tool,
  title: null,
  limits: {},
  created_at: '2026-10-02T12:00:00.000Z',
  used_at: '2026-11-26T12:00:00.000Z',
  uses: 3,
  ...more,
})

function open(grants: readonly Grant[], more: Partial<GrantList> = {}) {
  const api = new ScriptedApi()
  const state = { grants: [...grants] }
  api
    .on('GET /api/grants', () => json({ grants: state.grants, unlimited: [], max_hours: null, ...more }))
    .on('GET /api/mcp-servers', () =>
      json([makeConnector({ name: 'github', tools: [makeTool('list'), makeTool('create')] })]),
    )
    .on('PATCH /api/mcp-server/github', () => json(makeConnector({ name: 'github' })))
    .on('POST /api/grants', () => Response.json(grant('create'), { status: 201 }))
    .on('DELETE /api/grants', ({ query }) => {
      const server = query.get('server')
      const kept = state.grants.filter(
        ({ permission, server: of }) => permission === 'block' || (server !== null && of !== server),
      )
      const revoked = state.grants.length - kept.length
      state.grants = kept
      return json({ revoked })
    })
  for (const { id } of grants)
    api.on(`DELETE /api/grants/${id}`, () => {
      state.grants = state.grants.filter((other) => other.id !== id)
      return new Response(null, { status: 204 })
    })
  renderScreen(
    api,
    <>
      <PermissionsSection />
      <ToastRegion />
    </>,
    '/settings/permissions',
  )
  return api
}

const rowOf = async (name: string) => (await screen.findByRole('heading', { name, level: 4 })).closest('li')!
const press = async (row: string, button: string) =>
  userEvent.click(within(await rowOf(row)).getByRole('button', { name: button }))

it('says of each permission how far it goes, since when, and how it was used', async () => {
  open([
    grant('list', { title: 'List issues' }),
    grant('create', {
      limits: { rule: { argument: 'repository', test: 'equals', value: 'register' }, bot: 'Ada' },
      used_at: null,
      uses: 0,
    }),
    grant('move', {
      limits: { chat_id: 'c1', ends_at: '2026-12-01T08:00:00.000Z' },
      chat_title: 'Move stand-up',
      uses: 1,
    }),
    grant('path', { limits: { rule: { argument: 'path', test: 'begins', value: '/docs' } } }),
    grant('lost', { limits: { bot: null } }),
    grant('merge', { permission: 'block' }),
  ])
  expect(await rowOf('List issues')).toHaveTextContent(
    'Always · all botssince 2026-10-02 · used 2026-11-26, 3 times',
  )
  expect(await rowOf('create')).toHaveTextContent(
    'Always, with repository = register · Adasince 2026-10-02 · never used',
  )
  const move = await rowOf('move')
  expect(move).toHaveTextContent(/In the chat Move stand-up, until 2026-12-01 \d\d:\d\d · all bots/)
  expect(move).toHaveTextContent('used 2026-11-26, once')
  expect(within(move).getByRole('link', { name: 'Move stand-up' })).toHaveAttribute('href', '/chat/c1')
  expect(await rowOf('path')).toHaveTextContent('with path beginning with /docs')
  expect(await rowOf('lost')).toHaveTextContent('Always · a bot that was deleted')
  expect(await rowOf('merge')).toHaveTextContent('Blockedsince 2026-10-02Unblock')
  expect(screen.getByRole('region', { name: 'github · api.github.example' })).toBeVisible()
})

it('says why a permission allows nothing any more', async () => {
  open([
    grant('a', { ended: 'expired' }),
    grant('b', { ended: 'changed', changes: [{ what: 'input', before: '1', after: '2' }] }),
    grant('c', { ended: 'gone' }),
    grant('d', { ended: 'always_asks' }),
    grant('e', { ended: 'blocked_by_operator' }),
  ])
  for (const [name, text] of [
    ['a', 'Ended, its time is over'],
    ['b', 'Ended, the server changed this tool: input'],
    ['c', 'Ended, github no longer has this tool'],
    ['d', 'the operator of this server wants this tool to ask every time'],
    ['e', 'the operator of this server has blocked this tool'],
  ] as const)
    expect(await rowOf(name)).toHaveTextContent(text)
  await press('b', 'Remove')
  await waitFor(() => expect(screen.queryByRole('heading', { name: 'b' })).toBeNull())
  // What has ended allowed nothing, so there is nothing to undo.
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull()
})

it('revokes one, moves the focus to the next, and puts a place on the list back with the version of the tool', async () => {
  const api = open([grant('list'), grant('create')])
  await waitFor(() => expect(api.seen('GET /api/mcp-servers')).toHaveLength(1))
  await press('list', 'Revoke')
  await waitFor(() => expect(screen.queryByRole('heading', { name: 'list' })).toBeNull())
  expect(within(await rowOf('create')).getByRole('button')).toHaveFocus()
  await userEvent.click(await screen.findByRole('button', { name: 'Undo' }))
  await waitFor(() => expect(api.seen('PATCH /api/mcp-server/github')).toHaveLength(1))
  expect(api.seen('PATCH /api/mcp-server/github')[0]?.body).toEqual({
    tools: [{ name: 'list', permission: 'allow', fingerprint: 'fingerprint of list' }],
  })
})

it('puts a permission with limits back for the time that was left', async () => {
  const rule = { argument: 'repository', test: 'equals', value: 'register' } as const
  const api = open([
    grant('create', { limits: { rule, bot: 'Ada', chat_id: 'c1', ends_at: '2026-11-29T12:30:00.000Z' } }),
  ])
  await waitFor(() => expect(api.seen('GET /api/mcp-servers')).toHaveLength(1))
  await press('create', 'Revoke')
  await userEvent.click(await screen.findByRole('button', { name: 'Undo' }))
  await waitFor(() => expect(api.seen('POST /api/grants')).toHaveLength(1))
  expect(api.seen('POST /api/grants')[0]?.body).toEqual({
    server: 'github',
    tool: 'create',
    fingerprint: 'fingerprint of create',
    bot: 'Ada',
    chatId: 'c1',
    minutes: 30,
    rule,
  })
})

it('unblocks a tool, and blocks it again by Undo', async () => {
  const api = open([grant('merge', { permission: 'block' })])
  await press('merge', 'Unblock')
  await userEvent.click(await screen.findByRole('button', { name: 'Undo' }))
  await waitFor(() =>
    expect(api.seen('PATCH /api/mcp-server/github')[0]?.body).toEqual({
      tools: [{ name: 'merge', permission: 'block' }],
    }),
  )
})

it('revokes all of one connector or all, after a question, and leaves what is blocked', async () => {
  const api = open([
    grant('list'),
    grant('create'),
    grant('merge', { permission: 'block' }),
    grant('events', { id: 'other', server: 'calendar', url: 'builtin://calendar' }),
    grant('more', { id: 'more', server: 'calendar', url: 'builtin://calendar' }),
  ])
  await userEvent.click(await screen.findByRole('button', { name: 'Revoke all of calendar…' }))
  const dialog = within(screen.getByRole('alertdialog', { name: 'Revoke all 2 permissions of calendar?' }))
  expect(dialog.getByText('Your bots ask again from the next call on.')).toBeVisible()
  await userEvent.click(dialog.getByRole('button', { name: 'Revoke' }))
  await waitFor(() => expect(screen.queryByRole('region', { name: /calendar/ })).toBeNull())
  expect(api.seen('DELETE /api/grants')[0]?.query.get('server')).toBe('calendar')
  await userEvent.click(screen.getByRole('button', { name: 'Revoke all…' }))
  await userEvent.click(
    within(screen.getByRole('alertdialog', { name: 'Revoke all 2 permissions?' })).getByRole('button', {
      name: 'Revoke',
    }),
  )
  await waitFor(() => expect(screen.queryByRole('heading', { name: 'create' })).toBeNull())
  expect(await rowOf('merge')).toBeVisible()
  expect(api.seen('DELETE /api/grants')[1]?.query.get('server')).toBeNull()
})

it('names the connectors whose every tool runs, and the limit of the operator', async () => {
  open([], { unlimited: ['files'], max_hours: 48 })
  expect(await screen.findByText(/runs without asking/)).toHaveTextContent(
    'Every tool of files runs without asking',
  )
  expect(screen.getByRole('link', { name: 'Configure files' })).toHaveAttribute(
    'href',
    '/settings/connectors?configure=files',
  )
  expect(
    screen.getByText('The operator of this server lets a permission last for 2 days at most.'),
  ).toBeVisible()
})

it('says that bots ask before every call when there is no permission', async () => {
  open([])
  expect(await screen.findByText('Your bots ask before every call.')).toBeVisible()
  expect(screen.queryByRole('button', { name: 'Revoke all…' })).toBeNull()
})

it('keeps a permission that was not revoked, and says why', async () => {
  expectConsole('error', /was not revoked/)
  const api = open([grant('list')])
  api.on('DELETE /api/grants/id-list', () => failure(503, 'unavailable', 'The disk is full.'))
  await press('list', 'Revoke')
  expect(await screen.findByText('The permission was not revoked: The disk is full.')).toBeVisible()
  expect(await rowOf('list')).toBeVisible()
})

it('says that the permissions could not be loaded, and loads them again', async () => {
  expectConsole('error', /fetching the data/)
  const api = new ScriptedApi().on('GET /api/mcp-servers', () => json([]))
  api.on('GET /api/grants', () => failure(503, 'unavailable', 'The database does not respond.'))
  renderScreen(api, <PermissionsSection />)
  expect(await screen.findByText('The permissions could not be loaded')).toBeVisible()
  api.on('GET /api/grants', () => json({ grants: [grant('list')], unlimited: [], max_hours: null }))
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await rowOf('list')).toBeVisible()
})

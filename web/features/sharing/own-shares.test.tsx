import { screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, it } from 'vitest'
import { dismissToast, toasts } from '../../lib/toasts.ts'
import { expectConsole } from '../../testing/expect-console.ts'
import { renderScreen } from '../../testing/render-screen.tsx'
import { failure, json, ScriptedApi } from '../../testing/scripted-api.ts'
import { makeOwnShare } from '../../testing/wire-objects.ts'
import { ToastRegion } from '../../ui/toast/toast-region.tsx'
import { OwnShares } from './own-shares.tsx'

const first = makeOwnShare()
const second = makeOwnShare({ id: 'def', title: '', created_at: '2026-11-18T10:00:00.000Z' })

afterEach(() => {
  for (const { id } of toasts.get()) dismissToast(id)
})

function open(api: ScriptedApi) {
  renderScreen(
    api,
    <>
      <OwnShares />
      <ToastRegion />
    </>,
  )
}

function serve(shares = [first, second]) {
  let left = shares
  return new ScriptedApi()
    .on('GET /api/shares', () => json({ shares: left }))
    .on('DELETE /api/share/abc', () => {
      left = left.filter(({ id }) => id !== 'abc')
      return new Response(null, { status: 204 })
    })
}

it('lists the links, which open in a new tab and can be copied', async () => {
  const user = userEvent.setup()
  open(serve())
  const link = await screen.findByRole('link', { name: /How do tides work/ })
  expect(link).toHaveAttribute('href', `${location.origin}/share/abc`)
  expect(link).toHaveAttribute('target', '_blank')
  expect(screen.getByRole('link', { name: /Shared chat/ })).toBeVisible()
  const [copy] = screen.getAllByRole('button', { name: 'Copy link' })
  await user.click(copy as Element)
  expect(await navigator.clipboard.readText()).toBe(`${location.origin}/share/abc`)
})

it('revokes a link after a confirmation, and removes it from the list', async () => {
  const api = serve()
  open(api)
  await screen.findByRole('link', { name: /How do tides work/ })
  const [revoke] = screen.getAllByRole('button', { name: 'Revoke' })
  await userEvent.click(revoke as Element)
  expect(api.seen('DELETE /api/share/abc')).toHaveLength(0)
  const dialog = screen.getByRole('alertdialog', { name: 'Revoke Link' })
  await userEvent.click(within(dialog).getByRole('button', { name: 'Revoke' }))
  expect(await screen.findByText('Link revoked')).toBeVisible()
  await waitFor(() => expect(screen.queryByRole('link', { name: /How do tides work/ })).toBeNull())
  expect(screen.queryByRole('alertdialog')).toBeNull()
})

it('keeps a link when the user cancels', async () => {
  const api = serve()
  open(api)
  await screen.findByRole('link', { name: /How do tides work/ })
  const [revoke] = screen.getAllByRole('button', { name: 'Revoke' })
  await userEvent.click(revoke as Element)
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  expect(screen.queryByRole('alertdialog')).toBeNull()
  expect(api.seen('DELETE /api/share/abc')).toHaveLength(0)
})

it('treats a link that is already gone as revoked', async () => {
  open(
    serve().on('DELETE /api/share/abc', () =>
      failure(404, 'not_found', 'There is no such link. Reload the page.'),
    ),
  )
  const [revoke] = await screen.findAllByRole('button', { name: 'Revoke' })
  await userEvent.click(revoke as Element)
  await userEvent.click(screen.getAllByRole('button', { name: 'Revoke' }).at(-1) as Element)
  expect(await screen.findByText('Link revoked')).toBeVisible()
})

it('shows why a link could not be revoked, and keeps it', async () => {
  expectConsole('error', /Failed to revoke link/)
  open(
    serve().on('DELETE /api/share/abc', () => failure(503, 'unavailable', 'The database does not respond.')),
  )
  const [revoke] = await screen.findAllByRole('button', { name: 'Revoke' })
  await userEvent.click(revoke as Element)
  await userEvent.click(screen.getAllByRole('button', { name: 'Revoke' }).at(-1) as Element)
  expect(await screen.findByText('Failed to revoke link: The database does not respond.')).toBeVisible()
  expect(screen.getByText('How do tides work?')).toBeInTheDocument()
})

it('shows how to create a link when there are none', async () => {
  open(serve([]))
  expect(screen.getByText('Loading shared links...')).toBeVisible()
  expect(await screen.findByText(/No shared links yet/)).toBeVisible()
})

it('shows an error when the links could not be loaded', async () => {
  expectConsole('error', /fetching the data\. 500/)
  open(new ScriptedApi().on('GET /api/shares', () => failure(500, 'internal', 'Broken.')))
  expect(await screen.findByText(/^Your shared links could not be loaded/)).toBeVisible()
})

it('withholds the files of a link', async () => {
  let files = true
  const api = serve()
  api.on('GET /api/shares', () => json({ shares: [{ ...first, files }] }))
  api.on('PATCH /api/share/abc', ({ body }) => {
    files = (body as { files: boolean }).files
    return new Response(null, { status: 204 })
  })
  open(api)
  expect(await screen.findByText(/, with its files/)).toBeVisible()
  await userEvent.click(screen.getByRole('button', { name: 'Withhold files' }))
  await waitFor(() => expect(screen.queryByText(/, with its files/)).toBeNull())
  expect(screen.queryByRole('button', { name: 'Withhold files' })).toBeNull()
  expect(screen.getByRole('button', { name: 'Revoke' })).toHaveFocus()
  expect(await screen.findByText('Visitors of the link see only the names of its files now')).toBeVisible()
})

import { screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { expectConsole } from '../../testing/expect-console.ts'
import { renderScreen } from '../../testing/render-screen.tsx'
import { failure, ScriptedApi } from '../../testing/scripted-api.ts'
import { ToastRegion } from '../../ui/toast/toast-region.tsx'
import { ExportDialog } from './export-dialog.tsx'

const route = 'GET /api/chat/c1/export'
let api: ScriptedApi
const onClose = vi.fn()
const clicked = vi.fn()

beforeEach(() => {
  api = new ScriptedApi()
  onClose.mockReset()
  clicked.mockReset()
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:1')
  vi.spyOn(URL, 'revokeObjectURL').mockReturnValue(undefined)
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    clicked(this.download)
  })
})
afterEach(() => void vi.restoreAllMocks())

const open = () =>
  renderScreen(
    api,
    <>
      <ExportDialog chat={{ id: 'c1', title: 'Heat pumps' }} onClose={onClose} />
      <ToastRegion />
    </>,
  )
const download = (disposition: string) =>
  new Response('text', { headers: { 'content-disposition': disposition } })
const asked = () => api.seen(route).map(({ query }) => Object.fromEntries(query))

test('a chat is saved as Markdown with its files, under the name that the server gives', async () => {
  api.on(route, () => download(`attachment; filename="_.zip"; filename*=UTF-8''W%C3%A4rmepumpen.zip`))
  open()
  expect(screen.getByRole('dialog', { name: 'Export this chat' })).toHaveAccessibleDescription('Heat pumps')
  expect(screen.getByRole('radio', { name: /^Markdown/ })).toHaveFocus()
  await userEvent.click(screen.getByRole('button', { name: 'Export' }))
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
  expect(asked()).toEqual([{ format: 'markdown', files: 'true' }])
  expect(clicked).toHaveBeenCalledExactlyOnceWith('Wärmepumpen.zip')
})

test('JSON without files', async () => {
  api.on(route, () => download('attachment; filename="Heat pumps.json"'))
  open()
  await userEvent.click(screen.getByRole('radio', { name: /^JSON/ }))
  await userEvent.click(screen.getByRole('checkbox', { name: 'With files' }))
  await userEvent.click(screen.getByRole('button', { name: 'Export' }))
  await waitFor(() => expect(clicked).toHaveBeenCalledExactlyOnceWith('Heat pumps.json'))
  expect(asked()).toEqual([{ format: 'json', files: 'false' }])
})

test('paper opens the chat, which prints itself', async () => {
  const { path } = open()
  await userEvent.click(screen.getByRole('radio', { name: /^PDF or paper/ }))
  expect(screen.getByRole('checkbox', { name: 'With files' })).toBeDisabled()
  await userEvent.click(screen.getByRole('button', { name: 'Print' }))
  expect(path()).toBe('/chat/c1')
  expect(onClose).toHaveBeenCalledOnce()
  expect(asked()).toEqual([])
})

test('a failure says why, and the dialog stays', async () => {
  expectConsole('error', /could not be exported/)
  api.on(route, () => failure(409, 'chat_deleted', 'This chat was deleted.'))
  open()
  await userEvent.click(screen.getByRole('button', { name: 'Export' }))
  expect(await screen.findByText('“Heat pumps” could not be exported. This chat was deleted.')).toBeVisible()
  expect(onClose).not.toHaveBeenCalled()
})

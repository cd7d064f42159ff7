import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { ImportPreview, ImportResult, Transfer } from '@yonder/contract/transfer'
import { beforeEach, expect, test, vi } from 'vitest'
import { SelfServiceContext } from '../../../data/self-service.ts'
import { expectConsole } from '../../../testing/expect-console.ts'
import { makeSignedIn } from '../../../testing/make-identity.ts'
import { renderScreen } from '../../../testing/render-screen.tsx'
import { failure, json, ScriptedApi } from '../../../testing/scripted-api.ts'
import { ToastRegion } from '../../../ui/toast/toast-region.tsx'
import { IdentityContext } from '../../identity/use-identity.ts'
import { DataSection } from '../data-section.tsx'

const transfer = (state: Transfer['state'], fields: Partial<Transfer> = {}): Transfer => ({
  id: 'i1',
  state,
  files: [{ name: 'chats.zip', size: 400_000, uploaded: true }],
  done: 0,
  total: null,
  created_time: '2026-11-28T13:20:00Z',
  expires_time: '2026-11-29T13:20:00Z',
  ...fields,
})

const preview = (fields: Partial<ImportPreview> = {}): ImportPreview => ({
  source: 'chatgpt',
  new_chats: 1288,
  known_chats: 12,
  changed_chats: 9,
  unreadable_chats: 0,
  unreadable: [],
  files: 207,
  file_bytes: 340_000_000,
  missing_files: 0,
  first_time: '2023-01-14T12:00:00Z',
  last_time: '2026-11-20T12:00:00Z',
  ...fields,
})

const result = (fields: Partial<ImportResult> = {}): ImportResult => ({
  new_chats: 1285,
  changed_chats: 9,
  known_chats: 3,
  skipped_chats: 0,
  skipped: [],
  files: 207,
  missing_files: 0,
  ...fields,
})

const skipped = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    title: `Chat ${index + 1}`,
    problem: 'It has no messages.',
  }))

let api: ScriptedApi
/** The import that the server has. */
let stored: Transfer | null

beforeEach(() => {
  stored = null
  api = new ScriptedApi()
    .on('GET /api/transfers', () => json({ export: null, import: stored }))
    .on('GET /api/files', () => json({ used: 0, quota: 1_000_000_000, max_file: 25_000_000 }))
    .on('GET /api/bots', () =>
      json([
        { name: 'Ada', model: 'claude-sonnet-4' },
        { name: 'Owl', model: 'gpt-5' },
      ]),
    )
    .on('POST /api/imports', () => {
      stored = transfer('uploading')
      return json(stored)
    })
    .on('PUT /api/imports/i1/files/0', () => {
      stored = transfer('reading', { done: 0, total: 400_000 })
      return new Response(null, { status: 204 })
    })
    .on('POST /api/imports/i1/cancel', () => {
      stored = transfer('cancelled', { result: stored?.result })
      return new Response(null, { status: 204 })
    })
    .on('POST /api/imports/i1/start', () => {
      stored = transfer('running', { preview: preview(), done: 412, total: 1297 })
      return json(stored)
    })
})

const identity = makeSignedIn()

async function open(selfService = false) {
  const view = renderScreen(
    api,
    <SelfServiceContext value={selfService}>
      <IdentityContext value={identity}>
        <DataSection />
      </IdentityContext>
      <ToastRegion />
    </SelfServiceContext>,
  )
  await screen.findByRole('heading', { name: 'Import' })
  return view
}

const button = (name: string | RegExp) => screen.findByRole('button', { name })
const zip = (name = 'chats.zip', content = 'zip') => new File([content], name, { type: 'application/zip' })
const input = () => document.querySelector<HTMLInputElement>('input[type=file]')!
const number = (name: string | RegExp) => screen.getByText(name, { selector: 'dt' }).nextElementSibling

test('an import goes from chosen files over the preview to the imported chats, and the focus goes along', async () => {
  const user = userEvent.setup()
  await open()
  act(() => screen.getByRole('button', { name: 'Choose files' }).focus())
  await user.upload(input(), zip())
  expect(await screen.findByText(/^Reading, 0 B of 400 kB/)).toBeVisible()
  expect(api.seen('POST /api/imports')[0]?.body).toEqual({ files: [{ name: 'chats.zip', size: 3 }] })
  expect(api.seen('PUT /api/imports/i1/files/0')[0]?.file).toHaveProperty('name', 'chats.zip')
  await waitFor(() => expect(screen.getByRole('button', { name: 'Cancel' })).toHaveFocus())

  stored = transfer('ready', { preview: preview() })
  const start = await screen.findByRole('button', { name: 'Import 1,297 chats' })
  await waitFor(() => expect(start).toHaveFocus())
  expect(number('New chats')).toHaveTextContent('1,288')
  expect(number('Already here, 9 with new messages or files')).toHaveTextContent('12')
  expect(number('Files and pictures')).toHaveTextContent('207, 340 MB')
  expect(number('From')).toHaveTextContent('2023-01-14 to 2026-11-20')
  await user.selectOptions(await screen.findByRole('combobox', { name: 'Bot of these chats' }), 'Owl (gpt-5)')
  expect(screen.getByRole('checkbox', { name: 'Put them into a project “ChatGPT”' })).toBeChecked()
  await user.click(start)
  expect(api.seen('POST /api/imports/i1/start')[0]?.body).toEqual({ bot: 'Owl', project: true })
  expect(await screen.findByText('412 of 1,297 chats. You can leave this page.')).toBeVisible()

  stored = transfer('done', { preview: preview(), result: result({ project_id: 'p1' }) })
  expect(await screen.findByText('1,294 chats are in, 9 of them with new messages or files.')).toBeVisible()
  expect(screen.getByRole('link', { name: 'Show them' })).toHaveAttribute('href', '/project/p1')
  expect(await button('Choose other files')).toHaveFocus()
})

test('a file that waits for the imports of others does not look as if it were read', async () => {
  stored = transfer('reading', { done: 0, total: null })
  await open()
  expect(await screen.findByText('Starts when the server is free. You can leave this page.')).toBeVisible()
})

test('the server is asked each second only while it works', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  try {
    stored = transfer('running', { preview: preview(), done: 1, total: 9 })
    await open()
    await act(() => vi.advanceTimersByTimeAsync(3_500))
    expect(api.seen('GET /api/transfers').length).toBeGreaterThanOrEqual(4)
    stored = transfer('done', { result: result() })
    await act(() => vi.advanceTimersByTimeAsync(2_000))
    const asked = api.seen('GET /api/transfers').length
    await act(() => vi.advanceTimersByTimeAsync(10_000))
    expect(api.seen('GET /api/transfers')).toHaveLength(asked)
  } finally {
    vi.useRealTimers()
  }
})

test('files can be dropped anywhere on the page, but not while another import is not finished', async () => {
  await open()
  const items = [{ kind: 'file', getAsFile: () => zip() }]
  const drag = { dataTransfer: { types: ['Files'], items, files: [zip()], dropEffect: '' } }
  fireEvent.dragEnter(document.body, drag)
  expect(await screen.findByText('Drop to look into it')).toBeVisible()
  fireEvent.drop(document.body, drag)
  expect(await screen.findByText(/You can leave this page\.$/)).toBeVisible()
  fireEvent.drop(document.body, drag)
  expect(await screen.findByText(/^Another import is not finished/)).toBeVisible()
  expect(api.seen('POST /api/imports')).toHaveLength(1)
})

test('an upload that fails says why and goes on with the file that has failed', async () => {
  expectConsole('error', /Error uploading an export/)
  const user = userEvent.setup()
  const refuse = () => failure(507, 'storage_full', 'The disk of the server is full.')
  api.on('PUT /api/imports/i1/files/1', refuse)
  await open()
  await user.upload(input(), [zip('a.json'), zip('b.json')])
  expect(await screen.findByText('2 files could not be uploaded.')).toBeVisible()
  expect(screen.getByText('The disk of the server is full.')).toBeVisible()
  api.on('PUT /api/imports/i1/files/1', () => {
    stored = transfer('reading')
    return new Response(null, { status: 204 })
  })
  await user.click(await button('Try again'))
  expect(await screen.findByText(/You can leave this page\.$/)).toBeVisible()
  expect(
    api.requests.filter(({ route }) => route.startsWith('PUT')).map(({ route }) => route.at(-1)),
  ).toEqual(['0', '1', '1'])
})

test('files that are too large are refused with the reason, and cannot be sent again', async () => {
  expectConsole('error', /Error uploading an export/)
  const user = userEvent.setup()
  api.on('POST /api/imports', () => failure(413, 'payload_too_large', 'The files have 2,000 MB.'))
  await open()
  await user.upload(input(), zip())
  expect(await screen.findByText('The files have 2,000 MB.')).toBeVisible()
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
  await user.click(await button('Cancel'))
  expect(await button('Choose files')).toHaveFocus()
})

test('an upload whose response was lost goes on with the next file', async () => {
  const user = userEvent.setup()
  api
    .on('PUT /api/imports/i1/files/0', () => {
      stored = transfer('uploading')
      return failure(409, 'conflict', 'This file is here already, or the import was cancelled.')
    })
    .on('PUT /api/imports/i1/files/1', () => {
      stored = transfer('reading')
      return json(stored)
    })
  await open()
  await user.upload(input(), [zip('a.json'), zip('b.json')])
  expect(await screen.findByText(/You can leave this page\.$/)).toBeVisible()
})

test('an upload that is cancelled is cancelled on the server, and the focus returns to the choice of files', async () => {
  const user = userEvent.setup()
  // The scripted upload does not end by itself when it is aborted.
  let end: (response: Response) => void = () => undefined
  api.on('PUT /api/imports/i1/files/0', () => new Promise((resolve) => (end = resolve)))
  await open()
  await user.upload(input(), zip())
  const cancel = await button('Cancel')
  await user.click(cancel)
  expect(cancel).toHaveAttribute('aria-busy', 'true')
  end(new Response(null, { status: 204 }))
  expect(await button('Choose files')).toHaveFocus()
  expect(api.seen('POST /api/imports/i1/cancel')).toHaveLength(1)
})

test('an upload of another page is not called lost, and can be begun again', async () => {
  const user = userEvent.setup()
  stored = transfer('uploading')
  await open()
  expect(screen.getByText(/goes on in the tab in which it began/)).toBeVisible()
  expect(await button('Choose the files again')).toBeVisible()
  await user.upload(input(), zip())
  expect(await screen.findByText(/You can leave this page\.$/)).toBeVisible()
})

test('nothing is sent of an empty file, or of more files than an import may have', async () => {
  const user = userEvent.setup()
  await open()
  await user.upload(input(), new File([], 'nothing.zip'))
  expect(await screen.findByText('nothing.zip is empty.')).toBeVisible()
  await user.upload(
    input(),
    Array.from({ length: 101 }, (_, index) => zip(`${index}.json`)),
  )
  expect(await screen.findByText('101 files, at most 100 at once.')).toBeVisible()
  expect(api.seen('POST /api/imports')).toEqual([])
})

test('a running import is cancelled after a question, and says what is in', async () => {
  const user = userEvent.setup()
  stored = transfer('running', {
    preview: preview(),
    done: 430,
    total: 1297,
    result: result({ new_chats: 412, changed_chats: 0 }),
  })
  await open()
  await user.click(await button('Cancel'))
  const question = screen.getByRole('alertdialog', { name: 'Stop the import?' })
  expect(question).toHaveAccessibleDescription('The 412 chats that are in stay.')
  await user.click(within(question).getByRole('button', { name: 'Stop' }))
  expect(await screen.findByText(/^The import was cancelled\./, { selector: 'p' })).toHaveTextContent(
    '412 chats are in.',
  )
  expect(await button('Choose files')).toHaveFocus()
  // What was being stored meanwhile.
  stored = transfer('cancelled', { result: result({ new_chats: 430, changed_chats: 0 }) })
  expect(await screen.findByText('430 chats are in.')).toBeVisible()
})

test('chats that cannot be read are folded after five, and those not imported are saved as a text', async () => {
  const user = userEvent.setup()
  stored = transfer('ready', { preview: preview({ unreadable_chats: 7, unreadable: skipped(7) }) })
  await open()
  const list = screen.getByRole('list', { name: 'Chats that cannot be read' })
  expect(within(list).getAllByRole('listitem')).toHaveLength(5)
  await user.click(await button('Show all 7'))
  expect(within(list).getAllByRole('listitem')).toHaveLength(7)
  expect(await button('Show fewer')).toHaveFocus()
})

test('the failures of an import are saved as a text', async () => {
  const user = userEvent.setup()
  const blobs: Blob[] = []
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    blobs.push(blob as Blob)
    return 'blob:1'
  })
  vi.spyOn(URL, 'revokeObjectURL').mockReturnValue(undefined)
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockReturnValue(undefined)
  stored = transfer('done', {
    result: result({
      skipped_chats: 3,
      skipped: [{ title: null, problem: 'It has no messages.' }, ...skipped(1)],
      missing_files: 11,
    }),
  })
  await open()
  expect(screen.getByText(/^3 chats were not imported\. 11 files stand as their names/)).toBeVisible()
  await user.click(await button('List of failures'))
  expect(await blobs[0]?.text()).toBe(
    'Untitled: It has no messages.\nChat 1: It has no messages.\nAnd 1 more\n',
  )
  vi.restoreAllMocks()
})

test('an import without anything new is not offered, and one that failed says why', async () => {
  stored = transfer('ready', { preview: preview({ new_chats: 0, changed_chats: 0 }) })
  const { unmount } = await open()
  expect(screen.getByText(/^There is nothing new in it/)).toBeVisible()
  expect(screen.queryByRole('button', { name: /^Import/ })).toBeNull()
  unmount()
  stored = transfer('failed', { error: 'pictures.zip holds no export that Yonder knows.' })
  await open()
  expect(screen.getByText('Nothing could be imported.')).toBeVisible()
  expect(screen.getByText('pictures.zip holds no export that Yonder knows.')).toBeVisible()
  expect(await button('Choose another file')).toBeVisible()
})

test('without a bot the way to one is shown, and files beyond the space are said before', async () => {
  api.on('GET /api/bots', () => json([]))
  stored = transfer('ready', { preview: preview({ file_bytes: 2_000_000_000 }) })
  await open()
  expect(await screen.findByText(/^You have no bot yet\./)).toBeVisible()
  expect(screen.getByRole('link', { name: 'Add one' })).toHaveAttribute('href', '/settings/bots')
  expect(await screen.findByText(/^Your files would take more than 1 GB\./)).toBeVisible()
  await userEvent.click(await button('Import 1,297 chats'))
  expect(api.seen('POST /api/imports/i1/start')).toEqual([])
})

test('everything is exported only where users help themselves', async () => {
  const { unmount } = await open(false)
  expect(screen.queryByRole('heading', { name: 'Export' })).toBeNull()
  unmount()
  await open(true)
  expect(screen.getByRole('heading', { name: 'Export' })).toBeVisible()
})

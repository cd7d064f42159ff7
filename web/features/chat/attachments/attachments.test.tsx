import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { FilePlan, UploadedFile } from '@yonder/contract/file'
import { toContent } from '@yonder/contract/message-text'
import { afterEach, expect, test, vi } from 'vitest'
import { keptFiles } from '../../../lib/files/kept-files.ts'
import { dismissToast, toasts } from '../../../lib/toasts.ts'
import { expectConsole } from '../../../testing/expect-console.ts'
import { renderScreen } from '../../../testing/render-screen.tsx'
import { failure, json, ScriptedApi, settle, type SeenRequest } from '../../../testing/scripted-api.ts'
import { owlAndFox } from '../../../testing/wire-objects.ts'
import { drafts, formatContent } from '../chat-storage.ts'
import { useBotChoice } from '../composer/bot-select.tsx'
import { Composer } from '../composer/composer.tsx'

const route = 'POST /api/files'
const onSend = vi.fn()

afterEach(() => {
  vi.restoreAllMocks()
  onSend.mockReset()
  for (const { id } of toasts.get()) dismissToast(id)
})

function Example({ busy = false }: { readonly busy?: boolean }) {
  const choice = useBotChoice('home_page_selected_bot')
  return <Composer choice={choice} draftKey="draft" busy={busy} onSend={onSend} />
}

const stored = (name: string, more: Partial<UploadedFile> = {}): UploadedFile => ({
  id: `stored ${name}`,
  name,
  type: name.endsWith('.png') ? 'image/png' : 'application/pdf',
  size: 2_500,
  ...more,
})
const nameOf = ({ query }: SeenRequest) => query.get('name') ?? ''

/** Opens the input with a server that stores every file and plans it as text, unless the test scripts other responses. */
async function open(
  api = new ScriptedApi(),
  plan: (id: string, bot: string) => Partial<FilePlan> = () => ({}),
) {
  api
    .on('GET /api/bots', () => json(owlAndFox))
    .on('GET /api/files', () => json({ used: 0, quota: 1e9, max_file: 25e6 }))
    .on('POST /api/files/plan', ({ body }) => {
      const { files, botName } = body as { readonly files: readonly string[]; readonly botName: string }
      return json({
        files: files.map((id) => ({ id, as: 'text', tokens: 700, ...plan(id, botName) })),
      })
    })
  const view = renderScreen(api, <Example />)
  await screen.findByRole('combobox')
  return { api, ...view }
}
const storing = () => new ScriptedApi().on(route, (request) => json(stored(nameOf(request))))

const file = (name: string, content = 'content', type = '') => new File([content], name, { type })
const input = () => screen.getByPlaceholderText<HTMLTextAreaElement>('Type your message...')
const sendButton = () => screen.getByRole('button', { name: 'Send message' })
const choose = (...files: File[]) =>
  userEvent.upload(document.querySelector<HTMLInputElement>('input[type=file]')!, files)
const cards = () => within(screen.getByRole('list', { name: 'Attached files' })).getAllByRole('listitem')
const card = (text: RegExp | string) => screen.findByRole('button', { name: text })
const errors = () => toasts.get().filter(({ kind }) => kind === 'error')

/** Uploads whose responses the test sends. */
function heldUploads(api: ScriptedApi) {
  const held: { readonly request: SeenRequest; readonly respond: (response: Response) => void }[] = []
  api.on(route, (request) => {
    request.upload?.onProgress(0)
    return new Promise((resolve, reject) => {
      held.push({ request, respond: resolve })
      request.upload?.signal.addEventListener('abort', () => reject(request.upload?.signal.reason as Error))
    })
  })
  return held
}

test('uploads a chosen file at once, says what the model is given, and sends it with the text', async () => {
  const api = new ScriptedApi()
  const held = heldUploads(api)
  await open(api, () => ({ part: { unit: 'page', given: 12, total: 40 } }))
  await choose(file('Rules.pdf'))
  expect(await card('Rules.pdf Uploading, 0 %')).toBeVisible()
  expect(held[0]?.request.file?.size).toBe(7)
  act(() => held[0]?.request.upload?.onProgress(3))
  expect(await card('Rules.pdf Uploading, 42 %')).toBeVisible()
  act(() => held[0]?.respond(json(stored('Rules.pdf'))))
  expect(await card('Rules.pdf As text, 12 of 40 pages')).toBeVisible()
  await userEvent.type(input(), 'May I?{Enter}')
  expect(onSend).toHaveBeenCalledExactlyOnceWith(toContent('May I?', [stored('Rules.pdf')]), 'Owl')
  expect(screen.queryByRole('list', { name: 'Attached files' })).toBeNull()
})

test('sends a message that is only a file', async () => {
  await open(storing())
  expect(sendButton()).toBeDisabled()
  await choose(file('Rules.pdf'))
  await card('Rules.pdf As text')
  await userEvent.click(sendButton())
  expect(onSend).toHaveBeenCalledExactlyOnceWith(toContent('', [stored('Rules.pdf')]), 'Owl')
})

test('uploads at most three files at once, and refuses the eleventh', async () => {
  const api = new ScriptedApi()
  const held = heldUploads(api)
  await open(api)
  await choose(...Array.from({ length: 11 }, (_, index) => file(`${index + 1}.pdf`)))
  await waitFor(() => expect(held).toHaveLength(3))
  expect(cards()).toHaveLength(10)
  expect(errors()).toMatchObject([{ text: 'A message can have 10 files. One was not attached.' }])
  expect(await card('4.pdf Waiting to upload')).toBeVisible()
  act(() => held[0]?.respond(json(stored('1.pdf'))))
  await waitFor(() => expect(held.map(({ request }) => nameOf(request))).toContain('4.pdf'))
  expect(held).toHaveLength(4)
  await choose(file('12.pdf'), file('13.pdf'))
  expect(errors().at(-1)).toMatchObject({ text: 'A message can have 10 files. 2 were not attached.' })
})

test('waits with sending until all files are uploaded, and stops waiting at a press', async () => {
  const api = new ScriptedApi()
  const held = heldUploads(api)
  await open(api)
  await choose(file('1.pdf'), file('2.pdf'))
  await waitFor(() => expect(held).toHaveLength(2))
  await userEvent.type(input(), 'Look{Enter}')
  expect(screen.getByText('Waiting for 2 files')).toBeVisible()
  expect(input()).toHaveAttribute('readonly')
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  expect(input()).toHaveFocus()
  await userEvent.type(input(), ' here{Enter}')
  act(() => held[0]?.respond(json(stored('1.pdf'))))
  expect(await screen.findByText('Waiting for one file')).toBeVisible()
  expect(onSend).not.toHaveBeenCalled()
  act(() => held[1]?.respond(json(stored('2.pdf'))))
  const both = [stored('1.pdf'), stored('2.pdf')]
  await waitFor(() => expect(onSend).toHaveBeenCalledExactlyOnceWith(toContent('Look here', both), 'Owl'))
})

test('keeps the message unsent when an upload fails, says why, and uploads again', async () => {
  expectConsole('error', /Error uploading/)
  const api = new ScriptedApi()
  const held = heldUploads(api)
  await open(api)
  await choose(file('1.pdf'))
  await waitFor(() => expect(held).toHaveLength(1))
  await userEvent.type(input(), 'Look{Enter}')
  act(() => held[0]?.respond(failure(507, 'storage_full', 'The disk is full.')))
  expect(
    await screen.findByText('Not sent: “1.pdf” could not be uploaded. Retry or remove it.'),
  ).toBeVisible()
  expect(await card('1.pdf The disk is full.')).toBeVisible()
  expect(onSend).not.toHaveBeenCalled()
  await userEvent.click(screen.getByRole('button', { name: 'Retry 1.pdf' }))
  await waitFor(() => expect(held).toHaveLength(2))
  act(() => held[1]?.respond(json(stored('1.pdf'))))
  await card('1.pdf As text')
  await userEvent.click(sendButton())
  expect(onSend).toHaveBeenCalledExactlyOnceWith(toContent('Look', [stored('1.pdf')]), 'Owl')
})

test('does not offer another attempt for a file that the server never takes', async () => {
  expectConsole('error', /Error uploading/)
  const api = new ScriptedApi().on(route, () =>
    failure(415, 'unsupported_media_type', 'This is a video (MP4).'),
  )
  await open(api)
  await choose(file('Clip.mp4'))
  expect(await card('Clip.mp4 This is a video (MP4).')).toBeVisible()
  expect(screen.queryByRole('button', { name: /Retry/ })).toBeNull()
  await userEvent.type(input(), '{Enter}')
  expect(screen.getByText('Not sent: “Clip.mp4” could not be uploaded. Remove it.')).toBeVisible()
  await userEvent.click(screen.getByRole('button', { name: 'Remove Clip.mp4' }))
  expect(screen.queryByRole('list', { name: 'Attached files' })).toBeNull()
  expect(drafts.read('draft')).toBe('')
})

test('uploads nothing of a file that is empty or too large', async () => {
  const api = storing()
  await open(api)
  const large = file('Large.pdf')
  Object.defineProperty(large, 'size', { value: 31_000_000 })
  await choose(file('Empty.txt', ''), large)
  expect(await card('Empty.txt The file is empty.')).toBeVisible()
  expect(await card('Large.pdf 31.0 MB, at most 25 MB.')).toBeVisible()
  expect(api.seen(route)).toEqual([])
})

test('uploads again after a request that reached no server', async () => {
  let attempts = 0
  const api = new ScriptedApi().on(route, (request) => {
    attempts += 1
    if (attempts === 1) throw new TypeError('Failed to fetch')
    return json(stored(nameOf(request)))
  })
  await open(api)
  await choose(file('1.pdf'))
  expect(await card('1.pdf As text')).toBeVisible()
  expect(attempts).toBe(2)
})

test('ends the upload of a file that is removed, and uploads the next', async () => {
  const api = new ScriptedApi()
  const held = heldUploads(api)
  await open(api)
  await choose(...['1', '2', '3', '4'].map((name) => file(`${name}.pdf`)))
  await waitFor(() => expect(held).toHaveLength(3))
  await userEvent.click(screen.getByRole('button', { name: 'Cancel 2.pdf' }))
  expect(held[1]?.request.upload?.signal.aborted).toBe(true)
  await waitFor(() => expect(held).toHaveLength(4))
  act(() => held.forEach(({ request, respond }) => respond(json(stored(nameOf(request))))))
  await card('4.pdf As text')
  expect(cards()).toHaveLength(3)
})

test('attaches the same file once', async () => {
  await open(new ScriptedApi().on(route, () => json(stored('1.pdf'))))
  await choose(file('1.pdf'))
  await card('1.pdf As text')
  await choose(file('Copy.pdf'))
  await waitFor(() => expect(toasts.get()).toMatchObject([{ text: 'Copy.pdf is attached already.' }]))
  expect(cards()).toHaveLength(1)
})

const paste = (data: Record<string, string>, files: readonly File[] = []) => {
  const clipboardData = {
    types: [...Object.keys(data), ...(files.length > 0 ? ['Files'] : [])],
    getData: (type: string) => data[type] ?? '',
    items: files.map((each) => ({ kind: 'file', getAsFile: () => each })),
    files,
  }
  return fireEvent.paste(input(), { clipboardData })
}
const long = Array.from({ length: 312 }, (_, index) => `line ${index + 1} of the log`).join('\n')

test('makes a file of a long text that is pasted, and puts it where the caret was instead', async () => {
  await open(storing())
  await userEvent.type(input(), 'before after')
  input().setSelectionRange(7, 7)
  expect(paste({ 'text/plain': long })).toBe(false)
  expect(await screen.findByText(/Pasted text, 312 lines/)).toBeVisible()
  expect(await card('Pasted text.txt As text')).toBeVisible()
  expect(input()).toHaveValue('before after')
  await userEvent.click(screen.getByRole('button', { name: 'Put into the message' }))
  expect(input()).toHaveValue(`before ${long}after`)
  expect(screen.queryByRole('list', { name: 'Attached files' })).toBeNull()
  await waitFor(() => expect(input().selectionStart).toBe(7 + long.length))
})

test('undoes a long paste with the usual keys, and leaves a short one to the browser', async () => {
  await open(storing())
  expect(paste({ 'text/plain': 'x'.repeat(4_000) })).toBe(true)
  expect(paste({ 'text/plain': 'x'.repeat(4_001) })).toBe(false)
  await card('Pasted text.txt As text')
  await userEvent.keyboard('{Control>}z{/Control}')
  expect(input()).toHaveValue('x'.repeat(4_001))
  await userEvent.keyboard('{Control>}z{/Control}')
  expect(input()).toHaveValue('x'.repeat(4_001))
})

test('attaches pasted pictures, but pastes what was copied in an Office program as text', async () => {
  await open(storing())
  const picture = file('image.png', 'pixels', 'image/png')
  expect(paste({ 'text/plain': 'a cell', 'text/html': '<td>a cell</td>' }, [picture])).toBe(true)
  expect(paste({ 'text/html': '<img>' }, [picture])).toBe(false)
  expect(await screen.findByRole('button', { name: /^Pasted picture\.png/ })).toBeVisible()
  const others = ['other pixels', 'more pixels'].map((pixels) => file('image.png', pixels, 'image/png'))
  expect(paste({}, [...others, file('roof.png', 'a roof', 'image/png')])).toBe(false)
  for (const name of [/^Pasted picture 2\.png/, /^Pasted picture 3\.png/, /^roof\.png/])
    expect(await screen.findByRole('button', { name })).toBeVisible()
})

test('attaches what is dropped on the page, and shows where', async () => {
  await open(storing())
  const dataTransfer = { types: ['Files'], items: [], files: [file('1.pdf')], dropEffect: 'none' }
  fireEvent.dragEnter(document.body, { dataTransfer })
  expect(await screen.findByText('Drop to attach')).toBeVisible()
  expect(await screen.findByText('Up to 10 files of 25 MB: pictures, PDF, Office, text, code')).toBeVisible()
  expect(fireEvent.dragOver(document.body, { dataTransfer })).toBe(false)
  expect(fireEvent.drop(document.body, { dataTransfer })).toBe(false)
  expect(await card('1.pdf As text')).toBeVisible()
  expect(screen.queryByText('Drop to attach')).toBeNull()
})

test('says that a folder cannot be attached', async () => {
  await open(storing())
  const item = (each: File, isDirectory: boolean) => ({
    kind: 'file',
    getAsFile: () => each,
    webkitGetAsEntry: () => ({ isDirectory }),
  })
  const [folder, one] = [file('folder'), file('1.pdf')]
  const dataTransfer = {
    types: ['Files'],
    items: [item(folder, true), item(one, false)],
    files: [folder, one],
  }
  fireEvent.drop(document.body, { dataTransfer })
  expect(await card('1.pdf As text')).toBeVisible()
  expect(cards()).toHaveLength(1)
  expect(errors()).toMatchObject([{ text: 'A folder cannot be added. Add the files in it.' }])
})

test('says before sending that the bot cannot see pictures, and offers one that can', async () => {
  const { api } = await open(storing(), (_, bot) => (bot === 'Owl' ? { as: 'name' } : { as: 'picture' }))
  await choose(file('roof.png', 'pixels', 'image/png'))
  const ask = await screen.findByRole('button', { name: 'Ask Fox instead' })
  expect(screen.getByText(/cannot see pictures/)).toHaveTextContent(
    'owl-1 cannot see pictures. It only gets their names. Ask Fox instead',
  )
  await userEvent.click(ask)
  expect(screen.getByRole('combobox')).toHaveValue('Fox')
  await waitFor(() => expect(screen.queryByText(/cannot see pictures/)).toBeNull())
  const asked = () =>
    api.seen('POST /api/files/plan').map(({ body }) => (body as { botName: string }).botName)
  await waitFor(() => expect(asked()).toEqual(['Owl', 'Fox', 'Fox']))
})

test('says of each picture why only its name is given when others are seen', async () => {
  await open(storing(), (id) =>
    id.includes('huge') ? { as: 'name', reason: 'It is larger than 5 MB.' } : { as: 'picture' },
  )
  await choose(file('huge.png', '1', 'image/png'), file('roof.png', '2', 'image/png'))
  expect(await card('huge.png Only its name: It is larger than 5 MB.')).toBeVisible()
  expect(screen.queryByText(/cannot see pictures/)).toBeNull()
})

test('says of a file that is not stored to attach it again', async () => {
  localStorage.setItem('draft', formatContent(toContent('', [stored('Old.pdf')])))
  const api = new ScriptedApi()
  await open(api)
  api.on('POST /api/files/plan', () => json({ files: [] }))
  expect(await card('Old.pdf It is not stored here. Attach it again.')).toBeVisible()
})

test('changes the name of a file and describes a picture, also before it is stored', async () => {
  const api = new ScriptedApi()
  const held = heldUploads(api)
  await open(api, () => ({ as: 'picture' }))
  await choose(file('IMG_1.png', 'pixels', 'image/png'))
  await userEvent.click(await card(/^IMG_1\.png/))
  const dialog = screen.getByRole('dialog', { name: 'Attached picture' })
  const name = within(dialog).getByLabelText('Name *')
  await userEvent.clear(name)
  await userEvent.type(name, 'Roof.png')
  await userEvent.type(within(dialog).getByLabelText('Description'), 'A red roof')
  await waitFor(() => expect(held).toHaveLength(1))
  act(() => held[0]?.respond(json(stored('IMG_1.png'))))
  await settle()
  await userEvent.click(within(dialog).getByRole('button', { name: 'Save' }))
  await userEvent.click(sendButton())
  const sent = stored('IMG_1.png', { name: 'Roof.png', alt: 'A red roof' })
  expect(onSend).toHaveBeenCalledExactlyOnceWith(toContent('', [sent]), 'Owl')
})

test('removes files with the keyboard, and keeps the focus', async () => {
  await open(storing())
  await choose(file('1.pdf'), file('2.pdf'), file('3.pdf'))
  const second = await card('2.pdf As text')
  await card('3.pdf As text')
  act(() => second.focus())
  await userEvent.keyboard('{Delete}')
  expect(await card('3.pdf As text')).toHaveFocus()
  await userEvent.keyboard('{Delete}')
  expect(await card('1.pdf As text')).toHaveFocus()
  await userEvent.keyboard('{Delete}')
  expect(input()).toHaveFocus()
})

test('says of a file whose upload a reload has ended to attach it again, where the browser keeps no files', async () => {
  const ref = { ...stored('1.pdf'), id: 'local:1' }
  localStorage.setItem('draft', formatContent(toContent('Look', [ref])))
  await open(storing())
  expect(await card('1.pdf The page was closed before the file was uploaded. Attach it again.')).toBeVisible()
  expect(screen.queryByRole('button', { name: /Retry/ })).toBeNull()
})

test('announces how far the uploads are', async () => {
  const api = new ScriptedApi()
  const held = heldUploads(api)
  await open(api)
  await choose(file('1.pdf'))
  await waitFor(() => expect(held).toHaveLength(1))
  expect(screen.getByText('Uploading one file')).toBeInTheDocument()
  act(() => held[0]?.respond(json(stored('1.pdf'))))
  expect(await screen.findByText('Attached one file')).toBeInTheDocument()
})

test('opens the dialog that chooses files, and a menu where there is a camera', async () => {
  await open()
  const button = screen.getByRole('button', { name: 'Add files' })
  const pick = vi.spyOn(document.querySelector<HTMLInputElement>('input[type=file]')!, 'click')
  await userEvent.click(button)
  expect(screen.queryByRole('menu')).toBeNull()
  await userEvent.keyboard('{Control>}u{/Control}')
  expect(pick).toHaveBeenCalledTimes(2)
  cleanup()
  vi.spyOn(window, 'matchMedia').mockImplementation(
    (query) =>
      Object.assign(new EventTarget(), { matches: query.includes('coarse'), media: query }) as MediaQueryList,
  )
  await open()
  await userEvent.click(screen.getByRole('button', { name: 'Add files' }))
  expect(screen.getByRole('menuitem', { name: 'Files and pictures' })).toHaveFocus()
  expect(screen.getByRole('menuitem', { name: 'Take a picture' })).toBeInTheDocument()
  await userEvent.keyboard('{Escape}')
  expect(screen.getByRole('button', { name: 'Add files' })).toHaveFocus()
})

test('uploads a file at another attempt when the code for uploads could not be loaded', async () => {
  expectConsole('error', /code for uploads/)
  vi.doMock('./upload-queue.ts', () => {
    throw new TypeError('Failed to fetch dynamically imported module')
  })
  await open(storing())
  await choose(file('1.pdf'))
  expect(await card('1.pdf A part of the page could not be loaded. Try again.')).toBeVisible()
  vi.doUnmock('./upload-queue.ts')
  await userEvent.click(screen.getByRole('button', { name: 'Retry 1.pdf' }))
  expect(await card('1.pdf As text')).toBeVisible()
})

test('pastes nothing into a message that waits for its files', async () => {
  const api = new ScriptedApi()
  const uploads = heldUploads(api)
  await open(api)
  await choose(file('1.pdf'))
  await waitFor(() => expect(uploads).toHaveLength(1))
  await userEvent.type(input(), 'Look{Enter}')
  paste({}, [file('2.pdf')])
  paste({ 'text/plain': long })
  expect(cards()).toHaveLength(1)
})

test('sends a message that waited for its files after a reply that has begun meanwhile', async () => {
  const api = new ScriptedApi()
  const held = heldUploads(api)
  const { redraw } = await open(api)
  await choose(file('1.pdf'))
  await waitFor(() => expect(held).toHaveLength(1))
  await userEvent.type(input(), 'Look{Enter}')
  redraw(<Example busy />)
  act(() => held[0]?.respond(json(stored('1.pdf'))))
  await waitFor(() => expect(screen.queryByText('Waiting for one file')).toBeNull())
  expect(screen.getByText('Waiting for the reply')).toBeVisible()
  expect(onSend).not.toHaveBeenCalled()
  redraw(<Example />)
  await waitFor(() =>
    expect(onSend).toHaveBeenCalledExactlyOnceWith(toContent('Look', [stored('1.pdf')]), 'Owl'),
  )
})

test('counts the lines of a pasted text once', async () => {
  await open(storing())
  const count = vi.spyOn(String.prototype, 'split')
  paste({ 'text/plain': long })
  await screen.findByText(/Pasted text, 312 lines/)
  await userEvent.type(input(), 'What is wrong?')
  expect(count.mock.contexts.filter((text) => String(text) === long)).toHaveLength(1)
})

test('keeps the focus when the pressed button goes away', async () => {
  expectConsole('error', /Error uploading/)
  const api = new ScriptedApi().on(route, () => failure(507, 'storage_full', 'The disk is full.'))
  await open(api, (_, bot) => (bot === 'Owl' ? { as: 'name' } : { as: 'picture' }))
  await choose(file('roof.png', 'pixels', 'image/png'))
  const retry = await screen.findByRole('button', { name: 'Retry roof.png' })
  const held = heldUploads(api)
  await userEvent.click(retry)
  expect(screen.getByRole('button', { name: /^roof\.png/ })).toHaveFocus()
  await waitFor(() => expect(held).toHaveLength(1))
  act(() => held[0]?.respond(json(stored('roof.png'))))
  await userEvent.click(await screen.findByRole('button', { name: 'Ask Fox instead' }))
  await waitFor(() => expect(screen.queryByText(/cannot see pictures/)).toBeNull())
  expect(input()).toHaveFocus()
})

test('stores nothing in the browser of a file whose draft is gone when it is uploaded', async () => {
  const write = vi.spyOn(keptFiles, 'write')
  const api = new ScriptedApi()
  const held = heldUploads(api)
  const { unmount } = await open(api)
  await choose(file('1.pdf'))
  await waitFor(() => expect(held).toHaveLength(1))
  unmount()
  drafts.write('draft', '')
  write.mockClear()
  held[0]?.respond(json(stored('1.pdf')))
  await settle()
  expect(write).not.toHaveBeenCalled()
})

test('does not say of a later file that the message was not sent', async () => {
  expectConsole('error', /Error uploading/)
  await open(new ScriptedApi().on(route, () => failure(415, 'unsupported_media_type', 'This is a video.')))
  await choose(file('1.mp4'))
  await card('1.mp4 This is a video.')
  await userEvent.type(input(), 'Look{Enter}')
  expect(screen.getByRole('alert')).toHaveTextContent('Not sent')
  await userEvent.click(screen.getByRole('button', { name: 'Remove 1.mp4' }))
  await choose(file('2.mp4'))
  await card('2.mp4 This is a video.')
  expect(screen.queryByRole('alert')).toBeNull()
})

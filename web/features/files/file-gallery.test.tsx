import { fireEvent, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { KeepMountedContext } from '../../lib/keep-mounted.ts'
import { dismissToast, toasts } from '../../lib/toasts.ts'
import { expectConsole } from '../../testing/expect-console.ts'
import { renderScreen } from '../../testing/render-screen.tsx'
import { failure, ScriptedApi } from '../../testing/scripted-api.ts'
import { showAllElements } from '../../testing/tool-chat-scene.tsx'
import { AudioCard } from './file-card.tsx'
import { FileGallery } from './file-gallery.tsx'
import { StoredPicture } from './stored-picture.tsx'

const pictures = ['roof', 'garden'].map((name) => ({
  id: name,
  name: `${name}.png`,
  type: 'image/png',
  size: 300,
  width: 640,
  height: 480,
}))
const [roof, garden] = pictures
const rules = { id: 'rules', name: 'Rules.pdf', type: 'application/pdf', size: 84_000 }
const song = { id: 'song', name: 'song.mp3', type: 'audio/mpeg', size: 300 }
const bytes = (type: string) => () => new Response(new Uint8Array(3), { headers: { 'content-type': type } })

beforeEach(() => showAllElements())
afterEach(() => {
  vi.restoreAllMocks()
  for (const { id } of toasts.get()) dismissToast(id)
})

function open(files = [{ ...roof!, alt: 'A red roof' }, garden!, rules]) {
  const api = new ScriptedApi()
    .on('GET /api/files/roof', bytes('image/png'))
    .on('GET /api/files/garden', bytes('image/png'))
    .on('GET /api/files/rules', bytes('application/pdf'))
  return { api, ...renderScreen(api, <FileGallery files={files} align="end" />) }
}

test('shows pictures in a place of their size, and forgets them when they are gone', async () => {
  const revoke = vi.spyOn(URL, 'revokeObjectURL')
  const { api, unmount } = open()
  const picture = await screen.findByRole('img', { name: 'A red roof' })
  expect(picture.closest('[style]')).toHaveStyle({ aspectRatio: '640 / 480' })
  expect(api.seen('GET /api/files/roof')).toHaveLength(1)
  await screen.findByRole('img', { name: 'garden.png' })
  unmount()
  await vi.waitFor(() => expect(revoke).toHaveBeenCalledTimes(2))
})

test('opens a picture over the page, and goes to the next with the arrow keys', async () => {
  const { api } = open()
  const button = await screen.findByRole('button', { name: 'A red roof' })
  await userEvent.click(button)
  const dialog = await screen.findByRole('dialog', { name: 'roof.png' })
  expect(await within(dialog).findByRole('img', { name: 'A red roof' })).toBeVisible()
  expect(within(dialog).getByText('1 of 2')).toBeVisible()
  fireEvent.keyDown(dialog, { key: 'ArrowRight' })
  fireEvent.keyDown(dialog, { key: 'ArrowRight' })
  expect(screen.getByRole('dialog', { name: 'garden.png' })).toBeVisible()
  fireEvent.keyDown(dialog, { key: 'ArrowLeft' })
  expect(screen.getByRole('dialog', { name: 'roof.png' })).toBeVisible()
  // The page and the viewer share what is loaded.
  expect(api.seen('GET /api/files/roof')).toHaveLength(1)
  await userEvent.click(within(dialog).getByRole('button', { name: 'Close' }))
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('says of files that an import lacks that they were not imported, and does not ask for them', async () => {
  const api = new ScriptedApi()
  const missing = [roof!, rules, song].map((file) => ({ ...file, id: `missing-${file.id}` }))
  const [picture, , sound] = missing
  renderScreen(
    api,
    <>
      <FileGallery files={missing} align="end" />
      <AudioCard file={sound!} />
      <StoredPicture id={picture!.id} label="Image from Plot" maxRem={28} onOpen={() => undefined} />
    </>,
  )
  expect(await screen.findAllByText('Not imported')).toHaveLength(4)
  expect(screen.getByText('Image from Plot: not imported')).toBeVisible()
  expect(screen.queryByRole('button')).toBeNull()
})

test('downloads a file under its name', async () => {
  const clicked: HTMLAnchorElement[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    clicked.push(this)
  })
  open()
  expect(screen.getByText('84.0 kB')).toBeVisible()
  await userEvent.click(screen.getByRole('button', { name: 'Download Rules.pdf' }))
  await vi.waitFor(() => expect(clicked).toHaveLength(1))
  expect(clicked[0]).toHaveAttribute('download', 'Rules.pdf')
  expect(clicked[0]?.href).toMatch(/^blob:/)
})

test('shows two files of one name whose bytes a shared link keeps back', () => {
  const { id: _, ...pasted } = roof!
  open([pasted, { ...pasted, size: 400 }].map((file) => ({ ...file, id: '' })))
  expect(screen.getAllByText('roof.png')).toHaveLength(2)
})

test('says that a file could not be downloaded, and that a picture is deleted', async () => {
  expectConsole('error', /garden/)
  const gone = () => failure(404, 'not_found', 'There is no such file.')
  const { api } = open()
  api.on('GET /api/files/rules', gone).on('GET /api/files/roof', gone)
  api.on('GET /api/files/garden', () => failure(503, 'unavailable', 'Later.'))
  expect(await screen.findByText('A red roof: deleted')).toBeVisible()
  expect(await screen.findByText('garden.png could not be loaded.')).toBeVisible()
  await userEvent.click(screen.getByRole('button', { name: 'Download Rules.pdf' }))
  await vi.waitFor(() =>
    expect(toasts.get()).toMatchObject([
      { text: 'Rules.pdf could not be downloaded. There is no such file.' },
    ]),
  )
})

test('loads a file again that could not be loaded, wherever else it is shown', async () => {
  expectConsole('error', /roof/)
  const api = new ScriptedApi().on('GET /api/files/roof', () => failure(503, 'unavailable', 'Later.'))
  renderScreen(
    api,
    <>
      <FileGallery files={[roof!]} align="end" />
      <FileGallery files={[roof!]} align="end" />
    </>,
  )
  expect(await screen.findAllByText('roof.png could not be loaded.')).toHaveLength(2)
  api.on('GET /api/files/roof', bytes('image/png'))
  await userEvent.click(screen.getAllByRole('button', { name: 'Try again' })[0]!)
  expect(await screen.findByRole('img', { name: 'roof.png' })).toBeVisible()
})

test('plays and downloads a sound after it could not be loaded', async () => {
  expectConsole('error', /song/)
  const clicked = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockReturnValue()
  const api = new ScriptedApi().on('GET /api/files/song', () => failure(503, 'unavailable', 'Later.'))
  renderScreen(api, <AudioCard file={song} />)
  await userEvent.click(screen.getByRole('button', { name: 'Play song.mp3' }))
  expect(await screen.findByText('It could not be loaded. Later.')).toBeVisible()
  api.on('GET /api/files/song', bytes('audio/mpeg'))
  await userEvent.click(screen.getByRole('button', { name: 'Download song.mp3' }))
  await vi.waitFor(() => expect(clicked).toHaveBeenCalledOnce())
  await userEvent.click(screen.getByRole('button', { name: 'Play song.mp3' }))
  await vi.waitFor(() => expect(document.querySelector('audio')).toHaveFocus())
})

test('keeps its message mounted while a picture is open or a sound is played', async () => {
  let kept = 0
  const keep = () => {
    kept += 1
    return () => {
      kept -= 1
    }
  }
  const api = new ScriptedApi()
    .on('GET /api/files/roof', bytes('image/png'))
    .on('GET /api/files/song', bytes('audio/mpeg'))
  renderScreen(
    api,
    <KeepMountedContext value={keep}>
      <FileGallery files={[roof!]} align="end" />
      <AudioCard file={song} />
    </KeepMountedContext>,
  )
  await userEvent.click(await screen.findByRole('button', { name: 'roof.png' }))
  const close = await screen.findByRole('button', { name: 'Close' })
  expect(kept).toBe(1)
  await userEvent.click(close)
  expect(kept).toBe(0)
  await userEvent.click(screen.getByRole('button', { name: 'Play song.mp3' }))
  await vi.waitFor(() => expect(kept).toBe(1))
})

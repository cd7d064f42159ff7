import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { preparePicture, UnreadablePictureError } from './prepare-picture.ts'

/** What the browser decodes and encodes: pixels of one alpha value, and blobs of a size for each type. */
let picture: { width: number; height: number; alpha: number } | undefined
let encodedBytes: Record<string, number>
const close = vi.fn()

class Canvas {
  readonly width: number
  readonly height: number
  constructor(width: number, height: number) {
    this.width = width
    this.height = height
  }
  getContext() {
    return {
      drawImage: () => undefined,
      getImageData: () => ({ data: [0, 0, 0, picture?.alpha ?? 255] }),
    }
  }
  async convertToBlob({ type }: { readonly type: string }) {
    return new Blob([new Uint8Array(encodedBytes[type] ?? 0)], { type })
  }
}

beforeEach(() => {
  picture = { width: 800, height: 600, alpha: 255 }
  encodedBytes = { 'image/jpeg': 50, 'image/png': 80 }
  close.mockReset()
  vi.stubGlobal('OffscreenCanvas', Canvas)
  vi.stubGlobal('createImageBitmap', async () => {
    if (picture === undefined) throw new DOMException('cannot be decoded')
    return { ...picture, close }
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
})

const bytesOf = (head: string, size = 100) =>
  new Blob([Uint8Array.from(head.padEnd(size, '\0'), (character) => character.charCodeAt(0))])
const pngHead = (...chunks: string[]) =>
  `\x89PNG\r\n\x1a\n${['IHDR', ...chunks].map((name) => `\0\0\0\0${name}\0\0\0\0`).join('')}`
const webpHead = (flags: string) => `RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0${flags}`
const jpeg = '\xff\xd8\xff\xe0'
const heic = '\0\0\0\x18ftypheic'

const shapeOf = async (name: string, bytes: Blob) => {
  const prepared = await preparePicture(name, bytes)
  return { ...prepared, bytes: prepared.bytes === bytes ? 'as it was' : prepared.bytes.type }
}

test.each([
  ['a JPEG, always', 'a.jpeg', jpeg, 'a.jpeg'],
  ['a HEIC picture that the browser decodes', 'IMG_1.HEIC', heic, 'IMG_1.jpg'],
  ['an AVIF picture', 'a.avif', '\0\0\0\x18ftypavif', 'a.jpg'],
])('encodes %s, as a JPEG without metadata', async (_, name, head, expected) => {
  expect(await shapeOf(name, bytesOf(head))).toEqual({
    name: expected,
    bytes: 'image/jpeg',
    width: 800,
    height: 600,
  })
  expect(close).toHaveBeenCalledOnce()
})

test.each([
  ['a GIF', 'a.gif', 'GIF89a'],
  ['an animated WebP', 'a.webp', webpHead('\x0a')],
  ['an animated PNG', 'a.png', pngHead('acTL', 'eXIf')],
  ['a small PNG without metadata', 'a.png', pngHead('IDAT')],
  ['a small WebP without metadata', 'a.webp', webpHead('\0')],
])('leaves %s as it is', async (_, name, head) => {
  expect(await shapeOf(name, bytesOf(head))).toEqual({ name, bytes: 'as it was', width: 800, height: 600 })
})

test.each([
  ['a PNG with a text', pngHead('tEXt', 'IDAT')],
  ['a PNG with a text after its pixels', `${pngHead()}\0\x03\0\0IDAT${'\0'.repeat(0x30000 + 4)}\0\0\0\0tEXt`],
  ['a WebP with the place of a photo', webpHead('\x08')],
])('removes the metadata of %s without a loss', async (_, head) => {
  expect(await shapeOf('a.png', bytesOf(head))).toMatchObject({ name: 'a.png', bytes: 'image/png' })
})

test('makes a picture smaller that is wider or higher than 2,048 pixels', async () => {
  picture = { width: 3000, height: 4000, alpha: 255 }
  expect(await shapeOf('a.png', bytesOf(pngHead('IDAT')))).toEqual({
    name: 'a.jpg',
    bytes: 'image/jpeg',
    width: 1536,
    height: 2048,
  })
  picture = { width: 3000, height: 4000, alpha: 128 }
  expect(await shapeOf('a.png', bytesOf(pngHead('IDAT')))).toMatchObject({
    name: 'a.png',
    bytes: 'image/png',
  })
})

test('encodes a large PNG as a JPEG only if that is smaller', async () => {
  const large = bytesOf(pngHead('IDAT'), 2_000_000)
  expect(await shapeOf('a.png', large)).toMatchObject({ name: 'a.jpg', bytes: 'image/jpeg' })
  encodedBytes = { 'image/jpeg': 3_000_000 }
  expect(await shapeOf('a.png', large)).toMatchObject({ name: 'a.png', bytes: 'as it was' })
})

test('refuses a HEIC picture that the browser cannot decode, and leaves others to the server', async () => {
  picture = undefined
  await expect(preparePicture('a.heic', bytesOf(heic))).rejects.toThrow(UnreadablePictureError)
  expect(await shapeOf('a.jpg', bytesOf(jpeg))).toEqual({ name: 'a.jpg', bytes: 'as it was' })
  expect(await shapeOf('a.jpg', bytesOf('%PDF-1.7'))).toEqual({ name: 'a.jpg', bytes: 'as it was' })
})

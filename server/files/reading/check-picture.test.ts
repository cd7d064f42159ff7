import sharp from 'sharp'
import { afterAll, expect, it } from 'vitest'
import { openFileReader } from './open-file-reader.ts'

const reader = openFileReader()
afterAll(() => reader.close())
async function* only(bytes: Buffer) {
  yield bytes
}
const check = async (bytes: Buffer) => {
  const outcome = await reader.checkPicture('ada', only(bytes), new AbortController().signal)
  if (outcome === undefined) throw new Error('sharp is missing')
  return outcome
}
const draw = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#336699' } })

it.each([
  ['PNG', draw(30, 20).png()],
  ['JPEG', draw(30, 20).jpeg()],
  ['WebP', draw(30, 20).webp()],
  ['GIF', draw(30, 20).gif()],
])('leaves a plain %s as it is', async (_, picture) => {
  expect(await check(await picture.toBuffer())).toEqual({ picture: { width: 30, height: 20 } })
})

it('turns a picture upright and removes where it was taken', async () => {
  const exif = { IFD0: { Copyright: 'Ada' }, IFD3: { GPSLatitude: '52/1 31/1 0/1' } }
  const bytes = await draw(30, 20).jpeg().withMetadata({ orientation: 6, exif }).toBuffer()
  const outcome = await check(bytes)
  expect(outcome).toMatchObject({ picture: { width: 20, height: 30 } })
  const clean = 'picture' in outcome ? outcome.picture.bytes : undefined
  const { width, height, format, orientation, exif: left } = await sharp(clean).metadata()
  expect({ width, height, format, orientation, left }).toEqual({
    width: 20,
    height: 30,
    format: 'jpeg',
    orientation: undefined,
    left: undefined,
  })
})

it('scales a large picture', async () => {
  const outcome = await check(await draw(4_096, 1_024).png().toBuffer())
  expect(outcome).toMatchObject({ picture: { width: 2_048, height: 512 } })
})

it('leaves an animation as it is', async () => {
  const pages = draw(10, 20).gif()
  const bytes = await sharp(await pages.toBuffer()).toBuffer()
  const animation = await sharp([bytes, await draw(10, 20).negate().gif().toBuffer()], {
    join: { animated: true },
  })
    .gif()
    .toBuffer()
  expect(await check(animation)).toEqual({ picture: { width: 10, height: 20 } })
})

it.each([
  ['that is cut', async () => (await draw(300, 200).jpeg().toBuffer()).subarray(0, 400)],
  [
    'that is a drawing',
    () => Promise.resolve(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')),
  ],
  ['of another format', () => draw(30, 20).tiff().toBuffer()],
  ['with too many pixels', () => draw(8_000, 8_000).png().toBuffer()],
  [
    'that only begins like one',
    () => Promise.resolve(Buffer.from('\x89PNG\r\n\x1A\n\0\0\0\x0DIHDR', 'latin1')),
  ],
])('refuses a picture %s', async (_, make) => {
  expect(await check(await make())).toEqual({ problem: expect.stringContaining('damaged') as string })
})

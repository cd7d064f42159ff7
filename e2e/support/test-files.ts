import { crc32, deflateSync } from 'node:zlib'
import type { Page } from '@playwright/test'

/** A file as `setInputFiles` takes it. */
interface TestFile {
  readonly name: string
  readonly mimeType: string
  readonly buffer: Buffer
}

/** A text of this many lines. */
export function textFile(name: string, lines: number): TestFile {
  const text = Array.from({ length: lines }, (_, index) => `line ${index + 1} of ${name}`).join('\n')
  return { name, mimeType: 'text/plain', buffer: Buffer.from(text) }
}

/** A PNG of one colour. */
export function pngFile(name: string, width: number, height: number, rgb: readonly number[]): TestFile {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  // Eight bits for each of red, green and blue.
  head.set([8, 2], 8)
  const row = Buffer.from([0, ...Array.from({ length: width }, () => rgb).flat()])
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)))
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const chunks = [chunk('IHDR', head), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]
  return { name, mimeType: 'image/png', buffer: Buffer.concat([signature, ...chunks]) }
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const numbers = Buffer.alloc(8)
  numbers.writeUInt32BE(data.length, 0)
  numbers.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([numbers.subarray(0, 4), body, numbers.subarray(4)])
}

/** A photo as phones store it: lying on its side, with its orientation and the place where it was taken. */
export async function photoFile(page: Page, name: string, width: number, height: number): Promise<TestFile> {
  const base64 = await page.evaluate(
    ([w, h]) => {
      const canvas = Object.assign(document.createElement('canvas'), { width: w, height: h })
      const context = canvas.getContext('2d')
      context?.fillRect(0, 0, w, h / 2)
      return canvas.toDataURL('image/jpeg').split(',')[1] ?? ''
    },
    [width, height] as const,
  )
  const jpeg = Buffer.from(base64, 'base64')
  const place = Buffer.from('48.8584 N, 2.2945 E\0')
  // A TIFF with two entries: orientation 6 (turn right to see it upright), and a description.
  const tiff = Buffer.alloc(8 + 2 + 24 + 4)
  tiff.write('MM\0*', 0, 'latin1')
  tiff.writeUInt32BE(8, 4)
  tiff.writeUInt16BE(2, 8)
  tiff.set([0x01, 0x0e, 0, 2], 10)
  tiff.writeUInt32BE(place.length, 14)
  tiff.writeUInt32BE(tiff.length, 18)
  tiff.set([0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0], 22)
  const exif = Buffer.concat([Buffer.from('Exif\0\0'), tiff, place])
  const segment = Buffer.from([0xff, 0xe1, 0, 0])
  segment.writeUInt16BE(exif.length + 2, 2)
  const buffer = Buffer.concat([jpeg.subarray(0, 2), segment, exif, jpeg.subarray(2)])
  return { name, mimeType: 'image/jpeg', buffer }
}

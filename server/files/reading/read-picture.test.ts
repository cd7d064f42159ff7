import { describe, expect, it } from 'vitest'
import { pictureHeadBytes, readPicture } from './read-picture.ts'
import { isPictureKind, sniffKind } from './sniff-kind.ts'

/** The first bytes of a picture with the given size, up to where they are read. */
const headers: Readonly<Record<string, (width: number, height: number) => Buffer>> = {
  png(width, height) {
    const bytes = Buffer.from('89504e470d0a1a0a0000000d494844520000000000000000', 'hex')
    bytes.writeUInt32BE(width, 16)
    bytes.writeUInt32BE(height, 20)
    return bytes
  },
  'gif with a small screen'(width, height) {
    // A table of two colours and an extension come before the picture.
    const bytes = Buffer.from(
      '47494638396101000100800000ffffff00000021f90401000000002c000000000000000000',
      'hex',
    )
    bytes.writeUInt16LE(width, bytes.length - 5)
    bytes.writeUInt16LE(height, bytes.length - 3)
    return bytes
  },
  jpeg(width, height) {
    const bytes = Buffer.from('ffd8ffe000104a46494600010100000100010000fffffffec0001108', 'hex')
    const marked = Buffer.concat([
      bytes.subarray(0, 20),
      Buffer.from('ffc4000400ffffc200110800000000', 'hex'),
    ])
    marked.writeUInt16BE(height, marked.length - 4)
    marked.writeUInt16BE(width, marked.length - 2)
    return marked
  },
  'extended webp'(width, height) {
    const bytes = Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBPVP8X', 'latin1'), Buffer.alloc(14)])
    bytes.writeUIntLE(width - 1, 24, 3)
    bytes.writeUIntLE(height - 1, 27, 3)
    return bytes
  },
  'lossless webp'(width, height) {
    const bytes = Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBPVP8L\0\0\0\0/', 'latin1'), Buffer.alloc(4)])
    bytes.writeUInt32LE((width - 1) | ((height - 1) << 14), 21)
    return bytes
  },
  'lossy webp'(width, height) {
    const bytes = Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1'), Buffer.alloc(14)])
    bytes.writeUInt16LE(width, 26)
    bytes.writeUInt16LE(height, 28)
    return bytes
  },
}

const read = (bytes: Buffer) => {
  const sniffed = sniffKind(bytes, bytes.length, 'picture')
  if ('problem' in sniffed || !isPictureKind(sniffed.kind)) throw new Error('not a picture')
  return readPicture(sniffed.kind, bytes)
}
const damaged = { problem: expect.stringContaining('damaged') as string }

describe.each(Object.keys(headers))('a %s', (format) => {
  const make = headers[format]!

  it('has its size read from its first bytes', () => {
    expect(read(make(7_000, 5_000))).toEqual({ width: 7_000, height: 5_000 })
  })

  it('is refused when it has too many pixels', () => {
    expect(read(make(10_000, 10_000))).toEqual({
      problem:
        'The picture has 10,000 x 10,000 pixels, and at most 50,000,000 in all are accepted. Make it smaller and attach it again.',
    })
  })

  it('is refused when it ends before its size', () => {
    expect(read(make(5, 5).subarray(0, -2))).toEqual(damaged)
  })
})

it('refuses a JPEG whose size is ambiguous', () => {
  // A decoder skips a marker without a length and finds the large frame. A parser that reads the next bytes as a length
  // finds the small one.
  const large = Buffer.from('ffc0001108fffffffff903', 'hex')
  const small = Buffer.from('ffc00011080005000503', 'hex')
  const bytes = Buffer.alloc(70_000)
  Buffer.from('ffd8ffd0', 'hex').copy(bytes)
  large.copy(bytes, 4)
  small.copy(bytes, 4 + 0xffc0)
  expect(read(bytes)).toEqual(damaged)
})

it('refuses a PNG that does not start with its size', () => {
  const size = Buffer.from('0000000d49484452', 'hex')
  const bytes = Buffer.concat([headers['png']!(5, 5), size, Buffer.from('0000ffff0000ffff', 'hex')])
  bytes.write('zzZz', 12, 'latin1')
  expect(read(bytes)).toEqual(damaged)
})

it('finds the size of a JPEG behind long metadata', () => {
  const segment = Buffer.alloc(60_000)
  segment.writeUInt16BE(0xffe1, 0)
  segment.writeUInt16BE(59_998, 2)
  const whole = headers['jpeg']!(640, 480)
  const bytes = Buffer.concat([whole.subarray(0, 2), segment, segment, segment, whole.subarray(2)])
  expect(readPicture('jpeg', bytes.subarray(0, pictureHeadBytes))).toEqual({ width: 640, height: 480 })
})

it('refuses 30,000 x 30,000 pixels with the numbers', () => {
  expect(read(headers['png']!(30_000, 30_000))).toEqual({
    problem: expect.stringContaining('30,000 x 30,000 pixels') as string,
  })
})

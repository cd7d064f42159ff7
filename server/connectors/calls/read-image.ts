/** The signatures (first bytes) of formats that browsers render and that cannot contain scripts. */
const formats: readonly { readonly mimeType: string; readonly begins: (bytes: Buffer) => boolean }[] = [
  { mimeType: 'image/png', begins: (bytes) => bytes.toString('latin1', 0, 8) === '\x89PNG\r\n\x1A\n' },
  { mimeType: 'image/jpeg', begins: (bytes) => bytes.toString('latin1', 0, 3) === '\xFF\xD8\xFF' },
  { mimeType: 'image/gif', begins: (bytes) => /^GIF8[79]a/.test(bytes.toString('latin1', 0, 6)) },
  { mimeType: 'image/webp', begins: (bytes) => /^RIFF.{4}WEBP/s.test(bytes.toString('latin1', 0, 12)) },
]

/** Limited because a small file can declare more pixels than fit into a browser's memory. */
const maxPixels = 25_000_000

/** An image of a result. */
export interface ReadImage {
  readonly mimeType: string
  /** Base64. */
  readonly data: string
  /** In pixels. */
  readonly width: number
  readonly height: number
}

/**
 * Detects the type and size of a base64 image from its bytes. Returns undefined for an image that has another format,
 * is too large, or has a size that cannot be read.
 */
export function readImage(data: unknown, maxBytes: number): ReadImage | undefined {
  if (typeof data !== 'string' || data.length > (maxBytes * 4) / 3 + 4) return undefined
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(data)) return undefined
  const bytes = Buffer.from(data, 'base64')
  const format = formats.find(({ begins }) => begins(bytes))
  const size = format && measureImage(format.mimeType, bytes)
  if (format === undefined || size === undefined || size[0] * size[1] > maxPixels) return undefined
  return { mimeType: format.mimeType, data, width: size[0], height: size[1] }
}

/**
 * Reads width and height from the header of an image; undefined when they cannot be read. Not done with the library
 * `image-size`, which reads only the logical screen of a GIF and misreads JPEG markers without a length, and so lets
 * oversized images pass.
 */
function measureImage(mimeType: string, bytes: Buffer): Size | undefined {
  try {
    const size = measure[mimeType]?.(bytes)
    return size === undefined || size[0] === 0 || size[1] === 0 ? undefined : size
  } catch (error) {
    // The data ends before the size.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

type Size = readonly [width: number, height: number]

const measure: Readonly<Record<string, (bytes: Buffer) => Size | undefined>> = {
  'image/png': measurePng,
  'image/gif': measureGif,
  'image/webp': measureWebp,
  'image/jpeg': measureJpeg,
}

/** The first chunk, IHDR, contains the size. */
function measurePng(bytes: Buffer): Size | undefined {
  if (bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
}

/** Returns the larger of the logical screen and the first frame, since browsers enlarge the screen to that frame. */
function measureGif(bytes: Buffer): Size | undefined {
  const flags = bytes.readUInt8(10)
  // Skips the global colour table and the extensions (0x21) up to the descriptor of the first frame (0x2C).
  let at = 13 + (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)
  for (; bytes.readUInt8(at) === 0x21; at++) {
    for (at += 2; bytes.readUInt8(at) !== 0;) at += bytes.readUInt8(at) + 1
  }
  if (bytes.readUInt8(at) !== 0x2c) return undefined
  const side = (screen: number, from: number, length: number) =>
    Math.max(bytes.readUInt16LE(screen), bytes.readUInt16LE(at + from) + bytes.readUInt16LE(at + length))
  return [side(6, 1, 5), side(8, 3, 7)]
}

function measureWebp(bytes: Buffer): Size | undefined {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1]
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21)
      return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1]
    }
    case 'VP8 ':
      return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff]
    default:
      return undefined
  }
}

/**
 * Reads the size from the first start-of-frame segment (C0 to CF, except C4, C8 and CC). Returns undefined for a marker
 * without a length before that segment: decoders skip such markers, so the size that we read might not be the real one.
 */
function measureJpeg(bytes: Buffer): Size | undefined {
  for (let at = 2; bytes.readUInt8(at) === 0xff;) {
    const kind = bytes.readUInt8(at + 1)
    if (kind === 0xff) {
      at++
      continue
    }
    if (kind <= 0x01 || (kind >= 0xd0 && kind <= 0xd9)) return undefined
    const isFrame = kind >= 0xc0 && kind <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(kind)
    if (isFrame) return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)]
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}

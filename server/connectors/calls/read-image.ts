/** The first bytes of the formats that browsers draw and that cannot contain scripts. */
const formats: readonly { readonly mimeType: string; readonly begins: (bytes: Buffer) => boolean }[] = [
  { mimeType: 'image/png', begins: (bytes) => bytes.toString('latin1', 0, 8) === '\x89PNG\r\n\x1A\n' },
  { mimeType: 'image/jpeg', begins: (bytes) => bytes.toString('latin1', 0, 3) === '\xFF\xD8\xFF' },
  { mimeType: 'image/gif', begins: (bytes) => /^GIF8[79]a/.test(bytes.toString('latin1', 0, 6)) },
  { mimeType: 'image/webp', begins: (bytes) => /^RIFF.{4}WEBP/s.test(bytes.toString('latin1', 0, 12)) },
]

/** A few bytes can describe more pixels than a browser has memory for. */
const maxPixels = 25_000_000

/** Reads a base64 image by its bytes, whatever type is claimed; undefined when its format is not supported or it is too large. */
export function readImage(
  data: unknown,
  maxBytes: number,
): { readonly mimeType: string; readonly data: string } | undefined {
  if (typeof data !== 'string' || data.length > (maxBytes * 4) / 3 + 4) return undefined
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(data)) return undefined
  const bytes = Buffer.from(data, 'base64')
  const format = formats.find(({ begins }) => begins(bytes))
  if (format === undefined || (countPixels(format.mimeType, bytes) ?? Infinity) > maxPixels) return undefined
  return { mimeType: format.mimeType, data }
}

/**
 * Reads the number of pixels from the first bytes of an image; undefined when they do not say. `image-size` reads only the
 * screen of a GIF and misreads JPEG markers without a length, which lets oversized images pass.
 */
export function countPixels(mimeType: string, bytes: Buffer): number | undefined {
  try {
    const size = measure[mimeType]?.(bytes)
    return size === undefined || size[0] === 0 || size[1] === 0 ? undefined : size[0] * size[1]
  } catch (error) {
    // It ends before it has said so.
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

/** The size comes first; decoders pass over parts that they do not know. */
function measurePng(bytes: Buffer): Size | undefined {
  if (bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
}

/** Browsers make the screen as large as its first picture. */
function measureGif(bytes: Buffer): Size | undefined {
  const flags = bytes.readUInt8(10)
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
 * The size stands in the first segment that begins a frame; those that begin with C4, C8 and CC are something else. Markers
 * without a length have no place before it: decoders step over them, and what follows would be taken for one.
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

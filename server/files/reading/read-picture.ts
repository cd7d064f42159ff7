import type { FileProblem, PictureKind } from './sniff-kind.ts'

/** Limited because a small file can declare more pixels than fit into memory. */
export const maxPixels = 50_000_000

/** How much of the beginning of a picture `readPicture` needs, in bytes: a JPEG may have long metadata before its size. */
export const pictureHeadBytes = 1024 * 1024

/** In pixels, before a rotation that the picture's metadata asks for. */
export interface PictureSize {
  readonly width: number
  readonly height: number
}

/**
 * Reads the size of a picture from its header, without decoding it.
 *
 * @param head the first `pictureHeadBytes` bytes, or the whole picture if it is shorter
 */
export function readPicture(kind: PictureKind, head: Buffer): PictureSize | FileProblem {
  const size = measurePicture(kind, head)
  if (size === undefined)
    return {
      problem: 'The picture is damaged: its size cannot be read. Save it again and attach the new file.',
    }
  const [width, height] = size
  if (width * height > maxPixels) {
    const [across, down, most] = [width, height, maxPixels].map((count) => count.toLocaleString('en'))
    return {
      problem: `The picture has ${across} x ${down} pixels, and at most ${most} in all are accepted. Make it smaller and attach it again.`,
    }
  }
  return { width, height }
}

/**
 * Returns width and height; undefined when they cannot be read. Not done with the library `image-size`, which reads only
 * the logical screen of a GIF and misreads JPEG markers without a length, and so lets oversized pictures pass.
 */
function measurePicture(kind: PictureKind, bytes: Buffer): Size | undefined {
  try {
    const size = measure[kind](bytes)
    return size === undefined || size[0] === 0 || size[1] === 0 ? undefined : size
  } catch (error) {
    // The data ends before the size.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

type Size = readonly [width: number, height: number]

const measure: Readonly<Record<PictureKind, (bytes: Buffer) => Size | undefined>> = {
  png: measurePng,
  gif: measureGif,
  webp: measureWebp,
  jpeg: measureJpeg,
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

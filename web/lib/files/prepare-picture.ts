/**
 * Prepares pictures for an upload: upright, without metadata such as the place where a photo was taken, and not larger
 * than a model makes use of. What is no picture, or a browser cannot decode, stays as it is; the server checks it.
 */

/** The longer side of a picture, in pixels. */
const maxSidePx = 2048
/** A larger PNG or WebP without transparency is sent as a JPEG if that is smaller. A small one keeps its sharp text. */
const maxLosslessBytes = 1_000_000
const jpegQuality = 0.85
/** The bytes from which the kind of a picture is told. */
const headBytes = 64 * 1024

export interface PreparedFile {
  readonly name: string
  readonly bytes: Blob
  /** Of a picture, in pixels. */
  readonly width?: number
  readonly height?: number
}

/** Thrown for a picture that must be saved in another way first; the message is for the user. */
export class UnreadablePictureError extends Error {
  override readonly name = 'UnreadablePictureError'
}

type Kind = 'jpeg' | 'png' | 'webp' | 'gif' | 'heic' | 'avif'

const extensions = { 'image/jpeg': 'jpg', 'image/png': 'png' } as const
type OutputType = keyof typeof extensions

/** @throws UnreadablePictureError for a HEIC picture that this browser cannot decode */
export async function preparePicture(name: string, bytes: Blob): Promise<PreparedFile> {
  const head = new Uint8Array(await bytes.slice(0, headBytes).arrayBuffer())
  const kind = kindOf(head)
  if (kind === undefined) return { name, bytes }
  const picture = await decode(bytes)
  if (picture === undefined) {
    if (kind === 'heic')
      throw new UnreadablePictureError(
        'This browser cannot read HEIC pictures. Save it as JPEG and attach it again.',
      )
    return { name, bytes }
  }
  try {
    // A PNG may have metadata after its pixels, too.
    const read = kind === 'png' ? new Uint8Array(await bytes.arrayBuffer()) : head
    return await encode(name, bytes, picture, kind, read)
  } finally {
    picture.close()
  }
}

async function encode(
  name: string,
  bytes: Blob,
  picture: ImageBitmap,
  kind: Kind,
  head: Uint8Array,
): Promise<PreparedFile> {
  const scale = Math.min(1, maxSidePx / Math.max(picture.width, picture.height))
  const unchanged = { name, bytes, width: picture.width, height: picture.height }
  // A canvas would keep only the first picture of an animation.
  if (kind === 'gif' || isAnimated(kind, head)) return unchanged
  const width = Math.max(1, Math.round(picture.width * scale))
  const height = Math.max(1, Math.round(picture.height * scale))
  const canvas = createCanvas(width, height)
  const context = canvas.getContext('2d')
  if (context === null) return unchanged
  context.imageSmoothingQuality = 'high'
  context.drawImage(picture, 0, 0, width, height)
  const isLossless = kind === 'png' || kind === 'webp'
  const mustChange = !isLossless || scale < 1 || hasMetadata(kind, head)
  if (!mustChange && bytes.size <= maxLosslessBytes) return unchanged
  const isOpaque = !isLossless || !hasTransparency(context, width, height)
  const isSmallPng = isLossless && scale === 1 && bytes.size <= maxLosslessBytes
  const type: OutputType = isOpaque && !isSmallPng ? 'image/jpeg' : 'image/png'
  const encoded = await toBlob(canvas, type)
  if (encoded === null || (!mustChange && encoded.size >= bytes.size)) return unchanged
  return { name: withExtension(name, type), bytes: encoded, width, height }
}

/** Returns undefined if the browser cannot decode the picture. */
async function decode(bytes: Blob): Promise<ImageBitmap | undefined> {
  try {
    return await createImageBitmap(bytes, { imageOrientation: 'from-image' })
  } catch {
    return undefined
  }
}

function createCanvas(width: number, height: number): OffscreenCanvas | HTMLCanvasElement {
  if (typeof OffscreenCanvas === 'function') return new OffscreenCanvas(width, height)
  return Object.assign(document.createElement('canvas'), { width, height })
}

async function toBlob(canvas: OffscreenCanvas | HTMLCanvasElement, type: OutputType): Promise<Blob | null> {
  if ('convertToBlob' in canvas) return canvas.convertToBlob({ type, quality: jpegQuality })
  return new Promise((resolve) => canvas.toBlob(resolve, type, jpegQuality))
}

function hasTransparency(
  context: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D,
  width: number,
  height: number,
): boolean {
  const { data } = context.getImageData(0, 0, width, height)
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 255) return true
  return false
}

const text = (bytes: Uint8Array, from: number, to: number) => String.fromCharCode(...bytes.subarray(from, to))

/** Tells the kind of a picture by its first bytes, since names and types may be wrong. */
function kindOf(head: Uint8Array): Kind | undefined {
  if (head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff) return 'jpeg'
  if (text(head, 1, 4) === 'PNG') return 'png'
  if (text(head, 0, 4) === 'GIF8') return 'gif'
  if (text(head, 0, 4) === 'RIFF' && text(head, 8, 12) === 'WEBP') return 'webp'
  if (text(head, 4, 8) !== 'ftyp') return undefined
  const brand = text(head, 8, 12)
  if (brand.startsWith('avi')) return 'avif'
  return /^(?:hei[cmsx]|hev[cmx]|mif1|msf1)$/.test(brand) ? 'heic' : undefined
}

function isAnimated(kind: Kind, bytes: Uint8Array): boolean {
  if (kind === 'webp') return (webpFlags(bytes) & 0x02) !== 0
  return kind === 'png' && chunksOf(bytes).has('acTL')
}

/** Whether a PNG or WebP has more than pixels and colours, such as the place of a photo or the program that made it. */
function hasMetadata(kind: Kind, bytes: Uint8Array): boolean {
  if (kind === 'webp') return (webpFlags(bytes) & 0x0c) !== 0
  const chunks = chunksOf(bytes)
  return ['eXIf', 'tEXt', 'zTXt', 'iTXt', 'tIME'].some((name) => chunks.has(name))
}

/** The flags of an extended WebP: 0x02 for an animation, 0x04 for XMP and 0x08 for EXIF. */
const webpFlags = (head: Uint8Array): number => (text(head, 12, 16) === 'VP8X' ? (head[20] ?? 0) : 0)

/** The names of the chunks of a PNG. */
function chunksOf(png: Uint8Array): ReadonlySet<string> {
  const names = new Set<string>()
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength)
  for (let at = 8; at + 8 <= png.length; at += 12 + view.getUint32(at)) names.add(text(png, at + 4, at + 8))
  return names
}

function withExtension(name: string, type: OutputType): string {
  const extension = extensions[type]
  const isRight = type === 'image/jpeg' ? /\.jpe?g$/i.test(name) : /\.png$/i.test(name)
  return isRight ? name : `${name.replace(/\.[a-z\d]{1,5}$/i, '')}.${extension}`
}

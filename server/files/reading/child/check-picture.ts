import { pathToFileURL } from 'node:url'
import type sharpLibrary from 'sharp'
import type { Metadata, Sharp, SharpOptions } from 'sharp'
import { maxPixels } from '../read-picture.ts'
import type { ChildOutput } from './child-protocol.ts'
import { problems } from './problems.ts'

/** In pixels; no model looks at larger pictures. */
const maxSide = 2_048
/** Of 100. */
const quality = 85

/**
 * Decodes a picture with the library sharp. Returns one that is upright, has at most 2,048 pixels on each side and no
 * metadata, unless the given one is like that already. An animation is only decoded.
 *
 * @param library the path of sharp
 */
export async function checkPicture(bytes: Buffer, library: string): Promise<ChildOutput> {
  const { default: sharp } = (await import(pathToFileURL(library).href)) as { default: typeof sharpLibrary }
  // Older ones do not refuse other formats reliably (GHSA-f88m-g3jw-g9cj).
  const [major = 0, minor = 0] = sharp.versions.sharp.split('.').map(Number)
  if (major === 0 && minor < 35) return { answer: { isUnchecked: true } }
  sharp.block({ operation: ['VipsForeignLoad'] })
  const loaders = ['Jpeg', 'Png', 'Webp', 'Nsgif'].map((format) => `VipsForeignLoad${format}Buffer`)
  sharp.unblock({ operation: loaders })
  sharp.concurrency(1)
  sharp.cache(false)
  const open = (options?: SharpOptions) =>
    sharp(bytes, { limitInputPixels: maxPixels, failOn: 'error', ...options })
  try {
    const metadata = await open().metadata()
    const { width, height } = metadata.autoOrient
    if ((metadata.pages ?? 1) > 1 || isPlain(metadata)) {
      await open({ animated: true }).stats()
      return { answer: { picture: { width, height } } }
    }
    const upright = open().autoOrient().resize(maxSide, maxSide, { fit: 'inside', withoutEnlargement: true })
    const { data, info } = await encode(upright, metadata.format).toBuffer({ resolveWithObject: true })
    return { answer: { picture: { width: info.width, height: info.height } }, picture: data }
  } catch {
    return { answer: { problem: problems.damagedPicture } }
  }
}

/** Whether it is upright, small and without metadata. */
function isPlain({ width, height, orientation, exif, xmp, iptc, comments }: Metadata): boolean {
  const hasMetadata = [exif, xmp, iptc, comments].some((value) => value !== undefined)
  return Math.max(width, height) <= maxSide && (orientation ?? 1) === 1 && !hasMetadata
}

function encode(picture: Sharp, format: string): Sharp {
  if (format === 'jpeg') return picture.jpeg({ quality })
  if (format === 'webp') return picture.webp({ quality })
  return format === 'gif' ? picture.gif() : picture.png()
}

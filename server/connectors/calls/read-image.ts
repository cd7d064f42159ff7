import { countPixels } from './count-pixels.ts'

/** The first bytes of the formats that browsers draw and that hold no script. */
const formats: readonly { readonly mimeType: string; readonly begins: (bytes: Buffer) => boolean }[] = [
  { mimeType: 'image/png', begins: (bytes) => bytes.toString('latin1', 0, 8) === '\x89PNG\r\n\x1A\n' },
  { mimeType: 'image/jpeg', begins: (bytes) => bytes.toString('latin1', 0, 3) === '\xFF\xD8\xFF' },
  { mimeType: 'image/gif', begins: (bytes) => /^GIF8[79]a/.test(bytes.toString('latin1', 0, 6)) },
  { mimeType: 'image/webp', begins: (bytes) => /^RIFF.{4}WEBP/s.test(bytes.toString('latin1', 0, 12)) },
]

/** A few bytes can stand for more pixels than a browser has memory for. */
const mostPixels = 25_000_000

/** A picture from base64, by what it is and not by what it says it is; nothing when it is none of ours or too large. */
export function readImage(
  data: unknown,
  mostBytes: number,
): { readonly mimeType: string; readonly data: string } | undefined {
  if (typeof data !== 'string' || data.length > (mostBytes * 4) / 3 + 4) return undefined
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(data)) return undefined
  const bytes = Buffer.from(data, 'base64')
  const format = formats.find(({ begins }) => begins(bytes))
  if (format === undefined || (countPixels(format.mimeType, bytes) ?? Infinity) > mostPixels) return undefined
  return { mimeType: format.mimeType, data }
}

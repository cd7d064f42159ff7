import type { gmail_v1 } from '@googleapis/gmail'

/** Bytes of a part that are read. */
const longestPart = 1_000_000

/** A part's text. Google gives most of it as UTF-8; what is something else is read as its mail says, and never refused. */
export function decodePart(part: gmail_v1.Schema$MessagePart): string {
  const data = part.body?.data ?? ''
  const most = Math.floor((longestPart * 4) / 3)
  const bytes = Buffer.from(data.slice(0, most), 'base64url')
  // Half a character at the cut is left out, and does not make the whole text something else than UTF-8.
  const stream = data.length > most
  return (
    decodeAs('utf-8', bytes, { fatal: true, stream }) ??
    decodeAs(charsetOf(part), bytes, { stream }) ??
    bytes.toString('latin1')
  )
}

function charsetOf({ headers }: gmail_v1.Schema$MessagePart): string {
  const type = headers?.find(({ name }) => name?.toLowerCase() === 'content-type')?.value ?? ''
  return /charset\s*=\s*"?([\w.:-]{1,40})/i.exec(type)?.[1] ?? 'windows-1252'
}

function decodeAs(
  charset: string,
  bytes: Buffer,
  { fatal = false, stream }: { readonly fatal?: boolean; readonly stream: boolean },
): string | undefined {
  try {
    return new TextDecoder(charset, { fatal }).decode(bytes, { stream })
  } catch {
    return undefined
  }
}

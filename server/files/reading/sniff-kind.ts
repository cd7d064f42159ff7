import { extname } from 'node:path'

/** Documents whose text can be read. Code, CSV, JSON, Markdown, HTML, SVG and XML are text. */
export type DocumentKind = 'pdf' | 'docx' | 'xlsx' | 'pptx' | 'text'
export type PictureKind = 'png' | 'jpeg' | 'webp' | 'gif'
export type FileKind = DocumentKind | PictureKind | 'audio'

export interface SniffedFile {
  readonly kind: FileKind
  /** The type that the file is stored and sent with, such as `image/png`. */
  readonly mediaType: string
}

export function isPictureKind(kind: FileKind): kind is PictureKind {
  return kind === 'png' || kind === 'jpeg' || kind === 'webp' || kind === 'gif'
}

/** A file that is not accepted, with the reason as a sentence. */
export interface FileProblem {
  readonly problem: string
}

/** How much of the beginning of a file `sniffKind` looks at, in bytes. */
export const sniffedBytes = 64 * 1024

const accepted =
  'Pictures (PNG, JPEG, WebP, GIF), PDF, Office documents (DOCX, XLSX, PPTX) and text can be attached.'

const officeTypes = {
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
} as const

/** Types of text that a browser never runs. All other text, such as HTML and SVG, is `text/plain`. */
const textTypes: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.md': 'text/markdown',
  '.markdown': 'text/markdown',
  '.json': 'application/json',
}

/** Looks at the beginning of a file, as Latin-1 text. */
type Signature = (start: string) => boolean

const begins =
  (...texts: readonly string[]): Signature =>
  (start) =>
    texts.some((text) => start.startsWith(text))
const hasAt =
  (at: number, ...texts: readonly string[]): Signature =>
  (start) =>
    texts.some((text) => start.startsWith(text, at))
const riff =
  (form: string): Signature =>
  (start) =>
    start.startsWith('RIFF') && start.startsWith(form, 8)
/** ISO media files, with their main brand. */
const iso = (...brands: readonly string[]) => hasAt(4, ...brands.map((brand) => `ftyp${brand}`))

/** The first one that fits counts. */
const signatures: readonly (readonly [Signature, SniffedFile | FileProblem])[] = [
  [begins('\x89PNG\r\n\x1A\n'), { kind: 'png', mediaType: 'image/png' }],
  [begins('\xFF\xD8\xFF'), { kind: 'jpeg', mediaType: 'image/jpeg' }],
  [begins('GIF87a', 'GIF89a'), { kind: 'gif', mediaType: 'image/gif' }],
  [riff('WEBP'), { kind: 'webp', mediaType: 'image/webp' }],
  // Some programs write a byte order mark or an empty line before it.
  [
    (start) => /^(?:\xEF\xBB\xBF)?[\r\n\t ]{0,16}%PDF-/.test(start),
    { kind: 'pdf', mediaType: 'application/pdf' },
  ],
  [riff('WAVE'), { kind: 'audio', mediaType: 'audio/wav' }],
  [begins('fLaC'), { kind: 'audio', mediaType: 'audio/flac' }],
  [
    (start) => start.startsWith('OggS') && /vorbis|OpusHead|FLAC|Speex/.test(start.slice(0, 300)),
    { kind: 'audio', mediaType: 'audio/ogg' },
  ],
  [begins('ID3\x02', 'ID3\x03', 'ID3\x04'), { kind: 'audio', mediaType: 'audio/mpeg' }],
  // Frames of layer III.
  [(start) => /^\xFF[\xE2\xE3\xF2\xF3\xFA\xFB]/.test(start), { kind: 'audio', mediaType: 'audio/mpeg' }],
  [iso('M4A ', 'M4B '), { kind: 'audio', mediaType: 'audio/mp4' }],
  [begins('{\\rtf'), refuse('an RTF document', 'Save it as DOCX or PDF and attach it again.')],
]

/** Why a user cannot attach what a tool may return. */
export const audioProblem = refuse('a sound').problem

const saveAsPicture = 'Save it as JPEG or PNG and attach it again.'

/** What begins with these bytes and is not text. */
const refused: readonly (readonly [Signature, FileProblem])[] = [
  [iso('hei', 'hev', 'mif1', 'msf1'), refuse('a HEIC picture', 'Save it as JPEG and attach it again.')],
  [iso('avif', 'avis'), refuse('an AVIF picture', saveAsPicture)],
  [iso('qt'), refuse('a video (QuickTime)')],
  [iso(''), refuse('a video (MP4)')],
  [begins('\x1A\x45\xDF\xA3'), refuse('a video (WebM or Matroska)')],
  [riff('AVI '), refuse('a video (AVI)')],
  [begins('OggS'), refuse('a video (Ogg)')],
  [begins('\0\0\x01\xB3', '\0\0\x01\xBA', 'FLV\x01'), refuse('a video')],
  [begins('BM'), refuse('a BMP picture', saveAsPicture)],
  [begins('II*\0', 'MM\0*'), refuse('a TIFF picture', saveAsPicture)],
  [begins('\0\0\x01\0'), refuse('an icon (ICO)', saveAsPicture)],
  [begins('8BPS'), refuse('a Photoshop file', saveAsPicture)],
  [begins('\x1F\x8B'), refuseArchive('a packed file (GZIP)')],
  [hasAt(257, 'ustar'), refuseArchive('an archive (TAR)')],
  [
    begins('Rar!\x1A\x07', '7z\xBC\xAF\x27\x1C', '\xFD7zXZ\0', 'BZh', '\x28\xB5\x2F\xFD'),
    refuseArchive('a packed archive'),
  ],
  [begins('MZ', '\x7FELF', '\xCA\xFE\xBA\xBE', '\xCF\xFA\xED\xFE', '\0asm'), refuse('a program')],
  [begins('SQLite format 3\0'), refuse('a database (SQLite)')],
]

function refuse(what: string, advice = accepted): FileProblem {
  return { problem: `This is ${what}. ${advice}` }
}

function refuseArchive(what: string): FileProblem {
  return refuse(what, 'Unpack it and attach the files that are in it.')
}

/**
 * Tells what a file is from its first bytes, and never from its name: a file whose name says something else is what its
 * bytes are. The name only chooses between types of text.
 *
 * @param head the first `sniffedBytes` bytes, or the whole file if it is shorter
 * @param size of the whole file in bytes
 */
export function sniffKind(head: Buffer, size: number, name: string): SniffedFile | FileProblem {
  if (size === 0) return { problem: 'The file is empty. Attach one that has content.' }
  const start = head.toString('latin1', 0, 600)
  if (start.startsWith('PK\x03\x04') || start.startsWith('PK\x05\x06')) return sniffZip(head)
  if (start.startsWith('\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1')) return sniffCompoundFile(head)
  const known = signatures.find(([fits]) => fits(start))
  if (known !== undefined) return known[1]
  if (isText(head, size))
    return { kind: 'text', mediaType: textTypes[extname(name).toLowerCase()] ?? 'text/plain' }
  const [, problem] = refused.find(([fits]) => fits(start)) ?? []
  return problem ?? { problem: `The kind of this file is not known. ${accepted}` }
}

const zipEntry = 'PK\x03\x04'

/** Returns where the entry after the one at `at` begins, or -1. A document that is packed in that one is no part of this file. */
function findNextEntry(head: Buffer, at: number): number {
  const packed = head.readUInt32LE(at + 18)
  // A stream has the size after the bytes, and a large file has it elsewhere.
  const isUnknown = (head.readUInt16LE(at + 6) & 8) !== 0 || packed === 0xffffffff
  const dataStart = at + 30 + head.readUInt16LE(at + 26) + head.readUInt16LE(at + 28)
  return head.indexOf(zipEntry, isUnknown ? at + 4 : dataStart + packed)
}

/** Office documents are ZIP files. Their first entries have names that tell them from others. */
function sniffZip(head: Buffer): SniffedFile | FileProblem {
  for (let at = head.indexOf(zipEntry); at !== -1; at = findNextEntry(head, at)) {
    if (at + 30 > head.length) break
    const nameEnd = at + 30 + head.readUInt16LE(at + 26)
    const name = head.toString('latin1', at + 30, nameEnd).replaceAll('\\', '/')
    if (name === 'mimetype') return describeOpenDocument(head.toString('latin1', nameEnd, nameEnd + 80))
    if (/^xl\/workbook\.bin$/i.test(name))
      return refuse('an Excel workbook in binary form (XLSB)', 'Save it as XLSX and attach it again.')
    const kind = /^word\//i.test(name)
      ? 'docx'
      : /^xl\//i.test(name)
        ? 'xlsx'
        : /^ppt\//i.test(name)
          ? 'pptx'
          : undefined
    if (kind !== undefined) return { kind, mediaType: officeTypes[kind] }
  }
  return refuseArchive('a ZIP archive')
}

function describeOpenDocument(type: string): FileProblem {
  if (type.includes('epub')) return refuse('an e-book (EPUB)', 'Save it as PDF and attach it again.')
  return refuse('an OpenDocument file', 'Save it as DOCX, XLSX, PPTX or PDF and attach it again.')
}

/** The container of Office files before 2007, and of encrypted ones since then. */
function sniffCompoundFile(head: Buffer): FileProblem {
  const has = (name: string) => head.includes(Buffer.from(name, 'utf16le'))
  if (has('EncryptedPackage'))
    return refuse('an encrypted Office document', 'Save it without a password and attach it again.')
  if (has('WordDocument')) return refuse('an old Word document (DOC)', 'Save it as DOCX and attach it again.')
  if (has('Workbook') || has('Book'))
    return refuse('an old Excel workbook (XLS)', 'Save it as XLSX and attach it again.')
  if (has('PowerPoint Document'))
    return refuse('an old PowerPoint presentation (PPT)', 'Save it as PPTX and attach it again.')
  return refuse(
    'an old or an encrypted Office file',
    'Save it as DOCX, XLSX or PPTX without a password and attach it again.',
  )
}

/**
 * UTF-8 or UTF-16 with a byte order mark. Other text, of the old single-byte encodings, is only recognized when it has
 * no control characters.
 */
function isText(head: Buffer, size: number): boolean {
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)) return true
  let controls = 0
  for (const byte of head) {
    if (byte === 0) return false
    // Tab, line feed, form feed and carriage return; backspace and escape are in the output of terminals.
    const isUsual = byte >= 0x20 || (byte >= 0x08 && byte <= 0x0d) || byte === 0x1b
    if (!isUsual || byte === 0x7f) controls += 1
  }
  if (controls > head.length / 100) return false
  try {
    // The head may end within a character.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: head.length < size })
    return true
  } catch {
    return controls === 0
  }
}

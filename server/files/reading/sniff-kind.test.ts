import { describe, expect, it } from 'vitest'
import { makeDocx, makePptx, makeXlsx, paragraph } from '../../testing/files/make-office.ts'
import { makePdf } from '../../testing/files/make-pdf.ts'
import { makeZip } from '../../testing/files/make-zip.ts'
import { sniffedBytes, sniffKind } from './sniff-kind.ts'

const sniff = (content: Buffer | string, name = 'file') => {
  const bytes = Buffer.isBuffer(content) ? content : Buffer.from(content, 'latin1')
  return sniffKind(bytes.subarray(0, sniffedBytes), bytes.length, name)
}
const png = '\x89PNG\r\n\x1A\n\0\0\0\x0DIHDR'
const zip = makeZip([{ name: 'a.txt', data: 'a' }])
/** A container of Office files before 2007 with a stream of this name. */
const compound = (name: string) =>
  Buffer.concat([
    Buffer.from('\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1', 'latin1'),
    Buffer.alloc(1_000),
    Buffer.from(name, 'utf16le'),
  ])

/** The entry of a ZIP file, as it is made of what is compressed already. */
function packUncompressed(name: string, data: Buffer): Buffer {
  const header = Buffer.alloc(30)
  header.write('PK\x03\x04', 'latin1')
  header.writeUInt32LE(data.length, 18)
  header.writeUInt32LE(data.length, 22)
  header.writeUInt16LE(name.length, 26)
  return Buffer.concat([header, Buffer.from(name), data])
}

describe('accepts', () => {
  it.each([
    ['a PNG', png, 'png', 'image/png'],
    ['a JPEG', '\xFF\xD8\xFF\xE0', 'jpeg', 'image/jpeg'],
    ['a GIF', 'GIF89a\x01', 'gif', 'image/gif'],
    ['a WebP', 'RIFF\0\0\0\0WEBPVP8 ', 'webp', 'image/webp'],
    ['a PDF', makePdf('a'), 'pdf', 'application/pdf'],
    ['a PDF after an empty line', '\r\n%PDF-1.4\n', 'pdf', 'application/pdf'],
    [
      'a Word document',
      makeDocx(paragraph('a')),
      'docx',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    ],
    [
      'a workbook',
      makeXlsx([{ name: 'a', rows: '' }]),
      'xlsx',
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    ],
    [
      'a presentation',
      makePptx([{ shapes: '' }]),
      'pptx',
      'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    ],
    ['an MP3', '\xFF\xFB\x90\0\0', 'audio', 'audio/mpeg'],
    ['an MP3 with tags', 'ID3\x04\0\0', 'audio', 'audio/mpeg'],
    ['a WAV', 'RIFF\0\0\0\0WAVEfmt ', 'audio', 'audio/wav'],
    ['an Ogg with Opus', `OggS${'\0'.repeat(24)}OpusHead`, 'audio', 'audio/ogg'],
    ['an M4A', '\0\0\0\x20ftypM4A \0', 'audio', 'audio/mp4'],
    ['a FLAC', 'fLaC\0', 'audio', 'audio/flac'],
    ['text', 'Plain text', 'text', 'text/plain'],
    ['text about MZ and ID3', 'MZ and ID3 are signatures', 'text', 'text/plain'],
    ['text in Latin-1', 'Gr\xFC\xDFe', 'text', 'text/plain'],
    ['text in UTF-16', '\xFF\xFEa\0b\0', 'text', 'text/plain'],
    ['the output of a terminal', '\x1B[31mred\x1B[0m\n', 'text', 'text/plain'],
    ['a page with a script', '<!doctype html><script>alert(1)</script>', 'text', 'text/plain'],
    ['a drawing with a script', '<svg onload="alert(1)"/>', 'text', 'text/plain'],
  ] as const)('%s', (_, content, kind, mediaType) => {
    expect(sniff(content)).toEqual({ kind, mediaType })
  })

  it.each([
    ['table.CSV', 'text/csv'],
    ['notes.md', 'text/markdown'],
    ['data.json', 'application/json'],
    ['page.html', 'text/plain'],
    ['drawing.svg', 'text/plain'],
    ['../../etc/passwd', 'text/plain'],
    [`${'a'.repeat(10_000)}.csv`, 'text/csv'],
    ['\u202Egpj.csv', 'text/csv'],
  ])('%s as text of this type', (name, mediaType) => {
    expect(sniff('a,b\n1,2\n', name)).toEqual({ kind: 'text', mediaType })
  })

  it('text whose first bytes end within a character', () => {
    expect(sniff(Buffer.from(`a${'é'.repeat(sniffedBytes)}`))).toMatchObject({ kind: 'text' })
  })
})

describe('goes by the bytes, not by the name:', () => {
  it.each([
    ['a PNG called PDF', png, 'a.pdf', 'png'],
    ['text called PNG', 'text', 'a.png', 'text'],
    ['a GIF that is an archive, too', Buffer.concat([Buffer.from('GIF89a'), zip]), 'a.jar', 'gif'],
    ['a JPEG that is an archive, too', Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), zip]), 'a.zip', 'jpeg'],
    ['a PDF that is an archive, too', Buffer.concat([makePdf('a'), zip]), 'a.docx', 'pdf'],
    ['text with a PDF in it', `${' '.repeat(900)}%PDF-1.4\n`, 'a.pdf', 'text'],
    [
      'a Word document with macros',
      makeDocx('', { others: [{ name: 'word/vbaProject.bin', data: 'x' }] }),
      'a.docm',
      'docx',
    ],
  ])('%s', (_, content, name, kind) => {
    expect(sniff(content, name)).toMatchObject({ kind })
  })
})

describe('refuses and names', () => {
  it.each([
    ['an empty file', '', 'The file is empty.'],
    ['a HEIC picture', '\0\0\0\x18ftypheic\0', 'This is a HEIC picture. Save it as JPEG'],
    ['a video', '\0\0\0\x18ftypisom\0', 'This is a video (MP4).'],
    ['a video of Matroska', '\x1A\x45\xDF\xA3\0', 'This is a video (WebM or Matroska).'],
    ['an archive', zip, 'This is a ZIP archive. Unpack it'],
    [
      'an archive that has a document',
      packUncompressed('letter.docx', makeDocx(paragraph('a'))),
      'This is a ZIP archive.',
    ],
    ['an archive of the size 0', makeZip([]), 'This is a ZIP archive.'],
    ['a packed file', '\x1F\x8B\x08\0', 'This is a packed file (GZIP).'],
    ['an archive of Unix', `a${'\0'.repeat(256)}ustar`, 'This is an archive (TAR).'],
    ['a program', 'MZ\x90\0\x03\0', 'This is a program.'],
    ['an old Word document', compound('WordDocument'), 'This is an old Word document (DOC).'],
    ['an old workbook', compound('Workbook'), 'This is an old Excel workbook (XLS).'],
    [
      'an encrypted document',
      compound('EncryptedPackage'),
      'This is an encrypted Office document. Save it without a password',
    ],
    ['another container', compound('x'), 'This is an old or an encrypted Office file.'],
    [
      'an OpenDocument',
      makeZip([{ name: 'mimetype', data: 'application/vnd.oasis.opendocument.text' }]),
      'This is an OpenDocument file.',
    ],
    [
      'a binary workbook',
      makeZip([{ name: 'xl/workbook.bin', data: 'x' }]),
      'This is an Excel workbook in binary form (XLSB).',
    ],
    ['RTF', '{\\rtf1 text}', 'This is an RTF document.'],
    ['zeros', Buffer.alloc(5_000), 'The kind of this file is not known.'],
    ['other bytes', '\x01\x02\x03\xFE\x80', 'The kind of this file is not known.'],
  ])('%s', (_, content, start) => {
    const problem = sniff(content)
    expect(problem).toEqual({ problem: expect.stringContaining(start) as string })
  })
})

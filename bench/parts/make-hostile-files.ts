import { deflateSync } from 'node:zlib'
import { makeDocx, makePptx, makeXlsx, paragraph, shape } from '../../server/testing/files/make-office.ts'
import { makeEndlessPdf, makePdf, makePdfOfObjects } from '../../server/testing/files/make-pdf.ts'
import { makeZip } from '../../server/testing/files/make-zip.ts'
import { makePng } from '../../server/testing/files/upload-file.ts'

export interface HostileFile {
  readonly name: string
  readonly bytes: Buffer
}

const megabyte = 1_048_576

/** A PNG that says that it has as many pixels. */
function enlarge(bytes: Buffer, side: number): Buffer {
  bytes.writeUInt32BE(side, 16)
  bytes.writeUInt32BE(side, 20)
  return bytes
}

/** Thirty files that make those who read them take as much time and memory as they may, or are not what they say. */
export function makeHostileFiles(): readonly HostileFile[] {
  const spaces = Buffer.alloc(190 * megabyte, ' ')
  const small = Buffer.alloc(megabyte, ' ')
  const laughs = `<!DOCTYPE x [<!ENTITY a "ha">${Array.from({ length: 20 }, (_, depth) => `<!ENTITY b${depth} "${`&b${depth - 1};`.repeat(20)}">`).join('')}]>`
  const depth = 100_000
  const nested = `${'<w:tbl><w:tr><w:tc>'.repeat(depth)}${paragraph('deep')}${'</w:tc></w:tr></w:tbl>'.repeat(depth)}`
  const styles =
    '<w:style w:styleId="A"><w:basedOn w:val="B"/></w:style><w:style w:styleId="B"><w:basedOn w:val="A"/></w:style>'
  const row = '<row><c t="s"><v>0</v></c></row>'
  const xlsx = (rows: string | Buffer, sharedStrings?: string | Buffer) =>
    makeXlsx([{ name: 's', rows }], sharedStrings === undefined ? {} : { sharedStrings })
  const catalogue = '<< /Type /Catalog /Pages 2 0 R >>'
  const flate = (content: Buffer) => ({ dictionary: '/Filter /FlateDecode', stream: deflateSync(content) })
  const page = (contents: string) =>
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents [${contents}] >>`
  const unpacking = makePdfOfObjects([
    catalogue,
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    page('5 0 R '.repeat(30)),
    '<< >>',
    flate(Buffer.alloc(100_000_000, 'q Q ')),
  ])
  const pages = Array.from({ length: 5_000 }, (_, index) => `Page ${index} ${'word '.repeat(50)}`)
  const texts = Array.from({ length: 4 }, (_, index) => `line ${index} of many\n`)
  const files: readonly (readonly [string, Buffer])[] = [
    ['spaces.docx', makeDocx(spaces)],
    ['lying.docx', makeZip([{ name: 'word/document.xml', data: spaces, declaredSize: 10 }])],
    [
      'overlapping.docx',
      makeZip(Array.from({ length: 999 }, (_, index) => ({ name: `word/${index}.xml`, data: small }))),
    ],
    ['entities.docx', makeDocx(paragraph('&b19;'), { declaration: laughs })],
    ['nested.docx', makeDocx(nested)],
    ['unclosed.docx', makeDocx(Buffer.alloc(60_000_000, '<w:p>'))],
    ['one-text.docx', makeDocx(paragraph('x'.repeat(100_000_000)))],
    ['circular-styles.docx', makeDocx(paragraph('a', '<w:pStyle w:val="A"/>').repeat(50_000), { styles })],
    ['many-paragraphs.docx', makeDocx(paragraph('some words of a text').repeat(1_000_000))],
    ['million-rows.xlsx', xlsx(Buffer.alloc(27_000_000, '<row><c><v>1</v></c></row>\n'))],
    ['repeated.xlsx', xlsx(Buffer.alloc(100_000 * row.length, row), `<si><t>${'x'.repeat(32_000)}</t></si>`)],
    ['strings.xlsx', xlsx(row, Buffer.alloc(150_000_000, '<si><t>some text of a cell</t></si>'))],
    [
      'many-entries.xlsx',
      makeZip(Array.from({ length: 2_000 }, (_, index) => ({ name: `xl/${index}`, data: '' }))),
    ],
    ['cells.xlsx', xlsx(`<row>${'<c r="XFD1"><v>1</v></c>'.repeat(2_000_000)}</row>`)],
    ['long-slide.pptx', makePptx([{ shapes: shape('title', 'x'.repeat(50_000_000)) }])],
    ['entities.pptx', makePptx([{ shapes: shape('title', '&b19;') }], laughs)],
    [
      'many-slides.pptx',
      makePptx(Array.from({ length: 400 }, () => ({ shapes: shape('title', 'x'.repeat(100_000)) }))),
    ],
    ['endless.pdf', makeEndlessPdf()],
    ['unpacking.pdf', unpacking],
    ['five-thousand-pages.pdf', makePdf(...pages)],
    [
      'circle.pdf',
      makePdfOfObjects([
        catalogue,
        '<< /Type /Pages /Kids [2 0 R 3 0 R] /Count 2 >>',
        '<< /Type /Pages /Kids [2 0 R] /Count 1 >>',
      ]),
    ],
    ['two-billion.pdf', makePdfOfObjects([catalogue, '<< /Type /Pages /Kids [] /Count 2000000000 >>'])],
    ['cut.pdf', makePdf(...pages).subarray(0, 500_000)],
    ['one-line.txt', Buffer.alloc(25 * megabyte, 'x')],
    ['twelve-million-lines.txt', Buffer.alloc(25 * megabyte, 'a\n')],
    ['lines.csv', Buffer.alloc(25 * megabyte, texts.join(''))],
    ['lists.json', Buffer.alloc(25 * megabyte, '[')],
    ['gigapixels.png', enlarge(makePng(1, 1), 30_000)],
    ['seven-megapixels.png', makePng(3_500, 2_000)],
    ['cut.png', makePng(2_000, 2_000).subarray(0, 100_000)],
  ]
  return files.map(([name, bytes]) => ({ name, bytes }))
}

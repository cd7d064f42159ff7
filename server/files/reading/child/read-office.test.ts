import { describe, expect, it } from 'vitest'
import { makeDocx, makePptx, makeXlsx, paragraph, shape } from '../../../testing/files/make-office.ts'
import { LimitedText } from './limited-text.ts'
import { readDocx } from './read-docx.ts'
import { readPptx } from './read-pptx.ts'
import { readXlsx } from './read-xlsx.ts'

const limited = () => new LimitedText(2_000_000)
const docx = async (body: string, parts?: Parameters<typeof makeDocx>[1]) =>
  (await readDocx(makeDocx(body, parts), limited())).parts[0]
const xlsx = async (...parameters: Parameters<typeof makeXlsx>) =>
  (await readXlsx(makeXlsx(...parameters), limited())).parts

describe('a Word document', () => {
  it('has a line for each paragraph, with its tabs and breaks', async () => {
    const body = `${paragraph('One &amp; only')}<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r></w:p>`
    expect(await readDocx(makeDocx(body), limited())).toEqual({
      unit: 'line',
      parts: ['One & only\na\tb\nc'],
      total: 3,
    })
  })

  it('marks headings by the names of their styles, in any language of Word', async () => {
    const styles = '<w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style>'
    const body = paragraph('Ziele', '<w:pStyle w:val="berschrift2"/>')
    expect(await docx(body, { styles })).toBe('## Ziele')
  })

  it('marks the items of lists by their depth', async () => {
    const item = (text: string, depth: number) =>
      paragraph(text, `<w:numPr><w:ilvl w:val="${depth}"/><w:numId w:val="1"/></w:numPr>`)
    expect(await docx(item('a', 0) + item('b', 1))).toBe('- a\n  - b')
    const styles = '<w:style w:styleId="Bullets"><w:pPr><w:numPr/></w:pPr></w:style>'
    expect(await docx(paragraph('c', '<w:pStyle w:val="Bullets"/>'), { styles })).toBe('- c')
  })

  it('has a line for each row of a table, and the text of a table within a cell', async () => {
    const inner = `<w:tbl><w:tr><w:tc>${paragraph('x')}</w:tc><w:tc>${paragraph('y')}</w:tc></w:tr></w:tbl>`
    const body = `<w:tbl><w:tr><w:tc>${paragraph('a')}${paragraph('b')}</w:tc><w:tc>${inner}${paragraph('')}</w:tc></w:tr></w:tbl>`
    expect(await docx(`${body}${paragraph('after')}`)).toBe('a b | x | y\nafter')
  })

  it('leaves out what Word does not show', async () => {
    const styles = [
      '<w:style w:styleId="Secret"><w:name w:val="secret"/><w:rPr><w:vanish/></w:rPr></w:style>',
      '<w:style w:styleId="Derived"><w:name w:val="derived"/><w:basedOn w:val="Secret"/></w:style>',
    ].join('')
    const body = [
      paragraph('seen'),
      paragraph('hidden run', '', '<w:vanish/>'),
      paragraph('not hidden', '', '<w:vanish w:val="0"/>'),
      paragraph('hidden by style', '<w:pStyle w:val="Derived"/>'),
      paragraph('hidden by the style of the run', '', '<w:rStyle w:val="Secret"/>'),
      '<w:p><w:del><w:r><w:delText>deleted</w:delText></w:r></w:del><w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom></w:p>',
      '<w:p><w:r><w:instrText>PAGEREF _Toc1</w:instrText></w:r><w:r><w:t>7</w:t></w:r></w:p>',
    ].join('')
    expect((await docx(body, { styles }))?.split('\n').filter((line) => line !== '')).toEqual([
      'seen',
      'not hidden',
      '7',
    ])
  })

  it('reads a text box once, and the notes at the end', async () => {
    const box = (text: string) => `<w:txbxContent>${paragraph(text)}</w:txbxContent>`
    const body = `<w:p><w:r><mc:AlternateContent><mc:Choice>${box('boxed')}</mc:Choice><mc:Fallback>${box('boxed')}</mc:Fallback></mc:AlternateContent></w:r><w:r><w:t>around</w:t></w:r></w:p>`
    const footnotes = `<w:footnote w:type="separator">${paragraph('---')}</w:footnote><w:footnote>${paragraph('see above')}</w:footnote>`
    expect(await docx(body, { footnotes })).toBe('boxed\naround\n[Note] see above')
  })
})

describe('a workbook', () => {
  const cell = (reference: string, value: string, attributes = '') =>
    `<c r="${reference}" ${attributes}><v>${value}</v></c>`

  it('has a line for each row, with values of each type', async () => {
    const rows = `<row>${cell('A1', '0', 't="s"')}${cell('B1', '0.30000000000000004')}${cell('D1', '1', 't="b"')}</row><row/><row/><row><c r="A4" t="inlineStr"><is><t>in\nline</t></is></c><c r="B4" t="str"><f>A1&amp;"x"</f><v>computed</v></c>${cell('C4', '#DIV/0!', 't="e"')}</row>`
    const sharedStrings = '<si><r><t>na</t></r><r><t>me</t></r><rPh><t>ignored</t></rPh></si>'
    expect(await xlsx([{ name: 'Data', rows }], { sharedStrings })).toEqual([
      'Sheet: Data\nname\t0.3\t\tTRUE\n\nin line\tcomputed\t#DIV/0!',
    ])
  })

  it('shows dates and times', async () => {
    const styles =
      '<numFmts><numFmt numFmtId="164" formatCode="[$-409]d\\ mmm"/><numFmt numFmtId="165" formatCode="0.00 &quot;days&quot;"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs>'
    const rows = `<row>${cell('A1', '46355', 's="1"')}${cell('B1', '46355.604166666664', 's="2"')}${cell('C1', '0.25', 's="1"')}${cell('D1', '46355', 's="3"')}${cell('E1', '59', 's="1"')}${cell('F1', '46355', 's="0"')}</row>`
    expect(await xlsx([{ name: 'D', rows }], { styles })).toEqual([
      'Sheet: D\n2026-11-29\t2026-11-29 14:30\t06:00\t46355\t1900-02-28\t46355',
    ])
    expect(
      await xlsx([{ name: 'D', rows: `<row>${cell('A1', '44893', 's="1"')}</row>` }], {
        styles,
        properties: 'date1904="1"',
      }),
    ).toEqual(['Sheet: D\n2026-11-29'])
  })

  it('leaves out hidden sheets, and says so', async () => {
    const rows = `<row>${cell('A1', '1')}</row>`
    const sheets = [
      { name: 'Seen', rows },
      { name: 'Hidden', rows, state: 'hidden' as const },
      { name: 'Very', rows, state: 'veryHidden' as const },
    ]
    expect(await xlsx(sheets)).toEqual([
      'Sheet: Seen\n1',
      'Sheet: Hidden\n[This sheet is hidden and was left out.]',
      'Sheet: Very\n[This sheet is hidden and was left out.]',
    ])
  })

  it('writes a large gap between cells as one tab', async () => {
    const rows = `<row>${cell('A1', '1')}${cell('XFD1', '2')}</row>`
    expect(await xlsx([{ name: 'S', rows }])).toEqual(['Sheet: S\n1\t2'])
  })
})

describe('a presentation', () => {
  it('has its slides in the order in which they are shown, with notes and tables', async () => {
    const table =
      '<p:graphicFrame><a:tbl><a:tr><a:tc><a:p><a:r><a:t>a</a:t></a:r></a:p></a:tc><a:tc><a:p><a:r><a:t>b</a:t></a:r></a:p></a:tc></a:tr></a:tbl></p:graphicFrame>'
    const bytes = makePptx([
      {
        shapes: shape('title', 'First', 'second line') + shape('sldNum', '1'),
        notes: shape('body', 'Say hello'),
      },
      { shapes: table },
      { shapes: shape('title', 'secret'), isHidden: true },
    ])
    expect(await readPptx(bytes, limited())).toEqual({
      unit: 'slide',
      parts: [
        'First\nsecond line\n\nSpeaker notes:\nSay hello',
        'a | b',
        '[This slide is hidden and was left out.]',
      ],
      total: 3,
    })
  })
})

it('cuts the text at the limit between characters, says so, and still counts what there is', async () => {
  const body = Array.from({ length: 10 }, () => paragraph('😀😀😀')).join('')
  expect(await readDocx(makeDocx(body), new LimitedText(10))).toEqual({
    unit: 'line',
    parts: ['😀😀😀\n😀\n[The text was cut here.]'],
    total: 10,
  })
  const slides = ['one', 'two', 'three'].map((text) => ({ shapes: shape('title', text) }))
  expect(await readPptx(makePptx(slides), new LimitedText(5))).toEqual({
    unit: 'slide',
    parts: ['one', 'tw\n[The text was cut here.]'],
    total: 3,
  })
})

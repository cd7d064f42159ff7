import { deflateSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { makeDocx, makePptx, makeXlsx, paragraph, shape } from '../../testing/files/make-office.ts'
import { makeEndlessPdf, makePdf, makePdfOfObjects, type PdfObject } from '../../testing/files/make-pdf.ts'
import { makeZip } from '../../testing/files/make-zip.ts'
import { openFileReader, type ReadingLimits } from './open-file-reader.ts'
import type { DocumentKind } from './sniff-kind.ts'

const signal = new AbortController().signal
const readers: { close(): Promise<void> }[] = []
const open = (limits?: Partial<ReadingLimits>) => {
  const reader = openFileReader(limits === undefined ? {} : { limits })
  readers.push(reader)
  return reader
}
/** Its time is long, because a busy machine must not decide what is read. */
const reader = open({ maxMs: 55_000 })
/** A file that is expected to reach a limit does so soon. */
const hasty = open({ maxMs: 3_000 })
const small = open({ maxMemoryMb: 160 })
afterAll(() => Promise.all(readers.map((opened) => opened.close())))

async function* once(bytes: Buffer) {
  yield bytes
}
const read = (kind: DocumentKind, bytes: Buffer, by = reader) => by.readText('ada', kind, once(bytes), signal)
/** The text of the first part. */
const textOf = async (kind: DocumentKind, bytes: Buffer) => {
  const outcome = await read(kind, bytes)
  if ('problem' in outcome) throw new Error(outcome.problem)
  return outcome.document.parts[0]
}
const problem = (part: string) => ({ problem: expect.stringContaining(part) as string })
const damaged = problem('damaged')
const tooLarge = problem('unpacked it has more than 200 MB')
const tooMuchMemory = problem('needs too much memory')
const cut = (text: string | undefined) => {
  expect(text).toHaveLength(2_000_000 + '\n[The text was cut here.]'.length)
  expect(text).toMatch(/\n\[The text was cut here\.\]$/)
}

describe('a ZIP', () => {
  const spaces = Buffer.alloc(210 * 1024 * 1024, ' ')
  const megabyte = Buffer.alloc(1024 * 1024, ' ')

  it('that says that it unpacks to more than 200 MB is not unpacked', async () => {
    expect(await read('docx', makeDocx(spaces))).toEqual(tooLarge)
  })

  it('that lies about its size is refused', async () => {
    const bytes = makeDocx(paragraph('a'), {
      others: [{ name: 'word/endnotes.xml', data: spaces, declaredSize: 10 }],
    })
    const lying = makeZip([{ name: 'word/document.xml', data: spaces, declaredSize: 10 }])
    expect(await textOf('docx', bytes)).toBe('a')
    expect(await read('docx', lying)).toEqual(damaged)
  })

  it('whose entries overlap is refused', async () => {
    const entries = Array.from({ length: 999 }, (_, index) => ({ name: `word/${index}.xml`, data: megabyte }))
    expect(await read('docx', makeZip(entries))).toEqual(tooLarge)
  })

  it('with thousands of entries is refused', async () => {
    const entries = Array.from({ length: 2_000 }, (_, index) => ({ name: `xl/${index}`, data: '' }))
    expect(await read('xlsx', makeZip(entries))).toEqual(problem('more than 1,000 files'))
  })

  it('that contains ZIPs is read without them', async () => {
    const inner = makeZip([{ name: 'word/document.xml', data: megabyte }])
    const others = [{ name: 'word/embeddings/inner.docx', data: inner }]
    expect(await textOf('docx', makeDocx(paragraph('outer'), { others }))).toBe('outer')
  })

  it('whose names lead out of it is refused', async () => {
    const others = [{ name: '../../../etc/cron.d/evil', data: 'x' }]
    expect(await read('docx', makeDocx(paragraph('a'), { others }))).toEqual(damaged)
  })

  it('whose entries are encrypted is refused', async () => {
    const bytes = makeZip([
      { name: '_rels/.rels', data: '<Relationships/>', isEncrypted: true },
      { name: 'word/document.xml', data: paragraph('a'), isEncrypted: true },
    ])
    expect(await read('docx', bytes)).toEqual(damaged)
  })

  it('that is cut at any place is refused', async () => {
    const whole = makeXlsx([{ name: 'a', rows: '<row><c><v>1</v></c></row>' }])
    for (const share of [0.1, 0.6, 0.95])
      expect(await read('xlsx', whole.subarray(0, whole.length * share))).toEqual(damaged)
  })

  it('without a document in it is refused', async () => {
    expect(await read('pptx', makeZip([{ name: 'ppt/x', data: 'x' }]))).toEqual(damaged)
  })
})

describe('an Office document', () => {
  const laughs = `<!DOCTYPE lolz [<!ENTITY a "ha">${Array.from(
    { length: 20 },
    (_, depth) => `<!ENTITY ${'b'.repeat(depth + 1)} "${`&${'b'.repeat(depth) || 'a'};`.repeat(20)}">`,
  ).join('')}]>`
  const bomb = `&${'b'.repeat(20)};`

  it('does not expand entities', async () => {
    const sheet = { name: 's', rows: `<row><c t="str"><v>${bomb}</v></c></row>` }
    expect(await textOf('docx', makeDocx(paragraph(bomb), { declaration: laughs }))).toBe(bomb)
    expect(await textOf('xlsx', makeXlsx([sheet], { declaration: laughs }))).toBe(`Sheet: s\n${bomb}`)
    expect(await textOf('pptx', makePptx([{ shapes: shape('title', bomb) }], laughs))).toBe(bomb)
  })

  it('does not read external entities', async () => {
    const declaration =
      '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd"><!ENTITY % p SYSTEM "http://127.0.0.1/">%p;]>'
    expect(await textOf('docx', makeDocx(paragraph('&e;'), { declaration }))).toBe('&e;')
  })

  it('is read however deep its tables are nested', async () => {
    const depth = 3_000
    const body = `${'<w:tbl><w:tr><w:tc>'.repeat(depth)}${paragraph('deep')}${'</w:tc></w:tr></w:tbl>'.repeat(depth)}`
    expect(await textOf('docx', makeDocx(body))).toBe('deep')
  })

  it('with millions of elements that are not closed is unharmful', async () => {
    expect(await read('docx', makeDocx(Buffer.alloc(60_000_000, '<w:p>')), hasty)).toEqual(
      problem('Attach a smaller one'),
    )
  })

  it('with one huge text is cut', async () => {
    cut(await textOf('docx', makeDocx(paragraph('x'.repeat(100_000_000)))))
  })

  it('with a huge attribute is read', async () => {
    const body = `<w:p w:rsid="${'x'.repeat(20_000_000)}"><w:r><w:t>a</w:t></w:r></w:p>`
    expect(await textOf('docx', makeDocx(body))).toBe('a')
  })

  it('whose styles are based on each other is read', async () => {
    const styles =
      '<w:style w:styleId="A"><w:basedOn w:val="B"/></w:style><w:style w:styleId="B"><w:basedOn w:val="A"/></w:style>'
    expect(await textOf('docx', makeDocx(paragraph('a', '<w:pStyle w:val="A"/>'), { styles }))).toBe('a')
  })

  it('that is not well-formed is read as far as it can be', async () => {
    expect(
      await textOf('docx', makeDocx(`${paragraph('a')}</w:body><constructor/><__proto__/><w:p <<< &&& ]]>`)),
    ).toBe('a')
  })

  it('without text says so', async () => {
    expect(await read('docx', makeDocx('<w:p/>'))).toEqual(problem('contains no text'))
  })

  it('with macros is read without them', async () => {
    const others = [{ name: 'word/vbaProject.bin', data: 'Sub AutoOpen()' }]
    expect(await textOf('docx', makeDocx(paragraph('a'), { others }))).toBe('a')
  })
})

describe('a workbook', () => {
  const row = '<row><c t="s"><v>0</v></c></row>'

  it('with a million rows is read', async () => {
    const rows = Buffer.alloc(1_000_000 * 27, '<row><c><v>1</v></c></row>\n')
    cut(await textOf('xlsx', makeXlsx([{ name: 's', rows }])))
  })

  it('that repeats a long text is cut', async () => {
    const sharedStrings = `<si><t>${'x'.repeat(32_000)}</t></si>`
    const rows = Buffer.alloc(100_000 * row.length, row)
    cut(await textOf('xlsx', makeXlsx([{ name: 's', rows }], { sharedStrings })))
  })

  it('with more texts than fit into memory is refused', async () => {
    const sharedStrings = Buffer.alloc(150_000_000, '<si><t>some text of a cell</t></si>')
    expect(await read('xlsx', makeXlsx([{ name: 's', rows: row }], { sharedStrings }), small)).toEqual(
      tooMuchMemory,
    )
  })

  it('with impossible references, dates and numbers is read', async () => {
    const styles = '<cellXfs><xf/><xf numFmtId="14"/></cellXfs>'
    const rows =
      '<row><c r="ZZZZZZ9"><v>1</v></c><c r="💥"><v>2</v></c><c s="1"><v>1e300</v></c><c s="1"><v>-5</v></c><c s="99"><v>1e999</v></c><c t="s"><v>-1</v></c></row>'
    expect(await textOf('xlsx', makeXlsx([{ name: 's', rows }], { styles }))).toContain('1e999')
  })

  it('that says that it has no sheets is refused', async () => {
    expect(await read('xlsx', makeXlsx([]))).toEqual(problem('contains no text'))
  })
})

describe('a presentation', () => {
  /** Shows the slide `ppt/s.xml` several times. */
  const repeat = (slide: string | Buffer, times: number, target = 's.xml') => {
    const relate = (name: string, type: string, to: string) => ({
      name,
      data: `<Relationships><Relationship Id="a" Type="x/${type}" Target="${to}"/></Relationships>`,
    })
    return makeZip([
      relate('_rels/.rels', 'officeDocument', 'ppt/p.xml'),
      { name: 'ppt/p.xml', data: `<p>${'<sldId r:id="a"/>'.repeat(times)}</p>` },
      relate('ppt/_rels/p.xml.rels', 'slide', target),
      { name: 'ppt/s.xml', data: slide },
    ])
  }

  it('whose slides are missing says that it has no text', async () => {
    expect(await read('pptx', repeat('', 1, '../../../../etc/passwd'))).toEqual(problem('contains no text'))
  })

  it('that shows one slide very often is cut', async () => {
    const outcome = await read('pptx', repeat(`<sld><p><t>${'x'.repeat(100_000)}</t></p></sld>`, 100_000))
    expect(outcome).toMatchObject({ document: { unit: 'slide', total: 100_000 } })
    expect('document' in outcome && outcome.document.parts).toHaveLength(21)
  })

  it('whose slides unpack to more than 200 MB together is refused', async () => {
    expect(await read('pptx', repeat(Buffer.alloc(5_000_000, ' '), 50))).toEqual(tooLarge)
  })
})

describe('a PDF', () => {
  const catalogue = '<< /Type /Catalog /Pages 2 0 R >>'
  const flate = { dictionary: '/Filter /FlateDecode' }

  it('that is encrypted says so', async () => {
    const secret = '<0123456789012345678901234567890101234567890123456789012345678901>'
    const objects = [
      catalogue,
      '<< /Type /Pages /Kids [] /Count 0 >>',
      `<< /Filter /Standard /V 1 /R 2 /P -4 /O ${secret} /U ${secret} >>`,
    ]
    expect(await read('pdf', makePdfOfObjects(objects, '/Encrypt 3 0 R /ID [<00> <00>]'))).toEqual(
      problem('The PDF is encrypted. Save it without a password'),
    )
  })

  it('of pictures says so, and how many pages it has', async () => {
    const page = { content: '0 0 100 100 re f' }
    expect(await read('pdf', makePdf(page, page))).toEqual({
      ...problem('pictures of pages and no text'),
      total: 2,
    })
  })

  it('that is cut is read as far as it can be, or refused', async () => {
    const whole = makePdf('first page', 'second page')
    for (const share of [0.3, 0.8]) {
      const outcome = await read('pdf', whole.subarray(0, whole.length * share))
      expect('problem' in outcome || outcome.document.parts.length > 0).toBe(true)
    }
    expect(await read('pdf', Buffer.from('%PDF-1.7\nnothing'))).toEqual(damaged)
  })

  it('whose tree of pages is a circle is refused', async () => {
    const objects = [
      catalogue,
      '<< /Type /Pages /Kids [2 0 R 3 0 R] /Count 2 >>',
      '<< /Type /Pages /Kids [2 0 R] /Count 1 >>',
    ]
    expect(await read('pdf', makePdfOfObjects(objects))).toEqual(damaged)
  })

  it('that says that it has two billion pages is refused', async () => {
    const objects = [catalogue, '<< /Type /Pages /Kids [] /Count 2000000000 >>']
    expect(await read('pdf', makePdfOfObjects(objects))).toHaveProperty('problem')
  })

  it('whose content unpacks to gigabytes is refused', async () => {
    let stream: Buffer = Buffer.alloc(100_000_000, 'q Q ')
    stream = deflateSync(stream)
    const contents = Array.from({ length: 30 }, () => '5 0 R').join(' ')
    const objects: PdfObject[] = [
      catalogue,
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents [${contents}] >>`,
      '<< >>',
      { ...flate, stream },
    ]
    expect(await read('pdf', makePdfOfObjects(objects), hasty)).toEqual(problem('Attach a smaller one'))
  })

  it('with a filter upon a filter is read or refused', async () => {
    let stream = Buffer.from('BT /F 12 Tf (deep) Tj ET')
    for (let depth = 0; depth < 50; depth++) stream = deflateSync(stream)
    const dictionary = `/Filter [${'/FlateDecode '.repeat(50)}]`
    expect(await textOf('pdf', makePdf({ content: stream, dictionary }))).toBe('deep')
  })

  it('that draws a letter without end is given up', async () => {
    expect(await read('pdf', makeEndlessPdf(), hasty)).toEqual(problem('Attach a smaller one'))
  })

  it('whose cross-references are a circle, or huge, is read or refused', async () => {
    const circle = makePdf('text').toString('latin1').replace('/Root', '/Prev 9 /Root')
    const start = /startxref\n(\d+)/.exec(circle)?.[1] ?? ''
    expect(await textOf('pdf', Buffer.from(circle.replace('/Prev 9', `/Prev ${start}`), 'latin1'))).toBe(
      'text',
    )
    const huge = circle.replace(/xref\n0 \d+/, 'xref\n0 2000000000')
    expect(await textOf('pdf', Buffer.from(huge, 'latin1'))).toBe('text')
  })

  it('with scripts, launches and embedded files is read without them', async () => {
    const objects = makePdf('harmless').toString('latin1')
    const action =
      '/OpenAction << /S /JavaScript /JS (app.launchURL\\("http://127.0.0.1"\\)) >> /AA << /O << /S /Launch /F (/bin/sh) >> >>'
    expect(
      await textOf(
        'pdf',
        Buffer.from(objects.replace('/Type /Catalog', `/Type /Catalog ${action}`), 'latin1'),
      ),
    ).toBe('harmless')
  })
})

describe('text', () => {
  it('of nested lists is read', async () => {
    expect(await textOf('text', Buffer.alloc(1_000_000, '['))).toHaveLength(1_000_000)
  })

  it('on one line of 25 MB is cut', async () => {
    const outcome = await read('text', Buffer.alloc(25_000_000, 'x'))
    expect(outcome).toMatchObject({ document: { unit: 'line', total: 1 } })
    cut('document' in outcome ? outcome.document.parts[0] : undefined)
  })

  it('that does not fit into memory is refused', async () => {
    expect(await read('text', Buffer.alloc(150_000_000, 'x'), small)).toEqual(tooMuchMemory)
  })

  it('of 12 million lines is cut, and its lines are counted', async () => {
    const outcome = await read('text', Buffer.from(`${'a\n'.repeat(12_500_000)}b`))
    expect(outcome).toMatchObject({ document: { total: 12_500_001 } })
  })

  it('in UTF-16 that ends within a character, or has half of one, is read', async () => {
    const bytes = Buffer.concat([Buffer.from('\uFEFFa\uD800b', 'utf16le'), Buffer.from([0x41])])
    expect(await textOf('text', bytes)).toBe('a\uFFFDb\uFFFD')
  })

  it('in Latin-1 is read', async () => {
    expect(await textOf('text', Buffer.from('Grüße', 'latin1'))).toBe('Grüße')
  })

  it('that goes on as something else is refused', async () => {
    const bytes = Buffer.concat([Buffer.alloc(70_000, 'a'), Buffer.alloc(10), Buffer.from('b')])
    expect(await read('text', bytes)).toEqual(problem('begins like text, but is not'))
  })

  it('has no controls and nothing that a reader could not see', async () => {
    const hidden = '\u{E0069}\u{E0067}\u202E\u200B'
    expect(await textOf('text', Buffer.from(`a\r\nb\x07\x1B[0m${hidden}c`))).toBe('a\nb[0mc')
  })

  it('of spaces only says so', async () => {
    expect(await read('text', Buffer.from(' \n\t\n'))).toEqual(problem('contains no text'))
  })

  it('of a page is its source', async () => {
    expect(await textOf('text', Buffer.from('<script>alert(1)</script>'))).toBe('<script>alert(1)</script>')
  })
})

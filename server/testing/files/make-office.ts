import { makeZip, type ZipEntry } from './make-zip.ts'

const relationshipTypes = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const xmlHead = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
/** The entries that make a ZIP file a document of Word, Excel or PowerPoint. */
const toPackage = (main: string, parts: readonly ZipEntry[]): Buffer =>
  makeZip([
    { name: '[Content_Types].xml', data: `${xmlHead}<Types/>` },
    relate('_rels/.rels', [['rId1', 'officeDocument', main]]),
    ...parts,
  ])

function relate(
  name: string,
  targets: readonly (readonly [id: string, type: string, target: string])[],
): ZipEntry {
  const list = targets.map(
    ([id, type, target]) =>
      `<Relationship Id="${id}" Type="${relationshipTypes}/${type}" Target="${target}"/>`,
  )
  return { name, data: `${xmlHead}<Relationships>${list.join('')}</Relationships>` }
}

export interface DocxParts {
  /** Content of the elements of `word/styles.xml` and `word/footnotes.xml`. */
  readonly styles?: string
  readonly footnotes?: string
  readonly others?: readonly ZipEntry[]
  /** Stands before the root element of the document. */
  readonly declaration?: string
}

/** @param body the XML of the document's body, with the prefix `w` */
export function makeDocx(body: string | Buffer, parts: DocxParts = {}): Buffer {
  const head = `${xmlHead}${parts.declaration ?? ''}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>`
  return toPackage('word/document.xml', [
    {
      name: 'word/document.xml',
      data: Buffer.concat([Buffer.from(head), Buffer.from(body), Buffer.from('</w:body></w:document>')]),
    },
    relate('word/_rels/document.xml.rels', [
      ['rId1', 'styles', 'styles.xml'],
      ['rId2', 'footnotes', 'footnotes.xml'],
    ]),
    { name: 'word/styles.xml', data: `${xmlHead}<w:styles>${parts.styles ?? ''}</w:styles>` },
    { name: 'word/footnotes.xml', data: `${xmlHead}<w:footnotes>${parts.footnotes ?? ''}</w:footnotes>` },
    ...(parts.others ?? []),
  ])
}

/** A paragraph of a Word document. */
export function paragraph(text: string, properties = '', runProperties = ''): string {
  return `<w:p><w:pPr>${properties}</w:pPr><w:r><w:rPr>${runProperties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`
}

export interface SheetParts {
  readonly name: string
  /** The XML of the rows. */
  readonly rows: string | Buffer
  readonly state?: 'hidden' | 'veryHidden'
}

export interface XlsxParts {
  /** Content of the elements of `xl/sharedStrings.xml` and `xl/styles.xml`. */
  readonly sharedStrings?: string | Buffer
  readonly styles?: string
  /** Attributes of `workbookPr`. */
  readonly properties?: string
  readonly declaration?: string
}

export function makeXlsx(sheets: readonly SheetParts[], parts: XlsxParts = {}): Buffer {
  const list = sheets.map(
    ({ name, state }, index) =>
      `<sheet name="${name}" sheetId="${index + 1}" state="${state ?? 'visible'}" r:id="rId${index + 1}"/>`,
  )
  return toPackage('xl/workbook.xml', [
    {
      name: 'xl/workbook.xml',
      data: `${xmlHead}<workbook><workbookPr ${parts.properties ?? ''}/><sheets>${list.join('')}</sheets></workbook>`,
    },
    relate('xl/_rels/workbook.xml.rels', [
      ...sheets.map(
        (_, index) => [`rId${index + 1}`, 'worksheet', `worksheets/sheet${index + 1}.xml`] as const,
      ),
      ['rIdStrings', 'sharedStrings', 'sharedStrings.xml'],
      ['rIdStyles', 'styles', '/xl/styles.xml'],
    ]),
    ...sheets.map(({ rows }, index) => ({
      name: `xl/worksheets/sheet${index + 1}.xml`,
      data: Buffer.concat([
        Buffer.from(`${xmlHead}${parts.declaration ?? ''}<worksheet><sheetData>`),
        Buffer.from(rows),
        Buffer.from('</sheetData></worksheet>'),
      ]),
    })),
    {
      name: 'xl/sharedStrings.xml',
      data: Buffer.concat([
        Buffer.from('<sst>'),
        Buffer.from(parts.sharedStrings ?? ''),
        Buffer.from('</sst>'),
      ]),
    },
    { name: 'xl/styles.xml', data: `<styleSheet>${parts.styles ?? ''}</styleSheet>` },
  ])
}

export interface SlideParts {
  /** The XML of the slide's shapes. */
  readonly shapes: string
  readonly notes?: string
  readonly isHidden?: boolean
}

/** Makes a presentation whose slides are stored in the reverse order of the one in which they are shown. */
export function makePptx(slides: readonly SlideParts[], declaration = ''): Buffer {
  const ids = slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="rId${index + 1}"/>`)
  const fileOf = (index: number) => `slide${slides.length - index}.xml`
  return toPackage('ppt/presentation.xml', [
    {
      name: 'ppt/presentation.xml',
      data: `${xmlHead}<p:presentation><p:sldIdLst>${ids.join('')}</p:sldIdLst></p:presentation>`,
    },
    relate(
      'ppt/_rels/presentation.xml.rels',
      slides.map((_, index) => [`rId${index + 1}`, 'slide', `slides/${fileOf(index)}`]),
    ),
    ...slides.flatMap(({ shapes, notes, isHidden }, index) => [
      {
        name: `ppt/slides/${fileOf(index)}`,
        data: `${xmlHead}${declaration}<p:sld show="${isHidden === true ? 0 : 1}"><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`,
      },
      relate(`ppt/slides/_rels/${fileOf(index)}.rels`, [
        ['rId1', 'notesSlide', `../notesSlides/notes${index}.xml`],
      ]),
      ...(notes === undefined
        ? []
        : [{ name: `ppt/notesSlides/notes${index}.xml`, data: `<p:notes>${notes}</p:notes>` }]),
    ]),
  ])
}

/** A shape of a slide with a line of text for each argument. */
export function shape(placeholder: string, ...lines: readonly string[]): string {
  const text = lines.map((line) => `<a:p><a:r><a:t>${line}</a:t></a:r></a:p>`).join('')
  return `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${placeholder}"/></p:nvPr></p:nvSpPr><p:txBody>${text}</p:txBody></p:sp>`
}

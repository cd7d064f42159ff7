import { fileURLToPath } from 'node:url'
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist'
import type { ReadDocument } from '../read-outcome.ts'
import type { LimitedText } from './limited-text.ts'
import { UnreadableError } from './problems.ts'
import { joinLine, type LinePiece } from './text-direction.ts'

/** Pages in a row that cannot be read, after which the rest is given up: a small file can say that it has millions. */
const maxDamagedPages = 50

/**
 * Reads the text of a PDF and what its form fields contain. Stops after `maxMs` with the pages until then.
 */
export async function readPdf(bytes: Buffer, text: LimitedText, maxMs: number): Promise<ReadDocument> {
  const end = performance.now() + maxMs
  const document = await openPdf(bytes)
  let damaged = 0
  let hasText = false
  for (let number = 1; number <= document.numPages; number++) {
    try {
      const content = await readPage(await document.getPage(number))
      hasText ||= content !== ''
      text.add(content)
      damaged = 0
    } catch {
      damaged += 1
      text.add('[This page is damaged and could not be read.]')
    }
    text.endPart()
    if (damaged === maxDamagedPages) break
    if (text.isFull || performance.now() > end) break
  }
  if (!hasText)
    throw damaged > 0
      ? new UnreadableError('damaged')
      : new UnreadableError('pdfOfPictures', document.numPages)
  return { unit: 'page', parts: text.parts, total: document.numPages }
}

async function openPdf(bytes: Buffer): Promise<PDFDocumentProxy> {
  // The library draws with these, which Node does not have, and only asks whether they exist.
  Object.assign(globalThis, { DOMMatrix: Object, Path2D: Object, ImageData: Object })
  // With its other half in place, the library does not start a thread for it.
  // @ts-expect-error -- it has no types, and none are needed
  const pdfjsWorker: unknown = await import('pdfjs-dist/legacy/build/pdf.worker.mjs')
  Object.assign(globalThis, { pdfjsWorker })
  const { getDocument, PasswordException, VerbosityLevel } = await import('pdfjs-dist/legacy/build/pdf.mjs')
  try {
    return await getDocument({
      data: new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length),
      cMapUrl: findCharacterMaps(),
      disableFontFace: true,
      useSystemFonts: true,
      useWasm: false,
      verbosity: VerbosityLevel.ERRORS,
    }).promise
  } catch (error) {
    if (error instanceof PasswordException) throw new UnreadableError('encryptedPdf')
    throw error
  }
}

/** Without these files, text of Chinese, Japanese and Korean fonts that a PDF does not contain would be missing. */
function findCharacterMaps(): string {
  const source = import.meta.url.endsWith('.ts')
    ? import.meta.resolve('pdfjs-dist/package.json')
    : import.meta.url
  return fileURLToPath(new URL('./cmaps/', source))
}

async function readPage(page: PDFPageProxy): Promise<string> {
  const { items } = await page.getTextContent()
  const lines: LinePiece[][] = [[]]
  for (const item of items) {
    if (!('str' in item)) continue
    lines.at(-1)?.push({ text: item.str, isRightToLeft: item.dir === 'rtl', left: Number(item.transform[4]) })
    if (item.hasEOL) lines.push([])
  }
  const text = lines.map(joinLine).join('\n').trim()
  const fields = await readFields(page)
  page.cleanup()
  return normalizeForms(`${text}${fields}`)
}

/** What is filled into a form is not part of the text of a page. */
async function readFields(page: PDFPageProxy): Promise<string> {
  const annotations = (await page.getAnnotations()) as readonly {
    readonly fieldName?: unknown
    readonly fieldValue?: unknown
  }[]
  const fields = annotations.flatMap(({ fieldName, fieldValue }) => {
    const value = Array.isArray(fieldValue) ? fieldValue.join(', ') : fieldValue
    const isFilled = typeof value === 'string' && value !== '' && value !== 'Off'
    return isFilled && typeof fieldName === 'string' ? [`${fieldName}: ${value}`] : []
  })
  return fields.length === 0 ? '' : `\n\nForm fields:\n${fields.join('\n')}`
}

/**
 * Replaces ligatures, and the forms of Arabic, Hebrew, Chinese and Japanese characters that only fonts need, by the
 * characters that are written. Everything else, such as ² or ½, stays.
 */
function normalizeForms(text: string): string {
  // A font without a table of its characters makes NULs.
  return text
    .replaceAll('\0', '')
    .replaceAll(/[\u2e80-\u2fdf\uf900-\ufaff\ufb00-\ufdfb\ufe70-\ufefc]/g, (form) => form.normalize('NFKC'))
}

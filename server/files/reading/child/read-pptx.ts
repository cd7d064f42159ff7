import type { ReadDocument } from '../read-outcome.ts'
import type { LimitedText } from './limited-text.ts'
import { openPackage, type OfficePackage } from './office-package.ts'
import { UnreadableError } from './problems.ts'

/** Reads the slides of a presentation in their order, each with the notes of its speaker. Leaves out hidden ones. */
export async function readPptx(bytes: Buffer, text: LimitedText): Promise<ReadDocument> {
  const document = await openPackage(bytes)
  const main = await document.findMain()
  const ids: string[] = []
  await document.walk(main, {
    open(name, attributes) {
      if (name === 'sldId') ids.push(attributes['id'] ?? '')
    },
  })
  const relationships = await document.relationships(main)
  const paths = ids.flatMap((id) => relationships.get(id)?.path ?? [])
  if (paths.length === 0) throw new UnreadableError('empty')
  for (const path of paths) {
    await readSlide(document, path, text)
    text.endPart()
    if (text.isFull) break
  }
  return { unit: 'slide', parts: text.parts, total: paths.length }
}

async function readSlide(document: OfficePackage, path: string, text: LimitedText): Promise<void> {
  const slide = await readLines(document, path)
  if (slide.isHidden) return text.add('[This slide is hidden and was left out.]')
  text.add(slide.lines.join('\n'))
  const notes = [...(await document.relationships(path)).values()].find(({ type }) => type === 'notesSlide')
  if (notes === undefined) return
  const { lines } = await readLines(document, notes.path)
  if (lines.length > 0) text.add(`\n\nSpeaker notes:\n${lines.join('\n')}`)
}

async function readLines(document: OfficePackage, path: string) {
  const lines: string[] = []
  let isHidden = false
  let line = ''
  let cells: string[] | undefined
  let isText = false
  let isOmitted = false
  /** Whether this is the older of two forms of a drawing. */
  let isFallback = false
  const endLine = () => {
    if (!isOmitted && line.trim() !== '') lines.push(line.trimEnd())
    line = ''
  }
  await document.walk(path, {
    open(name, attributes) {
      if (name === 'sld') isHidden = attributes['show'] === '0' || attributes['show'] === 'false'
      // Numbers, dates and footers are repeated on every slide.
      else if (name === 'ph') isOmitted = ['sldNum', 'dt', 'ftr', 'hdr'].includes(attributes['type'] ?? '')
      else if (name === 'sp') isOmitted = false
      else if (name === 'tr') cells = []
      else if (name === 'Fallback') isFallback = true
      else if (name === 't') isText = !isFallback
      else if (name === 'br') line += ' '
    },
    text(piece) {
      if (isText) line += piece
    },
    close(name) {
      if (name === 't') isText = false
      else if (name === 'p' && cells === undefined) endLine()
      else if (name === 'p') line += ' '
      else if (name === 'tc') {
        cells?.push(line.trim())
        line = ''
      } else if (name === 'tr') {
        line = cells?.join(' | ') ?? ''
        cells = undefined
        endLine()
      } else if (name === 'sp') isOmitted = false
      else if (name === 'Fallback') isFallback = false
    },
  })
  return { lines, isHidden }
}

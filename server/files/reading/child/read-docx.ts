import type { ReadDocument } from '../read-outcome.ts'
import type { LimitedText } from './limited-text.ts'
import { openPackage, type Attributes, type OfficePackage } from './office-package.ts'

interface Style {
  /** 1 to 9 for the style of a heading, else 0. */
  level: number
  isHidden: boolean
  isList: boolean
  basedOn: string | undefined
}

/** What is read of an element that contains others: a paragraph, or a cell of a table. */
interface Block {
  readonly pieces: string[]
  /** What a paragraph begins with: the mark of a heading or of an item in a list. */
  prefix: string
  isHidden: boolean
}

/**
 * Elements whose text is not part of the document as its author sees it: what was deleted or moved elsewhere, the codes
 * of fields, the older of two forms of a drawing, and how a word is pronounced.
 */
const leftOut = new Set(['delText', 'moveFrom', 'instrText', 'delInstrText', 'Fallback', 'rt'])

const signs = new Map([
  ['tab', '\t'],
  ['br', '\n'],
  ['cr', '\n'],
  ['noBreakHyphen', '-'],
])

/** What is done at the beginning of an element. A map, because a file may name its elements like members of objects. */
type Openers<Parameters extends readonly unknown[]> = ReadonlyMap<string, (...parameters: Parameters) => void>

/**
 * Reads the text of a Word document, with the marks of Markdown for headings and lists, and a line for each row of a
 * table. Leaves out what Word does not show: hidden text, deletions and comments; also headers and footers.
 */
export async function readDocx(bytes: Buffer, text: LimitedText): Promise<ReadDocument> {
  const document = await openPackage(bytes)
  const main = await document.findMain()
  const relationships = [...(await document.relationships(main)).values()]
  const pathOf = (wanted: string) => relationships.find(({ type }) => type === wanted)?.path
  const styles = await readStyles(document, pathOf('styles'))
  let isFirst = true
  const addLine = (line: string) => {
    text.add(isFirst ? line : `\n${line}`)
    isFirst = false
  }
  await walkBody(document, main, styles, addLine)
  for (const type of ['footnotes', 'endnotes']) {
    const path = pathOf(type)
    if (path !== undefined) await walkBody(document, path, styles, addLine, true)
  }
  text.endPart()
  return { unit: 'line', parts: text.parts, total: text.lines }
}

async function readStyles(
  document: OfficePackage,
  path: string | undefined,
): Promise<ReadonlyMap<string, Readonly<Style>>> {
  const styles = new Map<string, Style>()
  let style: Style | undefined
  const openers: Openers<[Style, Attributes]> = new Map(
    Object.entries<(style: Style, attributes: Attributes) => void>({
      // The ids of styles depend on the language of Word, their names do not.
      name(at, { val = '' }) {
        at.level = Number(/^heading ([1-9])$/i.exec(val)?.[1] ?? 0)
      },
      basedOn(at, { val }) {
        at.basedOn = val
      },
      vanish(at, attributes) {
        at.isHidden = isOn(attributes)
      },
      numPr(at) {
        at.isList = true
      },
    }),
  )
  await document.walk(path ?? '', {
    open(name, attributes) {
      if (name === 'style') {
        style = { level: 0, isHidden: false, isList: false, basedOn: undefined }
        styles.set(attributes['styleId'] ?? '', style)
      } else if (style !== undefined) openers.get(name)?.(style, attributes)
    },
    close(name) {
      if (name === 'style') style = undefined
    },
  })
  return styles
}

async function walkBody(
  document: OfficePackage,
  path: string,
  styles: ReadonlyMap<string, Readonly<Style>>,
  addLine: (line: string) => void,
  isNotes = false,
): Promise<void> {
  /** The paragraphs and cells that contain the current place: a text box is within a paragraph. */
  const blocks: Block[] = []
  const rows: string[][] = []
  /** How many elements that are left out contain the current place. */
  let omitted = 0
  let isText = false
  let isRunHidden = false
  let isInRun = false
  let isNote = false

  const isStyleHidden = (id: string | undefined) => {
    // Limited because styles of a damaged file can be based on each other.
    for (let depth = 0; id !== undefined && depth < 20; depth++) {
      const style = styles.get(id)
      if (style?.isHidden === true) return true
      id = style?.basedOn
    }
    return false
  }
  const addText = (text: string) => {
    const block = blocks.at(-1)
    if (omitted === 0 && block !== undefined && !block.isHidden && !isRunHidden) block.pieces.push(text)
  }
  /** Adds a line to the cell that contains the current place, else to the document. */
  const endLine = (line: string) => {
    const cell = blocks.at(-1)
    if (cell === undefined || rows.length === 0) addLine(line)
    else if (line !== '') cell.pieces.push(cell.pieces.length === 0 ? line : ` ${line}`)
  }
  const openers: Openers<[Attributes]> = new Map(
    Object.entries<(attributes: Attributes) => void>({
      p: () => blocks.push({ pieces: [], prefix: '', isHidden: false }),
      tc: () => blocks.push({ pieces: [], prefix: '', isHidden: false }),
      tr: () => rows.push([]),
      pStyle({ val }) {
        const block = blocks.at(-1)
        const style = styles.get(val ?? '')
        if (block === undefined || style === undefined) return
        block.prefix = style.level > 0 ? `${'#'.repeat(style.level)} ` : style.isList ? '- ' : ''
        block.isHidden ||= isStyleHidden(val)
      },
      ilvl({ val }) {
        const block = blocks.at(-1)
        const depth = Math.min(Number(val) || 0, 8)
        if (block !== undefined && !block.prefix.startsWith('#')) block.prefix = `${'  '.repeat(depth)}- `
      },
      r() {
        isInRun = true
        isRunHidden = false
      },
      // Outside a run, it says whether the mark at the end of the paragraph is hidden.
      vanish(attributes) {
        if (isInRun) isRunHidden = isOn(attributes)
      },
      rStyle({ val }) {
        if (isInRun) isRunHidden ||= isStyleHidden(val)
      },
      t() {
        isText = true
      },
      // Notes without text, such as separators, have a type.
      footnote: ({ type }) => void (isNote = type === undefined),
      endnote: ({ type }) => void (isNote = type === undefined),
    }),
  )
  await document.walk(path, {
    open(name, attributes) {
      if (leftOut.has(name)) omitted += 1
      if (omitted > 0) return
      openers.get(name)?.(attributes)
      const sign = isInRun ? signs.get(name) : undefined
      if (sign !== undefined) addText(sign)
    },
    text(piece) {
      if (isText) addText(piece)
    },
    close(name) {
      if (leftOut.has(name)) omitted -= 1
      if (name === 't') isText = false
      if (name === 'r') {
        isInRun = false
        isRunHidden = false
      }
      if (omitted > 0) return
      if (name === 'p') {
        const block = blocks.pop()
        const line = block?.pieces.join('') ?? ''
        if (block?.isHidden === true || (isNotes && (!isNote || line.trim() === ''))) return
        endLine(line === '' ? '' : `${isNotes ? '[Note] ' : (block?.prefix ?? '')}${line}`)
      } else if (name === 'tc') {
        rows.at(-1)?.push(blocks.pop()?.pieces.join('').replaceAll('\n', ' ').trim() ?? '')
      } else if (name === 'tr') {
        const row = rows.pop() ?? []
        endLine(row.join(' | '))
      }
    },
  })
}

/** An element such as `<w:vanish/>` turns a property on, unless its value says otherwise. */
function isOn({ val }: Attributes): boolean {
  return val !== '0' && val !== 'false' && val !== 'off'
}

import type { ReadDocument } from '../read-outcome.ts'
import type { LimitedText } from './limited-text.ts'
import { openPackage, type Attributes, type OfficePackage } from './office-package.ts'
import { UnreadableError } from './problems.ts'

/** Empty cells between two others that are written as tabs. A larger gap is written as one. */
const maxTabs = 50

interface Workbook {
  readonly sharedStrings: readonly string[]
  /** Whether numbers of a cell's style are dates or times. */
  readonly isDateStyle: readonly boolean[]
  /** Days are counted from 1904 instead of 1900. */
  readonly is1904: boolean
}

/**
 * Reads the sheets of a workbook: a line for each row, its cells separated by tabs, with the values that were last
 * computed instead of formulas. Leaves out sheets that Excel does not show, and says so.
 */
export async function readXlsx(bytes: Buffer, text: LimitedText): Promise<ReadDocument> {
  const document = await openPackage(bytes)
  const main = await document.findMain()
  const sheets: { readonly name: string; readonly id: string; readonly isHidden: boolean }[] = []
  let is1904 = false
  await document.walk(main, {
    open(name, attributes) {
      if (name === 'workbookPr') is1904 = ['1', 'true'].includes(attributes['date1904'] ?? '')
      if (name === 'sheet') {
        const isHidden = /hidden/i.test(attributes['state'] ?? '')
        sheets.push({ name: attributes['name'] ?? '', id: attributes['id'] ?? '', isHidden })
      }
    },
  })
  const relationships = await document.relationships(main)
  const pathOf = (wanted: string) =>
    [...relationships.values()].find(({ type }) => type === wanted)?.path ?? ''
  const workbook: Workbook = {
    sharedStrings: await readSharedStrings(document, pathOf('sharedStrings')),
    isDateStyle: await readDateStyles(document, pathOf('styles')),
    is1904,
  }
  if (sheets.length === 0) throw new UnreadableError('empty')
  for (const { name, id, isHidden } of sheets) {
    text.add(`Sheet: ${name.replaceAll(/\s+/g, ' ')}\n`)
    if (isHidden) text.add('[This sheet is hidden and was left out.]')
    else await readSheet(document, relationships.get(id)?.path ?? '', workbook, text)
    text.endPart()
    if (text.isFull) break
  }
  return { unit: 'sheet', parts: text.parts, total: sheets.length }
}

async function readSharedStrings(document: OfficePackage, path: string): Promise<readonly string[]> {
  const strings: string[] = []
  let pieces: string[] = []
  let isText = false
  let isPhonetic = false
  await document.walk(path, {
    open(name) {
      if (name === 'si') pieces = []
      else if (name === 'rPh') isPhonetic = true
      else if (name === 't') isText = true
    },
    text(piece) {
      if (isText && !isPhonetic) pieces.push(piece)
    },
    close(name) {
      if (name === 'si') strings.push(pieces.join(''))
      else if (name === 'rPh') isPhonetic = false
      else if (name === 't') isText = false
    },
  })
  return strings
}

async function readDateStyles(document: OfficePackage, path: string): Promise<readonly boolean[]> {
  const formats = new Map<string, boolean>()
  const styles: boolean[] = []
  let isCellStyles = false
  await document.walk(path, {
    open(name, { numFmtId = '', formatCode = '' }) {
      if (name === 'numFmt') formats.set(numFmtId, isDateFormat(formatCode))
      else if (name === 'cellXfs') isCellStyles = true
      else if (name === 'xf' && isCellStyles)
        styles.push(formats.get(numFmtId) ?? isBuiltInDate(Number(numFmtId)))
    },
    close(name) {
      if (name === 'cellXfs') isCellStyles = false
    },
  })
  return styles
}

/** The numbers of the formats that are not written in a file; ECMA-376 part 1, 18.8.30. */
function isBuiltInDate(id: number): boolean {
  return (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58)
}

/** Whether the code of a format has a part of a date or time, outside quotes and brackets. */
function isDateFormat(code: string): boolean {
  for (let at = 0; at < code.length; at++) {
    const sign = code.charAt(at)
    if ('\\_*'.includes(sign)) at += 1
    else if (sign === '"' || sign === '[') {
      const end = code.indexOf(sign === '"' ? '"' : ']', at + 1)
      if (end === -1) return false
      // Hours, minutes or seconds in brackets may exceed a day. All else in brackets is a colour, currency or condition.
      if (sign === '[' && /^(?:h+|m+|s+)$/i.test(code.slice(at + 1, end))) return true
      at = end
    } else if (/[ymdhs]/i.test(sign)) return true
  }
  return false
}

async function readSheet(
  document: OfficePackage,
  path: string,
  workbook: Workbook,
  text: LimitedText,
): Promise<void> {
  let cell: Attributes = {}
  let value: string[] = []
  let isValue = false
  let isPhonetic = false
  let column = 0
  let line = ''
  let wasEmpty = true
  await document.walk(
    path,
    {
      open(name, attributes) {
        if (name === 'row') {
          column = 0
          line = ''
        } else if (name === 'c') {
          cell = attributes
          value = []
        } else if (name === 'rPh') isPhonetic = true
        else if (name === 'v' || name === 't') isValue = true
      },
      text(piece) {
        if (isValue && !isPhonetic) value.push(piece)
      },
      close(name) {
        if (name === 'v' || name === 't') isValue = false
        else if (name === 'rPh') isPhonetic = false
        else if (name === 'c') {
          const shown = showValue(cell, value.join(''), workbook)
          const at = columnOf(cell['r']) ?? column + 1
          if (shown !== '') {
            const gap = at - Math.max(column, 1)
            line += '\t'.repeat(Math.max(gap > maxTabs ? 1 : gap, 0)) + shown
            column = at
          } else if (cell['r'] === undefined) column = at
        } else if (name === 'row') {
          // However many empty rows are between two others, one empty line stands for them.
          if (line !== '' || !wasEmpty) text.add(`${line}\n`)
          wasEmpty = line === ''
        }
      },
    },
    () => text.isFull,
  )
}

/** Returns the number of the column in a reference such as `AB12`, from 1; undefined when it has none. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/i.exec(reference ?? '')?.[0]
  if (letters === undefined) return undefined
  return Array.from(letters.toUpperCase()).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0)
}

function showValue(cell: Attributes, value: string, workbook: Workbook): string {
  switch (cell['t']) {
    case 's':
      return onOneLine(workbook.sharedStrings[Number(value)] ?? '')
    case 'b':
      return value === '' ? '' : value === '1' ? 'TRUE' : 'FALSE'
    case undefined:
    case 'n': {
      const number = Number(value)
      if (value.trim() === '' || !Number.isFinite(number)) return onOneLine(value)
      if (workbook.isDateStyle[Number(cell['s'] ?? 0)] === true) return showDate(number, workbook.is1904)
      // Excel has 15 digits, and files contain 0.30000000000000004.
      return String(Number.isSafeInteger(number) ? number : Number(number.toPrecision(15)))
    }
    default:
      return onOneLine(value)
  }
}

function onOneLine(value: string): string {
  return value.replaceAll(/[\t\r\n]+/g, ' ').trim()
}

/** Writes the number of days since 1900 or 1904 as `2026-11-29 14:30`, without the part that it does not have. */
function showDate(serial: number, is1904: boolean): string {
  // Excel counts a 29 February 1900 that did not exist.
  const days = is1904 ? serial + 1_462 : serial < 60 ? serial + 1 : serial
  const date = new Date(Math.round((days - 25_569) * 86_400) * 1_000)
  if (serial < 0 || Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999) return String(serial)
  const [day = '', time = ''] = date.toISOString().slice(0, 19).split('T')
  const clock = time.endsWith(':00') ? time.slice(0, 5) : time
  if (serial < 1) return clock
  return Number.isInteger(serial) ? day : `${day} ${clock}`
}

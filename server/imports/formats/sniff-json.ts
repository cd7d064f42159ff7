import { isObject } from '../../lib/json-object.ts'
import type { ImportSource } from '../imported-chat.ts'
import { recognize, recognizeText } from './formats.ts'
import type { JsonFile } from './json-file.ts'
import { splitJson, unwrap } from './read-chat-values.ts'
import { isNewerVersion, newerVersion } from './yonder-version.ts'

/** Chats that are looked at until one is recognized: the first ones may be damaged. */
const maxLookedAt = 100

export interface Sniffed {
  readonly source?: ImportSource
  /** A list without chats. */
  readonly isEmpty: boolean
}

/**
 * Finds out from which product a JSON file is, from its beginning.
 * @throws AppError for an export of a later version of Yonder
 */
export async function sniffJson(file: JsonFile): Promise<Sniffed> {
  if (file.source !== undefined) return { source: file.source, isEmpty: false }
  const members: Record<string, unknown> = {}
  let count = 0
  for await (const { key, isItem, result } of splitJson(file.name, file.open)) {
    count++
    if (!isItem && key !== null && 'value' in result) {
      members[key] = result.value
      if (isOwnFormat(file.name, members)) return { source: 'yonder', isEmpty: false }
    }
    const source =
      'problem' in result
        ? recognizeText(result.start)
        : recognizeValue(isItem ? result.value : unwrap(members))
    if (source !== undefined) return { source, isEmpty: false }
    if (count === maxLookedAt) break
  }
  return { isEmpty: count === 0 && (await beginsLikeJson(file)) }
}

function recognizeValue(value: unknown): ImportSource | undefined {
  return isObject(value) ? recognize(value) : undefined
}

/** The objects of our own export name their format and its version. */
function isOwnFormat(
  fileName: string,
  { format, format_version: version }: Readonly<Record<string, unknown>>,
): boolean {
  if (format !== 'yonder-chat' && format !== 'yonder-user') return false
  if (version === undefined) return false
  if (isNewerVersion(version)) throw newerVersion(fileName)
  return true
}

async function beginsLikeJson(file: JsonFile): Promise<boolean> {
  try {
    for await (const chunk of await file.open()) return /^\uFEFF?\s*[[{]/.test(chunk.toString('utf8'))
  } catch {
    // A file that cannot be read has no chats.
  }
  return false
}

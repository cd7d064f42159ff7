import { isObject, type JsonObject, parseJson } from '../../lib/json-object.ts'
import type { UnreadableChat } from '../imported-chat.ts'
import type { JsonFile } from './json-file.ts'
import { type JsonPart, JsonSplitter, maxElementBytes } from './json-splitter.ts'

/** The members of an object around a list of chats. */
const listKeys: ReadonlySet<string> = new Set(['chats', 'conversations'])

/**
 * Yields the chats of a JSON file, each as its value or as what is known of one that cannot be parsed: the elements of
 * its list, or of the list in its object, or the object itself.
 */
export async function* readChatValues(
  name: string,
  open: JsonFile['open'],
  onProjects: (value: unknown) => void,
): AsyncGenerator<{ readonly value: unknown } | UnreadableChat> {
  const members = new Members()
  let hasItems = false
  for await (const part of splitJson(name, open)) {
    if (part.isItem) {
      hasItems = true
      yield 'value' in part.result ? { value: part.result.value } : toUnreadable(part.result)
    } else if (part.key === 'projects' && 'value' in part.result) onProjects(part.result.value)
    else members.add(part)
  }
  if (!hasItems && members.count > 0) yield members.toChat()
}

/** Yields the parts of a file as `JsonSplitter` cuts them. A file that cannot be read to its end has a last part that says so. */
export async function* splitJson(name: string, open: JsonFile['open']): AsyncGenerator<JsonPart> {
  const splitter = new JsonSplitter(listKeys)
  try {
    for await (const chunk of await open()) yield* splitter.push(chunk)
  } catch {
    const problem = `${name} is damaged. What follows in it could not be read.`
    yield { key: null, isItem: true, size: 0, result: { problem, start: '' } }
    return
  }
  yield* splitter.end()
}

/** The members of an object that may itself be a chat. */
class Members {
  readonly #values: Record<string, unknown> = {}
  #size = 0
  #problem: string | null = null
  count = 0

  add({ key, size, result }: JsonPart): void {
    if (key === null) return
    this.count++
    this.#size += size
    if (this.#size > maxElementBytes) {
      this.#problem = `It is larger than ${maxElementBytes / 1024 / 1024} MB.`
    } else if ('problem' in result) this.#problem = result.problem
    else this.#values[key] = result.value
  }

  toChat(): { readonly value: JsonObject } | UnreadableChat {
    if (this.#problem !== null) {
      return toUnreadable({ problem: this.#problem, start: JSON.stringify(this.#values).slice(0, 4_096) })
    }
    return { value: unwrap(this.#values) }
  }
}

/** A single chat of our own export is in an object that names the format. */
export function unwrap(members: JsonObject): JsonObject {
  return isObject(members['chat']) && members['format'] === 'yonder-chat' ? members['chat'] : members
}

const idField = /"(?:id|uuid|conversation_id|conversationId)"\s*:\s*("(?:[^"\\]|\\.){1,300}")/
const titleField = /"(?:title|name)"\s*:\s*("(?:[^"\\]|\\.){1,300}")/

/** Tells what is known of a chat that cannot be parsed, from its beginning. */
function toUnreadable({
  problem,
  start,
}: {
  readonly problem: string
  readonly start: string
}): UnreadableChat {
  return {
    sourceId: readText(idField.exec(start)?.[1]),
    title: readText(titleField.exec(start)?.[1]),
    problem,
  }
}

function readText(json: string | undefined): string | null {
  const text = json === undefined ? undefined : parseJson(json)
  return typeof text === 'string' ? text : null
}

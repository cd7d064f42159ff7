import { LRUCache } from 'lru-cache'
import type { ConnectorToolRow } from '../../db/tables/connector-tables.ts'
import { AppError } from '../../lib/app-error.ts'
import { cleanText } from '../../lib/text.ts'
import { WorkerThread } from '../../lib/worker-thread.ts'
import { parseDefinition } from '../tools/tool-store.ts'
import type { ArgumentsText } from './arguments-worker.ts'
import { readArguments } from './tool-call.ts'
import { validateArguments, type ArgumentsToValidate } from './validate-arguments.ts'

/** Characters of the definition times those of the arguments on the main thread: about twenty milliseconds at worst. */
const maxCharsProduct = 400_000
/** Keywords whose time does not follow from the lengths of the definition and of the arguments. */
const costlyKeywords = /"(pattern(Properties)?|\$(dynamic|recursive)?Ref|uniqueItems|unevaluated\w+)":/i
/** Tools that are remembered because their schema could not be used, so that the schema is not tried again at once. */
const maxUnusable = 1_000
/** Milliseconds after which a schema is tried again, because only some arguments may be slow with it. */
const unusableMs = 10 * 60_000

/**
 * Checks the arguments of calls against the schemas of their tools, before a user is asked to approve the call. A
 * schema comes from a server and may be invalid or made to be slow, so it is interpreted with limits. When it cannot be
 * used, nothing is checked: the tool's server checks the call anyway.
 */
export class ArgumentChecker {
  readonly #thread = new WorkerThread<ArgumentsText, readonly string[] | null>({
    moduleUrl: import.meta.url,
    name: 'arguments-worker',
    maxJobMs: 1_000,
    maxHeapMb: 128,
  })
  /** By fingerprint. */
  readonly #unusable = new LRUCache<string, true>({ max: maxUnusable, ttl: unusableMs, ttlResolution: 0 })

  /**
   * Returns a text about arguments that the tool does not accept. Returns undefined for other arguments, and when
   * `signal` aborts first. Never rejects.
   */
  async check(
    userId: string,
    tool: Pick<ConnectorToolRow, 'definition' | 'fingerprint'>,
    text: string,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    let values: ArgumentsToValidate['arguments']
    try {
      values = readArguments(text)
    } catch (error) {
      if (error instanceof AppError) return error.message
      throw error
    }
    const isQuick =
      tool.definition.length * text.length <= maxCharsProduct && !costlyKeywords.test(tool.definition)
    const validate = async () =>
      isQuick
        ? validateArguments({ schema: parseDefinition(tool.definition).inputSchema, arguments: values })
        : this.#thread.run(userId, { definition: tool.definition, text }, signal)
    const problems = await this.#findProblems(tool.fingerprint, validate, signal)
    if (problems.length === 0) return undefined
    const list = problems.map((problem) => `\n- ${cleanText(problem)}`).join('')
    return `The arguments do not fit the parameters of the tool:${list}`
  }

  close(): void {
    this.#thread.close()
  }

  async #findProblems(
    fingerprint: string,
    validate: () => Promise<readonly string[] | null>,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    if (this.#unusable.has(fingerprint)) return []
    try {
      const problems = await validate()
      if (problems !== null) return problems
    } catch {
      // The schema is invalid, or the check takes too much time or memory.
      if (signal.aborted) return []
    }
    this.#unusable.set(fingerprint, true)
    return []
  }
}

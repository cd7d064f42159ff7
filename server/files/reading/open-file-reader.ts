import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { linkSignal, onAbort } from '../../lib/abort.ts'
import type { ChildAnswer, ChildTask } from './child/child-protocol.ts'
import { problems } from './child/problems.ts'
import { FairQueue } from './fair-queue.ts'
import type { PictureOutcome, ReadOutcome } from './read-outcome.ts'
import type { DocumentKind } from './sniff-kind.ts'

/** What the process that reads one file may take. */
export interface ReadingLimits {
  /** Milliseconds for a document; a picture has a third of it. */
  readonly maxMs: number
  /** Of the whole process. */
  readonly maxMemoryMb: number
  /** UTF-16 units of the text; the rest is cut. */
  readonly maxChars: number
}

const defaultLimits: ReadingLimits = { maxMs: 30_000, maxMemoryMb: 384, maxChars: 2_000_000 }

/** Processes at once. */
const maxChildren = 2
/** A picture of 2,048 x 2,048 pixels, uncompressed. The JSON of a text is shorter. */
const maxAnswerBytes = 17 * 1024 * 1024

export interface FileReader {
  /**
   * Reads the text of a document. Never rejects because of the content; rejects with the reason of `signal`, when
   * `bytes` does, and when the reader is closed.
   */
  readText(
    userId: string,
    kind: DocumentKind,
    bytes: AsyncIterable<Buffer>,
    signal: AbortSignal,
  ): Promise<ReadOutcome>
  /**
   * Decodes a picture, turns it upright, removes its metadata, and scales it to at most 2,048 pixels on each side. The
   * work is done by the library `sharp` (0.35.0 or newer), which is large and not part of the product: an operator adds
   * it with `npm install sharp` where Yonder is installed. Returns undefined without it. Rejects like `readText`.
   */
  checkPicture(
    userId: string,
    bytes: AsyncIterable<Buffer>,
    signal: AbortSignal,
  ): Promise<PictureOutcome | undefined>
  /** Ends all that is read. */
  close(): Promise<void>
}

/**
 * Reads files of users, each in a process of its own: what a file makes a library do ends with that process. It has
 * limits of time and memory, an empty environment and a low priority; Node lets it read the program's files and
 * nothing else. Nothing is started or loaded before the first file.
 *
 * @param options.library where to find sharp; by default where the product is installed
 */
export function openFileReader(
  options: { readonly limits?: Partial<ReadingLimits>; readonly library?: string | null } = {},
): FileReader {
  const limits = { ...defaultLimits, ...options.limits }
  const queue = new FairQueue(maxChildren)
  const closing = new AbortController()
  const running = new Set<Promise<unknown>>()

  const run = async (userId: string, task: ChildTask, bytes: AsyncIterable<Buffer>, outer: AbortSignal) => {
    const signal = AbortSignal.any([outer, closing.signal])
    const work = queue.run(userId, signal, () => runChild(task, bytes, signal))
    running.add(work)
    return work.finally(() => running.delete(work))
  }
  const shared = { serverPid: process.pid, maxMemoryMb: limits.maxMemoryMb }
  return {
    async readText(userId, kind, bytes, signal) {
      const { maxMs, maxChars } = limits
      const { answer } = await run(userId, { ...shared, kind, maxMs, maxChars }, bytes, signal)
      return 'document' in answer || 'problem' in answer ? answer : { problem: problems.died }
    },
    async checkPicture(userId, bytes, signal) {
      const library = options.library === undefined ? findLibrary() : options.library
      if (library === null) return undefined
      const task: ChildTask = { ...shared, kind: 'picture', maxMs: limits.maxMs / 3, library }
      const { answer, rest } = await run(userId, task, bytes, signal)
      if ('isUnchecked' in answer) return undefined
      if ('picture' in answer)
        return { picture: rest.length === 0 ? answer.picture : { ...answer.picture, bytes: rest } }
      return 'problem' in answer ? answer : { problem: problems.died }
    },
    async close() {
      closing.abort(new Error('The server is shutting down.'))
      await Promise.allSettled(running)
    },
  }
}

/** Returns the path of sharp, or null when it is not installed. */
function findLibrary(): string | null {
  try {
    return createRequire(import.meta.url).resolve('sharp')
  } catch {
    return null
  }
}

interface ChildResult {
  readonly answer: ChildAnswer
  /** What follows the answer. */
  readonly rest: Buffer
}

/** Gives the bytes to a process and returns what it answers, or a problem when it does not. */
async function runChild(
  task: ChildTask,
  bytes: AsyncIterable<Buffer>,
  outer: AbortSignal,
): Promise<ChildResult> {
  const limited = linkSignal(outer, task.maxMs)
  const child = spawn(process.execPath, childArguments(task), {
    env: {},
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  })
  const removeAbort = onAbort(limited.signal, () => child.kill('SIGKILL'))
  try {
    const ended = once(child, 'close') as Promise<[code: number | null, signal: NodeJS.Signals | null]>
    const source = watchSource(bytes)
    // Not awaited, because a source may not notice that the process has ended before it has read everything.
    void pipeline(source.bytes, child.stdin).catch(() => {
      if (source.hasFailed()) child.kill('SIGKILL')
    })
    const [[code, signal], output] = await Promise.all([
      ended,
      collect(child.stdout, maxAnswerBytes).finally(() => child.kill('SIGKILL')),
      preferForKilling(child.pid),
    ])
    outer.throwIfAborted()
    source.throwIfFailed()
    if (limited.timedOut) return fail('tooSlow')
    if (signal === 'SIGABRT' || code === abortCode) return fail('tooMuchMemory')
    return parseOutput(output) ?? fail('died')
  } finally {
    removeAbort()
    limited.release()
  }
}

/** How a process ends that V8 aborts because it has no memory left. */
const abortCode = 134

function fail(problem: keyof typeof problems): ChildResult {
  return { answer: { problem: problems[problem] }, rest: Buffer.alloc(0) }
}

function childArguments(task: ChildTask): readonly string[] {
  const folder = dirname(fileURLToPath(import.meta.url))
  const isSource = import.meta.url.endsWith('.ts')
  // A library that an operator has added is anywhere, and native code is not bound by permissions anyway.
  const readable = task.kind === 'picture' ? '*' : isSource ? join(folder, '../../..') : folder
  return [
    '--permission',
    `--allow-fs-read=${readable}`,
    '--allow-worker',
    ...(task.kind === 'picture' ? ['--allow-addons'] : []),
    '--disallow-code-generation-from-strings',
    `--max-old-space-size=${task.maxMemoryMb}`,
    ...(isSource ? ['--experimental-strip-types'] : []),
    join(folder, isSource ? 'child/document-process.ts' : 'document-process.js'),
    JSON.stringify(task),
  ]
}

/** When the machine is out of memory, Linux ends this process and not the server. */
async function preferForKilling(pid: number | undefined): Promise<void> {
  if (process.platform === 'linux')
    await writeFile(`/proc/${pid}/oom_score_adj`, '1000').catch(() => undefined)
}

/** Passes the bytes on, and tells whether their source has failed. */
function watchSource(source: AsyncIterable<Buffer>) {
  let failure: { readonly error: unknown } | undefined
  return {
    bytes: async function* () {
      try {
        yield* source
      } catch (error) {
        failure = { error }
        throw error
      }
    },
    hasFailed: () => failure !== undefined,
    throwIfFailed() {
      if (failure !== undefined) throw failure.error
    },
  }
}

/** Returns all that a stream contains, or nothing when that is more than `maxBytes`. */
async function collect(stream: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) return Buffer.alloc(0)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const sides = { width: z.int().positive(), height: z.int().positive() }
/** The process has worked with what a user has sent, so its answer counts as input. */
const answerSchema: z.ZodType<ChildAnswer> = z.union([
  z.object({
    document: z.object({
      unit: z.enum(['page', 'slide', 'sheet', 'line']),
      parts: z.array(z.string()),
      total: z.int().positive(),
    }),
  }),
  z.object({ picture: z.object(sides) }),
  z.object({ isUnchecked: z.literal(true) }),
  z.object({ problem: z.string(), total: z.int().positive().optional() }),
])

function parseOutput(output: Buffer): ChildResult | undefined {
  const end = output.indexOf('\n')
  if (end === -1) return undefined
  try {
    const answer = answerSchema.parse(JSON.parse(output.toString('utf8', 0, end)))
    return { answer, rest: output.subarray(end + 1) }
  } catch {
    return undefined
  }
}

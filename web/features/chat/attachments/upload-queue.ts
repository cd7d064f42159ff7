import type { FileSpace, UploadedFile } from '@yonder/contract/file'
import { isPicture } from '@yonder/contract/lib/file-limits'
import type { FileRef } from '@yonder/contract/message'
import { filesOfContent } from '@yonder/contract/message-text'
import { fileCacheOf } from '../../../data/files.ts'
import type { ApiClient } from '../../../lib/api/api-client.ts'
import { ApiError, isGatewayFailure, readReason, UnreachableError } from '../../../lib/api/api-error.ts'
import { waitToRetry } from '../../../lib/api/connection.ts'
import { browserStorage } from '../../../lib/browser-storage.ts'
import { keptFiles } from '../../../lib/files/kept-files.ts'
import { preparePicture, UnreadablePictureError } from '../../../lib/files/prepare-picture.ts'
import { formatBytes, formatLimit } from '../../../lib/format-usage.ts'
import { logError } from '../../../lib/log-error.ts'
import { toast } from '../../../lib/toasts.ts'
import { changeDraftFiles, drafts, parseContent } from '../chat-storage.ts'
import type { UploadState } from './upload-state.ts'

/** Files that are uploaded at once. */
const maxAtOnce = 3
/** Attempts while the server responds to other requests; something between then breaks this one. */
const maxAttempts = 4

export interface Job {
  readonly id: string
  /** The key of the draft that contains the file. */
  readonly draft: string
  readonly name: string
  /** Absent after a failure, and after a reload: then the bytes are in the browser's database. */
  readonly bytes?: Blob | undefined
}

export interface UploadListener {
  /** Called with each new state of a file, and with undefined when it is stored or removed. */
  readonly onState: (id: string, state: UploadState | undefined) => void
  /** Called with the bytes of a file whose upload a reload has ended. */
  readonly onRecalled: (id: string, bytes: Blob) => void
}

/** A failure whose message is a sentence for the user. */
class RefusedError extends Error {}

/** Prepares files and uploads them, a few at once. */
export class UploadQueue {
  readonly #api: ApiClient
  readonly #listener: UploadListener
  readonly #waiting: (Job & { readonly aborting: AbortController })[] = []
  readonly #aborting = new Map<string, AbortController>()
  /** The bytes of files that have failed, for another attempt. */
  readonly #failed = new Map<string, Blob>()
  #running = 0
  #space: Promise<FileSpace | undefined> | undefined

  constructor(api: ApiClient, listener: UploadListener) {
    this.#api = api
    this.#listener = listener
    void keptFiles.sweep(({ id, draft }) => (browserStorage.read(draft) ?? '').includes(id))
  }

  add(job: Job): void {
    if (this.#aborting.has(job.id)) return
    const { id, draft, bytes = this.#failed.get(id) } = job
    const aborting = new AbortController()
    this.#aborting.set(id, aborting)
    this.#waiting.push({ ...job, bytes, aborting })
    if (bytes !== undefined) void keptFiles.write({ id, draft, bytes })
    this.#start()
  }

  cancel(id: string): void {
    this.#aborting.get(id)?.abort()
    this.#aborting.delete(id)
    this.#failed.delete(id)
    void keptFiles.remove(id)
  }

  #start(): void {
    while (this.#running < maxAtOnce) {
      const job = this.#waiting.shift()
      if (job === undefined) return
      // Meanwhile the user may have removed the file, or the draft.
      if (!job.aborting.signal.aborted && findInDraft(job) !== undefined) void this.#run(job)
      else this.#end(job.id)
    }
  }

  #end(id: string): void {
    this.#aborting.delete(id)
    this.#listener.onState(id, undefined)
  }

  async #run(job: Job & { readonly aborting: AbortController }): Promise<void> {
    const { id, aborting } = job
    this.#running += 1
    let bytes = job.bytes
    try {
      const kept = bytes === undefined ? await keptFiles.read<UploadedFile>(id) : undefined
      bytes ??= kept?.bytes
      if (kept?.bytes !== undefined) this.#listener.onRecalled(id, kept.bytes)
      this.#listener.onState(id, { phase: 'preparing' })
      if (kept?.stored !== undefined) this.#finish(job, kept.stored, job.name)
      else if (bytes === undefined)
        throw new RefusedError('The page was closed before the file was uploaded. Attach it again.')
      else await this.#upload(job, bytes)
    } catch (error) {
      if (aborting.signal.aborted) return
      const isFinal = error instanceof RefusedError || error instanceof UnreadablePictureError
      if (!isFinal) logError(`Error uploading ${job.name}`, error)
      if (bytes !== undefined) this.#failed.set(id, bytes)
      this.#aborting.delete(id)
      this.#listener.onState(id, {
        phase: 'failed',
        reason: isFinal ? error.message : readReason(error),
        canRetry: !isFinal && bytes !== undefined && !isRefusal(error),
      })
    } finally {
      this.#running -= 1
      this.#start()
    }
  }

  async #upload(job: Job & { readonly aborting: AbortController }, original: Blob): Promise<void> {
    const { id, draft, aborting } = job
    if (original.size === 0) throw new RefusedError('The file is empty.')
    const prepared = await preparePicture(job.name, original)
    const { bytes, name, width, height } = prepared
    const maxBytes = (await this.#readSpace())?.max_file
    if (maxBytes !== undefined && bytes.size > maxBytes)
      throw new RefusedError(`${formatBytes(bytes.size)}, at most ${formatLimit(maxBytes)}.`)
    changeFile(draft, id, (ref) => ({
      ...ref,
      // The user may have renamed it meanwhile.
      name: ref.name === job.name ? name : ref.name,
      type: bytes.type || ref.type,
      size: bytes.size,
      ...(width !== undefined && height !== undefined && { width, height }),
    }))
    const stored = await this.#send(id, name, bytes, aborting.signal)
    // The user was signed out.
    if (stored === undefined) return this.#end(id)
    if (isPicture(stored.type)) fileCacheOf(this.#api).keep(stored.id, bytes)
    // After a sign-out nothing stays in the browser.
    if (findInDraft(job) !== undefined) await keptFiles.write({ id, draft, stored })
    if (!aborting.signal.aborted) this.#finish(job, stored, name)
  }

  /** Replaces in the draft what stands for the file. The same file is attached only once. */
  #finish({ id, draft }: Job, { problem: _, ...stored }: UploadedFile, sentName: string): void {
    changeDraftFiles(draft, (files) => {
      const isTwice = files.some((file) => file.id === stored.id)
      return files.flatMap((file) => {
        if (file.id !== id) return [file]
        if (isTwice) {
          toast.success(`${file.name} is attached already.`)
          return []
        }
        const { name, alt } = file
        return [
          { ...stored, name: name === sentName ? stored.name : name, ...(alt !== undefined && { alt }) },
        ]
      })
    })
    this.#failed.delete(id)
    this.#end(id)
  }

  async #send(id: string, name: string, bytes: Blob, signal: AbortSignal): Promise<UploadedFile | undefined> {
    const { connection } = this.#api
    for (let failures = 0; ;) {
      const onProgress = (sent: number) => {
        if (!signal.aborted)
          this.#listener.onState(id, { phase: 'sending', share: Math.min(1, sent / bytes.size) })
      }
      onProgress(0)
      try {
        return await this.#api.upload<UploadedFile>(`/api/files?${new URLSearchParams({ name })}`, bytes, {
          onProgress,
          signal,
        })
      } catch (error) {
        if (signal.aborted || !isPassing(error)) throw error
        failures += 1
        const isOut = connection.get() === 'offline' || connection.get() === 'unreachable'
        if (failures >= maxAttempts && !isOut) throw error
        this.#listener.onState(id, { phase: 'waiting' })
        await waitToRetry(failures - 1, signal, connection)
        signal.throwIfAborted()
      }
    }
  }

  /** The limits of the server; undefined if they cannot be read, because the server checks them, too. */
  #readSpace(): Promise<FileSpace | undefined> {
    this.#space ??= this.#api.read<FileSpace>('/api/files').catch(() => {
      this.#space = undefined
      return undefined
    })
    return this.#space
  }
}

/** Whether an upload may succeed later without a change. */
function isPassing(error: unknown): boolean {
  return error instanceof UnreachableError || (error instanceof ApiError && isGatewayFailure(error.status))
}

/** Whether the server has refused the file itself, so that another attempt fails, too. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && [400, 413, 415].includes(error.status)
}

function findInDraft({ id, draft }: Job): FileRef | undefined {
  return filesOfContent(parseContent(drafts.read(draft))).find((file) => file.id === id)
}

function changeFile(draft: string, id: string, change: (file: FileRef) => FileRef): void {
  changeDraftFiles(draft, (files) => files.map((file) => (file.id === id ? change(file) : file)))
}

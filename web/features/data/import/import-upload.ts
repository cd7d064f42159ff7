import { maxImportFiles } from '@yonder/contract/lib/transfer-limits'
import type { NewImport, Transfer, Transfers } from '@yonder/contract/transfer'
import type { ApiClient } from '../../../lib/api/api-client.ts'
import { ApiError, readReason } from '../../../lib/api/api-error.ts'
import { logError } from '../../../lib/log-error.ts'
import { createStore, type ReadableStore } from '../../../lib/store.ts'
import { toast } from '../../../lib/toasts.ts'

/** Files that this page uploads. */
export interface UploadView {
  readonly names: readonly string[]
  /** Bytes that are sent, and of all files. */
  readonly sent: number
  readonly total: number
  /** Why the upload has stopped, as a sentence. */
  readonly failure?: string
  /** Whether the same files can be sent again. */
  readonly canRetry?: boolean
  readonly isCancelling?: boolean
}

/**
 * The upload of the files of an import, one after another. It goes on while the user looks at other screens of this tab.
 */
export class ImportUpload {
  readonly #api: ApiClient
  readonly #view = createStore<UploadView | undefined>(undefined)
  /** Undefined while nothing is uploaded. */
  readonly view: ReadableStore<UploadView | undefined> = this.#view
  #files: readonly File[] = []
  /** The import that the files belong to; undefined until the server has stored it. */
  #id: string | undefined
  /** The number of files that are stored. */
  #stored = 0
  #cancelled = new AbortController()
  #onChange: () => Promise<unknown> = () => Promise.resolve()

  constructor(api: ApiClient) {
    this.#api = api
  }

  /** Begins an import of these files. `onChange` reads the imports again. What cannot be imported is told to the user. */
  start(files: readonly File[], onChange: () => Promise<unknown>): void {
    const problem = findProblem(files)
    if (problem !== undefined) return toast.error(problem)
    if (files.length === 0 || this.#view.get() !== undefined) return
    this.#files = files
    this.#id = undefined
    this.#stored = 0
    this.#onChange = onChange
    this.#cancelled = new AbortController()
    void this.#run()
  }

  /** Goes on after a failure, with the file that has failed. */
  retry(): void {
    if (this.#view.get()?.canRetry === true) void this.#run()
  }

  cancel(): void {
    const view = this.#view.get()
    if (view === undefined || view.isCancelling) return
    this.#cancelled.abort()
    this.#view.set({ ...view, isCancelling: true })
    // Otherwise the running upload ends, and cancels the import then.
    if (view.failure !== undefined) void this.#end()
  }

  async #run(): Promise<void> {
    const { signal } = this.#cancelled
    this.#show(0)
    try {
      await this.#send(signal)
    } catch (error) {
      if (!signal.aborted && !isOver(error)) {
        logError('Error uploading an export', error)
        const view = this.#view.get()
        if (view !== undefined)
          this.#view.set({ ...view, failure: readReason(error), canRetry: !isTooLarge(error) })
        return
      }
    }
    await this.#end()
  }

  async #send(signal: AbortSignal): Promise<void> {
    if (this.#id === undefined) {
      const files = this.#files.map(({ name, size }) => ({ name, size }))
      // Not aborted, so that the import is known and can be cancelled.
      const created = await this.#api.post<Transfer>('/api/imports', { files } satisfies NewImport)
      // The user was signed out.
      if (created === undefined) return
      this.#id = created.id
    }
    for (const file of this.#files.slice(this.#stored)) {
      signal.throwIfAborted()
      const upload = {
        method: 'PUT',
        signal,
        onProgress: (sent: number) => !signal.aborted && this.#show(sent),
      } as const
      const path = `/api/imports/${encodeURIComponent(this.#id)}/files/${this.#stored}`
      try {
        await this.#api.upload(path, file, upload)
      } catch (error) {
        // The response to an earlier attempt was lost.
        if (!isOver(error) || !(await this.#isStored())) throw error
      }
      this.#stored += 1
      if (!signal.aborted) this.#show(0)
    }
  }

  /** Whether the server has the file that is next. */
  async #isStored(): Promise<boolean> {
    const found = (await this.#api.get<Transfers>('/api/transfers'))?.import
    return found?.id === this.#id && found?.files[this.#stored]?.uploaded === true
  }

  /** Shows that so many bytes of the file that is next are sent. */
  #show(sent: number): void {
    const sizes = this.#files.map(({ size }) => size)
    const before = sum(sizes.slice(0, this.#stored))
    this.#view.set({
      names: this.#files.map(({ name }) => name),
      sent: Math.min(before + sent, sum(sizes)),
      total: sum(sizes),
    })
  }

  /** Shows what the server has, after the last file, or when the user has cancelled the upload. */
  async #end(): Promise<void> {
    try {
      if (this.#cancelled.signal.aborted && this.#id !== undefined)
        await this.#api.post(`/api/imports/${encodeURIComponent(this.#id)}/cancel`)
    } catch (error) {
      if (!isOver(error)) {
        logError('Error cancelling an import', error)
        toast.error(`The import could not be cancelled. ${readReason(error)}`)
      }
    }
    await this.#onChange().catch(() => undefined)
    this.#files = []
    this.#view.set(undefined)
  }
}

const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0)

/** Whether the import was ended elsewhere, for example in another tab. */
function isOver(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 409)
}

const isTooLarge = (error: unknown) => error instanceof ApiError && error.status === 413

function findProblem(files: readonly File[]): string | undefined {
  if (files.length > maxImportFiles) return `${files.length} files, at most ${maxImportFiles} at once.`
  const empty = files.find(({ size }) => size === 0)
  return empty && `${empty.name} is empty.`
}

const uploads = new WeakMap<ApiClient, ImportUpload>()

/** The upload of this page: one for each signed-in user. */
export function importUploadOf(api: ApiClient): ImportUpload {
  const upload = uploads.get(api) ?? new ImportUpload(api)
  uploads.set(api, upload)
  return upload
}

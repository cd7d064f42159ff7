import type { FileRef } from '@yonder/contract/message'
import type { ApiClient } from '../../../lib/api/api-client.ts'
import { useApi } from '../../../lib/api/api-provider.tsx'
import { logError } from '../../../lib/log-error.ts'
import { createStore, type ReadableStore } from '../../../lib/store.ts'
import type { UploadQueue } from './upload-queue.ts'
import type { UploadState, UploadStates } from './upload-state.ts'

/**
 * The files that are being uploaded, whether or not the input that contains them is on the page. The code that does it is
 * loaded when the first file is attached.
 */
export class Uploads {
  readonly #api: ApiClient
  readonly #states = createStore<UploadStates>(new Map())
  readonly #previews = new Map<string, string>()
  /** The bytes of files for which the code that uploads them is not loaded yet. */
  readonly #bytes = new Map<string, Blob>()
  #queue: Promise<UploadQueue> | undefined

  constructor(api: ApiClient) {
    this.#api = api
  }

  /** The states of the files that are not stored, by their ids. */
  get states(): ReadableStore<UploadStates> {
    return this.#states
  }

  /** Uploads a file of a draft, and replaces what stands for it when it is stored. */
  add(draft: string, file: FileRef, bytes: Blob): void {
    this.#preview(file.id, bytes)
    this.#bytes.set(file.id, bytes)
    this.resume(draft, file)
  }

  /** Goes on with a file of a draft after a failure or a reload, or in another tab. */
  resume(draft: string, { id, name }: FileRef): void {
    this.#set(id, { phase: 'waiting' })
    this.#use(id, (queue) => {
      const bytes = this.#bytes.get(id)
      this.#bytes.delete(id)
      queue.add({ id, draft, name, bytes })
    })
  }

  cancel(id: string): void {
    this.#bytes.delete(id)
    this.#set(id, undefined)
    void this.#queue?.then((queue) => queue.cancel(id))
  }

  /** The address of a file in this page, which shows it if it is a picture. */
  previewOf(id: string): string | undefined {
    return this.#previews.get(id)
  }

  #use(id: string, action: (queue: UploadQueue) => void): void {
    this.#queue ??= import('./upload-queue.ts').then(
      (part) =>
        new part.UploadQueue(this.#api, {
          onState: (of, state) => this.#set(of, state),
          onRecalled: (of, bytes) => this.#preview(of, bytes),
        }),
    )
    this.#queue.then(action, (error: unknown) => {
      logError('The code for uploads could not be loaded', error)
      this.#queue = undefined
      this.#set(id, {
        phase: 'failed',
        reason: 'A part of the page could not be loaded. Try again.',
        canRetry: true,
      })
    })
  }

  #preview(id: string, bytes: Blob): void {
    if (bytes.type.startsWith('image/')) this.#previews.set(id, URL.createObjectURL(bytes))
  }

  #set(id: string, state: UploadState | undefined): void {
    this.#states.update((states) => {
      const next = new Map(states)
      if (state === undefined) next.delete(id)
      else next.set(id, state)
      return next
    })
    if (state !== undefined) return
    const preview = this.#previews.get(id)
    this.#previews.delete(id)
    if (preview !== undefined) URL.revokeObjectURL(preview)
  }
}

const uploadsOfClients = new WeakMap<ApiClient, Uploads>()

export function useUploads(): Uploads {
  const api = useApi()
  const uploads = uploadsOfClients.get(api) ?? new Uploads(api)
  uploadsOfClients.set(api, uploads)
  return uploads
}

import type { FileSpace } from '@yonder/contract/file'
import type { FileRef } from '@yonder/contract/message'
import { createContext, use, useCallback, useEffect, useState } from 'react'
import useSWR from 'swr'
import { readFilePublicly, type ApiClient } from '../lib/api/api-client.ts'
import { isNotFound, readReason } from '../lib/api/api-error.ts'
import { logReadFailure, useOptionalApi } from '../lib/api/api-provider.tsx'
import { toast } from '../lib/toasts.ts'

const pathOf = (id: string) => `/api/files/${encodeURIComponent(id)}`

/** What the files of the user take and may take. Loaded only while `isWanted`. */
export function useFileSpace(isWanted: boolean): FileSpace | undefined {
  return useSWR<FileSpace, Error>(isWanted ? '/api/files' : null).data
}

/** The bytes of files on the page, as addresses of this page. */
interface LoadedFile {
  readonly url: string
  readonly type: string
}

/** Of the files that this page has uploaded, the last ones are shown without loading them again. */
const maxUploaded = 20

/** Reads the bytes of a file; undefined when the user was signed out. */
type ReadFile = (id: string) => Promise<Blob | undefined>

/**
 * Loads files once for all elements that show them, and forgets them when the last one is gone: pictures must not fill
 * the memory. The browser stores none, because others may use it after a sign-out.
 */
class FileCache {
  readonly #read: ReadFile
  readonly #open = new Map<string, { users: number; readonly file: Promise<LoadedFile | undefined> }>()
  readonly #uploaded = new Map<string, LoadedFile>()

  constructor(read: ReadFile) {
    this.#read = read
  }

  /** Resolves to undefined when the user was signed out. The returned function must be called once. */
  open(id: string): { readonly file: Promise<LoadedFile | undefined>; readonly release: () => void } {
    const entry = this.#open.get(id) ?? { users: 0, file: this.#load(id) }
    this.#open.set(id, entry)
    entry.users += 1
    const forget = () => {
      if (this.#open.get(id) === entry) this.#open.delete(id)
    }
    // The next attempt loads it again, also while another element shows the failure.
    entry.file.catch(forget)
    const release = () => {
      entry.users -= 1
      if (entry.users > 0) return
      forget()
      void entry.file.then(
        (file) => file && URL.revokeObjectURL(file.url),
        () => undefined,
      )
    }
    return { file: entry.file, release }
  }

  /** Keeps a picture that this page has uploaded. */
  keep(id: string, bytes: Blob): void {
    if (this.#uploaded.has(id)) return
    this.#uploaded.set(id, { url: URL.createObjectURL(bytes), type: bytes.type })
    const [[oldest, { url }] = ['', { url: '' }]] = this.#uploaded
    if (this.#uploaded.size <= maxUploaded) return
    this.#uploaded.delete(oldest)
    URL.revokeObjectURL(url)
  }

  /** Returns a picture that was kept. */
  peek(id: string): LoadedFile | undefined {
    return this.#uploaded.get(id)
  }

  async #load(id: string): Promise<LoadedFile | undefined> {
    const bytes = await this.#read(id)
    return bytes && { url: URL.createObjectURL(bytes), type: bytes.type }
  }
}

const caches = new WeakMap<ApiClient, FileCache>()

export function fileCacheOf(api: ApiClient): FileCache {
  const cache = caches.get(api) ?? new FileCache((id) => api.readFile(pathOf(id)))
  caches.set(api, cache)
  return cache
}

/** The files of a shared chat, which need no sign-in. */
export const SharedFilesContext = createContext<FileCache | undefined>(undefined)

export function openSharedFiles(shareId: string): FileCache {
  return new FileCache((id) =>
    readFilePublicly(`/api/share/${encodeURIComponent(shareId)}/files/${encodeURIComponent(id)}`),
  )
}

function useFiles(): FileCache {
  const shared = use(SharedFilesContext)
  const api = useOptionalApi()
  if (shared !== undefined) return shared
  if (api === null) throw new Error('files are read within ApiProvider, or of a shared chat')
  return fileCacheOf(api)
}

export interface FileView {
  /** Undefined until it is loaded. */
  readonly file: LoadedFile | undefined
  readonly error: unknown
  readonly isLoading: boolean
  /** Loads it again after a failure. */
  readonly retry: () => void
}

/** A stored file, loaded while `isWanted`. */
export function useStoredFile(id: string, isWanted = true): FileView {
  const cache = useFiles()
  const kept = cache.peek(id)
  const isNeeded = isWanted && kept === undefined
  const [attempt, setAttempt] = useState(0)
  const [loaded, setLoaded] = useState<{ of: string; attempt: number; file?: LoadedFile; error?: unknown }>()
  useEffect(() => {
    if (!isNeeded) return
    let isOver = false
    const { file, release } = cache.open(id)
    const end = (result: { file?: LoadedFile; error?: unknown }) => {
      if (!isOver) setLoaded({ of: id, attempt, ...result })
    }
    file.then(
      (found) => end(found === undefined ? {} : { file: found }),
      (error: unknown) => {
        if (!isNotFound(error)) logReadFailure(error, pathOf(id))
        end({ error })
      },
    )
    return () => {
      isOver = true
      release()
    }
  }, [cache, id, isNeeded, attempt])
  const shown = isNeeded && loaded?.of === id ? loaded : undefined
  return {
    file: kept ?? shown?.file,
    error: shown?.error,
    isLoading: isNeeded && shown?.attempt !== attempt,
    retry: useCallback(() => setAttempt((count) => count + 1), []),
  }
}

/** Returns a function that saves a file of a message under its name. A failure is shown to the user. */
export function useDownload(): (file: Pick<FileRef, 'id' | 'name'>) => Promise<void> {
  const files = useFiles()
  return async ({ id, name }) => {
    const { file, release } = files.open(id)
    try {
      const loaded = await file
      if (loaded === undefined) return
      const link = Object.assign(document.createElement('a'), { href: loaded.url, download: name })
      link.click()
      // Some browsers read the address after the click.
      setTimeout(release, readAfterMs)
    } catch (error) {
      release()
      toast.error(`${name} could not be downloaded. ${readReason(error)}`)
    }
  }
}

/** The time for which the address of a downloaded file stays valid. */
const readAfterMs = 60_000

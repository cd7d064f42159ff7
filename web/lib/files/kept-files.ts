import { keptFilesDatabase } from '../kept-files-database.ts'

/**
 * The bytes of files that are being uploaded, in the browser's database, so that a reload or a crash does not lose them.
 * Where the browser has no such database, or it is full, nothing is kept and nothing fails.
 */

/** A file that belongs to an unsent message, by the id that the page has given it. */
export interface KeptFile<Stored> {
  readonly id: string
  /** The key of the draft that contains the file. */
  readonly draft: string
  /** The file, until it is uploaded. */
  readonly bytes?: Blob
  /** The uploaded file, for another tab with the same draft. */
  readonly stored?: Stored
}

const storeName = 'files'

export const keptFiles = {
  write: <Stored>(file: KeptFile<Stored>) => run('readwrite', (store) => store.put(file)),
  read: async <Stored>(id: string) =>
    (await run('readonly', (store) => store.get(id))) as KeptFile<Stored> | undefined,
  remove: (id: string) => run('readwrite', (store) => store.delete(id)),
  /** Removes the files for which `isNeeded` returns false. */
  async sweep(isNeeded: (file: KeptFile<unknown>) => boolean): Promise<void> {
    const files = ((await run('readonly', (store) => store.getAll())) ?? []) as KeptFile<unknown>[]
    for (const file of files) if (!isNeeded(file)) await keptFiles.remove(file.id)
  },
}

let opening: Promise<IDBDatabase> | undefined

function open(): Promise<IDBDatabase> {
  return (opening ??= new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(keptFilesDatabase, 1)
    request.addEventListener('upgradeneeded', () =>
      request.result.createObjectStore(storeName, { keyPath: 'id' }),
    )
    request.addEventListener('error', () => reject(request.error ?? new Error('no database')))
    request.addEventListener('success', () => {
      const database = request.result
      const forget = () => {
        opening = undefined
      }
      database.addEventListener('close', forget)
      // Another tab deletes the database after a sign-out.
      database.addEventListener('versionchange', () => {
        database.close()
        forget()
      })
      resolve(database)
    })
  }).catch((error: unknown) => {
    opening = undefined
    throw error
  }))
}

/** Resolves to the result of a request, or to undefined when it fails. */
async function run(
  mode: IDBTransactionMode,
  request: (store: IDBObjectStore) => IDBRequest,
): Promise<unknown> {
  try {
    const transaction = (await open()).transaction(storeName, mode)
    const { result } = await new Promise<IDBRequest>((resolve, reject) => {
      const made = request(transaction.objectStore(storeName))
      // A write counts when its transaction is complete.
      transaction.addEventListener('complete', () => resolve(made))
      transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('not kept')))
    })
    return result
  } catch {
    return undefined
  }
}

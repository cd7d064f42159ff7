import { ImportFileParams, ImportOptions, NewImport, Transfer } from '@yonder/contract/transfer'
import { requireBot } from '../bots/bot-store.ts'
import type { Database } from '../db/database.ts'
import { cleanFileName } from '../files/file-name.ts'
import { noteBytes } from '../files/file-store.ts'
import { discardBytes } from '../files/store-file.ts'
import { AnyId, type Api, route } from '../http/api.ts'
import { closeSignal } from '../http/close-signal.ts'
import { readRest, requireBytes } from '../http/received-bytes.ts'
import { requireUser } from '../identity/authenticate.ts'
import { AppError } from '../lib/app-error.ts'
import { formatMegabytes } from '../lib/format-megabytes.ts'
import { newId } from '../lib/new-id.ts'
import { presentTransfer } from '../transfers/present-transfer.ts'
import type { openTransferRunner } from '../transfers/run-transfers.ts'
import {
  addUpload,
  changeTransfer,
  filesOf,
  insertTransfer,
  requireTransfer,
  type TransferFile,
} from '../transfers/transfer-store.ts'
import type { StoredOptions } from './import-works.ts'

export interface ImportRoutesDeps {
  readonly database: Database
  /** Of the files of one import together. */
  readonly maxBytes: number
  readonly transfers: Pick<ReturnType<typeof openTransferRunner>, 'look'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Registers the routes that take the files of an import, and start it. */
export function registerImportRoutes(api: Api, deps: ImportRoutesDeps): void {
  const { database, maxBytes, transfers, now } = deps
  const { db } = database

  api.post(
    '/api/imports',
    route('user', 'Begin an import of files', ['conflict', 'payload_too_large'], {
      body: NewImport,
      response: { 201: Transfer },
    }),
    async (request, reply) => {
      const user = requireUser(request)
      const files = request.body.files.map(({ name, size }) => ({
        id: null,
        name: cleanFileName(name, ''),
        size,
      }))
      const bytes = files.reduce((sum, { size }) => sum + size, 0)
      if (bytes > maxBytes)
        throw new AppError(
          'payload_too_large',
          `The files have ${formatMegabytes(bytes)}, and ${formatMegabytes(maxBytes)} is the most that one import can have here.`,
        )
      const id = newId()
      const state = { id, kind: 'import', state: 'uploading', created_at: now() } as const
      await insertTransfer(db, user, { ...state, files: JSON.stringify(files) })
      reply.code(201)
      return presentTransfer(await requireTransfer(db, user, state))
    },
  )

  api.put(
    '/api/imports/:id/files/:number',
    {
      ...route('owner', 'Send one of its files', ['conflict', 'unsupported_media_type'], {
        params: ImportFileParams,
        response: { 200: Transfer },
      }),
      config: { slowBody: true },
    },
    async (request, reply) => {
      const user = requireUser(request)
      const { id, number } = request.params
      const transfer = await requireTransfer(db, user, { id, kind: 'import' })
      const body = requireBytes(request.body)
      const closed = closeSignal(reply.raw)
      const { 'content-length': length } = request.headers
      try {
        const file = requireWanted(filesOf(transfer)[number], transfer.state)
        if (length !== undefined && Number(length) !== file.size) throw wrongSize(file)
        const bytes = body.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>
        await storeUpload(deps, { id, number, file }, bytes)
      } catch (error) {
        await readRest(body, maxBytes)
        throw closed.aborted ? new AppError('invalid_request', 'The upload was cancelled.') : error
      }
      transfers.look()
      return presentTransfer(await requireTransfer(db, user, { id, kind: 'import' }))
    },
  )

  api.post(
    '/api/imports/:id/start',
    route('owner', 'Start an import whose preview is there', ['conflict'], {
      params: AnyId,
      body: ImportOptions,
      response: { 200: Transfer },
    }),
    async (request) => {
      const user = requireUser(request)
      const { id } = request.params
      const { bot, project } = request.body
      await requireTransfer(db, user, { id, kind: 'import' })
      const options: StoredOptions = { bot_id: (await requireBot(db, user, bot)).id, project }
      const change = { state: 'running', options: JSON.stringify(options), done: 0, total: null } as const
      if (!(await changeTransfer(db, { id, state: 'ready' }, change)))
        throw new AppError('conflict', 'This import cannot be started now. Reload the page.')
      transfers.look()
      return presentTransfer(await requireTransfer(db, user, { id, kind: 'import' }))
    },
  )
}

function requireWanted(file: TransferFile | undefined, state: Transfer['state']): TransferFile {
  if (file === undefined) throw new AppError('not_found', 'This import has no such file.')
  if (state !== 'uploading' || file.id !== null) throw notWanted()
  return file
}

function notWanted(): AppError {
  return new AppError('conflict', 'This file is here already, or the import was cancelled.')
}

function wrongSize({ name, size }: TransferFile): AppError {
  return new AppError(
    'invalid_request',
    `“${name}” does not have the ${size.toLocaleString('en')} bytes that were announced. Choose it again.`,
  )
}

interface Upload {
  readonly id: string
  readonly number: number
  readonly file: TransferFile
}

/** Stores the bytes of a file. They stay noted as unused, so that they are deleted after a day, whatever happens. */
async function storeUpload(
  { database, now }: ImportRoutesDeps,
  { id, number, file }: Upload,
  source: AsyncIterable<Uint8Array>,
): Promise<void> {
  const { db, bytes } = database
  const fileId = newId()
  await noteBytes(db, fileId, now())
  try {
    await bytes.write(fileId, withSize(source, file))
  } catch (error) {
    await discardBytes(database, fileId)
    throw error
  }
  if ((await addUpload(db, { id }, number, fileId)) !== undefined) return
  await discardBytes(database, fileId)
  throw notWanted()
}

async function* withSize(source: AsyncIterable<Uint8Array>, file: TransferFile): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const part of source) {
    size += part.length
    if (size > file.size) throw wrongSize(file)
    yield part
  }
  if (size !== file.size) throw wrongSize(file)
}

import { FilePlanList, FilePlanRequest, FileSpace, UploadedFile, UploadQuery } from '@yonder/contract/file'
import { z } from 'zod'
import type { FileTable } from '../db/tables/tables.ts'
import { AnyId, type Api, route } from '../http/api.ts'
import { closeSignal } from '../http/close-signal.ts'
import { readRest, requireBytes } from '../http/received-bytes.ts'
import { requireUser } from '../identity/authenticate.ts'
import type { User } from '../identity/user.ts'
import { AppError } from '../lib/app-error.ts'
import { countUsedBytes, deleteUnsentFile, listFilesById, listTextSizes } from './file-store.ts'
import { planFiles, type Taker } from './plan-files.ts'
import { fileResponse, noSuchFile, sendFile } from './send-file.ts'
import { type FileDeps, fileTooLarge, storeFile, toFileRef } from './store-file.ts'

export interface FileRoutesDeps extends FileDeps {
  /**
   * Finds what the model of a user's bot takes.
   * @throws AppError `not_found`
   */
  readonly findTaker: (user: User, botName: string) => Promise<Taker>
}

/** Registers the routes that store files, send them, and tell how models would be given them. */
export function registerFileRoutes(api: Api, deps: FileRoutesDeps): void {
  const { database, limits } = deps
  const { db } = database
  api.post(
    '/api/files',
    {
      ...route('user', 'Store a file', ['payload_too_large', 'unsupported_media_type', 'storage_full'], {
        querystring: UploadQuery,
        response: { 201: UploadedFile },
      }),
      config: { slowBody: true },
      async onRequest({ headers }) {
        // Refused before the bytes are sent. What is not declared is counted.
        if (Number(headers['content-length'] ?? 0) > limits.maxFile) throw fileTooLarge(limits)
      },
    },
    async (request, reply) => {
      const body = requireBytes(request.body)
      const closed = closeSignal(reply.raw)
      const file = await storeFile(
        deps,
        requireUser(request),
        { name: request.query.name, bytes: body.iterator({ destroyOnReturn: false }), accepts: 'readable' },
        closed,
      ).catch(async (error: unknown) => {
        await readRest(body, limits.maxFile)
        throw closed.aborted ? new AppError('invalid_request', 'The upload was cancelled.') : error
      })
      reply.code(201)
      return presentUploaded(file, request.query.name)
    },
  )

  api.get(
    '/api/files',
    route('user', 'Read how much the files take', [], { response: { 200: FileSpace } }),
    async (request) => ({
      used: await countUsedBytes(db, requireUser(request).id),
      quota: limits.quota,
      max_file: limits.maxFile,
    }),
  )

  api.get(
    '/api/files/:id',
    route('owner', 'Read a file', [], { params: AnyId, response: fileResponse }),
    async (request, reply) => {
      const [file] = await listFilesById(db, requireUser(request), [request.params.id])
      if (file === undefined) throw noSuchFile()
      return sendFile(request, reply, file, database.bytes)
    },
  )

  api.delete(
    '/api/files/:id',
    route('owner', 'Delete a file that no message has', ['conflict'], {
      params: AnyId,
      response: { 204: z.null() },
    }),
    async (request, reply) => {
      const user = requireUser(request)
      const { id } = request.params
      if (!(await db.transaction().execute((trx) => deleteUnsentFile(trx, database.dialect, user, id)))) {
        const [file] = await listFilesById(db, user, [id])
        if (file === undefined) throw noSuchFile()
        throw new AppError('conflict', 'This file is in a message. It is deleted with its chat.')
      }
      return reply.code(204).send(null)
    },
  )

  api.post(
    '/api/files/plan',
    route('owner', 'Tell how a model would be given files', [], {
      body: FilePlanRequest,
      response: { 200: FilePlanList },
    }),
    async (request) => {
      const user = requireUser(request)
      const taker = await deps.findTaker(user, request.body.botName)
      const files = await findFilesToPlan(deps, user, request.body.files)
      return { files: planFiles(files, taker).map(({ parts: _parts, unit: _unit, ...plan }) => plan) }
    },
  )
}

function presentUploaded(file: FileTable, name: string): UploadedFile {
  return { ...toFileRef(file, name), ...(file.problem !== null && { problem: file.problem }) }
}

async function findFilesToPlan({ database: { db } }: FileDeps, user: User, ids: readonly string[]) {
  const [files, texts] = await Promise.all([listFilesById(db, user, ids), listTextSizes(db, ids)])
  const found = new Map(files.map((file) => [file.id, { ...file, texts: texts.get(file.id) ?? [] }]))
  return [...new Set(ids)].flatMap((id) => found.get(id) ?? [])
}

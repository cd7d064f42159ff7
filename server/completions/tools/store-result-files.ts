import type { FileRef } from '@yonder/contract/message'
import type { PartWith, ResultFile, ToolOutcome } from '../../connectors/calls/tool-call.ts'
import { oneBuffer } from '../../db/files/file-bytes.ts'
import { storeFile, toFileRef, type FileDeps } from '../../files/store-file.ts'
import type { User } from '../../identity/user.ts'
import { AppError } from '../../lib/app-error.ts'

/** A file of a result that is stored. */
export interface StoredFile {
  readonly type: ResultFile['type']
  readonly ref: FileRef
}

export type StoredPart = PartWith<StoredFile>

/**
 * Stores the files of a tool's result. One that cannot be stored becomes a note that says why, since the rest of the
 * result is not lost with it.
 */
export async function storeResultFiles(
  deps: FileDeps,
  user: User,
  toolName: string,
  parts: ToolOutcome['parts'],
  onError: (error: unknown) => void,
): Promise<readonly StoredPart[]> {
  const stored: StoredPart[] = []
  for (const part of parts) {
    if (!('data' in part)) {
      stored.push(part)
      continue
    }
    const name = part.name ?? `${toolName}.${part.mimeType.split('/')[1]}`
    try {
      const bytes = oneBuffer(Buffer.from(part.data, 'base64'))
      const file = await storeFile(deps, user, { name, bytes, accepts: 'everything' })
      stored.push({ type: part.type, ref: toFileRef(file, name) })
    } catch (error) {
      if (!(error instanceof AppError)) onError(error)
      const reason = error instanceof AppError ? error.message : 'It could not be written.'
      stored.push({ type: 'note', text: `The file ${name} of the result was not stored. ${reason}` })
    }
  }
  return stored
}

import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ImportPreview, type ImportResult, maxSkippedChats } from '@yonder/contract/transfer'
import { toStorageError } from '../db/storage-problem.ts'
import { AppError } from '../lib/app-error.ts'
import type { OpenedExport } from './formats/open-export.ts'
import type { ImportedChat, UnreadableChat } from './imported-chat.ts'
import { presentSkipped } from './skipped-chat.ts'
import { toStorableChat } from './storable-chat.ts'
import { type ImportFrame, storeChat } from './store-chat.ts'

export interface RunDeps {
  readonly frame: ImportFrame
  /** The project of chats that the export puts into none. */
  readonly project: string | null
  /** Called after each chat. */
  readonly onChat: (done: number, result: ImportResult) => Promise<void> | void
  readonly onError: (error: unknown) => void
  /** Told which chats are new or have changed. */
  readonly changes: { add(chatId: string, outcome: 'new' | 'changed'): void }
}

export const nothingDone: ImportResult = {
  new_chats: 0,
  changed_chats: 0,
  known_chats: 0,
  skipped_chats: 0,
  skipped: [],
  files: 0,
  missing_files: 0,
}

/** Stores the chats of an export. One that cannot be stored does not stop the others. */
export async function runImport(
  { frame, project, onChat, onError, changes }: RunDeps,
  read: OpenedExport,
): Promise<ImportResult> {
  const result: ImportResult = { ...nothingDone, skipped: [] }
  let done = 0
  for await (const chat of read.chats()) {
    frame.signal.throwIfAborted()
    const stored = await tryToStore(frame, read, project, chat).catch((error: unknown) => {
      if (frame.signal.aborted || toStorageError(error) !== null) throw error
      if (!(error instanceof AppError)) onError(error)
      const problem = error instanceof AppError ? error.message : unknownProblem
      return { sourceId: null, title: chat.title, problem }
    })
    if ('problem' in stored) {
      result.skipped_chats += 1
      if (result.skipped.length < maxSkippedChats) result.skipped.push(presentSkipped(stored))
    } else {
      result[`${stored.outcome}_chats`] += 1
      result.files += stored.files
      result.missing_files += stored.missingFiles
      if (stored.outcome !== 'known') changes.add(stored.id, stored.outcome)
    }
    done += 1
    await onChat(done, result)
    await nextTurn()
  }
  if (result.skipped_chats === done)
    throw new AppError(
      'invalid_request',
      `Nothing could be imported. ${result.skipped[0]?.problem ?? ''}`.trim(),
    )
  return result
}

const unknownProblem =
  'It could not be stored, for a reason that the operator can find in the log of the server.'

async function tryToStore(
  frame: ImportFrame,
  { source }: Pick<OpenedExport, 'source'>,
  project: string | null,
  chat: ImportedChat | UnreadableChat,
) {
  if ('problem' in chat) return chat
  const storable = await toStorableChat(chat, source, frame.deps.now())
  if ('problem' in storable) return storable
  return storeChat(frame, { ...storable, project: storable.project ?? project })
}

/**
 * Corrects the counts of an import that went on after its process had died: what had been stored before counts as new
 * or changed, as the preview has it.
 */
export function settleResult(result: ImportResult, preview: ImportPreview): ImportResult {
  const all = result.new_chats + result.changed_chats + result.known_chats
  const new_chats = Math.max(result.new_chats, Math.min(preview.new_chats, all - preview.known_chats))
  const changed_chats = Math.min(all - new_chats, preview.changed_chats)
  return { ...result, new_chats, changed_chats, known_chats: all - new_chats - changed_chats }
}

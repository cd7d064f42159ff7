import type { FileRef } from '@yonder/contract/message'
import { createMessageId } from '../session/run-messages.ts'

/** The state of a file that is not stored yet. */
export type UploadState =
  /** It waits for its turn, or for the connection. */
  | { readonly phase: 'waiting' }
  /** It is read and, if it is a picture, made smaller. */
  | { readonly phase: 'preparing' }
  /** `share` is the part of its bytes that is sent, from 0 to 1. */
  | { readonly phase: 'sending'; readonly share: number }
  /** `reason` is a sentence for the user. */
  | { readonly phase: 'failed'; readonly reason: string; readonly canRetry: boolean }

export type UploadStates = ReadonlyMap<string, UploadState>

/** Begins the id of a file that is not stored yet. In a draft it stands for that file until it is stored. */
const localPrefix = 'local:'

export function isLocal({ id }: Pick<FileRef, 'id'>): boolean {
  return id.startsWith(localPrefix)
}

/** Returns what stands for a chosen file in a draft. */
export function refOfFile({ name, type, size }: File): FileRef {
  return { id: localPrefix + createMessageId(), name, type: type || 'application/octet-stream', size }
}

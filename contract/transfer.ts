import { z } from 'zod'
import { ClientId } from './chat.ts'
import { maxImportFiles } from './lib/transfer-limits.ts'

/** The products whose exports can be imported. */
export const importSources = ['yonder', 'chatgpt', 'claude', 'librechat', 'open-webui'] as const
export const ImportSource = z.enum(importSources)
export type ImportSource = z.infer<typeof ImportSource>

/** A chat that was not imported, and why, as a sentence. */
export const SkippedChat = z.object({ title: z.string().nullable(), problem: z.string() })
export type SkippedChat = z.infer<typeof SkippedChat>

/** The chats of a report that are named. */
export const maxSkippedChats = 1_000

/** What an import would do. */
export const ImportPreview = z.object({
  source: ImportSource,
  /** Chats that are not here yet. */
  new_chats: z.int().nonnegative(),
  /** Chats that are here already, and how many of them have new messages or files. */
  known_chats: z.int().nonnegative(),
  changed_chats: z.int().nonnegative(),
  unreadable_chats: z.int().nonnegative(),
  /** The first `maxSkippedChats` of these. */
  unreadable: z.array(SkippedChat),
  /** Files whose bytes the export has, and of which it has only the names. */
  files: z.int().nonnegative(),
  file_bytes: z.int().nonnegative(),
  missing_files: z.int().nonnegative(),
  /** ISO 8601: of the oldest and the newest chat. Null when no chat has a time. */
  first_time: z.string().nullable(),
  last_time: z.string().nullable(),
})
export type ImportPreview = z.infer<typeof ImportPreview>

/** What an import has done. */
export const ImportResult = z.object({
  new_chats: z.int().nonnegative(),
  changed_chats: z.int().nonnegative(),
  /** Chats that had nothing new. */
  known_chats: z.int().nonnegative(),
  skipped_chats: z.int().nonnegative(),
  /** The first `maxSkippedChats` of these. */
  skipped: z.array(SkippedChat),
  files: z.int().nonnegative(),
  /** Files that stand as their names, because the export does not have them or they could not be stored. */
  missing_files: z.int().nonnegative(),
  /** The project into which new chats were put. */
  project_id: z.string().optional(),
})
export type ImportResult = z.infer<typeof ImportResult>

export const transferStates = [
  /** An import whose files are not all here. */
  'uploading',
  /** An import whose preview is made. */
  'reading',
  /** An import whose preview is there, and which `POST /api/imports/{id}/start` starts. */
  'ready',
  'running',
  'done',
  'failed',
  'cancelled',
] as const

/** An export of all data of a user, or an import. */
export const Transfer = z.object({
  id: z.string(),
  state: z.enum(transferStates),
  /** The files to import, or that of the export once it is `done`. `number` is their place, from 0. */
  files: z.array(z.object({ name: z.string(), size: z.int().nonnegative(), uploaded: z.boolean() })),
  /** How much of `total` is done: bytes while an import is read, chats while a transfer runs. */
  done: z.int().nonnegative(),
  total: z.int().nonnegative().nullable(),
  created_time: z.string(),
  /** When the files are deleted. */
  expires_time: z.string(),
  /** Why it failed, as a sentence. */
  error: z.string().optional(),
  /** Of an import, from the state `ready` on. */
  preview: ImportPreview.optional(),
  /** Of an import that runs, was cancelled or is done. */
  result: ImportResult.optional(),
})
export type Transfer = z.infer<typeof Transfer>

/** The last export and the last import of a user, for a day: `GET /api/transfers`. */
export const Transfers = z.object({ export: Transfer.nullable(), import: Transfer.nullable() })
export type Transfers = z.infer<typeof Transfers>

/** The files of a new import: `POST /api/imports`. Their bytes follow, each with `PUT /api/imports/{id}/files/{number}`. */
export const NewImport = z.object({
  files: z
    .array(z.object({ name: z.string().min(1).max(10_000), size: z.int().positive() }))
    .min(1)
    .max(maxImportFiles),
})
export type NewImport = z.infer<typeof NewImport>

/** How an import is done. */
export const ImportOptions = z.object({
  /** The name of the bot with which imported chats go on when theirs is not known here. */
  bot: z.string().min(1).max(200),
  /** Puts new chats into a project that is named after the product, unless the export names one. */
  project: z.boolean().optional().default(false),
})
export type ImportOptions = z.infer<typeof ImportOptions>

export const ImportFileParams = z.object({
  id: ClientId,
  number: z.coerce.number().int().min(0).max(maxImportFiles),
})

/** The address from which an export can be downloaded for an hour, without a token: `POST /api/exports/{id}/link`. */
export const ExportLink = z.object({ url: z.string() })
export type ExportLink = z.infer<typeof ExportLink>

/** How one chat is exported: `GET /api/chat/{id}/export`. With files, markdown is a ZIP. */
export const ChatExportQuery = z.object({
  format: z.enum(['markdown', 'json']),
  files: z.stringbool().optional().default(false),
})
export type ChatExportQuery = z.infer<typeof ChatExportQuery>

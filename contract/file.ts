import { z } from 'zod'
import { maxFilesPerMessage } from './lib/file-limits.ts'
import { FileRef } from './message.ts'

/** The query of `POST /api/files`, whose body is the bytes of the file, as `application/octet-stream`. */
export const UploadQuery = z.object({ name: z.string().min(1, 'the file has no name').max(10_000) })

/**
 * A stored file. The same bytes of the same user always have the same id. A message names it by the id; the name in a
 * message may be another one.
 */
export const UploadedFile = FileRef.extend({
  /** Why its text cannot be read, as a sentence: then a model gets only its name, unless it takes files of this type. */
  problem: z.string().optional(),
})
export type UploadedFile = z.infer<typeof UploadedFile>

/** What the files of a user may take, in bytes: `GET /api/files`. */
export const FileSpace = z.object({
  used: z.int().nonnegative(),
  /** Of all files of a user. */
  quota: z.int().nonnegative(),
  /** Of one file. */
  max_file: z.int().nonnegative(),
})
export type FileSpace = z.infer<typeof FileSpace>

/** Asks how the model of a bot would be given files: `POST /api/files/plan`. */
export const FilePlanRequest = z.object({
  botName: z.string().min(1).max(200),
  files: z.array(z.string().max(100)).max(maxFilesPerMessage),
})

/**
 * How a model is given a file: as it is (`picture`, `document`), as its text, or only as its name. `name` has a reason.
 */
export const FilePlan = z.object({
  /** The id of the file. */
  id: z.string(),
  as: z.enum(['picture', 'document', 'text', 'name']),
  /** An estimate of the tokens that it adds to the prompt. */
  tokens: z.int().nonnegative(),
  /** Only with `text`, when not all of it is given: how many of its pages, slides, sheets or lines are. */
  part: z
    .object({
      unit: z.enum(['page', 'slide', 'sheet', 'line']),
      given: z.int().nonnegative(),
      total: z.int().positive(),
    })
    .optional(),
  /** Only with `name`: why the model is not given more, as a sentence. */
  reason: z.string().optional(),
})
export type FilePlan = z.infer<typeof FilePlan>

/** The plans of those files that are stored, in the order of the request. */
export const FilePlanList = z.object({ files: z.array(FilePlan) })

import type { FilePlan } from '@yonder/contract/file'
import { isPicture } from '@yonder/contract/lib/file-limits'
import type { FileTable } from '../db/tables/tables.ts'
import { findMediaProblem, type MediaLimits, type MediaSize } from '../models/media-limits.ts'
import type { TextSize } from './file-store.ts'
import { problems } from './reading/child/problems.ts'

/** What a model takes, as far as it is known. */
export interface Taker {
  /** The name of the model, for sentences. */
  readonly model: string
  readonly images: boolean
  readonly pdf: boolean
  /** In tokens. */
  readonly contextWindow: number | undefined
  readonly limits: MediaLimits
}

export type FileToPlan = Pick<
  FileTable,
  'id' | 'type' | 'size' | 'width' | 'height' | 'unit' | 'total' | 'problem'
> & {
  /** The parts of its text. */
  readonly texts: readonly TextSize[]
}

/** A plan, and for a text how many of its parts are given, and what it is counted in. */
export type PlannedFile = FilePlan & { readonly parts: number; readonly unit?: string }

/** Tokens of one file's text, and of all texts of a message when the context window is not known. */
const maxTextTokens = 100_000
/** The most that the files of one message take of the context window. */
const maxWindowShare = 0.5
/** Tokens of a name and of what stands around a text. */
const nameTokens = 40
/** A page of a document that is given as it is counts as its text and as a picture of it (Anthropic, PDF support). */
const pageTokens = 1_600
/** Anthropic's count, which is above those of others: pixels by 750, of at most 1,568 pixels a side. */
const pixelsPerToken = 750
const maxPictureTokens = 1_640
/**
 * Decides how a model is given the files of one message, in their order: as they are where it takes them, else as text
 * as far as there is room, else by name.
 */
export function planFiles(files: readonly FileToPlan[], taker: Taker): readonly PlannedFile[] {
  let free = taker.contextWindow === undefined ? maxTextTokens : taker.contextWindow * maxWindowShare
  return files.map((file) => {
    const plan = planFile(file, taker, free)
    free -= plan.tokens
    return plan
  })
}

function planFile(file: FileToPlan, taker: Taker, free: number): PlannedFile {
  const { id, type, width, height, total, problem, texts } = file
  const byName = (reason: string): PlannedFile => ({ id, as: 'name', tokens: nameTokens, parts: 0, reason })
  const media = findMediaProblem(toMediaSize(file), taker.limits)
  if (isPicture(type) && problem === null) {
    if (!taker.images) return byName(`${taker.model} cannot see pictures.`)
    if (media !== undefined) return byName(`The picture ${media}.`)
    // The size of pictures from former versions is not known.
    const pixels = width === null || height === null ? Infinity : width * height
    const tokens = Math.min(maxPictureTokens, Math.ceil(pixels / pixelsPerToken))
    return { id, as: 'picture', tokens: nameTokens + tokens, parts: 0 }
  }
  const textTokens = texts.reduce((sum, part) => sum + part.tokens, 0)
  const tooLong = `There is no room for it in the context window of ${taker.model}.`
  // Providers refuse what this server cannot open either.
  const isBroken = problem === problems.encryptedPdf || problem === problems.damaged
  if (type === 'application/pdf' && taker.pdf && media === undefined && !isBroken) {
    const tokens = nameTokens + textTokens + (total ?? 1) * pageTokens
    // Without a text, as of scanned pages, it is worth more than its name even when it takes more room.
    const room = textTokens === 0 ? (taker.contextWindow ?? Infinity) : free
    if (tokens <= room) return { id, as: 'document', tokens, parts: 0 }
    if (textTokens === 0) return byName(tooLong)
  }
  if (texts.length === 0) return byName(problem ?? 'Files of this kind have no text that a model could read.')
  const given = takeParts(texts, Math.min(maxTextTokens, free - nameTokens))
  if (given.parts === 0) return byName(tooLong)
  return {
    id,
    as: 'text',
    tokens: nameTokens + given.tokens,
    parts: given.parts,
    ...(file.unit !== null && { unit: file.unit }),
    ...partOf(file, given.units),
  }
}

export function toMediaSize({ type, size, width, height, total }: FileToPlan): MediaSize {
  return {
    mediaType: type as MediaSize['mediaType'],
    bytes: size,
    width: width ?? undefined,
    height: height ?? undefined,
    pages: total ?? undefined,
  }
}

function takeParts(
  texts: readonly TextSize[],
  room: number,
): { parts: number; tokens: number; units: number } {
  const given = { parts: 0, tokens: 0, units: 0 }
  for (const { tokens, units } of texts) {
    if (given.tokens + tokens > room) break
    given.parts += 1
    given.tokens += tokens
    given.units += units
  }
  return given
}

function partOf({ unit, total, texts }: FileToPlan, given: number): Pick<FilePlan, 'part'> {
  if (unit !== 'page' && unit !== 'slide' && unit !== 'sheet' && unit !== 'line') return {}
  const all = Math.max(
    total ?? 0,
    texts.reduce((sum, { units }) => sum + units, 0),
  )
  return given >= all ? {} : { part: { unit, given, total: Math.max(1, all) } }
}

import type { FileProblem } from './sniff-kind.ts'

/** The text of a document. */
export interface ReadDocument {
  readonly unit: 'page' | 'slide' | 'sheet' | 'line'
  /** The texts of the pages, slides or sheets; for a text file and DOCX one entry, whose unit is the line. */
  readonly parts: readonly string[]
  /** How many pages, slides, sheets or lines the file has; more than `parts` contain when the end was cut. */
  readonly total: number
}

/** A document without a text that can be read; its pages, where they are known. */
export interface ReadProblem extends FileProblem {
  readonly total?: number | undefined
}

export type ReadOutcome = { readonly document: ReadDocument } | ReadProblem

/** A decoded picture. */
export interface CheckedPicture {
  /** In pixels, upright. */
  readonly width: number
  readonly height: number
  /** The picture to store instead: upright, at most 2,048 pixels wide and high, without metadata. Omitted if it is. */
  readonly bytes?: Buffer
}

export type PictureOutcome = { readonly picture: CheckedPicture } | FileProblem

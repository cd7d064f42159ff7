import type { CheckedPicture, ReadDocument, ReadProblem } from '../read-outcome.ts'
import type { DocumentKind } from '../sniff-kind.ts'

/** What the process that reads a file is started with. */
export type ChildTask = {
  readonly serverPid: number
  /** Of the whole process. */
  readonly maxMemoryMb: number
  readonly maxMs: number
} & (
  | { readonly kind: DocumentKind; readonly maxChars: number }
  | {
      readonly kind: 'picture'
      /** The path of the library that decodes pictures. */
      readonly library: string
    }
)

/** What it answers: a line of JSON, after which the bytes of a picture may follow. */
export type ChildAnswer =
  | { readonly document: ReadDocument }
  | { readonly picture: Omit<CheckedPicture, 'bytes'> }
  /** The library is too old. */
  | { readonly isUnchecked: true }
  | ReadProblem

export interface ChildOutput {
  readonly answer: ChildAnswer
  readonly picture?: Uint8Array
}

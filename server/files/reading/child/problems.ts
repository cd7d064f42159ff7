import type { ReadProblem } from '../read-outcome.ts'

/** What a user is told about a file that cannot be read. */
export const problems = {
  encryptedPdf: 'The PDF is encrypted. Save it without a password and attach it again.',
  pdfOfPictures:
    'The PDF contains pictures of pages and no text. Save it with text recognition (OCR), or attach the pages as pictures.',
  damaged:
    'The file is damaged or incomplete. Open it in its program, save it again and attach the new file.',
  empty: 'The file contains no text.',
  notText: 'The file begins like text, but is not. Save it as UTF-8 text and attach it again.',
  tooManyEntries: 'The document consists of more than 1,000 files. Save it as PDF and attach that.',
  tooLargeUnpacked:
    'The document is too large: unpacked it has more than 200 MB. Save the part that you need as a file of its own.',
  tooSlow: 'Reading the file took too long. Attach a smaller one, or save it as PDF or text.',
  tooMuchMemory: 'Reading the file needs too much memory. Attach a smaller one, or save it as PDF or text.',
  died: 'Reading the file ended unexpectedly. Attach it again, or save it as PDF or text.',
  damagedPicture: 'The picture is damaged. Save it again and attach the new file.',
} as const

/** A file that cannot be read, for a reason that its user can do something about. */
export class UnreadableError extends Error {
  /** How many pages it has. */
  readonly total: number | undefined

  constructor(problem: keyof typeof problems, total?: number) {
    super(problems[problem])
    this.total = total
  }
}

/** Converts what reading a file has thrown. Libraries throw all kinds of errors about damaged files. */
export function toProblem(error: unknown): ReadProblem {
  if (error instanceof UnreadableError) return { problem: error.message, total: error.total }
  const isMemory = error instanceof RangeError && /allocation|string length|array length/i.test(error.message)
  return { problem: isMemory ? problems.tooMuchMemory : problems.damaged }
}

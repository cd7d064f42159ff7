import { ApiError } from './api-error.ts'

/** What a form calls the fields that it sends. */
export type FieldLabels = Readonly<Record<string, string>>

/**
 * Why something failed, in words for a person: the server's own sentence when there is one. It begins with the field that
 * is wrong, which `labels` turns into what the form calls it.
 */
export function readReason(error: unknown, labels: FieldLabels = {}): string {
  if (error instanceof ApiError && error.reason) return labelFields(error.reason, labels)
  if (error instanceof Error && error.message) return error.message
  return 'Unknown error'
}

/** A reason may name several fields, or an entry of one: `base_url: …; allow_tools.3: …`. */
function labelFields(reason: string, labels: FieldLabels): string {
  return reason.replaceAll(/(^|; )(\w+)(\.\w+)*(?=: )/g, (whole: string, before: string, field: string) =>
    Object.hasOwn(labels, field) ? `${before}${labels[field]}` : whole,
  )
}

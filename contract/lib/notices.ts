/** What a user can be told about: a reply that took at least `longReplyMs` has ended, one has failed, a call asks. */
export const noticeKinds = ['reply_ended', 'reply_failed', 'call_asks'] as const
export type NoticeKind = (typeof noticeKinds)[number]

/** A reply that is shorter than this is not worth a notification. Milliseconds. */
export const longReplyMs = 30_000

/** How often a visible tab says that it is visible. Milliseconds. */
export const presenceMs = 30_000

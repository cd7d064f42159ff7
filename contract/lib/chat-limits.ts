// This module does not import zod, which keeps zod out of the bundle of the browser.

/** Characters of a summary. */
export const maxSummaryChars = 100_000

/** Replies and summaries whose usage one request may ask for, such as the replies of one turn. */
export const maxUsageMessages = 100

/** UTF-16 units of a chat's title, on one line. */
export const maxTitleLength = 200

/** The most chats that one request names. Those of a section are not limited. */
export const maxNamedChats = 10_000

/** Days for which a deleted chat can be restored. */
export const deletedChatDays = 30

import { z } from 'zod'

/** Texts of one user that are kept. */
const maxDrafts = 200
/** Characters of one. */
const maxDraftChars = 200_000

/**
 * What a user has written and not sent, by the names that the page gives the inputs: `GET` and `PUT /api/drafts`. The page
 * leaves it here when the user signs out, because nothing of it stays in the browser, and takes it back at the next
 * sign-in.
 */
export const Drafts = z.object({
  drafts: z
    .record(z.string().min(1).max(300), z.string().max(maxDraftChars))
    .refine((drafts) => Object.keys(drafts).length <= maxDrafts, `at most ${maxDrafts} drafts can be kept`),
})
export type Drafts = z.infer<typeof Drafts>

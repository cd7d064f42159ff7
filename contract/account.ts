import { z } from 'zod'

/** What is deleted with an account (`GET /api/account`). */
export const AccountContents = z.object({
  /** What the user types to delete the account: the e-mail, or the name or id of an account without one. */
  confirmation: z.string(),
  chats: z.number(),
  files: z.number(),
  shares: z.number(),
  bots: z.number(),
  connectors: z.number(),
})
export type AccountContents = z.infer<typeof AccountContents>

export const AccountDeletion = z.object({
  /** What the user has typed. */
  confirmation: z.string().max(2_000),
  /** Of the last sign-in. Its claim `auth_time` says when the user has signed in. */
  id_token: z.string().max(32_768),
})
export type AccountDeletion = z.infer<typeof AccountDeletion>

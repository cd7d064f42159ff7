import { z } from 'zod'

/** The signed-in person (§3.2). */
export const UserInfo = z.object({
  sub: z.string(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  picture: z.string().nullable(),
  /** The e-mail's local part and a short hash of issuer and subject. */
  userPrefix: z.string(),
})
export type UserInfo = z.infer<typeof UserInfo>

import { z } from 'zod'

/**
 * The settings that the browser needs before anyone has signed in (`GET /api/settings`). They contain no secret.
 */
export const ClientSettings = z.object({
  identity: z.object({
    issuer: z.string(),
    clientId: z.string(),
    audience: z.string(),
    /** Extra authorization parameters of 'Sign in with Google', for example `connection=google-oauth2`. */
    googleParams: z.record(z.string(), z.string()),
    /** True when this server is its own identity provider, which can offer a local account. */
    embedded: z.boolean(),
  }),
  sourceUrl: z.string(),
  demoShareId: z.string().nullable(),
  /** True until the first account of a closed installation exists, which its set-up link creates. */
  needsSetUp: z.boolean().optional(),
})
export type ClientSettings = z.infer<typeof ClientSettings>

/** The signed-in user. */
export const UserInfo = z.object({
  sub: z.string(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  picture: z.string().nullable(),
  /** The local part of the e-mail address, or `user` without one, and a short hash of issuer and subject. */
  userPrefix: z.string(),
})
export type UserInfo = z.infer<typeof UserInfo>

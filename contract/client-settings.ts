import { z } from 'zod'

/** What the browser must know before anyone is signed in (`GET /api/settings`). Holds nothing secret. */
export const ClientSettings = z.object({
  identity: z.object({
    issuer: z.string(),
    clientId: z.string(),
    audience: z.string(),
    /** Extra authorization parameters for 'Sign in with Google', e.g. `connection=google-oauth2`. */
    googleParams: z.record(z.string(), z.string()),
    /** True with the provider that lives in this process: then a local account can be offered. */
    embedded: z.boolean(),
  }),
  sourceUrl: z.string(),
  demoShareId: z.string().nullable(),
})
export type ClientSettings = z.infer<typeof ClientSettings>

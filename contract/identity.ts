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
    /** Extra authorization parameters of every sign-in. A `scope` is added to the usual ones. */
    params: z.record(z.string(), z.string()).optional(),
    /**
     * The name on the button of a hosted provider. With it, 'Sign in with Google' is a second button, and only if there
     * are `googleParams`.
     */
    providerName: z.string().optional(),
    /** Why nobody can sign in at the hosted provider with the settings of this server, in a sentence. */
    problem: z.string().optional(),
    /** True when this server is its own identity provider, which can offer a local account. */
    embedded: z.boolean(),
  }),
  sourceUrl: z.string(),
  demoShareId: z.string().nullable(),
  /** True when users may delete their chats themselves. */
  selfService: z.boolean().optional(),
  /** For how long users may allow a tool at most, in hours. Absent without a limit. */
  maxGrantHours: z.number().optional(),
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

const reported = z.string().max(400)

/** Why a sign-in failed in a browser, for the log of the server. */
export const SignInFailure = z.object({
  /** One sentence, as the user has read it. */
  sentence: z.string().max(2_000),
  /** What was compared, such as the claim `aud`. */
  claim: reported.optional(),
  expected: reported.optional(),
  received: reported.optional(),
})

/** The ID token of a sign-in, from which the server reads a name and an e-mail that the access token lacks. */
export const IdTokenInput = z.object({ id_token: z.string().max(32_768) })

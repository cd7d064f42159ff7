const minute = 60
const hour = 60 * minute
const day = 24 * hour

/**
 * How long the tokens and records of the embedded provider are valid, in seconds. An access token is valid for a short
 * time, because a script in a compromised page could read it. Refreshing a token does not extend its grant.
 */
export const lifetimeSeconds = {
  accessToken: 5 * minute,
  authorizationCode: minute,
  idToken: hour,
  /** Short, because anyone can begin a sign-in. */
  interaction: 15 * minute,
  session: 30 * day,
  /** A session of the provider before the user has signed in, or after signing out. */
  anonymousSession: 15 * minute,
  refreshToken: 14 * day,
  grant: 30 * day,
} as const

/** How long a used refresh token is still accepted, so that a lost response does not sign the user out. */
export const refreshOverlapSeconds = 10

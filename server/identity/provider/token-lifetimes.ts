/*
 * How long the embedded provider's things live, in seconds. An access token is short because it is what a stolen page
 * could carry away; a sign-in (a grant) is absolute: refreshing does not extend it.
 */
const minute = 60
const hour = 60 * minute
const day = 24 * hour

export const accessTokenLife = 5 * minute
export const codeLife = minute
export const idTokenLife = hour
export const interactionLife = hour
export const sessionLife = 14 * day
export const refreshTokenLife = 14 * day
export const grantLife = 30 * day
/** How long a used refresh token still works, so that a lost response does not sign the user out (§15.15). */
export const refreshOverlap = 10

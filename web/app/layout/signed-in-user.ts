/** What the screens show of the person who is signed in. */
export interface SignedInUser {
  readonly sub: string
  readonly name?: string | null | undefined
  readonly email?: string | null | undefined
  readonly picture?: string | null | undefined
}

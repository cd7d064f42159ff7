/** What the screens need of the signed-in user. */
export interface SignedInUser {
  readonly sub: string
  readonly name?: string | null | undefined
  readonly email?: string | null | undefined
  readonly picture?: string | null | undefined
}

/** The props of a signed-in user's screen. */
export interface UserScreenProps {
  readonly user: SignedInUser
}

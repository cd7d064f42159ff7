/** A user. (issuer, subject) identifies the account, never the e-mail. */
export interface User {
  readonly id: string
  readonly issuer: string
  readonly subject: string
  readonly name: string | null
  readonly email: string | null
  readonly picture: string | null
}

/** The profile of a user from the identity provider. */
export type Profile = Pick<User, 'name' | 'email' | 'picture'>

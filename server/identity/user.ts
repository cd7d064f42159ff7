/** A person as the rest of the server knows them. The account is (issuer, subject), never an e-mail. */
export interface User {
  readonly id: string
  readonly issuer: string
  readonly subject: string
  readonly name: string | null
  readonly email: string | null
  readonly picture: string | null
}

/** What a provider says about a person. */
export type Profile = Pick<User, 'name' | 'email' | 'picture'>

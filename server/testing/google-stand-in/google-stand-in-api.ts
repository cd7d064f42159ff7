/** Whose data a request may see, and how far. */
export interface StandInGrant {
  readonly account: string
  readonly scopes: ReadonlySet<string>
}

/** An API of the stand-in for Google; it is asked only with a token that is good. */
export interface StandInApi {
  /** `/gmail-api` */
  readonly prefix: string
  /** `request.url` is without the prefix: `http://google.invalid/gmail/v1/users/me/labels`. */
  answer(request: Request, grant: StandInGrant): Response | Promise<Response>
}

import type { Config } from '../../config/config.ts'

/** Who may make a local account. */
export interface SignUpRule {
  /** Whether the page offers it at all. */
  readonly offered: boolean
  mayJoin(email: string): boolean
}

/** What a person reads who is not allowed to join. */
export const notOnTheList =
  'This e-mail address may not create an account here. Ask whoever runs this Yonder.'

/** Open to everyone, or closed to all but the operator's list of e-mail addresses. */
export function readSignUpRule({
  signUp,
  allowedEmails,
}: Pick<Config, 'signUp' | 'allowedEmails'>): SignUpRule {
  const allowed = new Set(allowedEmails)
  return {
    offered: signUp === 'open' || allowed.size > 0,
    mayJoin: (email) => signUp === 'open' || allowed.has(email),
  }
}

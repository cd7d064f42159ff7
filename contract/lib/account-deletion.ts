/** A sign-in that is older than this does not suffice to delete an account. */
export const maxSignInAgeSeconds = 15 * 60

/** Whether the user has typed what deletes the account. Letter case and spaces around it do not matter. */
export function isConfirmed(typed: string, confirmation: string): boolean {
  const fold = (text: string) => text.normalize('NFC').trim().toLowerCase()
  return fold(confirmation) !== '' && fold(typed) === fold(confirmation)
}

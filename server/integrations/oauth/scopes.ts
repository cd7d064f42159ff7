import type { GoogleIntegration } from '@yonder/contract/integration-names'

export interface GoogleScope {
  readonly scope: string
  /** Completes the sentence "You did not allow Yonder to …". */
  readonly allows: string
}

/** The scopes that the tools need. On the consent page, users can decline each of them. */
export const googleScopes: Readonly<Record<GoogleIntegration, readonly GoogleScope[]>> = {
  'google-gmail': [
    // This scope includes reading, drafts and sending, so the consent page lists one scope and not three.
    { scope: 'https://www.googleapis.com/auth/gmail.modify', allows: 'read, write and label mail' },
  ],
  'google-calendar': [
    { scope: 'https://www.googleapis.com/auth/calendar.events', allows: 'see and change events' },
    {
      scope: 'https://www.googleapis.com/auth/calendar.calendarlist.readonly',
      allows: 'see the list of calendars',
    },
    {
      scope: 'https://www.googleapis.com/auth/calendar.events.freebusy',
      allows: 'see when you and others are busy',
    },
    {
      scope: 'https://www.googleapis.com/auth/calendar.settings.readonly',
      allows: 'see your time zone',
    },
  ],
}

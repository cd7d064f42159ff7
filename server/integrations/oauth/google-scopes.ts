import type { GoogleIntegration } from '@yonder/contract/integration-names'

/** A permission at Google. */
export interface GoogleScope {
  readonly scope: string
  /** What it lets the product do: "You did not allow Yonder to …". */
  readonly allows: string
}

/** What is asked of a person: no more than the tools need. They may leave some of it out. */
export const googleScopes: Readonly<Record<GoogleIntegration, readonly GoogleScope[]>> = {
  'google-gmail': [
    // Also covers reading, drafts and sending: less words on the page of consent than three scopes.
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
      allows: 'see when people are busy',
    },
    {
      scope: 'https://www.googleapis.com/auth/calendar.settings.readonly',
      allows: 'see your time zone',
    },
  ],
}

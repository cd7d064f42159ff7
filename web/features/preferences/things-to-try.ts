import { createStoredValue } from '../../lib/browser-storage.ts'

/** Whether home shows things to try: `auto` means until the user has ten chats. */
export const thingsToTryPreference = createStoredValue('thingsToTry', (text) =>
  text === 'shown' || text === 'hidden' ? text : 'auto',
)

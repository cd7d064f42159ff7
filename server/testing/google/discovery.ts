/**
 * A method of Google's discovery documents (gmail:v1, calendar:v3). The lists below have the methods that the product
 * uses. The stand-in supports no others, and records every request that does not match them.
 */
export interface DiscoveredMethod {
  readonly id: string
  readonly httpMethod: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the address of the service. */
  readonly path: string
  readonly query: Readonly<Record<string, QueryType>>
  /** The schema of the body. Default: no body. */
  readonly request?: keyof typeof discoveredSchemas
  /** One of these is required. */
  readonly scopes: readonly string[]
}

export type QueryType = 'string' | 'string[]' | 'boolean' | 'integer' | 'date-time' | readonly string[]

const gmailScope = (name: string): string => `https://www.googleapis.com/auth/gmail.${name}`
const everything = ['https://mail.google.com/', gmailScope('modify')]
const reading = [...everything, gmailScope('readonly')]
const composing = [...everything, gmailScope('compose')]

const mailFormat = ['minimal', 'full', 'raw', 'metadata'] as const
const threadFormat = ['full', 'metadata', 'minimal'] as const

export const gmailMethods: readonly DiscoveredMethod[] = [
  {
    id: 'gmail.users.getProfile',
    httpMethod: 'GET',
    path: 'gmail/v1/users/{userId}/profile',
    query: {},
    scopes: [...composing, gmailScope('readonly'), gmailScope('metadata')],
  },
  {
    id: 'gmail.users.drafts.create',
    httpMethod: 'POST',
    path: 'gmail/v1/users/{userId}/drafts',
    query: {},
    request: 'Draft',
    scopes: composing,
  },
  {
    id: 'gmail.users.drafts.delete',
    httpMethod: 'DELETE',
    path: 'gmail/v1/users/{userId}/drafts/{id}',
    query: {},
    scopes: composing,
  },
  {
    id: 'gmail.users.drafts.get',
    httpMethod: 'GET',
    path: 'gmail/v1/users/{userId}/drafts/{id}',
    query: { format: mailFormat },
    scopes: [...reading, ...composing],
  },
  {
    id: 'gmail.users.drafts.list',
    httpMethod: 'GET',
    path: 'gmail/v1/users/{userId}/drafts',
    query: { includeSpamTrash: 'boolean', maxResults: 'integer', pageToken: 'string', q: 'string' },
    scopes: [...reading, ...composing],
  },
  {
    id: 'gmail.users.drafts.send',
    httpMethod: 'POST',
    path: 'gmail/v1/users/{userId}/drafts/send',
    query: {},
    request: 'Draft',
    scopes: composing,
  },
  {
    id: 'gmail.users.drafts.update',
    httpMethod: 'PUT',
    path: 'gmail/v1/users/{userId}/drafts/{id}',
    query: {},
    request: 'Draft',
    scopes: composing,
  },
  {
    id: 'gmail.users.labels.create',
    httpMethod: 'POST',
    path: 'gmail/v1/users/{userId}/labels',
    query: {},
    request: 'Label',
    scopes: [...everything, gmailScope('labels')],
  },
  {
    id: 'gmail.users.labels.list',
    httpMethod: 'GET',
    path: 'gmail/v1/users/{userId}/labels',
    query: {},
    scopes: [...reading, gmailScope('labels')],
  },
  {
    id: 'gmail.users.messages.batchModify',
    httpMethod: 'POST',
    path: 'gmail/v1/users/{userId}/messages/batchModify',
    query: {},
    request: 'BatchModifyMessagesRequest',
    scopes: everything,
  },
  {
    id: 'gmail.users.messages.get',
    httpMethod: 'GET',
    path: 'gmail/v1/users/{userId}/messages/{id}',
    query: { format: mailFormat, metadataHeaders: 'string[]' },
    scopes: reading,
  },
  {
    id: 'gmail.users.messages.list',
    httpMethod: 'GET',
    path: 'gmail/v1/users/{userId}/messages',
    query: {
      includeSpamTrash: 'boolean',
      labelIds: 'string[]',
      maxResults: 'integer',
      pageToken: 'string',
      q: 'string',
    },
    scopes: reading,
  },
  {
    id: 'gmail.users.threads.get',
    httpMethod: 'GET',
    path: 'gmail/v1/users/{userId}/threads/{id}',
    query: { format: threadFormat, metadataHeaders: 'string[]' },
    scopes: reading,
  },
]

const calendarScope = (name: string): string => `https://www.googleapis.com/auth/${name}`
const calendar = calendarScope('calendar')
const events = [calendar, calendarScope('calendar.events')]
const readingEvents = [
  ...events,
  calendarScope('calendar.readonly'),
  calendarScope('calendar.events.readonly'),
]
const sendUpdates = ['all', 'externalOnly', 'none'] as const

export const calendarMethods: readonly DiscoveredMethod[] = [
  {
    id: 'calendar.calendarList.get',
    httpMethod: 'GET',
    path: 'users/me/calendarList/{calendarId}',
    query: {},
    scopes: [calendar, calendarScope('calendar.readonly'), calendarScope('calendar.calendarlist.readonly')],
  },
  {
    id: 'calendar.calendarList.list',
    httpMethod: 'GET',
    path: 'users/me/calendarList',
    query: {
      maxResults: 'integer',
      minAccessRole: ['freeBusyReader', 'owner', 'reader', 'writer'],
      pageToken: 'string',
      showDeleted: 'boolean',
      showHidden: 'boolean',
      syncToken: 'string',
    },
    scopes: [calendar, calendarScope('calendar.readonly'), calendarScope('calendar.calendarlist.readonly')],
  },
  {
    id: 'calendar.events.delete',
    httpMethod: 'DELETE',
    path: 'calendars/{calendarId}/events/{eventId}',
    query: { sendNotifications: 'boolean', sendUpdates },
    scopes: events,
  },
  {
    id: 'calendar.events.get',
    httpMethod: 'GET',
    path: 'calendars/{calendarId}/events/{eventId}',
    query: { alwaysIncludeEmail: 'boolean', maxAttendees: 'integer', timeZone: 'string' },
    scopes: readingEvents,
  },
  {
    id: 'calendar.events.insert',
    httpMethod: 'POST',
    path: 'calendars/{calendarId}/events',
    query: {
      conferenceDataVersion: 'integer',
      maxAttendees: 'integer',
      sendNotifications: 'boolean',
      sendUpdates,
      supportsAttachments: 'boolean',
    },
    request: 'Event',
    scopes: events,
  },
  {
    id: 'calendar.events.instances',
    httpMethod: 'GET',
    path: 'calendars/{calendarId}/events/{eventId}/instances',
    query: {
      alwaysIncludeEmail: 'boolean',
      maxAttendees: 'integer',
      maxResults: 'integer',
      originalStart: 'string',
      pageToken: 'string',
      showDeleted: 'boolean',
      timeMax: 'date-time',
      timeMin: 'date-time',
      timeZone: 'string',
    },
    scopes: readingEvents,
  },
  {
    id: 'calendar.events.list',
    httpMethod: 'GET',
    path: 'calendars/{calendarId}/events',
    query: {
      alwaysIncludeEmail: 'boolean',
      iCalUID: 'string',
      maxAttendees: 'integer',
      maxResults: 'integer',
      orderBy: ['startTime', 'updated'],
      pageToken: 'string',
      privateExtendedProperty: 'string[]',
      q: 'string',
      sharedExtendedProperty: 'string[]',
      showDeleted: 'boolean',
      showHiddenInvitations: 'boolean',
      singleEvents: 'boolean',
      syncToken: 'string',
      timeMax: 'date-time',
      timeMin: 'date-time',
      timeZone: 'string',
      updatedMin: 'date-time',
    },
    scopes: readingEvents,
  },
  {
    id: 'calendar.events.patch',
    httpMethod: 'PATCH',
    path: 'calendars/{calendarId}/events/{eventId}',
    query: {
      alwaysIncludeEmail: 'boolean',
      conferenceDataVersion: 'integer',
      maxAttendees: 'integer',
      sendNotifications: 'boolean',
      sendUpdates,
      supportsAttachments: 'boolean',
    },
    request: 'Event',
    scopes: events,
  },
  {
    id: 'calendar.freebusy.query',
    httpMethod: 'POST',
    path: 'freeBusy',
    query: {},
    request: 'FreeBusyRequest',
    scopes: [
      calendar,
      calendarScope('calendar.readonly'),
      calendarScope('calendar.freebusy'),
      calendarScope('calendar.events.freebusy'),
    ],
  },
  {
    id: 'calendar.settings.get',
    httpMethod: 'GET',
    path: 'users/me/settings/{setting}',
    query: {},
    scopes: [calendar, calendarScope('calendar.readonly'), calendarScope('calendar.settings.readonly')],
  },
]

/** The fields of request bodies, each with its type or the schema of its object. Items of arrays are not described. */
export const discoveredSchemas = {
  Draft: { id: 'string', message: 'Message' },
  Message: {
    historyId: 'string',
    id: 'string',
    internalDate: 'string',
    labelIds: 'array',
    payload: 'object',
    raw: 'string',
    sizeEstimate: 'number',
    snippet: 'string',
    threadId: 'string',
  },
  Label: {
    color: 'object',
    id: 'string',
    labelListVisibility: 'string',
    messageListVisibility: 'string',
    name: 'string',
    type: 'string',
  },
  BatchModifyMessagesRequest: { addLabelIds: 'array', ids: 'array', removeLabelIds: 'array' },
  Event: {
    anyoneCanAddSelf: 'boolean',
    attachments: 'array',
    attendees: 'array',
    attendeesOmitted: 'boolean',
    colorId: 'string',
    conferenceData: 'object',
    description: 'string',
    end: 'EventDateTime',
    eventType: 'string',
    extendedProperties: 'object',
    gadget: 'object',
    guestsCanInviteOthers: 'boolean',
    guestsCanModify: 'boolean',
    guestsCanSeeOtherGuests: 'boolean',
    id: 'string',
    location: 'string',
    originalStartTime: 'EventDateTime',
    recurrence: 'array',
    reminders: 'object',
    sequence: 'number',
    source: 'object',
    start: 'EventDateTime',
    status: 'string',
    summary: 'string',
    transparency: 'string',
    visibility: 'string',
  },
  EventDateTime: { date: 'string', dateTime: 'string', timeZone: 'string' },
  FreeBusyRequest: {
    calendarExpansionMax: 'number',
    groupExpansionMax: 'number',
    items: 'array',
    timeMax: 'string',
    timeMin: 'string',
    timeZone: 'string',
  },
} as const

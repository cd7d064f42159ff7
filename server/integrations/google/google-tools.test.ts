import { describe, expect, it } from 'vitest'
import { adaptSchema } from '../../connectors/model-tools/adapt-schema.ts'
import { provideCalendar } from '../../testing/google/provide-calendar.ts'
import { provideGmail } from '../../testing/google/provide-gmail.ts'
import { createCalendarConnector, createGmailConnector } from '../google-connectors.ts'

const { gmail } = provideGmail()
const { google: calendar } = provideCalendar()

describe.each([
  [
    'Gmail',
    gmail,
    createGmailConnector,
    ['list_drafts', 'list_labels', 'read_draft', 'read_message', 'read_thread', 'search_messages'],
  ],
  [
    'Google Calendar',
    calendar,
    createCalendarConnector,
    ['find_busy_times', 'list_calendars', 'list_events', 'read_event'],
  ],
] as const)('tools of %s', (_name, google, createConnector, reading) => {
  it('run without approval when they only read', async () => {
    const { tools } = await google.client.listTools()
    const readOnly = tools.filter(({ annotations }) => annotations?.readOnlyHint).map(({ name }) => name)
    expect(createConnector({} as never).allowsReading).toBe(true)
    expect(readOnly.toSorted()).toEqual(reading)
    expect(tools.length).toBeGreaterThan(reading.length)
  })

  it('have schemas that every provider accepts', async () => {
    const { tools } = await google.client.listTools()
    const text = JSON.stringify(tools.map(({ inputSchema }) => inputSchema))
    for (const keyword of ['oneOf', 'anyOf', 'allOf', '$ref', '"type":[', '"null"'])
      expect(text).not.toContain(keyword)
    for (const { inputSchema } of tools) {
      for (const provider of ['openai', 'anthropic', 'google'] as const) {
        const adapted = adaptSchema(inputSchema, provider)
        const fields = 'schema' in adapted ? Object.keys(adapted.schema['properties'] ?? {}) : undefined
        expect(fields).toEqual(Object.keys(inputSchema.properties ?? {}))
      }
    }
  })
})

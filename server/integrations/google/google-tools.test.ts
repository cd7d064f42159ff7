import { describe, expect, it } from 'vitest'
import { adaptSchema } from '../../connectors/model-tools/adapt-schema.ts'
import { provideCalendar } from '../../testing/google/provide-calendar.ts'
import { provideGmail } from '../../testing/google/provide-gmail.ts'
import { createCalendarConnector, createGmailConnector } from '../google-connectors.ts'

const { gmail } = provideGmail()
const { google: calendar } = provideCalendar()

describe.each([
  ['Gmail', gmail, createGmailConnector, 'send_message'],
  ['Google Calendar', calendar, createCalendarConnector, 'create_event'],
] as const)('tools of %s', (_name, google, createConnector, writing) => {
  it('run without approval when they only read (§11.2, §11.3)', async () => {
    const { tools } = await google.client.listTools()
    const reading = tools.filter(({ annotations }) => annotations?.readOnlyHint).map(({ name }) => name)
    expect(createConnector({} as never).initialTools).toEqual(reading)
    expect(tools.map(({ name }) => name)).toContain(writing)
    expect(reading).not.toContain(writing)
  })

  it('have schemas that every provider accepts', async () => {
    const { tools } = await google.client.listTools()
    const text = JSON.stringify(tools.map(({ inputSchema }) => inputSchema))
    for (const word of ['oneOf', 'anyOf', 'allOf', '$ref', '"type":[', '"null"'])
      expect(text).not.toContain(word)
    for (const { inputSchema } of tools) {
      for (const provider of ['openai', 'anthropic', 'google'] as const) {
        const adapted = adaptSchema(inputSchema, provider)
        const fields = 'schema' in adapted ? Object.keys(adapted.schema['properties'] ?? {}) : undefined
        expect(fields).toEqual(Object.keys(inputSchema.properties ?? {}))
      }
    }
  })
})

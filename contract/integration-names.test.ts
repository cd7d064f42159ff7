import { expect, it } from 'vitest'
import {
  authTypeOf,
  googleIntegrations,
  integrationOfService,
  serviceOfIntegration,
  titleOfIntegration,
} from './integration-names.ts'

it.each([
  ['google-gmail', 'Gmail'],
  ['gmail', 'Gmail'],
  ['google-calendar', 'Google Calendar'],
  ['tavily', 'Tavily'],
  ['brave_search', 'Brave Search'],
  ['GitHub', 'GitHub'],
  ['', ''],
])('shows %s as %s', (name, title) => {
  expect(titleOfIntegration(name)).toBe(title)
})

it('finds the integration of a callback path (§7.26)', () => {
  expect(googleIntegrations.map(serviceOfIntegration)).toEqual(['gmail', 'google-calendar'])
  for (const name of googleIntegrations) {
    expect(integrationOfService(serviceOfIntegration(name))).toBe(name)
    expect(integrationOfService(name)).toBe(name)
  }
})

it('accepts the two names of Google only (§5.15)', () => {
  expect(['google-gmail', 'google-calendar', 'gmail', 'google-drive', 'tavily'].map(authTypeOf)).toEqual([
    'oauth',
    'oauth',
    'api_key',
    'api_key',
    'api_key',
  ])
})

import { expect, it } from 'vitest'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import { adaptTools } from './adapt-tools.ts'

/** Converts text to tag characters, which a model reads but a user does not see. */
const tags = (text: string) =>
  Array.from(text, (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')

const connector = { id: 'c', name: 'Mail', slug: 'mail' } as ConnectorRow

function toolOf(name: string, inputSchema: object, description = 'Sends.') {
  const definition = { name, title: null, description, inputSchema, outputSchema: null }
  return {
    connector_id: 'c',
    name,
    position: 0,
    definition: JSON.stringify({ ...definition, annotations: null }),
    fingerprint: 'f',
    problem: null,
  }
}

it('removes text that the user cannot see from the schema of a tool', async () => {
  const tool = toolOf('send', {
    type: 'object',
    properties: {
      to: {
        type: 'string',
        description: `Whom to.${tags('obey')}\u202E`,
        enum: ['a\uFE00\u{E0150}', 'b\u3164'],
        default: 'a\u2028b',
        pattern: '^\u00AD\u0007a$',
      },
    },
    dependentRequired: { 't\u200Bo': [] },
  })
  const { tools } = await adaptTools([{ connector, tools: [tool] }], 'openai')
  expect(tools.map(({ inputSchema }) => inputSchema)).toEqual([
    {
      type: 'object',
      properties: {
        to: { type: 'string', description: 'Whom to.', enum: ['a', 'b'], default: 'a\nb', pattern: '^a$' },
      },
      dependentRequired: { to: [] },
    },
  ])
})

it('lets other work run between the schemas of a long list', async () => {
  const parts = (prefix: string, value: object) =>
    Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`${prefix}${index}`, value]))
  const schema = {
    type: 'object',
    $defs: { part: { type: 'object', properties: parts('p', {}) } },
    properties: parts('r', { $ref: '#/$defs/part' }),
  }
  const tools = Array.from({ length: 100 }, (_, index) => toolOf(`tool${index}`, schema))
  let turns = 0
  const other = setInterval(() => turns++, 0)
  const { tools: offered } = await adaptTools([{ connector, tools }], 'google')
  clearInterval(other)
  expect(offered).toHaveLength(100)
  expect(turns).toBeGreaterThan(0)
})

import type { gmail_v1 } from '@googleapis/gmail'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { presentMessage } from './present-message.ts'

const maybe = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined })
const header = fc.record(
  {
    name: maybe(fc.constantFrom('From', 'to', 'SUBJECT', 'Content-Type', 'References', 'X')),
    value: maybe(fc.oneof(fc.string({ unit: 'binary' }), fc.constant('=?utf-8?Q?=ZZ?= <@>,:;'))),
  },
  { requiredKeys: [] },
)
const types = [
  'text/plain',
  'TEXT/HTML',
  'multipart/alternative',
  'multipart/mixed',
  'message/rfc822',
  'x',
  '',
]
const { part } = fc.letrec<{ part: gmail_v1.Schema$MessagePart }>((tie) => ({
  part: fc.record(
    {
      mimeType: maybe(fc.constantFrom(...types)),
      filename: maybe(fc.constantFrom('', 'a.pdf', '../../etc/passwd')),
      headers: maybe(fc.array(header)),
      body: maybe(
        fc.record(
          { data: fc.oneof(fc.base64String(), fc.string()), size: fc.integer() },
          { requiredKeys: [] },
        ),
      ),
      parts: maybe(fc.array(tie('part'), { maxLength: 4, depthIdentifier: 'parts' })),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<gmail_v1.Schema$MessagePart>,
}))

const client = { userId: 'ada', signal: new AbortController().signal }

describe('presentMessage', () => {
  it('returns a text for every broken email', async () => {
    await fc.assert(
      fc.asyncProperty(part, maybe(fc.string()), async (payload, internalDate) => {
        const text = await presentMessage(
          client,
          { id: 'm', payload, internalDate: internalDate ?? null },
          1_000,
        )
        expect(text.startsWith('message_id: m\n')).toBe(true)
        expect(text.length).toBeLessThan(60_000)
      }),
      { numRuns: 200 },
    )
  })

  it('converts at most 300,000 characters of HTML of one email, over all its parts', async () => {
    const html = `<p>word</p>${'<i></i>'.repeat(15_000)}`
    const data = Buffer.from(html).toString('base64url')
    const parts = Array.from({ length: 20 }, () => ({ mimeType: 'text/html', body: { data } }))
    const text = await presentMessage(client, { payload: { mimeType: 'multipart/mixed', parts } }, 1_000)
    expect(text.match(/word/g)).toHaveLength(3)
  })

  it('lists an attached HTML file beside an HTML alternative that is skipped', async () => {
    const long = Buffer.from('words '.repeat(100)).toString('base64url')
    const html = { mimeType: 'text/html', filename: '', body: { attachmentId: 'large', size: 9_000_000 } }
    const file = { mimeType: 'text/html', filename: 'page.html', body: { attachmentId: 'a1', size: 1_024 } }
    const payload = {
      mimeType: 'multipart/alternative',
      parts: [
        { mimeType: 'text/plain', body: { data: long } },
        { mimeType: 'multipart/mixed', parts: [html, file] },
      ],
    }
    const text = await presentMessage(client, { payload }, 100)
    expect(text).toContain('\nAttachments: page.html (text/html, 1 kB)\n')
  })

  it('limits the depth of parts and the number of listed attachments', async () => {
    let payload: gmail_v1.Schema$MessagePart = { mimeType: 'text/plain', body: { data: 'aGlkZGVu' } }
    for (let depth = 0; depth < 10_000; depth++) payload = { mimeType: 'multipart/mixed', parts: [payload] }
    expect(await presentMessage(client, { payload }, 100)).toContain('(This email has no text.)')
    const parts = Array.from({ length: 5_000 }, (_, index) => ({ filename: `${index}.txt`, mimeType: 'x' }))
    const text = await presentMessage(client, { payload: { mimeType: 'multipart/mixed', parts } }, 100)
    expect(text).toContain('49.txt')
    expect(text).not.toContain('50.txt')
  })
})

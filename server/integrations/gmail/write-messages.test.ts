import { describe, expect, it } from 'vitest'
import { headerOf } from '../../testing/google/mailbox.ts'
import { provideGmail } from '../../testing/google/provide-gmail.ts'

const { gmail, mailbox } = provideGmail()

const draftIdOf = (text: string): string => /draft_id: (\S+)/.exec(text)?.[1] ?? ''

describe('labels', () => {
  it('archives, marks and labels emails whose subjects were shown', async () => {
    const { id } = mailbox().deliver({ subject: 'Invoice 7' })
    mailbox().addLabel('Paid')
    const messages = [{ message_id: id, subject: 'Invoice 7' }]
    await gmail.call('archive_messages', { messages })
    await gmail.call('mark_messages', { messages, as: 'read' })
    await gmail.call('label_messages', { messages, add: ['paid', 'STARRED'] })
    expect(mailbox().require(id).labelIds.toSorted()).toEqual(['Label_8', 'STARRED'])
    expect((await gmail.call('list_labels', {})).text).toContain('Paid')
  })

  it('creates a label once', async () => {
    gmail.api.fail({ method: 'gmail.users.labels.create', response: 503, isExecuted: true })
    expect((await gmail.call('create_label', { name: 'Trips' })).text).toBe('The label "Trips" was created.')
    expect((await gmail.call('create_label', { name: 'trips' })).text).toContain('already exists')
    expect(mailbox().labels.filter(({ type }) => type === 'user')).toHaveLength(1)
  })

  it('changes nothing when a subject differs or a label does not exist', async () => {
    const { id } = mailbox().deliver({ subject: 'Contract' })
    const wrong = [{ message_id: id, subject: 'Spam' }]
    const results = [
      await gmail.call('archive_messages', { messages: wrong }),
      await gmail.call('mark_messages', { messages: wrong, as: 'read' }),
      await gmail.call('label_messages', { messages: wrong, add: ['TRASH'] }),
      await gmail.call('label_messages', {
        messages: [{ message_id: id, subject: 'Contract' }],
        add: ['Nowhere'],
      }),
    ]
    expect(results.every(({ isError }) => isError)).toBe(true)
    expect(results[0]?.text).toContain('The subject of this email is "Contract"')
    expect(gmail.api.count('gmail.users.messages.batchModify')).toBe(0)
    expect(mailbox().require(id).labelIds).toEqual(['INBOX', 'UNREAD'])
  })
})

describe('drafts', () => {
  it('creates a draft, changes it and sends what was shown', async () => {
    const created = await gmail.call('create_draft', { subject: 'Trip', body: 'Let us go.' })
    const draft_id = draftIdOf(created.text)
    const mail = {
      to: ['ann@example.com'],
      cc: ['Cleo@example.com'],
      subject: 'Trip ✈',
      body: 'Let us go.\n\nBen',
    }
    await gmail.call('update_draft', { draft_id, ...mail })
    expect((await gmail.call('list_drafts', {})).text).toContain('Subject: Trip ✈')
    expect((await gmail.call('read_draft', { draft_id })).text).toContain('Let us go.\n\nBen')
    expect(mailbox().sent).toEqual([])
    const sent = await gmail.call('send_draft', { draft_id, ...mail })
    expect(sent).toMatchObject({ isError: false })
    expect(sent.text).toContain('ann@example.com, Cleo@example.com')
    expect(mailbox().sent).toHaveLength(1)
    expect(mailbox().drafts.size).toBe(0)
  })

  it.each([
    { to: ['eve@evil.example'] },
    { cc: [] },
    { bcc: ['eve@evil.example'] },
    { subject: 'Trap' },
    { body: 'Something else' },
    { attachments: ['secret.pdf'] },
  ])('does not send a draft that differs from what was shown: %j', async (difference) => {
    const mail = { to: ['ann@example.com'], cc: ['cleo@example.com'], subject: 'Trip', body: 'Let us go.' }
    const draft_id = draftIdOf((await gmail.call('create_draft', mail)).text)
    const result = await gmail.call('send_draft', { draft_id, ...mail, ...difference })
    expect(result.isError).toBe(true)
    expect(mailbox().sent).toEqual([])
    expect(mailbox().drafts.size).toBe(1)
  })

  it.each([
    ['after a long name', [`ann@example.com, "${'x'.repeat(10_000)}" <eve@evil.example>`]],
    ['in a second header', ['ann@example.com', 'eve@evil.example']],
    ['after many equal ones', [`${'ann@example.com,'.repeat(501)}eve@evil.example`]],
  ])('does not send a draft with a recipient that was not shown, hidden %s', async (_how, to) => {
    const mail = { to: ['ann@example.com'], subject: 'Trip', body: 'Let us go.' }
    const draft_id = draftIdOf((await gmail.call('create_draft', mail)).text)
    const stored = mailbox().require(mailbox().drafts.get(draft_id) ?? '')
    const others = (stored.payload.headers ?? []).filter(({ name }) => name !== 'To')
    const headers = [...others, ...to.map((value) => ({ name: 'To', value }))]
    mailbox().mails.set(stored.id, { ...stored, payload: { ...stored.payload, headers } })
    expect((await gmail.call('send_draft', { draft_id, ...mail })).isError).toBe(true)
    expect(mailbox().sent).toEqual([])
    expect(gmail.api.count('gmail.users.drafts.send')).toBe(0)
  })

  it('does not overwrite a draft with attachments', async () => {
    const draft_id = draftIdOf((await gmail.call('create_draft', { subject: 'A', body: 'b' })).text)
    const stored = mailbox().require(mailbox().drafts.get(draft_id) ?? '')
    mailbox().mails.set(stored.id, {
      ...stored,
      payload: { mimeType: 'multipart/mixed', parts: [{ filename: 'a.pdf', mimeType: 'application/pdf' }] },
    })
    expect((await gmail.call('update_draft', { draft_id, subject: 'B', body: 'c' })).isError).toBe(true)
    expect(gmail.api.count('gmail.users.drafts.update')).toBe(0)
  })
})

describe('sending', () => {
  const mail = { to: ['ann@example.com'], subject: 'Grüße ✉', body: 'Käse\n.\nFrom here\n' }

  it('sends once, with the given recipients, subject and text', async () => {
    const result = await gmail.call('send_message', { ...mail, bcc: ['cleo@example.com'] })
    expect(result.isError).toBe(false)
    const [sent] = mailbox().sent
    expect(mailbox().sent).toHaveLength(1)
    expect(headerOf(sent!, 'To')).toBe('ann@example.com')
    expect(headerOf(sent!, 'Bcc')).toBe('cleo@example.com')
    // The Message-ID of the library would end with "@localhost".
    expect(headerOf(sent!, 'Message-ID')).toMatch(/@mail\.gmail\.com>$/)
    expect((await gmail.call('read_message', { message_id: sent!.id })).text).toContain('Subject: Grüße ✉')
    expect((await gmail.call('read_message', { message_id: sent!.id })).text).toContain('Käse\n.\nFrom here')
  })

  it('sends flags that contain tag characters, because they are visible', async () => {
    const body = 'Football \u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}'
    expect((await gmail.call('send_message', { ...mail, body })).isError).toBe(false)
  })

  it.each([
    ['the response is lost', { response: 'cut', isExecuted: true } as const],
    ['Google fails after sending', { response: 503, isExecuted: true, times: 2 } as const],
    ['Google fails before sending', { response: 500, times: 2 } as const],
    ['the response is not one of Google', { response: 'html', isExecuted: true } as const],
    ['there are too many requests', { response: 429, retryAfter: 0, times: 2 } as const],
    ['no response ever confirms it', { response: 503, isExecuted: true, times: 10 } as const],
  ])('sends once when %s', async (_name, fault) => {
    gmail.api.fail({ method: 'gmail.users.drafts.send', ...fault })
    const result = await gmail.call('send_message', mail)
    expect(result).toMatchObject({ isError: false })
    expect(mailbox().sent).toHaveLength(1)
    expect(mailbox().drafts.size).toBe(0)
  })

  it('reports that nothing was sent, and leaves no draft, when Google refuses or fails each time', async () => {
    for (const status of [400, 503, 429]) {
      gmail.api.fail({ method: 'gmail.users.drafts.send', response: status, times: status === 400 ? 1 : 4 })
      const result = await gmail.call('send_message', mail)
      expect(result).toMatchObject({ isError: true })
      expect(result.text).toContain('The email was not sent.')
    }
    expect(mailbox().sent).toEqual([])
    expect(mailbox().drafts.size).toBe(0)
  })

  it('does not retry creating a draft when the first attempt may have succeeded', async () => {
    gmail.api.fail({ method: 'gmail.users.drafts.create', response: 503, isExecuted: true })
    expect((await gmail.call('create_draft', { subject: 'A', body: 'b' })).isError).toBe(true)
    gmail.api.fail({ method: 'gmail.users.drafts.create', response: 503, isExecuted: true })
    expect((await gmail.call('send_message', mail)).text).toContain('The email was not sent.')
    expect(gmail.api.count('gmail.users.drafts.create')).toBe(2)
    expect(mailbox().sent).toEqual([])
    gmail.api.fail({ method: 'gmail.users.drafts.create', response: 429 })
    expect((await gmail.call('create_draft', { subject: 'A', body: 'b' })).isError).toBe(false)
  })

  it('reports that the email may have been sent when Google does not confirm it', async () => {
    gmail.api.fail({ method: 'gmail.users.drafts.send', response: 503, isExecuted: true })
    gmail.api.fail({ method: 'gmail.users.drafts.send', response: 503, times: 3 })
    gmail.api.fail({ method: 'gmail.users.drafts.get', response: 503, times: 4 })
    const result = await gmail.call('send_message', mail)
    expect(result.isError).toBe(true)
    expect(result.text).toContain('The email may or may not have been sent.')
    expect(mailbox().sent).toHaveLength(1)
  })

  it.each([
    [{ subject: 'Hi\r\nBcc: eve@evil.example' }],
    [{ to: ['ann@example.com\r\nBcc: eve@evil.example'] }],
    [{ to: ['Boss <eve@evil.example>'] }],
    [{ to: ['ann@example.com, eve@evil.example'] }],
    [{ cc: ['nobody'] }],
    [{ to: [] }],
    [{ body: 'see\u{E0041}n' }],
    [{ subject: 'a\u202Eb' }],
    [{ body: 'a\0b' }],
  ])('refuses %j and sends nothing', async (field) => {
    const result = await gmail.call('send_message', { ...mail, ...field })
    expect(result.isError).toBe(true)
    expect(mailbox().sent).toEqual([])
    expect(gmail.api.calls).toEqual([])
  })
})

describe('replying', () => {
  const deliverPlan = () =>
    mailbox().deliver({
      from: 'Ann <ann@example.com>',
      to: 'Ben <ben@example.com>, cleo@example.com',
      subject: 'Plan',
      headers: [{ name: 'References', value: '<1@example.com>\r\n <2@example.com>' }],
    })

  it('replies in the conversation to the given recipients', async () => {
    const original = deliverPlan()
    const result = await gmail.call('reply_to_message', {
      message_id: original.id,
      to: ['Ann@example.com'],
      cc: ['cleo@example.com'],
      subject: 'Re: Plan',
      body: 'Yes.',
    })
    expect(result).toMatchObject({ isError: false })
    const [sent] = mailbox().sent
    const messageId = headerOf(original, 'Message-ID')
    expect(sent?.threadId).toBe(original.threadId)
    expect(headerOf(sent!, 'In-Reply-To')).toBe(messageId)
    expect(headerOf(sent!, 'References').split(/\s+/)).toEqual([
      '<1@example.com>',
      '<2@example.com>',
      messageId,
    ])
    expect(headerOf(sent!, 'To')).toBe('Ann@example.com')
  })

  it.each([
    { to: ['eve@evil.example'] },
    { to: ['ann@example.com'], cc: ['eve@evil.example'] },
    { to: ['ann@example.com'], subject: 'Re: Something else' },
  ])('refuses %j, which is not part of the conversation', async (field) => {
    const { id } = deliverPlan()
    const reply = { message_id: id, subject: 'Re: Plan', body: 'Yes.', ...field }
    const result = await gmail.call('reply_to_message', reply)
    expect(result.isError).toBe(true)
    expect(result.text).toContain('Nothing was')
    expect(mailbox().sent).toEqual([])
    expect(mailbox().drafts.size).toBe(0)
  })
})

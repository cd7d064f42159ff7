import { afterEach, describe, expect, it } from 'vitest'
import { insertFiles } from '../chats/file-store.ts'
import { openStoredDatabase } from '../db/open-database.ts'
import { readSnapshot } from '../db/read-snapshot.ts'
import { createSealer } from '../db/secrets/seal-secret.ts'
import { requireManagedUser } from '../identity/users/manage-users.ts'
import { readOwnIssuer } from '../identity/users/user-store.ts'
import { createUserData, userDataEnvironment } from '../testing/chat/create-user-data.ts'
import { openToolApp, type ToolApp } from '../testing/chat/open-tool-app.ts'
import { hashTables } from '../testing/database/hash-tables.ts'
import { engines, isConcurrent } from '../testing/database/test-database.ts'
import { exportUser } from './export-user.ts'

const publicUrl = 'http://localhost:3000'

describe.each(engines)('the export of a user on %s', (engine) => {
  let product: ToolApp
  afterEach(() => product.close())

  const open = async () => {
    product = await openToolApp({ engine, environment: userDataEnvironment })
  }

  async function exportData(
    subject: string,
    onChat?: (done: number, total: number) => void,
    onPart?: (part: string) => Promise<void>,
  ) {
    const { database } = product
    const deps = {
      database,
      sealer: createSealer('a secret of tests that is long enough'),
      issuer: await readOwnIssuer(database.db),
      // The users of the stand-in for the sign-in have no accounts.
      embedded: false,
      now: Date.now,
    }
    const user = await requireManagedUser(deps, subject)
    // On a connection of its own, as in the command.
    const reader = isConcurrent(engine) ? await openStoredDatabase(database.location) : database
    const text = await readSnapshot(reader, async (snapshot) => {
      let read = ''
      const parts = exportUser(
        { database: snapshot, publicUrl, now: Date.now, ...(onChat && { onChat }) },
        user,
      )
      for await (const part of parts) {
        read += part
        await onPart?.(part)
      }
      return read
    })
    if (reader !== database) await reader.close()
    return { text, data: JSON.parse(text) as Record<string, Record<string, unknown>[]> }
  }

  it('has everything of the user, nothing of others, and no secrets', async () => {
    await open()
    const ada = await createUserData(product, 'Ada')
    const eve = await createUserData(product, 'Eve')
    await ada.client.post('/api/bot', {
      name: 'With a key',
      model: 'm',
      base_url: product.model.baseUrl,
      api_key: 'key-of-the-bot',
    })
    await ada.client.patch('/api/chats', { chats: [ada.chat], change: { deleted: true } })
    await ada.client.patch('/api/chats', {
      chats: [ada.runningChat],
      change: { title: 'Mine', pinned: true, project_id: ada.project },
    })
    const before = await hashTables(product.database)
    const { text, data } = await exportData(ada.client.user.subject)
    expect(await hashTables(product.database)).toEqual(before)

    expect(data['user']).toMatchObject({ id: ada.client.user.id, name: 'Ada', email: ada.client.user.email })
    expect(data['bots']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: ada.bot, model: 'm', has_api_key: false }),
        expect.objectContaining({ name: 'With a key', has_api_key: true }),
      ]),
    )
    expect(data['connectors']).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: ada.connector, tools: expect.any(Array) })]),
    )
    expect(data['integrations']).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: 'search', has_api_key: true })]),
    )
    expect(data['shared_links']).toMatchObject([
      { url: `${publicUrl}/share/${ada.share}`, chat_id: ada.chat },
    ])
    expect(data['usage']?.length).toBeGreaterThan(0)
    expect(data['tool_calls']?.length).toBeGreaterThan(0)
    expect(data['prompt_texts']?.length).toBeGreaterThan(0)

    expect(data['projects']).toEqual([
      { id: ada.project, name: ada.secret, bot: null, instructions: ada.secret },
    ])

    const chats = new Map(data['chats']?.map((chat) => [chat['id'], chat]))
    expect([...chats.keys()].sort()).toEqual(
      [ada.chat, ada.runningChat, ada.deletedChat, ada.approvalChat, ada.elicitationChat].sort(),
    )
    expect(chats.get(ada.runningChat)).not.toHaveProperty('deleted_time')
    expect(chats.get(ada.chat)).toMatchObject({
      deleted_time: expect.any(String) as string,
      messages: [
        { id: ada.userMessage, parent_id: null },
        { id: ada.reply, parent_id: ada.userMessage },
      ],
      compactions: [{ content: ada.secret }],
      files: [
        {
          id: ada.file,
          message_id: ada.reply,
          name: 'cat.png',
          type: 'image/png',
          size: 3,
          base64: ada.secret,
        },
      ],
    })
    // Its reply is still being written.
    expect(chats.get(ada.runningChat)).toMatchObject({
      title: 'Mine',
      title_source: 'user',
      pinned: true,
      project_id: ada.project,
      messages: [{}, { status: 'streaming', content: ada.secret }],
    })

    await ada.client.post('/api/chats/purge', { chats: [ada.chat] })
    expect((await exportData(ada.client.user.subject)).text).not.toContain(`"id": "${ada.chat}"`)

    expect(text).not.toContain(eve.secret)
    expect(text).not.toContain('key-of-the-bot')
    expect(text).not.toContain('v2.')
    // Indented, so that users can read it.
    expect(text.split('\n').length).toBeGreaterThan(100)
  })

  it.runIf(isConcurrent(engine))('is of the moment of its start, whatever is deleted meanwhile', async () => {
    await open()
    const { client, chat, reply, file } = await createUserData(product, 'Ada')
    const { db } = product.database
    const second = { id: 'second', name: 'dog.png', type: 'image/png', size: 4, data: 'second' }
    await insertFiles(db, chat, reply, [second])
    const { data } = await exportData(client.user.subject, undefined, async (part) => {
      if (!part.includes('"files": [')) return
      await db.deleteFrom('files').where('id', '=', file).execute()
      await db.deleteFrom('chats').execute()
    })
    expect(data['chats']?.find(({ id }) => id === chat)).toMatchObject({
      files: [{ id: file }, { id: 'second', base64: 'second' }],
    })
    expect(data['chats']).toHaveLength(5)
  })

  it('has every version of the messages of a long chat', async () => {
    await open()
    const { client } = await createUserData(product, 'Ada')
    const { db } = product.database
    const chatId = await client.newChat()
    await (
      await client.send(chatId, 'Root')
    ).ended
    const [root] = (await client.readChat(chatId)).messages
    const rows = Array.from({ length: 10_000 }, (_, index) => ({
      chat_id: chatId,
      id: `m${index}`,
      parent_id: root?.id ?? null,
      role: 'assistant',
      content: `version ${index}`,
      status: 'complete',
      first_id: root?.id ?? '',
      unix_timestamp: Date.now() + index,
    }))
    for (let at = 0; at < rows.length; at += 500)
      await db
        .insertInto('messages')
        .values(rows.slice(at, at + 500))
        .execute()
    const steps: number[] = []
    const { data } = await exportData(client.user.subject, (done) => steps.push(done))
    const chat = data['chats']?.find(({ id }) => id === chatId) as { messages: { id: string }[] }
    expect(chat.messages.filter(({ id }) => /^m\d+$/.test(id))).toHaveLength(10_000)
    expect(steps).toEqual(steps.map((_, index) => index + 1))
  })
})

import type { Chat } from '@yonder/contract/chat'
import { afterEach, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { openStoredDatabase } from '../db/open-database.ts'
import { readSnapshot } from '../db/read-snapshot.ts'
import { linkFiles } from '../files/file-store.ts'
import { createUserData, userDataEnvironment } from '../testing/chat/create-user-data.ts'
import { openToolApp, type ToolApp } from '../testing/chat/open-tool-app.ts'
import { hashTables } from '../testing/database/hash-tables.ts'
import { engines, isConcurrent } from '../testing/database/test-database.ts'
import { addFile } from '../testing/factories/files.ts'
import { readExport, type ReadExportOptions } from '../testing/files/read-export.ts'
import { sha256 } from '../testing/files/read-zip.ts'
import { type ExportedChat, exportedEntries, type ExportManifest } from './export-format.ts'
import { ofOneMoment } from './read-exported-chat.ts'

const publicUrl = 'http://localhost:3000'
const schemas: Readonly<Record<string, z.ZodType>> = exportedEntries

describe.each(engines)('the export of a user on %s', (engine) => {
  let product: ToolApp
  afterEach(() => product.close())

  const open = async () => {
    product = await openToolApp({ engine, environment: userDataEnvironment })
  }

  /** As the command does, on a connection of its own. */
  async function exportData(subject: string, options: ReadExportOptions = {}) {
    const { database } = product
    const reader = isConcurrent(engine) ? await openStoredDatabase(database.location) : database
    const zip = await readSnapshot(reader, (snapshot) =>
      readExport(database, subject, { source: ofOneMoment(snapshot), ...options }),
    )
    if (reader !== database) await reader.close()
    return zip
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
    await product.database.db
      .updateTable('chats')
      .set({ source: 'chatgpt', source_id: 'there' })
      .where('id', '=', ada.chat)
      .execute()
    await ada.client.patch('/api/chats', { chats: [ada.chat], change: { deleted: true } })
    await ada.client.patch('/api/chats', {
      chats: [ada.runningChat],
      change: { title: 'Mine', pinned: true, project_id: ada.project },
    })
    const before = await hashTables(product.database)
    const zip = await exportData(ada.client.user.subject)
    expect(await hashTables(product.database)).toEqual(before)

    // Nothing is in it that the schema does not have.
    for (const path of zip.paths.filter((one) => one.endsWith('.json'))) {
      const schema = schemas[path.startsWith('chats/') ? 'chats/{id}.json' : path]
      expect(schema?.parse(zip.jsonOf(path)), path).toEqual(zip.jsonOf(path))
    }
    expect(zip.jsonOf('user.json')).toMatchObject({
      id: ada.client.user.id,
      name: 'Ada',
      email: ada.client.user.email,
    })
    expect(zip.jsonOf('bots.json')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: ada.bot, model: 'm', has_api_key: false }),
        expect.objectContaining({ name: 'With a key', has_api_key: true }),
      ]),
    )
    expect(zip.jsonOf('connectors.json')).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: ada.connector, tools: expect.any(Array) })]),
    )
    expect(zip.jsonOf('integrations.json')).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: 'search', has_api_key: true })]),
    )
    expect(zip.jsonOf('shared_links.json')).toMatchObject([
      { url: `${publicUrl}/share/${ada.share}`, chat_id: ada.chat },
    ])
    for (const path of ['usage.json', 'tool_calls.json', 'prompt_texts.json'])
      expect((zip.jsonOf(path) as unknown[]).length, path).toBeGreaterThan(0)
    expect(zip.jsonOf('projects.json')).toEqual([
      { id: ada.project, name: ada.secret, bot: null, instructions: ada.secret },
    ])

    expect(zip.jsonOf('queued_messages.json')).toContainEqual({
      chat_id: ada.runningChat,
      bot: ada.bot,
      content: ada.secret,
      created_at: expect.any(String) as string,
    })

    const chats = new Map(zip.chats.map((chat) => [chat.id, chat]))
    expect([...chats.keys()].sort()).toEqual(
      [
        ada.chat,
        ada.runningChat,
        ada.deletedChat,
        ada.approvalChat,
        ada.stepChat,
        ada.elicitationChat,
      ].sort(),
    )
    expect(chats.get(ada.runningChat)).not.toHaveProperty('deleted_time')
    expect(chats.get(ada.chat)).toMatchObject({
      created_time: expect.any(String) as string,
      source: { product: 'chatgpt', id: 'there' },
      deleted_time: expect.any(String) as string,
      messages: [
        { id: ada.userMessage, parent_id: null },
        { id: ada.reply, parent_id: ada.userMessage },
      ],
      compactions: [{ content: ada.secret }],
      files: [
        {
          id: ada.file,
          name: 'cat.png',
          type: 'image/png',
          size: ada.secret.length,
          path: `files/${ada.file}.png`,
        },
      ],
    })
    expect(zip.bytesOf(`files/${ada.file}.png`).toString()).toBe(ada.secret)
    expect(zip.isStored(`files/${ada.file}.png`)).toBe(true)
    expect(zip.isStored(`chats/${ada.chat}.json`)).toBe(false)
    // Its reply is still being written.
    expect(chats.get(ada.runningChat)).toMatchObject({
      title: 'Mine',
      title_source: 'user',
      pinned: true,
      project_id: ada.project,
      messages: [{}, { status: 'streaming', content: ada.secret }],
    })

    await ada.client.post('/api/chats/purge', { chats: [ada.chat] })
    expect((await exportData(ada.client.user.subject)).paths).not.toContain(`chats/${ada.chat}.json`)

    const text = zip.paths.map((path) => zip.bytesOf(path).toString()).join('\n')
    expect(text).not.toContain(eve.secret)
    expect(text).not.toContain('key-of-the-bot')
    expect(text).not.toContain('v2.')
  })

  it('ends with a manifest that is true of each entry', async () => {
    await open()
    const ada = await createUserData(product, 'Ada')
    const zip = await exportData(ada.client.user.subject)
    expect(zip.paths.at(-1)).toBe('manifest.json')
    const manifest = zip.jsonOf('manifest.json') as ExportManifest
    expect(manifest).toMatchObject({ format: 'yonder-export', format_version: 1 })
    expect(manifest.entries).toEqual(
      zip.paths.slice(0, -1).map((path) => {
        const bytes = zip.bytesOf(path)
        return { path, size: bytes.length, sha256: sha256(bytes) }
      }),
    )
    expect(manifest.counts).toEqual({
      chats: zip.chats.length,
      messages: zip.chats.reduce((sum, { messages }) => sum + messages.length, 0),
      files: zip.paths.filter((path) => path.startsWith('files/')).length,
      projects: 1,
      bots: (zip.jsonOf('bots.json') as unknown[]).length,
    })
  })

  it('has a file once that several chats have, and says which one is gone', async () => {
    await open()
    const { client, chat, approvalChat, approvalCall, reply, file } = await createUserData(product, 'Ada')
    const { db, bytes } = product.database
    await linkFiles(db, approvalChat, approvalCall, [file])
    const place = { userId: client.user.id, chatId: chat, messageId: reply }
    await addFile(product.database, place, { id: 'gone', name: '../../etc/passwd', type: 'text/plain' })
    await bytes.delete('gone')
    await addFile(product.database, place, { id: 'kept', name: '../../../evil.exe', type: '../x' })
    const zip = await exportData(client.user.subject)
    expect(zip.paths.filter((path) => path.startsWith('files/')).sort()).toEqual(
      [`files/${file}.png`, 'files/kept'].sort(),
    )
    const pathsOf = (id: string) =>
      (zip.jsonOf(`chats/${id}.json`) as ExportedChat).files.map(({ id: of, path }) => [of, path])
    expect(pathsOf(approvalChat)).toEqual([[file, `files/${file}.png`]])
    expect(pathsOf(chat)).toEqual(
      expect.arrayContaining([
        ['gone', null],
        ['kept', 'files/kept'],
      ]),
    )
  })

  it('has the files of messages that wait or were not sent, and none of others', async () => {
    await open()
    const [ada, eve] = [await createUserData(product, 'Ada'), await createUserData(product, 'Eve')]
    await addFile(product.database, { userId: ada.client.user.id }, { id: 'waits' }, Buffer.from('A file'))
    await addFile(product.database, { userId: eve.client.user.id }, { id: 'of-eve' })
    const zip = await exportData(ada.client.user.subject)
    expect(zip.paths.filter((path) => path.startsWith('files/'))).toEqual([
      `files/${ada.file}.png`,
      'files/waits.png',
    ])
    expect(zip.bytesOf('files/waits.png').toString()).toBe('A file')
    expect(zip.jsonOf('manifest.json')).toMatchObject({ counts: { files: 2 } })
  })

  it.runIf(isConcurrent(engine))('is of the moment of its start, whatever is deleted meanwhile', async () => {
    await open()
    const { client, chat, reply, file } = await createUserData(product, 'Ada')
    const { db } = product.database
    const place = { userId: client.user.id, chatId: chat, messageId: reply }
    await addFile(product.database, place, { id: 'second' })
    let isFirst = true
    const zip = await exportData(client.user.subject, {
      onPiece: async () => {
        if (!isFirst) return
        isFirst = false
        await db.deleteFrom('user_files').where('id', '=', file).execute()
        await db.deleteFrom('chats').execute()
      },
    })
    expect((zip.jsonOf(`chats/${chat}.json`) as ExportedChat).files.map(({ id }) => id).sort()).toEqual(
      [file, 'second'].sort(),
    )
    expect(zip.chats).toHaveLength(6)
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
    const zip = await exportData(client.user.subject, { onChat: (done) => steps.push(done) })
    const chat = zip.jsonOf(`chats/${chatId}.json`) as Chat
    expect(chat.messages.filter(({ id }) => /^m\d+$/.test(id))).toHaveLength(10_000)
    expect(steps).toEqual(steps.map((_, index) => index))
  })
})

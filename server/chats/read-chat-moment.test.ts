import { afterEach, describe, expect, it } from 'vitest'
import { createChatClient, openChatApp, type ChatApp } from '../testing/chat/open-chat-app.ts'
import { startChatNode, type ChatNode } from '../testing/chat/start-chat-node.ts'
import { engines, isConcurrent } from '../testing/database/test-database.ts'

describe.each(engines.filter(isConcurrent))(
  'a chat that is read while replies begin and end, on %s',
  (engine) => {
    let product: ChatApp
    let remote: ChatNode | undefined
    afterEach(async () => {
      await remote?.kill()
      remote = undefined
      await product.close()
    })

    it('has the selected message among its messages, and a run exactly while its reply is written', async () => {
      product = await openChatApp({ engine })
      const ada = await product.join()
      const chatId = await ada.newChat()
      product.model.when('Go on', ['a', 'b', { finish: 'stop' }])
      // The reads of another node follow the log, and not the memory of the one that writes.
      if (engine === 'postgres') remote = await startChatNode(product.database, ada, product.model.baseUrl)
      const readers = [ada, ...(remote === undefined ? [] : [createChatClient(remote.base, ada)])]
      const progress = { isEnded: false }
      const read = async (reader: typeof ada): Promise<void> => {
        while (!progress.isEnded) {
          const { messages, selected_message_id, run } = await reader.readChat(chatId)
          const ids = messages.map(({ id }) => id)
          if (selected_message_id !== null) expect(ids).toContain(selected_message_id)
          for (const { parent_id } of messages) if (parent_id !== null) expect(ids).toContain(parent_id)
          const writing = messages.filter(({ status }) => status === 'streaming').map(({ id }) => id)
          expect(run === null ? [] : [run.message_id]).toEqual(writing)
        }
      }
      const write = async (): Promise<void> => {
        for (let count = 0; count < 15; count++) await (await ada.send(chatId, 'Go on')).ended
      }
      const reads = readers.flatMap((reader) => [read(reader), read(reader)])
      await Promise.race([write(), ...reads]).finally(() => (progress.isEnded = true))
      await Promise.all(reads)
      expect((await ada.readChat(chatId)).messages).toHaveLength(30)
    })
  },
)

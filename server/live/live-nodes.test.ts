import { afterEach, describe, expect, it } from 'vitest'
import { leaseMs } from '../completions/log/run-store.ts'
import { createChatClient, openChatApp, type ChatApp } from '../testing/chat/open-chat-app.ts'
import { openLiveStream } from '../testing/chat/open-live-stream.ts'
import { startChatNode, type ChatNode } from '../testing/chat/start-chat-node.ts'
import { engines, isConcurrent } from '../testing/database/test-database.ts'

const counting = (count: number) =>
  Array.from({ length: count }, (_, index) => [`${index} `, { delay: 10 }]).flat()

describe.each(engines)('live updates between two servers on one database, %s', (engine) => {
  let local: ChatApp
  let remote: ChatNode | undefined
  afterEach(async () => {
    await remote?.kill()
    await local.close()
  })

  async function open() {
    local = await openChatApp({ engine })
    const ada = await local.join()
    remote = await startChatNode(local.database, ada, local.model.baseUrl)
    return { here: ada, there: createChatClient(remote.base, ada), node: remote }
  }

  it.runIf(isConcurrent(engine))(
    'report the events of runs on the other server, without gaps or repetitions',
    async () => {
      const { here, there } = await open()
      const eve = await local.join('Eve')
      const [tab, eveTab] = await Promise.all(
        [here, eve].map((client) => openLiveStream(local.base, client.headers)),
      )
      const gate = local.model.gate()
      local.model.reply([...counting(40), gate, ...counting(40), { finish: 'stop' }])
      const chatId = await here.newChat()
      const sent = await there.send(chatId, 'Count')
      await sent.until(({ text }) => text.includes('9 '))
      const late = await openLiveStream(local.base, here.headers)
      gate.open()
      await sent.ended
      await tab?.until(() => tab.run(chatId).status === 'complete')
      expect(tab?.runEvents(chatId).map(({ event }) => event)).toEqual(sent.events)
      await late.until(() => late.runEvents(chatId).at(-1)?.event.type === 'ended')
      const [ready] = late.events()
      const seq = ready?.type === 'ready' ? ready.runs[0]?.seq : undefined
      expect(seq).toBeDefined()
      // Events that are committed during the subscription may be sent twice, with the same number.
      const after = late.runEvents(chatId).flatMap(({ event }) => (event.seq > (seq ?? 0) ? [event] : []))
      expect(after).toEqual(sent.events.slice(seq))
      expect(eveTab?.events()).toEqual([{ type: 'ready', runs: [] }])
      tab?.leave()
      late.leave()
      eveTab?.leave()
    },
  )

  it.runIf(isConcurrent(engine) && engine === 'postgres')(
    'report a branch that was selected on the other server',
    async () => {
      const { here, there } = await open()
      local.model.reply(['One', { finish: 'stop' }])
      const chatId = await here.newChat()
      const sent = await here.send(chatId, 'Hi')
      await sent.ended
      const tab = await openLiveStream(local.base, here.headers)
      await there.post('/api/chat/select-response', { chatId, messageId: sent.run.messages[1]?.id })
      await tab.until(() => tab.events().length > 1)
      expect(tab.events().slice(1)).toEqual([{ type: 'chat_changed', chatId }])
      tab.leave()
    },
  )

  it.runIf(isConcurrent(engine))(
    'report that a reply was interrupted when its server died',
    async () => {
      const { here, there, node } = await open()
      local.model.reply(counting(3_000))
      const chatId = await here.newChat()
      const tab = await openLiveStream(local.base, here.headers)
      await there.send(chatId, 'Count')
      await tab.until(() => tab.text(chatId).includes('9 '))
      await node.kill()
      await tab.until(() => tab.run(chatId).status === 'interrupted')
      expect((await here.readChat(chatId)).messages).toEqual(tab.run(chatId).messages)
      tab.leave()
    },
    leaseMs * 4,
  )
})

import { expect, it } from 'vitest'
import { personalStorage, storageKeys } from './chat-storage.ts'

const texts = [
  storageKeys.homeDraft,
  storageKeys.draft('c_1'),
  storageKeys.edit('c_1'),
  storageKeys.outbox('c_1'),
  storageKeys.newMessage('c_2'),
  storageKeys.newBot('c_2'),
  'chat_c_1_question_a_1',
]
const choices = [storageKeys.homeBot, storageKeys.chatBot('c_1')]
/** Of this browser, or of another's making. */
const others = ['theme', 'showMcpLogs', 'imageSites_ada', 'yonder.sign-in:issuer:client', 'chat_settings']

function fill() {
  for (const key of [...texts, ...choices, ...others]) localStorage.setItem(key, 'something')
}
const stored = () => [...texts, ...choices, ...others].filter((key) => localStorage.getItem(key) !== null)

it('keeps everything for its owner, and for a user of the time before owners were stored', () => {
  fill()
  personalStorage.claim('ada')
  personalStorage.claim('ada')
  expect(stored()).toEqual([...texts, ...choices, ...others])
})

it('removes what another user has left, and keeps what belongs to the browser (§15.12)', () => {
  personalStorage.claim('ada')
  fill()
  personalStorage.claim('eve')
  expect(stored()).toEqual(others)
})

it('removes texts on sign-out, and choices when another user signs in (§15.12)', () => {
  personalStorage.claim('ada')
  fill()
  personalStorage.clearTexts()
  expect(stored()).toEqual([...choices, ...others])
  personalStorage.claim('ada')
  expect(stored()).toEqual([...choices, ...others])
})

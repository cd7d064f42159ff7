import { expect, it } from 'vitest'
import { personalStorage } from './chat-storage.ts'
import { storageKeys } from './chat-storage.ts'

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
const kept = () => [...texts, ...choices, ...others].filter((key) => localStorage.getItem(key) !== null)

it('keeps everything for the person whose it is, and for one who was here before it was asked', () => {
  fill()
  personalStorage.claim('ada')
  personalStorage.claim('ada')
  expect(kept()).toEqual([...texts, ...choices, ...others])
})

it('shows another person nothing of what was left, and keeps what belongs to the browser', () => {
  personalStorage.claim('ada')
  fill()
  personalStorage.claim('eve')
  expect(kept()).toEqual(others)
})

it('leaves no text behind when somebody signs out, and what they chose until somebody else comes', () => {
  personalStorage.claim('ada')
  fill()
  personalStorage.clearTexts()
  expect(kept()).toEqual([...choices, ...others])
  personalStorage.claim('ada')
  expect(kept()).toEqual([...choices, ...others])
})

import { browserStorage } from '../../../lib/browser-storage.ts'
import { storageKeys } from './chat-storage.ts'
import { writeStoredText } from './use-stored-text.ts'

const choices = /^(chat_.+_selectedBot|newChat_.+_bot)$/

/** A bot has got another name: wherever it was chosen in this browser, it stays so. */
export function renameBotChoices(name: string, next: string): void {
  for (const key of browserStorage.keys()) {
    const isChoice = key === storageKeys.homeBot || choices.test(key)
    if (isChoice && browserStorage.read(key) === name) writeStoredText(key, next)
  }
}

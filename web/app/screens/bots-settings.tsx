import { BotsSection } from '../../features/bots/bots-section.tsx'
import { renameBotChoices } from '../../features/chat/composer/use-bot-choice.ts'

/** The Bots section of settings; a renamed bot stays selected in this browser's chats. */
export function BotsSettings() {
  return <BotsSection onRename={renameBotChoices} />
}

import { BotsSection } from '../../features/bots/bots-section.tsx'
import { renameBotChoices } from '../../features/chat/composer/use-bot-choice.ts'

/** The Bots section of settings; chats in this browser go on with a bot that gets another name. */
export function BotsScreen() {
  return <BotsSection onRename={renameBotChoices} />
}

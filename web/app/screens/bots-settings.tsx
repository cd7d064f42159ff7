import { BotsSection } from '../../features/bots/bots-section.tsx'
import { renameHomeChoice } from '../../features/chat/composer/bot-select.tsx'

/** The Bots section of settings; a renamed bot stays selected on the home page of this browser. */
export function BotsSettings() {
  return <BotsSection onRename={renameHomeChoice} />
}

import type { JsonObject } from '../../lib/json-object.ts'
import { type ImportSource, importSources } from '../imported-chat.ts'
import { chatgpt } from './chatgpt.ts'
import { claude } from './claude.ts'
import type { Format } from './format.ts'
import { librechat } from './librechat.ts'
import { openWebui } from './open-webui.ts'
import { yonder } from './yonder.ts'

export const formats: Readonly<Record<ImportSource, Format>> = {
  yonder,
  chatgpt,
  claude,
  librechat,
  'open-webui': openWebui,
}

export const sourceNames: Readonly<Record<ImportSource, string>> = {
  yonder: 'Yonder',
  chatgpt: 'ChatGPT',
  claude: 'Claude',
  librechat: 'LibreChat',
  'open-webui': 'Open WebUI',
}

/** Finds out from which product a chat is. */
export function recognize(chat: JsonObject): ImportSource | undefined {
  return importSources.find((source) => formats[source].recognizes(chat))
}

/** Fields that only one product has, for a chat that cannot be parsed. */
const traits: readonly (readonly [ImportSource, RegExp])[] = [
  ['chatgpt', /"(?:mapping|default_model_slug|current_node)"\s*:/],
  ['claude', /"chat_messages"\s*:/],
  ['librechat', /"conversationId"\s*:/],
  ['open-webui', /"history"\s*:\s*\{/],
  ['yonder', /"selected_message_id"\s*:/],
]

/** Finds out from which product a damaged chat is, by its beginning. */
export function recognizeText(start: string): ImportSource | undefined {
  return traits.find(([, trait]) => trait.test(start))?.[0]
}

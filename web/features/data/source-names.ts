import type { ImportSource } from '@yonder/contract/transfer'

/** The products whose exports can be imported, as they call themselves. */
export const sourceNames: Readonly<Record<ImportSource, string>> = {
  yonder: 'Yonder',
  chatgpt: 'ChatGPT',
  claude: 'Claude',
  librechat: 'LibreChat',
  'open-webui': 'Open WebUI',
}

import type { ApiClient } from '../../../lib/api/api-client.ts'
import { readReason } from '../../../lib/api/api-error.ts'
import { logError } from '../../../lib/log-error.ts'
import { toast } from '../../../lib/toasts.ts'

/**
 * Saves the versions that the user selects, one after the other. Of those that are selected while one is being
 * saved, only the last is saved.
 */
export class SelectionSaver {
  readonly #chatId: string
  readonly #api: ApiClient
  #count = 0
  #saving: Promise<void> = Promise.resolve()

  constructor(chatId: string, api: ApiClient) {
    this.#chatId = chatId
    this.#api = api
  }

  /** `onDone` is called once for each selection; `isLast` says whether no newer one has been made. */
  save(messageId: string, onDone: (isLast: boolean) => void): void {
    const number = (this.#count += 1)
    const isLast = () => number === this.#count
    const before = this.#saving
    const save = async () => {
      await before
      if (isLast()) await this.#post(messageId)
      onDone(isLast())
    }
    this.#saving = save()
  }

  async #post(messageId: string): Promise<void> {
    try {
      await this.#api.post('/api/chat/select-response', { chatId: this.#chatId, messageId })
    } catch (error) {
      logError('Error selecting response', error)
      toast.error(`The chosen version could not be saved: ${readReason(error)}`)
    }
  }
}

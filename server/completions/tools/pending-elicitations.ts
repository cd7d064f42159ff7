import type { ElicitationAnswer } from '@yonder/contract/elicitation'
import { onAbort } from '../../lib/abort.ts'

/** The questions of a run's calls that nobody has answered yet. */
export class OpenQuestions {
  readonly #open = new Map<string, (answer: ElicitationAnswer) => void>()

  get isEmpty(): boolean {
    return this.#open.size === 0
  }

  /** Resolves with the answer, or with `cancel` when `signal` says that none is wanted any more. */
  async wait(id: string, signal: AbortSignal): Promise<ElicitationAnswer> {
    let leave = (): void => undefined
    try {
      return await new Promise((resolve) => {
        this.#open.set(id, resolve)
        leave = onAbort(signal, () => this.answer(id, { action: 'cancel' }))
      })
    } finally {
      leave()
      this.#open.delete(id)
    }
  }

  /** Does nothing when it is not open. */
  answer(id: string, answer: ElicitationAnswer): void {
    this.#open.get(id)?.(answer)
  }
}

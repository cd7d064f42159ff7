/**
 * Runs work once per key, however many callers want it at the same time. Nothing is kept afterwards, so there is nothing
 * that a cache library would add.
 */
export class SingleFlight<Result> {
  readonly #running = new Map<string, Promise<Result>>()

  /** Returns the work that is under way for this key, or starts it. */
  run(key: string, work: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(key)
    if (running !== undefined) return running
    const started = work().finally(() => this.#running.delete(key))
    this.#running.set(key, started)
    return started
  }

  /** Waits until all work that is under way has ended, successfully or not. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running.values())
  }
}

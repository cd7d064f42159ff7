/** Runs work once per key, however many callers request it at the same time. The result is not cached. */
export class SingleFlight<Result> {
  readonly #running = new Map<string, Promise<Result>>()

  /** Returns the promise of the work that is running for this key, or starts the work. */
  run(key: string, work: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(key)
    if (running !== undefined) return running
    const started = work().finally(() => this.#running.delete(key))
    this.#running.set(key, started)
    return started
  }

  /** Returns the promise of the work that is running for this key. */
  find(key: string): Promise<Result> | undefined {
    return this.#running.get(key)
  }

  /** Waits until all running work has ended, successfully or not. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running.values())
  }
}

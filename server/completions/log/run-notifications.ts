import type { ChangeNotification, Database } from '../../db/database.ts'

/** Waiting for what other processes write into runs. */
export interface RunNews {
  /** Resolves when the run may have news, and after `timeout` milliseconds in any case. */
  wait(runId: number, timeout: number): Promise<void>
  /** Calls `listener` with every run that another process has written to. */
  onNews(listener: (runId: number) => void): void
  close(): Promise<void>
}

/** What comes on the same connection as the news of runs. */
export interface OtherNews {
  /** A node tells of a change; it may be this one. */
  onChange(news: ChangeNotification): void
  /** News may have been lost. */
  onGap(): void
}

export function openRunNews(database: Database, others: OtherNews): RunNews {
  const waiting = new Map<number, Set<() => void>>()
  const listeners: ((runId: number) => void)[] = []
  const signals = database.subscribe({
    onRuns(runIds) {
      for (const runId of runIds) {
        for (const listener of listeners) listener(runId)
        for (const wake of waiting.get(runId) ?? []) wake()
      }
    },
    ...others,
  })

  return {
    wait(runId, timeout) {
      return new Promise((resolve) => {
        const wakers = waiting.get(runId) ?? new Set()
        const wake = (): void => {
          clearTimeout(timer)
          wakers.delete(wake)
          if (wakers.size === 0) waiting.delete(runId)
          resolve()
        }
        const timer = setTimeout(wake, timeout)
        wakers.add(wake)
        waiting.set(runId, wakers)
      })
    },
    onNews: (listener) => {
      listeners.push(listener)
    },
    close: () => signals.close(),
  }
}

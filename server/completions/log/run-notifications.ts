import type { ChangeNotification, Database } from '../../db/database.ts'

export type RunNotifications = ReturnType<typeof openRunNotifications>

/** Receives the other notifications on the same database connection. */
export interface ChangeListener {
  /** Called when any node, this one included, has changed something. */
  onChange(change: ChangeNotification): void
  /** Called when notifications may have been lost. */
  onGap(): void
}

/**
 * Opens the notifications about runs, from all nodes, this one included. They may be lost, and on SQLite there are none,
 * so readers also poll.
 */
export function openRunNotifications(database: Database, others: ChangeListener) {
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
    /** Resolves at the next notification about the run, or after `timeoutMs`. */
    wait(runId: number, timeoutMs: number): Promise<void> {
      return new Promise((resolve) => {
        const wakers = waiting.get(runId) ?? new Set()
        const wake = (): void => {
          clearTimeout(timer)
          wakers.delete(wake)
          if (wakers.size === 0) waiting.delete(runId)
          resolve()
        }
        const timer = setTimeout(wake, timeoutMs)
        wakers.add(wake)
        waiting.set(runId, wakers)
      })
    },
    /**
     * Calls `listener` with the id of each run that has new events, a request to stop it, or an answer to an elicitation.
     */
    onRun(listener: (runId: number) => void): void {
      listeners.push(listener)
    },
    close: () => signals.close(),
  }
}

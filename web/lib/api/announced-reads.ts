import { createStore, useStore } from '../store.ts'

/*
 * Reads whose changes the server announces over the live stream. The announcement repeats such a read after a change or
 * a reconnection, so the page itself need not.
 */

interface Announced {
  /** The keys of the announced reads; empty while no events can arrive. */
  readonly keys: ReadonlySet<string>
  /** Whether the live stream is open. */
  readonly isOpen: boolean
}

const none: Announced = { keys: new Set(), isOpen: false }
const announced = createStore<Announced>(none)
/** How many changes by this page are running, by the key of the read that they affect. */
const runningChanges = new Map<string, number>()
/** Reads that were announced during those changes. */
const heldReads = new Map<string, () => unknown>()

/** Sets which reads the live stream announces. Call it without keys when no events can arrive. */
export function setAnnouncedReads(keys: Iterable<string> = [], isOpen = false): void {
  announced.set({ keys: new Set(keys), isOpen })
}

/** Whether the live stream is open now and announces the changes of this read. */
export function isAnnouncedNow(key: string): boolean {
  const { keys, isOpen } = announced.get()
  return isOpen && keys.has(key)
}

/** Whether the live stream announces the changes of this read, now or once it is open again after a reconnection. */
export function useIsAnnounced(key: string): boolean {
  return useStore(announced, ({ keys }) => keys.has(key))
}

/**
 * Calls `read` because of an announcement: at once, or, while changes by this page that affect this read are running,
 * once after they have ended, because their responses would replace what was read meanwhile.
 */
export function readAnnounced(key: string, read: () => unknown): void {
  if (runningChanges.has(key)) heldReads.set(key, read)
  else void read()
}

/** Calls `read` at once, and drops a read of this key that `readAnnounced` has held back. */
export function readNow<Result>(key: string, read: () => Result): Result {
  heldReads.delete(key)
  return read()
}

/** Marks the beginning of a change that affects a read. The first call of the returned function marks its end. */
export function beginChange(key: string): () => void {
  runningChanges.set(key, (runningChanges.get(key) ?? 0) + 1)
  let isRunning = true
  return () => {
    if (!isRunning) return
    isRunning = false
    const remaining = (runningChanges.get(key) ?? 1) - 1
    if (remaining > 0) return void runningChanges.set(key, remaining)
    runningChanges.delete(key)
    const read = heldReads.get(key)
    heldReads.delete(key)
    void read?.()
  }
}

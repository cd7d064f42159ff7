const listeners = new Set<() => void>()

/** Says to a list of chats that is open that it reads differently now. */
export const historyChanges = {
  tell(): void {
    for (const listener of listeners) listener()
  },
  listen(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}

/** The open dialogs, lowest first. What must be seen over everything is placed inside the top one. */
let open: readonly HTMLDialogElement[] = []
const listeners = new Set<() => void>()

export const dialogStack = {
  push: (dialog: HTMLDialogElement): void => change([...open, dialog]),
  remove: (dialog: HTMLDialogElement): void => change(open.filter((other) => other !== dialog)),
  top: (): HTMLDialogElement | null => open.at(-1) ?? null,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}

function change(next: readonly HTMLDialogElement[]): void {
  open = next
  for (const listener of listeners) listener()
}

/**
 * Moves the focus to a message input, except on a touch device, whose on-screen keyboard would cover the chat.
 */
export function focusInput(area: HTMLTextAreaElement | null): void {
  if (!matchMedia('(pointer: coarse)').matches) area?.focus({ preventScroll: true })
}

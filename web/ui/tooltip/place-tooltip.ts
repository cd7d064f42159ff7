/** The smallest space between a tooltip and the left or right edge of the window. */
const minMarginPx = 6

/** Puts a tooltip below its control, or above where there is no room below, within the window if it fits. */
export function placeTooltip(bubble: HTMLElement, control: HTMLElement): void {
  const anchor = control.getBoundingClientRect()
  const { width, height } = bubble.getBoundingClientRect()
  const maxLeft = document.documentElement.clientWidth - width - minMarginPx
  const maxTop = window.innerHeight - height
  const left = anchor.left + anchor.width / 2 - width / 2
  const top = anchor.bottom > maxTop ? anchor.top - height : anchor.bottom
  bubble.style.left = `${Math.max(minMarginPx, Math.min(left, maxLeft))}px`
  bubble.style.top = `${Math.max(0, Math.min(top, maxTop))}px`
}

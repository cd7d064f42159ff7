/** Pixels from the end within which the page counts as being at its end. */
export const endZone = 24

/** Pixels of the page that lie below the window. */
export function restOfPage(): number {
  return document.documentElement.scrollHeight - window.innerHeight - window.scrollY
}

export function scrollToEnd(): void {
  window.scrollTo(0, document.documentElement.scrollHeight)
}

/**
 * Puts the page, the colour of the browser's frame and the tab icon into light or dark. `public/theme.js` does the same
 * before the first paint, where modules come too late.
 */
export function paintTheme(dark: boolean): void {
  document.documentElement.classList.toggle('dark', dark)
  document
    .querySelector('link[rel="icon"]')
    ?.setAttribute('href', dark ? '/icon-dark.svg' : '/icon-light.svg')
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', dark ? '#161718' : '#fbfaf9')
}

// Runs before the first paint, so that a dark page never flashes white (§14.28). Modules are loaded too late for that.
// The rule is the same as in features/preferences/theme.ts.
;(function () {
  let stored = null
  try {
    stored = localStorage.getItem('theme')
  } catch {
    // The browser blocks storage for this page, so the light theme is used.
  }
  const dark =
    stored === 'dark' || (stored === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)
  if (!dark) return
  document.documentElement.classList.add('dark')
  document.querySelector('link[rel="icon"]').setAttribute('href', '/icon-dark.svg')
  document.querySelector('meta[name="theme-color"]').setAttribute('content', '#161718')
})()

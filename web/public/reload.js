// Reloads the page when a file of it is missing, because a newer version has replaced its files, or because the page came
// from one of two servers of different versions and the file from the other. The next page has the names of the new files.
;(function () {
  const minPauseMs = 10_000
  const key = 'reloadedAt'
  /** Whether the page was reloaded a moment ago, so that another reload would not help yet. */
  function wasReloaded() {
    try {
      const isRecent = Date.now() - Number(sessionStorage.getItem(key)) < minPauseMs
      if (!isRecent) sessionStorage.setItem(key, String(Date.now()))
      return isRecent
    } catch {
      return true
    }
  }
  // A screen that is loaded later. If a reload does not help, the page shows the failure and offers another.
  // While the server cannot be reached, a reload would only lose the page.
  addEventListener('vite:preloadError', () => {
    const reload = ({ ok }) => ok && !wasReloaded() && location.reload()
    fetch('/healthz', { cache: 'no-store' }).then(reload, () => undefined)
  })
  // The page itself, which shows nothing yet. Errors of elements do not bubble.
  addEventListener(
    'error',
    ({ target }) => {
      if (!(target instanceof HTMLScriptElement) || !target.src.startsWith(`${location.origin}/assets/`))
        return
      document.getElementById('root').textContent = 'Yonder is being updated. This page reloads in a moment.'
      setTimeout(() => location.reload(), wasReloaded() ? minPauseMs / 5 : 0)
    },
    true,
  )
})()

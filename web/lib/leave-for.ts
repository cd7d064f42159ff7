/**
 * Sends the browser to another page. Resolves when this page stays or is shown again, so that pending controls become
 * usable: when the user cancels the navigation (in browsers with the Navigation API), or returns with the back button.
 */
export async function leaveFor(address: string | URL): Promise<void> {
  const listening = new AbortController()
  const stayed = new Promise((resolve) => {
    const options = { once: true, signal: listening.signal }
    addEventListener('pageshow', resolve, options)
    if ('navigation' in window) window.navigation.addEventListener('navigateerror', resolve, options)
  })
  location.assign(address)
  await stayed
  listening.abort()
}

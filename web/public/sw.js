// Shows what the server pushes, also while no page is open. It has no handler for requests, so it caches nothing and
// cannot hold back a newer version of the page.
;(function () {
  const ownOrigin = self.location.origin

  addEventListener('install', () => self.skipWaiting())
  addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

  const listPages = () => self.clients.matchAll({ type: 'window', includeUncontrolled: true })

  /** The notification of a push; that of another sender, or of a newer version, may have another form. */
  function readNotification(data) {
    try {
      return data.json().notification || {}
    } catch {
      return {}
    }
  }

  /** An address of ours, whatever was pushed. */
  function toOwnAddress(text) {
    try {
      const url = new URL(text, ownOrigin)
      return url.origin === ownOrigin ? url.href : ownOrigin + '/'
    } catch {
      return ownOrigin + '/'
    }
  }

  async function show({ title, body, tag, navigate }) {
    const pages = await listPages()
    // The page itself tells the user who looks at it.
    if (pages.some((page) => page.visibilityState === 'visible')) return
    await self.registration.showNotification(title || 'Yonder', {
      body: body || '',
      tag: tag || 'yonder',
      // What replaces an unread notification of the same chat is news too, and would come without a sound.
      renotify: true,
      icon: '/icon-192.png',
      data: { url: toOwnAddress(navigate || '/') },
    })
  }

  /** Shows the address in an open page, if there is one, without loading it again: it may have a draft. */
  async function open(url) {
    const pages = await listPages()
    const page = pages.find((one) => one.url === url) || pages[0]
    if (!page) return self.clients.openWindow(url)
    await page.focus()
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a client of a worker has no other origin
    if (page.url !== url) page.postMessage({ type: 'yonder.open', url })
  }

  addEventListener('push', (event) =>
    event.waitUntil(show(event.data === null ? {} : readNotification(event.data))),
  )
  addEventListener('notificationclick', (event) => {
    event.notification.close()
    event.waitUntil(open(toOwnAddress((event.notification.data || {}).url)))
  })
  // Only a page has the user's token, so the next one subscribes again.
  addEventListener('pushsubscriptionchange', (event) =>
    event.waitUntil(
      listPages().then((pages) =>
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- as above
        pages.forEach((page) => page.postMessage({ type: 'yonder.subscribe' })),
      ),
    ),
  )
})()
